package llamacpp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/llamacpp/llama"
)

// ExamLoad is the work of an exam with few-shot prompts: questions whose prompts begin alike.
type ExamLoad struct {
	Questions   int
	Shared      int // tokens that all prompts begin with
	Own         int // tokens of each prompt after those
	Generate    int // tokens generated for each
	Repetitions int
	WarmUp      bool // answer a few of the questions first, untimed
}

// ExamPass is what one repetition took, and what was done in it.
type ExamPass struct {
	Wall            time.Duration
	Prefill, Decode time.Duration // of Wall, in the engine
	Usage           backends.Usage
}

// Check refuses what is no exam.
func (l ExamLoad) Check() error {
	if l.Questions < 1 || l.Shared < 0 || l.Own < 1 || l.Generate < 1 || l.Repetitions < 1 {
		return errors.New("llamacpp: an exam needs questions with tokens of their own, tokens to generate and a repetition")
	}
	return nil
}

// BenchExam answers the load's questions as a run would, with the model's options: prompts of made-up words, every
// completion as long as the load says. It returns how the engine was set up and a pass for each repetition. step is
// called after each repetition, and with warm set after the warm-up. The end of ctx stops it.
func (m *Model) BenchExam(ctx context.Context, load ExamLoad, step func(warm bool)) (backends.EngineInfo, []ExamPass, error) {
	if err := load.Check(); err != nil {
		return backends.EngineInfo{}, nil, err
	}
	if m.closed {
		return backends.EngineInfo{}, nil, ErrClosed
	}
	if _, err := m.digest.wait(ctx); err != nil { // else it would compute beside the benchmark
		return backends.EngineInfo{}, nil, fmt.Errorf("llamacpp: %w", err)
	}
	requests, longest, err := m.examRequests(load)
	if err != nil {
		return backends.EngineInfo{}, nil, err
	}
	work := backends.Workload{
		Requests: load.Questions, PromptTokens: longest, UniqueTokens: load.Shared + load.Questions*load.Own, MaxTokens: load.Generate,
	}
	if _, err := m.Plan(ctx, work); err != nil {
		return backends.EngineInfo{}, nil, err
	}
	m.endless = true
	defer func() { m.endless = false }()
	if load.WarmUp {
		if _, err := m.examPass(ctx, requests[:min(len(requests), 2)]); err != nil {
			return backends.EngineInfo{}, nil, err
		}
		step(true)
	}
	passes := make([]ExamPass, load.Repetitions)
	for i := range passes {
		if passes[i], err = m.examPass(ctx, requests); err != nil {
			return backends.EngineInfo{}, nil, err
		}
		step(false)
	}
	return m.settings.EngineInfo, passes, nil
}

func (m *Model) examPass(ctx context.Context, requests []backends.Request) (ExamPass, error) {
	var pass ExamPass
	began := time.Now()
	err := m.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			return errors.New(c.Error)
		}
		pass.Prefill += c.Timing.Prefill
		pass.Decode += c.Timing.Decode
		pass.Usage.PromptTokens += c.Usage.PromptTokens
		pass.Usage.ReusedTokens += c.Usage.ReusedTokens
		pass.Usage.OutputTokens += c.Usage.OutputTokens
		return nil
	})
	pass.Wall = time.Since(began)
	return pass, err
}

// examRequests writes the prompts, and counts the tokens of the longest.
func (m *Model) examRequests(load ExamLoad) (requests []backends.Request, longest int, err error) {
	w := m.newWriter()
	shared, err := w.extend("", load.Shared)
	if err != nil {
		return nil, 0, err
	}
	for i := range load.Questions {
		prompt, err := w.extend(shared, load.Shared+load.Own)
		if err != nil {
			return nil, 0, err
		}
		tokens, err := m.Tokenize(prompt)
		if err != nil {
			return nil, 0, err
		}
		longest = max(longest, len(tokens))
		requests = append(requests, backends.Request{ID: fmt.Sprint(i), Prompt: prompt, MaxTokens: load.Generate})
	}
	return requests, longest, nil
}

// writer writes texts of a certain number of tokens.
type writer struct {
	model  *Model
	random *rand.Rand
	words  []string
}

func (m *Model) newWriter() *writer {
	return &writer{model: m, random: rand.New(rand.NewPCG(3, 4)), words: words(m.weights)}
}

// words are a model's tokens that make a word of their own, else whatever is text.
func words(m *llama.Model) []string {
	var whole, any []string
	for token := range m.Tokens() {
		piece := string(m.Piece(nil, token))
		if piece == "" || !utf8.ValidString(piece) || m.IsEnd(token) {
			continue
		}
		any = append(any, piece)
		if letters, found := strings.CutPrefix(piece, " "); found && letters != "" && !strings.ContainsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) }) {
			whole = append(whole, piece)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return any
}

// attempts are enough to come to the number of tokens, or as near as the tokenizer lets one.
const attempts = 16

// extend appends words to a text until the model reads it as n tokens, the first token of all texts included.
func (w *writer) extend(text string, n int) (string, error) {
	if len(w.words) == 0 {
		return "", errors.New("llamacpp: the model's vocabulary has no words to make prompts of")
	}
	var added []string
	for range attempts {
		tokens, err := w.model.Tokenize(text + strings.Join(added, ""))
		if err != nil {
			return "", err
		}
		switch more := n - len(tokens); {
		case more == 0:
			return text + strings.Join(added, ""), nil
		case more < 0:
			added = added[:max(0, len(added)+more)]
		default:
			for range more {
				added = append(added, w.words[w.random.IntN(len(w.words))])
			}
		}
	}
	return text + strings.Join(added, ""), nil
}
