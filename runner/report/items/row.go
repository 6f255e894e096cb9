package items

import (
	"strings"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Row is an item with its mark. Texts are UTF-8, and positions in them count bytes.
type Row struct {
	Run        string `json:"run,omitempty"` // if several runs are listed
	Task       string `json:"task"`
	ID         string `json:"id"`
	QuestionID int    `json:"question_id"`
	Subject    string `json:"subject"`
	Variant    string `json:"variant,omitempty"`          // binary: the option asked about; circular: the pattern
	Repeat     int    `json:"repeat,omitempty"`           // from 1, if the run asked every item several times
	Options    int    `json:"options"`                    // number of letters that the model could choose from
	Original   int    `json:"options_original,omitempty"` // binary: number of the question's options
	// binary: what the option is: number, formula, phrase, sentence, none_of_the_above, all_of_the_above
	Kind string `json:"kind,omitempty"`

	Expected     string `json:"expected"` // the gold letter
	ExpectedText string `json:"expected_text,omitempty"`
	ParsedAnswer string `json:"parsed_answer,omitempty"` // the letter; absent if there is no answer
	ParsedText   string `json:"parsed_text,omitempty"`
	Correct      bool   `json:"correct"`
	Tag          string `json:"tag,omitempty"` // the kind of failure; absent if the answer is right
	Cause        string `json:"cause,omitempty"`

	RuleSet string `json:"rule_set"`
	Rule    string `json:"rule,omitempty"` // rule of the rule set that found the answer
	Start   *int   `json:"answer_start,omitempty"`
	End     *int   `json:"answer_end,omitempty"` // the rule found the answer in completion[start:end], in bytes; its last character is the letter

	Finish         string       `json:"finish"`
	PromptTokens   int          `json:"prompt_tokens,omitempty"`
	OutputTokens   int          `json:"output_tokens,omitempty"`
	ThinkingTokens int          `json:"thinking_tokens,omitempty"` // part of the output tokens
	Seconds        stats.Number `json:"seconds,omitzero"`          // its share of the wall time, as reports count it
	Attempts       int          `json:"attempts"`
	MaxTokens      int          `json:"max_tokens,omitempty"` // cap on the completion, if that was raised since
	Server         string       `json:"server,omitempty"`
	Error          string       `json:"error,omitempty"`

	Prompt     *string `json:"prompt,omitempty"` // the whole text; of an imported log without prompts the question alone
	Completion *string `json:"completion,omitempty"`
}

// row joins an item, its mark and its short texts.
func (r *run) row(it *results.Item, texts results.Kept) Row {
	m := &it.Marks[0]
	row := Row{
		Task: r.Header.Task, ID: it.ID, QuestionID: it.QuestionID, Subject: it.Subject, Variant: it.Variant, Options: it.Options,
		Original: it.OptionsOriginal, Kind: string(it.OptionKind),
		Expected: it.Gold, ExpectedText: texts.Gold, ParsedAnswer: m.Letter, ParsedText: texts.Answer,
		Correct: m.Correct, Tag: string(m.Tag), Cause: string(m.Cause), RuleSet: r.RuleSets[0].Name, Rule: m.Rule,
		Finish: string(it.Finish), PromptTokens: it.Usage.PromptTokens, OutputTokens: it.Usage.OutputTokens,
		ThinkingTokens: it.Usage.ThinkingTokens, Attempts: it.Attempt, Server: it.Server, Error: texts.Error,
	}
	if r.Header.Repeats > 1 {
		row.Repeat = it.Repeat
	}
	if len(r.Header.History.Caps()) > 1 {
		row.MaxTokens = r.Header.Cap(&it.Record)
	}
	if m.Answered() {
		row.Start, row.End = &m.At.Start, &m.At.End
	}
	if seconds, known := r.clock(it); known {
		row.Seconds = stats.Of(seconds)
	}
	return row
}

// whole is the row with the texts of its line.
func (r *run) whole(it *results.Item, record *journal.Record) Row {
	letter := it.Marks[0].Letter
	row := r.row(it, results.Kept{Gold: record.OptionText(it.Gold), Answer: record.OptionText(letter), Error: record.Error})
	prompt := record.Question
	if record.Prompt != "" || prompt == "" {
		prompt = r.Header.Preambles[record.Subject] + record.Prompt
	}
	row.Prompt, row.Completion = &prompt, &record.Text
	return row
}

// short is an id without its task: 70, 70/C, 70/C#2.
func short(id string) string {
	_, after, found := strings.Cut(id, "/")
	if !found {
		return id
	}
	return after
}
