package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/setting"
)

// A lexicon is a vocabulary that tells what its tokens are, too.
type lexicon interface {
	backends.Tokenizer
	backends.Predictor
	TokenOf(piece string) (token int32, found bool)
}

// VocabularySHA256 implements [backends.Predictor]; empty where nobody gave the vocabulary, as Plan says.
func (m *Model) VocabularySHA256() string {
	if m.lexicon == nil {
		return ""
	}
	return m.lexicon.VocabularySHA256()
}

// Piece implements [backends.Predictor].
func (m *Model) Piece(token int32) string {
	if m.lexicon == nil {
		return ""
	}
	return m.lexicon.Piece(token)
}

var (
	errOmitted = errors.New("the server omitted them")
	errUntried = errors.New("it was not there when the run began, so its log-probabilities were not checked")
)

// A likelihood is a token's log-probability by a server, and the likeliest tokens in its place.
type likelihood struct {
	ID      *int32       `json:"id"`    // llama-server's; others tell texts
	Text    string       `json:"token"` // llama-server's of the completion's token is what it sent with it, of the likeliest their own
	Bytes   []int        `json:"bytes"` // of the text, where it may be a part of a character
	Logprob float64      `json:"logprob"`
	Top     []likelihood `json:"top_logprobs"`
}

// likelihoods reads the log-probabilities of an event's tokens, in the form of conversations or in the older one of raw completions.
func likelihoods(raw json.RawMessage) []likelihood {
	var event struct {
		Content []likelihood         `json:"content"`
		Tokens  []string             `json:"tokens"`
		Own     []*float64           `json:"token_logprobs"`
		Top     []map[string]float64 `json:"top_logprobs"`
	}
	extra(raw, &event)
	for i, text := range event.Tokens[:min(len(event.Tokens), len(event.Own), len(event.Top))] {
		if event.Own[i] == nil {
			return nil
		}
		l := likelihood{Text: text, Logprob: *event.Own[i]}
		for text, logprob := range event.Top[i] {
			l.Top = append(l.Top, likelihood{Text: text, Logprob: logprob})
		}
		event.Content = append(event.Content, l)
	}
	return event.Content
}

// vLLM's way of telling a token's id.
const idPrefix = "token_id:"

// token finds a token of the likeliest by its id, which must be that of its text, or by its text.
func (m *Model) token(l *likelihood) (int32, error) {
	if number, numbered := strings.CutPrefix(l.Text, idPrefix); numbered {
		if n, err := strconv.ParseInt(number, 10, 32); err == nil {
			return int32(n), nil
		}
	}
	text := l.Text
	if len(l.Bytes) > 0 {
		bytes := make([]byte, len(l.Bytes))
		for i, b := range l.Bytes {
			bytes[i] = byte(b)
		}
		text = string(bytes)
	}
	m.counting.Lock()
	defer m.counting.Unlock()
	if l.ID != nil {
		own := m.lexicon.Piece(*l.ID)
		if own != text && own != "" && text != "" && utf8.ValidString(own) { // marks have texts for some, parts of characters for few
			return 0, fmt.Errorf("token %d is %q there, and %q by %s: give that of the server's model", *l.ID, text, own, setting.Vocabulary)
		}
		return *l.ID, nil
	}
	if token, found := m.lexicon.TokenOf(text); found && text != "" {
		return token, nil
	}
	// A mark, such as one that ends texts, has no text of its own.
	before, err := m.lexicon.Tokenize("")
	if err != nil {
		return 0, err
	}
	if all, err := m.lexicon.Tokenize(text); err == nil && len(all) == len(before)+1 {
		return all[len(before)], nil
	}
	return 0, fmt.Errorf("the server gives no token ids, and %q is not in %s: give that of the server's model", text, setting.Vocabulary)
}

// prediction makes a token's likelihood a prediction with the top likeliest tokens. The mass of all others is what these leave, as
// exact as a sum of rounded numbers.
func (m *Model) prediction(l *likelihood, top int) (p backends.Prediction, err error) {
	if len(l.Top) < top {
		return p, fmt.Errorf("it gives the %d likeliest tokens, and %d are kept: let it give more (vLLM: --max-logprobs)",
			len(l.Top), top)
	}
	slices.SortStableFunc(l.Top, func(a, b likelihood) int {
		return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), strings.Compare(a.Text, b.Text))
	})
	p.Logprob, p.Entropy = l.Logprob, math.NaN()
	mass := 0.0
	for i := range l.Top[:top] {
		token, err := m.token(&l.Top[i])
		if err != nil {
			return p, err
		}
		p.Top = append(p.Top, backends.Logprob{Token: token, Logprob: l.Top[i].Logprob})
		mass += math.Exp(l.Top[i].Logprob)
	}
	p.Rest = math.Log(max(0, 1-mass))
	if l.ID != nil {
		p.Token = *l.ID
		return p, nil
	}
	p.Token, err = m.token(l)
	return p, err
}

// mostApart is how far two answers to one question may be from each other, in nat: what is in a server's cache may round otherwise.
const mostApart = 0.05

// apart is how far two answers are from each other where both say the same.
func apart(a, b []likelihood) (nat float64) {
	for i := range min(len(a), len(b)) {
		if a[i].Text != b[i].Text {
			break
		}
		nat = max(nat, math.Abs(a[i].Logprob-b[i].Logprob))
	}
	return nat
}

// probe finds out whether a server's log-probabilities are of the whole vocabulary: they are no others where fewer are asked for.
// answered has many of the likeliest tokens, again asks once more.
func (s *server) probe(answered *answer, again func(logprobs int) (*answer, error)) error {
	fewer, err := again(1)
	if err != nil {
		return err
	}
	if apart(answered.likelihoods, fewer.likelihoods) > mostApart {
		return errors.New("its log-probabilities depend on how many are requested")
	}
	s.logprobs.Store(true)
	return nil
}

// predictions are those of an answer's tokens, if the server told all of them: their texts are the answer's, and they are as many
// as it says that it wrote. The one that ended it may be missing.
func (m *Model) predictions(a *answer) (all []backends.Prediction, err error) {
	if len(a.likelihoods) == 0 {
		return nil, errOmitted
	}
	var text strings.Builder
	for i := range a.likelihoods {
		p, err := m.prediction(&a.likelihoods[i], a.Request.Logprobs)
		if err != nil {
			return nil, err
		}
		text.WriteString(m.Piece(p.Token))
		all = append(all, p)
	}
	written := a.usage.Output
	whole := strings.ToValidUTF8(text.String(), "\uFFFD")
	switch {
	case written > 0 && (len(all) < written-1 || len(all) > written):
		return nil, fmt.Errorf("it gave those of %d of %d tokens", len(all), written)
	case !strings.Contains(whole, a.Text.String()) || !strings.Contains(whole, a.Thinking.String()):
		return nil, errors.New("its tokens do not make up its text")
	}
	return all, nil
}
