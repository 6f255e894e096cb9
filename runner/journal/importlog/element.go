package importlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"proctor/runner/journal"
)

// The formats, which are also the names of the styles that belong to them, and of the rule sets unless [markedBy] says another.
const (
	formatTiger       = "tiger"
	formatLMEval      = "lm-eval"
	formatEvalscope   = "evalscope"
	formatOpenCompass = "opencompass"
	formatInspect     = "inspect"
	formatLlamaEval   = "llama-eval"
)

// An element is one object of a log of any format.
type element struct {
	question

	// tiger: the completion, by the three names that the authors' scripts have used
	GeneratedText json.RawMessage `json:"generated_text"`
	ModelOutputs  json.RawMessage `json:"model_outputs"`
	Response      json.RawMessage `json:"response"`

	// lm-eval
	Doc       *question       `json:"doc"`
	Arguments json.RawMessage `json:"arguments"`
	Resps     json.RawMessage `json:"resps"`

	// the others
	review
	prediction
	inspected
	state
	scores
}

// A question is a row of MMLU-Pro as both formats repeat it.
type question struct {
	QuestionID  *int            `json:"question_id"`
	Question    string          `json:"question"`
	Options     json.RawMessage `json:"options"` // a list, or one text with all of them
	Answer      string          `json:"answer"`
	AnswerIndex *int            `json:"answer_index"`
	Category    string          `json:"category"`
}

// sample reads an element; subject is what the file's name says.
func (e *element) sample(subject string) (s sample, format string, err error) {
	switch {
	case e.Doc != nil:
		s, err = e.lmEval()
		return s, formatLMEval, err
	case e.SampleScore != nil:
		s, err = e.evalscope(subject)
		return s, formatEvalscope, err
	case e.OriginPrompt != nil:
		s, err = e.openCompass(subject)
		return s, formatOpenCompass, err
	case e.TaskID != "" && e.Expected != nil:
		s, err = e.llamaEval()
		return s, formatLlamaEval, err
	case e.Choices != nil && e.Target != nil:
		s, err = e.inspect()
		return s, formatInspect, err
	}
	s, err = e.tiger()
	return s, formatTiger, err
}

func (e *element) tiger() (sample, error) {
	completion := e.GeneratedText
	for _, other := range []json.RawMessage{e.ModelOutputs, e.Response} {
		if completion == nil {
			completion = other
		}
	}
	if completion == nil {
		return sample{}, errors.New("has no generated_text, model_outputs or response (MMLU-Pro scripts) and no doc (lm-eval samples): " +
			"is it a log of results instead of samples?")
	}
	s, err := e.question.sample()
	if err != nil {
		return sample{}, err
	}
	if s.text, err = text(completion); err != nil {
		return sample{}, fmt.Errorf("the completion %w", err)
	}
	return s, nil
}

func (e *element) lmEval() (sample, error) {
	s, err := e.Doc.sample()
	if err != nil {
		return sample{}, fmt.Errorf("doc: %w", err)
	}
	var resps [][]json.RawMessage
	if err := json.Unmarshal(e.Resps, &resps); err != nil || len(resps) == 0 || len(resps[0]) == 0 {
		return sample{}, errors.New("resps is not a list with a list of completions: only generated answers can be imported, " +
			"no log-likelihoods")
	}
	if len(resps) > 1 || len(resps[0]) > 1 {
		s.oddity = "Of several completions of a question the first was taken."
	}
	if s.text, err = text(resps[0][0]); err != nil {
		return sample{}, fmt.Errorf("resps: the completion %w", err)
	}
	return s, s.ask(e.Arguments)
}

// text reads a completion: a text, null, or a list of one of these.
func text(raw json.RawMessage) (*string, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		raw = list[0]
	}
	var completion *string
	if err := json.Unmarshal(raw, &completion); err != nil {
		return nil, errors.New("is not a text")
	}
	return completion, nil
}

func (q *question) sample() (sample, error) {
	if q.QuestionID == nil {
		return sample{}, errors.New("has no question_id: is it a log of MMLU-Pro?")
	}
	s := sample{id: *q.QuestionID, question: q.Question, subject: strings.TrimSpace(q.Category)}
	if s.subject == "" {
		return sample{}, fmt.Errorf("question %d has no category", s.id)
	}
	var err error
	if s.options, err = readOptions(q.Options); err != nil {
		return sample{}, fmt.Errorf("question %d: options %w", s.id, err)
	}
	s.gold = strings.TrimSpace(q.Answer)
	indexed := ""
	if q.AnswerIndex != nil && 0 <= *q.AnswerIndex && *q.AnswerIndex < len(s.options) {
		indexed = letter(*q.AnswerIndex)
	}
	switch {
	case s.gold == "" && indexed != "":
		s.gold = indexed
	case len(s.gold) != 1 || s.gold < "A" || s.gold > letter(len(s.options)-1):
		return sample{}, fmt.Errorf("question %d: answer %q is not one of its %d letters", s.id, q.Answer, len(s.options))
	case q.AnswerIndex != nil && indexed != s.gold:
		s.oddity = "answer and answer_index disagree; answer decides."
	}
	return s, nil
}

func letter(i int) string { return string(rune('A' + i)) }

// readOptions reads an item's options, as a list or as one text.
func readOptions(raw json.RawMessage) ([]string, error) {
	if raw == nil {
		return nil, errors.New("are missing")
	}
	var options []string
	if err := json.Unmarshal(raw, &options); err != nil {
		var one string
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, errors.New("are neither a list of texts nor a text")
		}
		options = splitOptions(one)
	}
	if len(options) < 1 || len(options) > journal.MaxOptions {
		return nil, fmt.Errorf("are %d, not 1 to %d", len(options), journal.MaxOptions)
	}
	return options, nil
}
