package journal

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"proctor/backends"
)

// A Record is one item's line: the prompt and the completion. It has no verdict: package grade marks it, as often as one likes.
type Record struct {
	Kind       string `json:"kind"` // KindItem; the writer sets it
	ID         string `json:"id"`   // task/question[/variant][#repeat], unique in a run
	QuestionID int    `json:"question_id"`
	Subject    string `json:"subject"`
	// binary: the option's letter; circular: the pattern
	Variant         string          `json:"variant"`
	Repeat          int             `json:"repeat,omitempty"`           // from 2 on for later times that the item is asked; 0 for the first
	Options         int             `json:"options"`                    // letters the model could choose from
	OptionsOriginal int             `json:"options_original,omitempty"` // binary: options of the question it came from
	Gold            string          `json:"gold"`                       // letter
	OptionTexts     []string        `json:"option_texts,omitempty"`     // the options' texts, from A on; none where unknown
	Question        string          `json:"question,omitempty"`         // the question's text, where an imported log has it; see [Record.QuestionText]
	Prompt          string          `json:"prompt"`                     // what follows the subject's preamble
	Text            string          `json:"text"`                       // the completion
	Finish          backends.Finish `json:"finish"`
	Stop            string          `json:"stop,omitempty"` // the stop string that ended it, where the backend reports that
	Cause           backends.Cause  `json:"cause"`
	Error           string          `json:"error"`
	Usage           backends.Usage  `json:"usage"`
	Timing          backends.Timing `json:"timing"`

	// Attempt counts, from 1, how often the item was asked, earlier sessions' and the backend's own tries included.
	Attempt int    `json:"attempt"`
	Server  string `json:"server,omitempty"` // which of several servers answered
	// SystemFingerprint is the server's identification of its build and settings; empty where it sends none.
	SystemFingerprint string `json:"system_fingerprint,omitempty"`
	// NotTaken are the parts of the header's sampling that the server takes no field for, or refused: its own held.
	NotTaken []string  `json:"not_taken,omitempty"`
	Began    time.Time `json:"began,omitzero"` // when the backend took the item; timing.total_ns later it was answered

	// Interrupted counts earlier tries that were interrupted. Resumed is the number of the completion's tokens that an earlier session
	// had drawn; timing.decode_ns includes their time.
	Interrupted int `json:"interrupted,omitempty"`
	Resumed     int `json:"begun,omitempty"`

	// NewTokens counts the prompt's tokens that no earlier prompt begins with, in the run's order; at least 1, since the last token is
	// always evaluated. 0 without a tokenizer. The sum is the work that is left where all shared prefixes are reused.
	NewTokens int `json:"new_tokens,omitempty"`

	// ThinkClosed says that thinking was closed by force at the last of the header's budgets. Forks are the completions with thinking
	// closed at each smaller budget that it reached.
	ThinkClosed bool            `json:"think_closed,omitempty"`
	Forks       []backends.Fork `json:"forks,omitempty"`

	// Logprobs locates the item's part in the file of package logprobs; nil where the run keeps none, the item failed, or the server
	// did not send all of its tokens.
	Logprobs *Span `json:"logprobs,omitempty"`

	// MaxTokens is the cap under which the item was asked; 0 where unknown, see [Header.Cap].
	MaxTokens int `json:"max_tokens,omitempty"`

	// LetterLogprobs are a direct item's natural logarithms of the letters' probabilities at the answer's place, from A on, over the
	// whole vocabulary; text is the likeliest letter.
	LetterLogprobs []float64 `json:"letter_logprobs,omitempty"`

	// Others is the CPU use of other programs, for a backend that computes on this machine; nil within a second of the last line that
	// has it.
	Others *Others `json:"others,omitempty"`
}

// A Span is a piece of a file beside the journal.
type Span struct {
	Start  int64  `json:"start"`  // in bytes
	Length int    `json:"length"` // in bytes
	SHA256 string `json:"sha256"` // lower-case hex
}

// Others is the share of the CPUs that other programs took before a line was written.
type Others struct {
	Share float64       `json:"cpu_share"` // of the CPUs that the backend may use, 0 to 1
	Over  time.Duration `json:"over_ns"`   // since the last line with Others, or the start of the session
	// Threads is on how many at least the engine computed meanwhile; 0 where their number was given.
	Threads int `json:"threads,omitempty"`
}

// repeatMark stands between an item's id and the repeat's number.
const repeatMark = "#"

// RepeatID is the id of an item's repeat-th time, from 1; id is that of the first.
func RepeatID(id string, repeat int) string {
	if repeat < 2 {
		return id
	}
	return id + repeatMark + strconv.Itoa(repeat)
}

// MaxOptions is the largest number of options an item can have: the letters A to Z.
const MaxOptions = 26

// check refuses a record that cannot be marked, or that a journal could not hold unchanged. Its errors name the field, not the file.
func (r *Record) check() error {
	switch {
	case r.Kind != KindItem:
		return fmt.Errorf("kind is %q, not %q: written by a newer proctor?", r.Kind, KindItem)
	case r.ID == "":
		return errors.New("id is empty")
	case r.Repeat != 0 && (r.Repeat < 2 || !strings.HasSuffix(r.ID, repeatMark+strconv.Itoa(r.Repeat))):
		return fmt.Errorf("%s: repeat is %d, which is not the number behind the id's %s", r.ID, r.Repeat, repeatMark)
	case r.Options < 1 || r.Options > MaxOptions:
		return fmt.Errorf("%s: options is %d, not 1 to %d", r.ID, r.Options, MaxOptions)
	case len(r.OptionTexts) > 0 && len(r.OptionTexts) != r.Options:
		return fmt.Errorf("%s: option_texts are %d of %d options", r.ID, len(r.OptionTexts), r.Options)
	case len(r.Gold) != 1 || r.Gold[0] < 'A' || int(r.Gold[0]-'A') >= r.Options:
		return fmt.Errorf("%s: gold is %q, not one of the item's %d letters", r.ID, r.Gold, r.Options)
	case r.Finish != backends.FinishStop && r.Finish != backends.FinishLength && r.Finish != backends.FinishError:
		return fmt.Errorf("%s: finish is %q, not stop, length or error", r.ID, r.Finish)
	case r.Others != nil && (r.Others.Share < 0 || r.Others.Share > 1 || r.Others.Over <= 0):
		return fmt.Errorf("%s: others took %g of the CPUs in %s, which can't be", r.ID, r.Others.Share, r.Others.Over)
	case r.Logprobs != nil && (r.Logprobs.Start < 0 || r.Logprobs.Length < 0 || len(r.Logprobs.SHA256) != 64):
		return fmt.Errorf("%s: logprobs start at byte %d, are %d long and have the sha256 %q, which can't be", r.ID, r.Logprobs.Start,
			r.Logprobs.Length, r.Logprobs.SHA256)
	case r.NewTokens < 0:
		return fmt.Errorf("%s: new_tokens is %d, not 0 or more", r.ID, r.NewTokens)
	case r.MaxTokens < 0:
		return fmt.Errorf("%s: max_tokens is %d, not 0 or more", r.ID, r.MaxTokens)
	case r.Attempt < 1:
		return fmt.Errorf("%s: attempt is %d, not 1 or more", r.ID, r.Attempt)
	}
	if err := errors.Join(r.checkLetters(), r.checkForks()); err != nil {
		return err
	}
	for _, f := range []struct{ name, value string }{
		{"prompt", r.Prompt}, {"text", r.Text}, {"error", r.Error}, {"id", r.ID}, {"subject", r.Subject},
		{"server", r.Server}, {"question", r.Question}, {"option_texts", strings.Join(r.OptionTexts, "\n")}} {
		if !utf8.ValidString(f.value) {
			return fmt.Errorf("%q: %s is not UTF-8", r.ID, f.name)
		}
	}
	return nil
}

// OptionText is the text of the letter's option, without white space around it; empty where unknown.
func (r *Record) OptionText(letter string) string {
	if len(letter) != 1 || letter[0] < 'A' || int(letter[0]-'A') >= len(r.OptionTexts) {
		return ""
	}
	return strings.TrimSpace(r.OptionTexts[letter[0]-'A'])
}

// Failed says whether the record holds no usable completion.
func (r *Record) Failed() bool { return r.Finish == backends.FinishError }

// Again says whether the item is to be asked again: it failed, and another try may succeed.
func (r *Record) Again() bool { return r.Failed() && r.Cause != backends.CauseOversize }

// checkForks refuses forks that cannot be marked.
func (r *Record) checkForks() error {
	before := -1
	for _, f := range r.Forks {
		switch {
		case f.Budget <= before:
			return fmt.Errorf("%s: a fork's budget of %d comes after one of %d", r.ID, f.Budget, before)
		case f.Shared < 0 || f.Shared > len(r.Text):
			return fmt.Errorf("%s: the fork at %d shares %d bytes of a text that has %d", r.ID, f.Budget, f.Shared, len(r.Text))
		case !utf8.ValidString(f.Whole(r.Text)):
			return fmt.Errorf("%s: the fork at %d is not UTF-8", r.ID, f.Budget)
		case f.Finish != backends.FinishStop && f.Finish != backends.FinishLength:
			return fmt.Errorf("%s: the fork at %d has the finish %q, not stop or length", r.ID, f.Budget, f.Finish)
		}
		before = f.Budget
	}
	if r.Failed() && len(r.Forks) > 0 {
		return errors.New(r.ID + ": it failed, and has forks")
	}
	return nil
}

// At is the record that a run with only this budget would have: the fork at the budget, or the record itself where thinking ended
// before.
func (r *Record) At(budget int) Record {
	at := *r
	at.Forks = nil
	for _, f := range r.Forks {
		if f.Budget != budget {
			continue
		}
		at.Text, at.Finish, at.Stop, at.Cause, at.ThinkClosed = f.Whole(r.Text), f.Finish, f.Stop, f.Cause, true
		at.Usage.OutputTokens, at.Usage.ThinkingTokens = f.OutputTokens, f.ThinkingTokens
	}
	return at
}

// logprobSlack is by how much rounding may put a sum of probabilities above 1, as a logarithm.
const logprobSlack = 1e-6

// checkLetters refuses letter_logprobs that are none.
func (r *Record) checkLetters() error {
	if r.LetterLogprobs == nil {
		return nil
	}
	if len(r.LetterLogprobs) != r.Options {
		return fmt.Errorf("%s: letter_logprobs are %d of %d letters", r.ID, len(r.LetterLogprobs), r.Options)
	}
	mass := 0.0
	for i, l := range r.LetterLogprobs {
		if math.IsNaN(l) || l > logprobSlack {
			return fmt.Errorf("%s: letter_logprobs: %g of letter %c is not the logarithm of a probability", r.ID, l, 'A'+i)
		}
		mass += math.Exp(l)
	}
	if math.Log(mass) > logprobSlack {
		return fmt.Errorf("%s: letter_logprobs: the letters' probabilities add up to %g", r.ID, mass)
	}
	return nil
}

// An Interim is one interim analysis of a run that stops once its comparison with a reference run is decided. They are
// numbered from 1.
type Interim struct {
	Kind       string   `json:"kind"`      // KindInterim; the writer sets it
	Number     int      `json:"look"`      // from 1
	Questions  int      `json:"questions"` // questions asked up to here, one item each; failed ones included
	Errors     int      `json:"errors"`    // of the questions, failed and left out of the value
	RuleSet    string   `json:"rule_set"`  // that the items were marked by
	Value      *float64 `json:"value,omitempty"`
	Confidence float64  `json:"confidence"`
	Stop       Stop     `json:"stop"`

	// Decision is what the comparison with the reference run decided, if anything, and After how many questions in the
	// run's order. The capitals are those then against "worse by the margin or more", "worse by the margin or less" and
	// "not better". Value is the mean difference. Where all questions were asked and the capitals decided nothing, Value's
	// interval from Low to High does.
	Decision string    `json:"decision,omitempty"`
	After    int       `json:"decided_after,omitempty"`
	Evidence *Evidence `json:"e_values,omitempty"`
	Low      *float64  `json:"low,omitempty"`
	High     *float64  `json:"high,omitempty"`
}

// Evidence are e-values: under its hypothesis, each exceeds 1/a with a chance of a at most.
type Evidence struct {
	NotWorse float64 `json:"not_worse"`
	Worse    float64 `json:"worse"`
	Better   float64 `json:"better"`
}

// Stop says why an interim analysis ended the run; empty where it did not.
type Stop string

const (
	StopExhausted Stop = "asked"   // no questions were left
	StopDecided   Stop = "decided" // the comparison was decided
)

// check refuses an invalid interim analysis. Its errors name the field, not the file.
func (i *Interim) check() error {
	switch {
	case i.Kind != KindInterim:
		return fmt.Errorf("kind is %q, not %q", i.Kind, KindInterim)
	case i.Number < 1:
		return fmt.Errorf("look is %d, not 1 or more", i.Number)
	case i.Errors < 0 || i.Questions < i.Errors:
		return fmt.Errorf("look %d: %d questions and %d errors can't be", i.Number, i.Questions, i.Errors)
	case i.Stop != "" && i.Stop != StopExhausted && i.Stop != StopDecided:
		return fmt.Errorf("stop is %s, not asked, decided or empty: written by a newer proctor?", i.Stop)
	}
	return nil
}
