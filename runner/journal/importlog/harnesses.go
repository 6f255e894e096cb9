package importlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A review is what evalscope writes of a question, a line in a file a subject.
type review struct {
	Target      json.RawMessage `json:"target"`
	Input       json.RawMessage `json:"input"` // the prompt, in older logs
	SampleScore *struct {
		Score struct {
			Prediction json.RawMessage `json:"prediction"`
		} `json:"score"`
		Metadata struct {
			QuestionID *int     `json:"question_id"`
			Subject    string   `json:"subject"`
			Question   string   `json:"question"` // as proctor export writes it, and its options
			Choices    []string `json:"choices"`
		} `json:"sample_metadata"`
	} `json:"sample_score"`
}

// A prediction is what OpenCompass writes of a question, by its number in a file a subject.
type prediction struct {
	OriginPrompt json.RawMessage `json:"origin_prompt"`
	Prediction   json.RawMessage `json:"prediction"`
	Gold         json.RawMessage `json:"gold"`
}

// An inspected sample is what Inspect writes of a question; its Input is a review's, and so is its Target.
type inspected struct {
	ID       json.RawMessage `json:"id"`
	Choices  []string        `json:"choices"`
	Messages json.RawMessage `json:"messages"`
	Output   *struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	} `json:"output"`
	Metadata struct {
		Subject  string `json:"subject"`
		Category string `json:"category"`
	} `json:"metadata"`
	Attachments map[string]string `json:"attachments"`
}

// A state is what llama-eval writes of a question; its response is where the MMLU-Pro scripts have theirs.
type state struct {
	TaskID   string          `json:"task_id"`
	Prompt   string          `json:"prompt"`
	Expected json.RawMessage `json:"expected"`
	Status   string          `json:"status"`
}

// evalscope reads a review.
func (e *element) evalscope(subject string) (s sample, err error) {
	meta := e.SampleScore.Metadata
	if s.prompt, s.chat = promptOf(e.Messages, e.Input); len(meta.Choices) > 0 {
		s.question, s.options = meta.Question, meta.Choices
	} else if s, err = shown(s.prompt, s.chat); err != nil {
		return s, err
	}
	if s.text, err = text(e.SampleScore.Score.Prediction); err != nil {
		return s, fmt.Errorf("sample_score: the prediction %w", err)
	}
	if s.subject = meta.Subject; s.subject == "" {
		s.subject = subject
	}
	s.numberBy(meta.QuestionID)
	return s, s.answer(e.Target)
}

// openCompass reads a prediction; the file's name says the subject.
func (e *element) openCompass(subject string) (s sample, err error) {
	if s, err = shown(promptOf(e.OriginPrompt, nil)); err != nil {
		return s, err
	}
	s.subject, s.id = subject, unnumbered
	if s.text, err = text(e.Prediction); err != nil {
		return s, fmt.Errorf("the prediction %w", err)
	}
	return s, s.answer(e.Gold)
}

// inspect reads a sample of Inspect's.
func (e *element) inspect() (s sample, err error) {
	s.prompt, s.chat = promptOf(e.Messages, e.Input)
	if s.prompt, err = e.attached(s.prompt); err != nil {
		return s, err
	}
	s.question, s.options = lastAsked(e.Input), e.Choices
	if s.question, err = e.attached(s.question); err != nil {
		return s, err
	}
	if s.subject = e.Metadata.Subject; s.subject == "" {
		s.subject = e.Metadata.Category
	}
	if e.Output != nil && len(e.Output.Choices) > 0 {
		completion, err := e.attached(e.Output.Choices[0].Message.text())
		if err != nil {
			return s, err
		}
		s.text = &completion
	}
	var id *int
	_ = json.Unmarshal(e.ID, &id) // an id may be a text, which numbers no question
	s.numberBy(id)
	return s, s.answer(e.Target)
}

// attached is a text that stands elsewhere in the sample.
func (e *element) attached(text string) (string, error) {
	name, is := strings.CutPrefix(text, "attachment://")
	if !is {
		return text, nil
	}
	whole, ok := e.Attachments[name]
	if !ok {
		return "", fmt.Errorf("attachment %.12s is missing", name)
	}
	return whole, nil
}

// llamaEval reads a case of llama-eval's. One that was not asked has no completion.
func (e *element) llamaEval() (s sample, err error) {
	if s, err = shown(e.Prompt, false); err != nil {
		return s, fmt.Errorf("%s: %w", e.TaskID, err)
	}
	s.subject, s.id = strings.SplitN(e.TaskID, "_", 2)[0], unnumbered
	if s.text, err = text(e.Response); err != nil && e.Response != nil {
		return s, fmt.Errorf("%s: the response %w", e.TaskID, err)
	}
	return s, s.answer(e.Expected)
}

// unnumbered stands for the id of a question whose log has none; see [collector.number].
const unnumbered = -1

// numberBy gives the sample its question's id, where there is one.
func (s *sample) numberBy(id *int) {
	if s.id = unnumbered; id != nil && *id >= 0 {
		s.id = *id
	}
}

// answer reads the gold letter, alone or in a list of one.
func (s *sample) answer(raw json.RawMessage) error {
	gold, err := text(raw)
	if err != nil || gold == nil {
		return errors.New("has no gold letter (target, gold or expected)")
	}
	if s.gold = strings.Trim(strings.TrimSpace(*gold), "()"); len(s.gold) != 1 || len(s.options) == 0 || s.gold < "A" ||
		s.gold > letter(len(s.options)-1) {
		return fmt.Errorf("gold %q is not one of its %d letters", *gold, len(s.options))
	}
	return nil
}
