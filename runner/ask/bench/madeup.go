package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"proctor/backends"
)

// MadeUp describes prompts of made-up words.
type MadeUp struct {
	Questions int
	Shared    int // tokens that all prompts begin with
	Own       int // tokens of each prompt after those
	Generate  int // tokens generated for each
}

// prompts writes the prompts in a model's tokens, and returns the work that they are.
func (m MadeUp) prompts(tokenizer backends.Tokenizer) (texts []string, work backends.Workload, err error) {
	w := newWriter(tokenizer)
	shared, _ := w.extend("", m.Shared)
	work = backends.Workload{Requests: m.Questions, UniqueTokens: m.Shared + m.Questions*m.Own, MaxTokens: m.Generate}
	for range m.Questions {
		prompt, tokens := w.extend(shared, m.Shared+m.Own)
		work.PromptTokens = max(work.PromptTokens, tokens)
		texts = append(texts, prompt)
	}
	if errors.Is(w.err, errors.ErrUnsupported) {
		return nil, work, fmt.Errorf("%w; the prompts are made in the model's tokens, so its file must be at hand", w.err)
	}
	return texts, work, w.err
}

// writer writes texts of a certain number of tokens, until the tokenizer fails.
type writer struct {
	tokenizer backends.Tokenizer
	random    *rand.Rand
	words     []string
	err       error
}

// common are words that most vocabularies have a token for.
var common = strings.Fields("a I in of to is it at on as by an or if we do so no up my he me the and for are was not you all can has " +
	"but one out his who new may two any how now see use way that with this from have they what when will more some time than only")

// newWriter finds the words that are a token each; where there are none, it writes with any.
func newWriter(tokenizer backends.Tokenizer) *writer {
	w := &writer{tokenizer: tokenizer, random: rand.New(rand.NewPCG(3, 4))}
	const before = " the the"
	alone := w.count(before)
	var all []string
	for _, word := range common {
		word = " " + word
		if all = append(all, word); w.count(before+word) == alone+1 {
			w.words = append(w.words, word)
		}
	}
	if len(w.words) == 0 {
		w.words = all
	}
	return w
}

func (w *writer) count(text string) int {
	if w.err != nil {
		return 0
	}
	tokens, err := w.tokenizer.Tokenize(text)
	w.err = err
	return len(tokens)
}

// attempts are enough to reach the number of tokens, or as near to it as the tokenizer allows.
const attempts = 16

// extend appends words to a text until the model reads it as n tokens, the first token of all texts included.
func (w *writer) extend(text string, n int) (longer string, tokens int) {
	var added []string
	initial := 0 // tokens before anything was added
	for i := range attempts {
		longer = text + strings.Join(added, "")
		if tokens = w.count(longer); w.err != nil || tokens == n {
			break
		}
		if i == 0 {
			initial = tokens
		}
		each := max(1, (tokens-initial)/max(1, len(added))) // of a word
		for range (n - tokens + each - 1) / each {
			added = append(added, w.words[w.random.IntN(len(w.words))])
		}
		if tokens > n {
			added = added[:max(0, len(added)-(tokens-n+each-1)/each)]
		}
	}
	return longer, tokens
}
