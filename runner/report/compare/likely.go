package compare

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/pairs"
)

// A transcript reads a run's items again, with what the model said of their tokens, where the run kept that.
type transcript struct {
	*journal.Reader
	kept   *logprobs.Reader // nil where it kept none
	pieces map[int32]string
}

func readers(c *pairs.Comparison) (all []*transcript, err error) {
	for i := range c.Runs {
		t, err := transcriptOf(&c.Runs[i])
		if err != nil {
			return all, err
		}
		all = append(all, t)
	}
	return all, nil
}

func transcriptOf(r *pairs.Run) (t *transcript, err error) {
	t = &transcript{}
	if t.Reader, err = journal.Open(r.Path); err != nil {
		return nil, err
	}
	kept := r.Marked.Header.Logprobs
	if kept == nil {
		return t, nil
	}
	t.pieces, err = logprobs.Pieces(r.Path, *kept)
	if err == nil && len(t.pieces) > 0 {
		t.kept, err = logprobs.Open(r.Path, *kept)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close closes the files.
func (t *transcript) Close() error {
	if t.kept == nil {
		return t.Reader.Close()
	}
	return errors.Join(t.kept.Close(), t.Reader.Close())
}

// mostLikely is how many of the likeliest tokens are shown.
const mostLikely = 5

// A likely token is its text, its probability, and whether it is the completion's.
type likely struct {
	Piece       string  `json:"piece"`
	Probability float64 `json:"p"`
	Taken       bool    `json:"taken,omitempty"`
}

// departByTokens sets where the completions part by their tokens, and what both models held likeliest there: nothing where one of
// the runs kept none, or they are of other vocabularies.
func (t *flipTexts) departByTokens(x answered, first, second *transcript) error {
	if first.kept == nil || second.kept == nil || x.a.Logprobs == nil || x.b.Logprobs == nil ||
		first.Header.Logprobs.VocabularySHA256 != second.Header.Logprobs.VocabularySHA256 {
		return nil
	}
	a, errA := first.kept.Item(x.a.ID, *x.a.Logprobs)
	b, errB := second.kept.Item(x.b.ID, *x.b.Logprobs)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	same, common := 0, ""
	for same < min(len(a), len(b)) && a[same].Token == b[same].Token {
		common += first.pieces[a[same].Token]
		same++
	}
	if !strings.HasPrefix(t.A.Text, common) { // a journal has U+FFFD for what is no UTF-8
		common = strings.ToValidUTF8(common, "\uFFFD")
	}
	// The text can lack a last token, and what begins one: then its words are compared.
	if same >= len(a) || same >= len(b) || !strings.HasPrefix(t.A.Text, common) || !strings.HasPrefix(t.B.Text, common) {
		return nil
	}
	at := min(characterAt(t.A.Text, len(common)), characterAt(t.B.Text, len(common))) // tokens can be parts of one
	end := func(text string, piece string) int {
		end := min(len(text), len(common)+len(piece))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		return end
	}
	t.depart(at, end(t.A.Text, first.pieces[a[same].Token]), end(t.B.Text, second.pieces[b[same].Token]))
	t.Departs.Token = true
	t.A.Likely, t.B.Likely = likeliest(&a[same], first.pieces), likeliest(&b[same], second.pieces)
	return nil
}

// likeliest are the likeliest tokens of a place, and the completion's own where it is none of them.
func likeliest(p *backends.Prediction, pieces map[int32]string) []likely {
	var all []likely
	found := false
	for _, l := range p.Top[:min(mostLikely, len(p.Top))] {
		found = found || l.Token == p.Token
		all = append(all, likely{pieces[l.Token], math.Exp(l.Logprob), l.Token == p.Token})
	}
	if !found {
		all = append(all, likely{pieces[p.Token], math.Exp(p.Logprob), true})
	}
	return all
}
