package ask

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/prefixes"
	"proctor/runner/journal"
)

// A speller is a model that gives tokens' probabilities and its own tokenization.
type speller interface {
	backends.Scorer
	backends.Tokenizer
}

// errNoLetters refuses a model for a direct run.
var errNoLetters error = setting.Errorf("%s needs the letters' probabilities, which this model does not give: name a GGUF file, or embedded",
	setting.Direct)

// letters are the tokens with which a model can write each letter at the answer's place, by letter from A on. All letters have the
// same number, spelt alike: first the tokenizer's own, then the one with a space more or less before it.
type letters struct {
	speller speller
	tokens  [][]int32
}

// lettersBehind finds out which tokens a model has for the first most letters behind each item's prompt. Where a letter and the end of the
// prompt are one token, as " (A" may be, that end is taken off the prompts.
func lettersBehind(items []prompts.Item, model any, most int) (found *letters, err error) {
	s, can := model.(speller)
	if !can {
		return nil, errNoLetters
	}
	end := ""
	for subject := range prompts.BySubject(items) {
		first := max(0, slices.IndexFunc(subject, func(item prompts.Item) bool { return !prefixes.Oversize(&item) }))
		own, has, err := behind(s, subject[first].Prompt(), most)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", subject[first].ID, err)
		case found == nil:
			found, end = own, has
		case has != end || !slices.EqualFunc(own.tokens, found.tokens, slices.Equal):
			return nil, fmt.Errorf("%s: the model tokenises the letters differently after this prompt than after that of %s: choose another %s",
				subject[first].ID, items[0].ID, setting.Style)
		}
	}
	for i := range items {
		item := &items[i]
		if !strings.HasSuffix(item.Text, end) {
			return nil, fmt.Errorf("%s: its prompt does not end in %q, as the letters' tokens require", item.ID, end)
		}
		item.Text = strings.TrimSuffix(item.Text, end)
	}
	return found, nil
}

// behind finds the letters' tokens behind a prompt; end is the end of the prompt that their tokens include. A letter of several tokens
// is refused: its probability would be that of its first token, which other words share.
func behind(s speller, prompt string, most int) (found *letters, end string, err error) {
	before, err := s.Tokenize(prompt)
	if err != nil {
		return nil, "", err
	}
	whole := make([][]int32, most)
	common := len(before)
	for i := range whole {
		if whole[i], err = s.Tokenize(prompt + dataset.Letter(i)); err != nil {
			return nil, "", err
		}
		common = min(common, backends.CommonPrefix(before, whole[i]))
	}
	for _, token := range before[common:] {
		end += s.Piece(token)
	}
	found = &letters{speller: s}
	for i, tokens := range whole {
		letter := dataset.Letter(i)
		if len(tokens) != common+1 || common == 0 || s.Piece(tokens[common]) != end+letter {
			return nil, "", fmt.Errorf("the model's tokenizer has no single token for the letter %s behind %q, so its probability is not "+
				"known: take another %s, or run without %s", letter, endOf(prompt), setting.Style, setting.Direct)
		}
		found.tokens = append(found.tokens, tokens[common:])
	}
	found.respell(end)
	return found, end, nil
}

// respell adds the letters' tokens with a space more, or less, where the vocabulary has one for each letter.
func (l *letters) respell(end string) {
	others := make([]int32, len(l.tokens))
	for i := range l.tokens {
		piece := end + dataset.Letter(i)
		other, spaced := strings.CutPrefix(piece, " ")
		if !spaced {
			other = " " + piece
		}
		token, exists := l.speller.TokenOf(other)
		if !exists || token == l.tokens[i][0] {
			return
		}
		others[i] = token
	}
	for i, token := range others {
		l.tokens[i] = []int32{l.tokens[i][0], token}
	}
}

// endOf is how a prompt ends, for messages.
func endOf(prompt string) string { return strings.ToValidUTF8(prompt[max(0, len(prompt)-20):], "") }

// ask makes a request return the letters' probabilities behind its prompt in place of a completion.
func (l *letters) ask(r *backends.Request, options int) {
	r.Forced = &backends.Forced{Tokens: l.tokens[0][:1], Ask: [][]int32{slices.Concat(l.tokens[:options]...)}}
	r.Logprobs = max(1, r.Logprobs)
}

// keep puts a completion's probabilities of the letters into its record, and the likeliest letter's token into its prediction.
func (l *letters) keep(record *journal.Record, c *backends.Completion) {
	p := &c.Predictions[0]
	each := len(l.tokens[0])
	record.LetterLogprobs = make([]float64, record.Options)
	best := 0
	for i := range record.LetterLogprobs {
		record.LetterLogprobs[i] = math.Round(floats.LogSumExp(p.AskLogprobs[each*i:each*(i+1)])*1e9) / 1e9
		if record.LetterLogprobs[i] > record.LetterLogprobs[best] {
			best = i
		}
	}
	p.Token, p.Logprob = l.tokens[best][0], p.AskLogprobs[each*best]
	record.Text = l.speller.Piece(p.Token)
	record.Usage.OutputTokens = 0
}
