package items

import (
	"cmp"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// An Earlier is a completion of an item that was asked again since, under a larger cap.
type Earlier struct {
	MaxTokens    int    `json:"max_tokens"` // the cap it was asked under
	Completion   string `json:"completion"`
	OutputTokens int    `json:"output_tokens,omitempty"`
	Finish       string `json:"finish"`
	ParsedAnswer string `json:"parsed_answer,omitempty"`
	Correct      bool   `json:"correct"`
	Tag          string `json:"tag,omitempty"`
}

// addEarlier adds what a run's journal has of the item from before it was asked again.
func (it *Item) addEarlier(r *run) error {
	for _, old := range r.Run.Earlier {
		if old.ID != it.ID {
			continue
		}
		record, err := r.record(old)
		if err != nil {
			return err
		}
		m := &old.Marks[0]
		it.Earlier = append(it.Earlier, Earlier{r.Header.Cap(&old.Record), record.Text, old.Usage.OutputTokens, string(old.Finish), m.Letter,
			m.Correct, string(m.Tag)})
	}
	return nil
}

// earlierSection lists the completions that the one shown has replaced.
func (it *Item) earlierSection() page.Section {
	s := page.Section{Title: "Asked before"}
	if len(it.Earlier) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"cap", "tokens", "ended by", "answer", "verdict"}}
	for _, e := range it.Earlier {
		s.Table.Add(format.Count(e.MaxTokens), format.Count(e.OutputTokens), e.Finish, cmp.Or(e.ParsedAnswer, "–"), cmp.Or(e.Tag, "right"))
	}
	s.Notes = []string{"the completion above was asked under a cap of " + format.Several(it.MaxTokens, "token") +
		", and replaces these; " + setting.Format.As("json") + " has their texts"}
	return s
}
