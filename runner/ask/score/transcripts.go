package score

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/results"
)

// Transcripts are a run's prompts and completions.
type Transcripts struct {
	path   string
	run    *results.Run
	reader *journal.Reader
	kept   *logprobs.Reader // nil where the run kept no log-probabilities
	items  []*results.Item  // with a completion, and its log-probabilities where the run kept any, sorted as their prompts share beginnings
}

// Open opens a run. ruleSet locates the answer in a completion; empty for the run's own.
func Open(run, ruleSet string) (*Transcripts, error) {
	marked, err := results.Open(run, ruleSet)
	if err != nil {
		return nil, err
	}
	t := &Transcripts{path: run, run: marked}
	for _, it := range marked.Items {
		if !it.Failed() && (marked.Header.Logprobs == nil || it.Logprobs != nil) {
			t.items = append(t.items, it)
		}
	}
	if len(t.items) == 0 {
		return nil, fmt.Errorf("%s has no %s to score", run, unscored(marked.Header.Logprobs != nil))
	}
	if t.reader, err = journal.Open(run); err != nil {
		return nil, err
	}
	if kept := marked.Header.Logprobs; kept != nil {
		if t.kept, err = logprobs.Open(run, *kept); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	return t, nil
}

// unscored says why an item cannot be scored.
func unscored(kept bool) string {
	if kept {
		return "completions with log-probabilities"
	}
	return "completions"
}

// Score starts a score of the transcripts.
func (t *Transcripts) Score(confidence float64) *divergence.Score {
	h := &t.run.Header
	s := &divergence.Score{Against: t.path, Task: h.Task, Writer: h.Model, Confidence: confidence,
		Warnings: t.run.Warnings, Data: h.Dataset, By: h.Backend}
	if t.kept != nil {
		s.Reference = &h.Model
	} else {
		s.Warnings = append(s.Warnings, "the run kept no log-probabilities, so there are no divergences, only how likely "+
			"its texts are: run it with "+setting.KeepLogprobs.String())
	}
	if failed := len(t.run.Items) - len(t.items); failed > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of the run's %d items have no %s and are left out", failed,
			len(t.run.Items), unscored(t.kept != nil)))
	}
	return s
}

// Covers says whether a model's score is of these transcripts.
func (t *Transcripts) Covers(m *divergence.Model) bool {
	read := map[string]bool{}
	for _, it := range m.ByItem {
		read[it.ID] = true
	}
	for _, it := range m.Failed {
		read[it.ID] = true
	}
	lacks := func(it *results.Item) bool { return !read[it.ID] }
	return len(read) == len(t.items) && !slices.ContainsFunc(t.items, lacks)
}

// Limit leaves n transcripts, spread evenly over the run; all where n is 0 or there are no more.
func (t *Transcripts) Limit(n int) {
	if n <= 0 || n >= len(t.items) {
		return
	}
	var some []*results.Item
	for i := range n {
		some = append(some, t.items[i*len(t.items)/n])
	}
	t.items = some
}

// Close closes the run's files.
func (t *Transcripts) Close() error {
	if t.kept == nil {
		return t.reader.Close()
	}
	return errors.Join(t.kept.Close(), t.reader.Close())
}

// read makes an item's transcript, with the kept tokens, or else those that the model's tokenizer makes of the completion behind the
// prompt.
func (t *Transcripts) read(it *results.Item, model scorer) (*transcript, error) {
	record, err := t.reader.At(it.Place)
	if err != nil {
		return nil, err
	}
	whole := &transcript{Item: it}
	prompt := t.run.Header.Preambles[record.Subject] + record.Prompt
	if prompt == "" {
		return nil, fmt.Errorf("%s: %s has no prompt: a log without its prompts cannot be scored", t.path, it.ID)
	}
	forced := &backends.Forced{}
	if t.kept == nil {
		forced, err = continuation(model, prompt, record.Text)
	} else {
		whole.reference, err = t.kept.Item(it.ID, *it.Logprobs)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range whole.reference {
		forced.Tokens = append(forced.Tokens, p.Token)
		var ask []int32
		for _, likely := range p.Top {
			ask = append(ask, likely.Token)
		}
		forced.Ask = append(forced.Ask, ask)
	}
	if forced.Ask == nil {
		forced.Ask = make([][]int32, len(forced.Tokens))
	}
	spelling := spelt(model, forced.Tokens, prompt, record.Text, t.kept == nil)
	whole.letter = goldLetter(model, it, len(prompt), spelling)
	if at := whole.letter.at; at >= 0 {
		forced.Ask[at] = append(forced.Ask[at], whole.letter.token)
	}
	whole.request = backends.Request{ID: it.ID, Prompt: prompt, Logprobs: 1, Forced: forced}
	return whole, nil
}

// continuation are the tokens of a text behind a prompt: both are tokenised as one text, and these begin at the first token that the
// prompt alone does not have. Where the two merge, they replace the prompt's last tokens.
func continuation(model scorer, prompt, text string) (*backends.Forced, error) {
	before, err := model.Tokenize(prompt)
	if err != nil {
		return nil, err
	}
	whole, err := model.Tokenize(prompt + text)
	if err != nil {
		return nil, err
	}
	common := backends.CommonPrefix(before, whole)
	return &backends.Forced{Tokens: whole[common:], Replaces: len(before) - common}, nil
}

// A letter is the place of the answer's letter in a completion, and the token that would make it the gold one.
type letter struct {
	at    int // among the forced tokens; -1 where there is no answer, or no single token for it
	token int32
}

// goldLetter finds the answer's letter among forced tokens, also in a token with more than the letter: "A", " A" or "(A". The
// completion begins behind prompt bytes.
func goldLetter(model scorer, it *results.Item, prompt int, s spelling) letter {
	none, mark := letter{at: -1}, it.Marks[0]
	if !mark.Answered() || prompt+mark.At.End > len(s.text) {
		return none
	}
	start := prompt + mark.At.Start
	inText := strings.LastIndex(s.text[start:prompt+mark.At.End], mark.Letter)
	if inText < 0 {
		return none
	}
	at, inside := s.find(start + inText)
	if at < 0 {
		return none
	}
	piece := s.pieces[at]
	gold, found := model.TokenOf(piece[:inside] + it.Gold + piece[inside+1:])
	if !found {
		return none
	}
	return letter{at, gold}
}

// A spelling is the pieces that tokens spell, aligned with a text: a prompt and its completion.
type spelling struct {
	pieces []string
	text   string
	begin  int  // where the first piece begins in the text
	ends   bool // the last piece ends where the text does; else the pieces may continue
}

// spelt aligns tokens with the text: tokens drawn behind a prompt, whose text a stop string may have cut, or the last tokens of the
// text. Those may begin inside the prompt, where tokens merge, and a tokenizer may add or drop a space there, so they are aligned at
// the end.
func spelt(model scorer, tokens []int32, prompt, completion string, ends bool) spelling {
	s := spelling{text: prompt + completion, begin: len(prompt), ends: ends}
	for _, token := range tokens {
		s.pieces = append(s.pieces, model.Piece(token))
	}
	if ends {
		s.begin = len(s.text) - len(strings.Join(s.pieces, ""))
	}
	return s
}

// find returns the piece at a place of the text, and the place inside the piece. at is -1 where there is none, or where the pieces
// spell another text between there and the end that they are aligned at.
func (s spelling) find(place int) (at, inside int) {
	from := s.begin
	for i, piece := range s.pieces {
		if inside := place - from; inside >= 0 && inside < len(piece) {
			agrees := strings.HasPrefix(s.text[s.begin:], strings.Join(s.pieces[:i+1], ""))
			if s.ends {
				agrees = from >= 0 && s.text[from:] == strings.Join(s.pieces[i:], "")
			}
			if agrees {
				return i, inside
			}
			break
		}
		from += len(piece)
	}
	return -1, 0
}
