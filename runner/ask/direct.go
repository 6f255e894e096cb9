package ask

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/prefixes"
	"proctor/runner/journal"
)

// A speller is a model that says how likely letters are, and how it writes them.
type speller interface {
	backends.Scorer
	backends.Tokenizer
}

// errNoLogprobs refuses a model for a direct run.
var errNoLogprobs error = setting.Errorf("%s needs the letters' probabilities, which this model does not give: name a GGUF file, embedded, or "+
	"%s with ollama:NAME", setting.Direct, setting.InProcess)

// letters are the tokens that a model can write each letter with where the answer stands, by letter from A on. All letters have
// as many, written alike; the first is the tokenizer's own, the other has a space more or less before it.
type letters struct {
	speller
	tokens [][]int32
}

// spell finds out how the model writes the letters behind each prompt, for a direct plan, before Measure. Where what it makes of
// a letter is one token with the end of the prompt, as " (A" may be, that end is taken off the prompts.
func (p *Plan) spell(model any) error {
	if !p.Task.Direct {
		return nil
	}
	s, can := model.(speller)
	if !can {
		return errNoLogprobs
	}
	most := p.mostLetters()
	var found *letters
	cut := ""
	for subject := range prompts.BySubject(p.Items) {
		first := max(0, slices.IndexFunc(subject, func(item prompts.Item) bool { return !prefixes.Oversize(&item) }))
		own, end, err := lettersBehind(s, subject[first].Prompt(), most)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", subject[first].ID, err)
		case found == nil:
			found, cut = own, end
		case end != cut || !slices.EqualFunc(own.tokens, found.tokens, slices.Equal):
			return fmt.Errorf("%s: the model writes the letters otherwise behind this prompt than behind that of %s: take another %s",
				subject[first].ID, p.Items[0].ID, setting.Style)
		}
	}
	if cut != "" {
		p.measured = nil
	}
	for i := range p.Items {
		item := &p.Items[i]
		if !strings.HasSuffix(item.Text, cut) {
			return fmt.Errorf("%s: its prompt does not end in %q, which the letters' tokens have", item.ID, cut)
		}
		item.Text = strings.TrimSuffix(item.Text, cut)
	}
	p.letters = found
	p.header.Direct = &journal.Direct{Spellings: found.spellings()}
	return nil
}

// mostLetters is how many letters the items choose from at most. Questions of the set that were not drawn count too: a run that is
// extended goes on with the spellings that it began with.
func (p *Plan) mostLetters() int {
	most := 0
	for _, item := range p.Items {
		most = max(most, item.Options)
	}
	if p.Task.Variants == task.EachOption {
		return most
	}
	return max(most, p.header.Dataset.Options)
}

// lettersBehind are those of so many options behind a prompt; end is what of the prompt their tokens have, too. A letter that is
// several tokens there is refused: its probability would be that of its beginning, which other words have as well.
func lettersBehind(s speller, prompt string, options int) (found *letters, end string, err error) {
	before, err := s.Tokenize(prompt)
	if err != nil {
		return nil, "", err
	}
	whole := make([][]int32, options)
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
				"known: take another %s, or run without %s", letter, lastOf(prompt, 20), setting.Style, setting.Direct)
		}
		found.tokens = append(found.tokens, tokens[common:])
	}
	found.respell(end)
	return found, end, nil
}

// respell adds the letters with a space more, or less, where the vocabulary has a token for each of them.
func (l *letters) respell(end string) {
	others := make([]int32, len(l.tokens))
	for i := range l.tokens {
		piece := end + dataset.Letter(i)
		other, spaced := strings.CutPrefix(piece, " ")
		if !spaced {
			other = " " + piece
		}
		token, exists := l.TokenOf(other)
		if !exists || token == l.tokens[i][0] {
			return
		}
		others[i] = token
	}
	for i, token := range others {
		l.tokens[i] = []int32{l.tokens[i][0], token}
	}
}

// lastOf is the end of a text, of so many bytes at most.
func lastOf(text string, bytes int) string {
	return strings.ToValidUTF8(text[max(0, len(text)-bytes):], "")
}

// spellings are the texts of the tokens that write A.
func (l *letters) spellings() []string {
	var all []string
	for _, token := range l.tokens[0] {
		all = append(all, l.Piece(token))
	}
	return all
}

// ask has a request tell the letters' probabilities behind its prompt, in the place of a completion.
func (l *letters) ask(r *backends.Request, options int) {
	r.Forced = &backends.Forced{Tokens: l.tokens[0][:1], Ask: [][]int32{slices.Concat(l.tokens[:options]...)}}
	r.Logprobs = max(1, r.Logprobs)
}

// told puts into a record what a completion told of its item's letters, and into the completion's prediction the token of the
// likeliest.
func (l *letters) told(record *journal.Record, c *backends.Completion) {
	p := &c.Predictions[0]
	each := len(l.tokens[0])
	record.LetterLogprobs = make([]float64, record.Options)
	best := 0
	for i := range record.LetterLogprobs {
		record.LetterLogprobs[i] = math.Round(floats.LogSumExp(p.Asked[each*i:each*(i+1)])*1e9) / 1e9
		if record.LetterLogprobs[i] > record.LetterLogprobs[best] {
			best = i
		}
	}
	p.Token, p.Logprob = l.tokens[best][0], p.Asked[each*best]
	record.Text = l.Piece(p.Token)
	record.Usage.OutputTokens = 0
}

// converseDirectly is [Plan.Converse] for a plan of either kind: the answer of a direct one comes before any thinking, which is
// off where the template knows that, and a conversation that opens it is refused.
func (p *Plan) converseDirectly(d prompts.Dialogue, think string) error {
	if !p.Task.Direct {
		return p.Converse(d, think)
	}
	err := chat.ErrThinkingUnknown
	if d.Options.EnableThinking == nil {
		off, without := false, d
		without.Options.EnableThinking = &off
		err = p.Converse(without, Form{Think: &off}.think())
	}
	if errors.Is(err, chat.ErrThinkingUnknown) {
		err = p.Converse(d, think)
	}
	if err != nil {
		return err
	}
	for _, item := range p.Items {
		turn := strings.TrimSpace(strings.TrimSuffix(item.Prompt(), strings.TrimLeft(item.AnswerPrefix, " \n")))
		opens := strings.HasSuffix(turn, channels)
		for _, t := range backends.Thinkings {
			opens = opens || strings.HasSuffix(turn, t.Open)
		}
		if opens {
			return fmt.Errorf("%s has the answer before any thinking, and the model's chat template has it think first (it ends "+
				"in %q): give %s, or %s", setting.Direct, lastOf(turn, 20), setting.Think.As("off"), setting.Prompt.As("raw"))
		}
	}
	return nil
}

// channels ends a conversation whose model says in which channel it goes on, as gpt-oss does.
const channels = "<|start|>assistant"
