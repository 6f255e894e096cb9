package importlog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"proctor/runner/journal"
)

// The formats, which are also the names of the styles and rule sets that belong to them.
const (
	formatTiger       = "tiger"
	formatLMEval      = "lm-eval"
	formatBinary      = "binary" // lm-eval's, of rows that ask about one option
	formatEvalscope   = "evalscope"
	formatOpenCompass = "opencompass"
)

// An element is one object of a log of any format.
type element struct{ gjson.Result }

func (e element) has(key string) bool { return e.Get(key).Type != gjson.Null }

// readers are the formats' readers with the key that recognises an element; the first match counts. subject comes from
// the file's name.
var readers = []struct {
	format string
	key    string
	read   func(e element, subject string) (sample, error)
}{
	{formatLMEval, "doc", element.lmEval},
	{formatEvalscope, "sample_score", element.evalscope},
	{formatOpenCompass, "origin_prompt", element.openCompass},
	{formatTiger, "", element.tiger},
}

func (e element) sample(subject string) (s sample, format string, err error) {
	for _, r := range readers {
		if r.key == "" || e.has(r.key) {
			s, err = r.read(e, subject)
			if s.about != nil {
				return s, s.about.style, err
			}
			return s, r.format, err
		}
	}
	return s, "", nil // tiger fits all
}

// tiger reads a question of the authors' scripts, which have used three names for the completion.
func (e element) tiger(string) (s sample, err error) {
	for _, name := range []string{"generated_text", "model_outputs", "response"} {
		if completion := e.Get(name); completion.Exists() {
			if s, err = question(e.Result); err != nil {
				return s, err
			}
			return s, s.readCompletion(completion, "the completion")
		}
	}
	return s, errors.New("has no generated_text, model_outputs or response (MMLU-Pro's scripts), doc (lm-eval), " +
		"sample_score (evalscope) or origin_prompt (OpenCompass): is it a log of results instead of samples?")
}

func (e element) lmEval(string) (sample, error) {
	s, err := question(e.Get("doc"))
	if err != nil {
		return s, fmt.Errorf("doc: %w", err)
	}
	resps := e.Get("resps")
	completions := resps.Get("0").Array() // as many as the task has repeats
	if len(completions) == 0 || !resps.Get("0").IsArray() {
		return s, errors.New("resps is not a list with a list of completions: only generated answers can be imported, no log-likelihoods")
	}
	if len(resps.Array()) > 1 {
		s.oddity = "Of the completions of several prompts of a question those of the first were taken."
	}
	for _, completion := range completions {
		var one sample
		if err := one.readCompletion(completion, "resps: the completion"); err != nil {
			return s, err
		}
		s.others = append(s.others, one.text)
	}
	s.text, s.others = s.others[0], s.others[1:]
	err = s.ask(e.Get("arguments"))
	s.asksAbout(e)
	return s, err
}

// readCompletion reads a completion: a text, null, or a list of one of these; what names it in errors.
func (s *sample) readCompletion(completion gjson.Result, what string) error {
	text, is := textIn(completion)
	if !is && completion.Type != gjson.Null || !completion.Exists() {
		return errors.New(what + " is not a text")
	}
	if is {
		s.text = &text
	}
	return nil
}

// textIn is a text, alone or in a list of one.
func textIn(value gjson.Result) (text string, is bool) {
	if all := value.Array(); value.IsArray() && len(all) == 1 {
		value = all[0]
	}
	return value.Str, value.Type == gjson.String
}

func textsIn(list gjson.Result) (all []string, are bool) {
	for _, each := range list.Array() {
		if each.Type != gjson.String {
			return nil, false
		}
		all = append(all, each.Str)
	}
	return all, list.IsArray()
}

// numberIn is a whole number from 0 on.
func numberIn(value gjson.Result) (n int, is bool) {
	n = int(value.Int())
	return n, value.Type == gjson.Number && n >= 0 && float64(n) == value.Num
}

// question reads a row of MMLU-Pro, as tiger and lm-eval repeat it.
func question(row gjson.Result) (s sample, err error) {
	id, numbered := numberIn(row.Get("question_id"))
	if !numbered {
		return s, errors.New("has no question_id: is it a log of MMLU-Pro?")
	}
	s = sample{id: id, question: row.Get("question").String(), subject: strings.TrimSpace(cmp.Or(row.Get("category").Str, row.Get("subject").Str))}
	if s.subject == "" {
		return s, fmt.Errorf("question %d has no category", s.id)
	}
	if s.options, err = readOptions(row.Get("options")); err != nil {
		return s, fmt.Errorf("question %d: options %w", s.id, err)
	}
	s.gold = strings.TrimSpace(row.Get("answer").Str)
	index, indexed := row.Get("answer_index"), ""
	if i, is := numberIn(index); is && i < len(s.options) {
		indexed = letter(i)
	}
	switch {
	case s.gold == "" && indexed != "":
		s.gold = indexed
	case !s.hasLetter(s.gold):
		return s, fmt.Errorf("question %d: answer %q is not one of its %d letters", s.id, row.Get("answer").String(), len(s.options))
	case index.Type != gjson.Null && indexed != s.gold:
		s.oddity = "answer and answer_index disagree; answer decides."
	}
	return s, nil
}

// hasLetter says whether a text is the letter of one of the options.
func (s *sample) hasLetter(text string) bool {
	return len(text) == 1 && text[0] >= 'A' && int(text[0]-'A') < len(s.options)
}

func letter(i int) string { return string(rune('A' + i)) }

// readOptions reads an item's options, as a list or as one text.
func readOptions(raw gjson.Result) ([]string, error) {
	if !raw.Exists() {
		return nil, errors.New("are missing")
	}
	options, are := textsIn(raw)
	if raw.Type == gjson.String {
		options, are = splitOptions(raw.Str), true
	}
	if !are {
		return nil, errors.New("are neither a list of texts nor a text")
	}
	if len(options) < 1 || len(options) > journal.MaxOptions {
		return nil, fmt.Errorf("are %d, not 1 to %d", len(options), journal.MaxOptions)
	}
	return options, nil
}
