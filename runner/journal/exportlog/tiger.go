package exportlog

// tigerEntry is a question as evaluate_from_local.py writes it.
type tigerEntry struct {
	row
	Pred         *string `json:"pred"` // null for no answer
	ModelOutputs string  `json:"model_outputs"`
}

// A row is a question as the published set has it, as far as a journal knows it.
type row struct {
	QuestionID  int      `json:"question_id"`
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Answer      string   `json:"answer"`
	AnswerIndex int      `json:"answer_index"`
	Category    string   `json:"category"`
}

func rowOf(subject string, it *Item) row {
	return row{it.ID, it.Question, it.Options, it.Gold, int(it.Gold[0] - 'A'), subject}
}

// tiger writes a file a subject and no other, since compute_accuracy.py reads all that there are.
func tiger(run *Run) ([]file, error) {
	var files []file
	for _, s := range run.Subjects {
		entries := make([]tigerEntry, len(s.Items))
		for i := range s.Items {
			it := &s.Items[i]
			entries[i] = tigerEntry{row: rowOf(s.Name, it), ModelOutputs: it.Text}
			if it.Letter != "" {
				entries[i].Pred = &it.Letter
			}
		}
		content, err := encode(entries, "")
		if err != nil {
			return nil, err
		}
		files = append(files, file{fileSafe(s.Name) + ".json", content})
	}
	return files, nil
}
