package selftest

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
)

// A Verdict says how one of the kernels did.
type Verdict struct {
	Kernels     string       `json:"kernels"`          // proctor or ggml
	Level       string       `json:"level,omitempty"`  // of proctor's
	Engine      string       `json:"engine,omitempty"` // the llama.cpp, where it is not the one that is compiled in
	Items       int          `json:"items"`            // how many ran
	Texts       int          `json:"texts"`            // that are the known ones
	Differences []Difference `json:"differences"`      // by the item's id; of an engine, of items with another letter
	Died        string       `json:"died,omitempty"`   // why there is no answer at all
}

// OK says whether everything was computed, and correctly.
func (v Verdict) OK() bool { return v.Died == "" && len(v.Differences) == 0 && v.Items > 0 }

// Name is how people call the kernels: the engine's release, ggml, or the level of proctor's.
func (v Verdict) Name() string { return cmp.Or(v.Engine, v.Level, v.Kernels) }

// A Difference is an item whose text is not the known one.
type Difference struct {
	ID   string `json:"id"`
	At   int    `json:"at"`   // the first character that differs, from 0
	Want string `json:"want"` // the known text from there on, cut
	Got  string `json:"got"`  // what was written, cut
}

// String is the difference in a line for people.
func (d Difference) String() string {
	return fmt.Sprintf("%s: from character %d on it should be %q and is %q", d.ID, d.At, d.Want, d.Got)
}

// slots are fewer than the items: some begin while others are answered, and share what they have in common.
const slots = 4

// Task is that of the child process of [Apart].
var Task = child.Answering("self-test", func(o llamacpp.Options, _ func(string)) (Verdict, error) {
	return Known().Check(context.Background(), o)
})

// patience is how long one of the kernels may take: it is seconds, and minutes where a CPU is emulated.
const patience = 10 * time.Minute

// Apart checks the known texts in a process of its own: one that crashes, hangs or refuses the options is a verdict,
// too. The only error is the end of ctx.
func Apart(ctx context.Context, options llamacpp.Options) (Verdict, error) {
	verdict, err := child.Ask[Verdict](ctx, Task.Name, patience, options, nil)
	if ctx.Err() != nil {
		return Verdict{}, err
	}
	if err != nil {
		verdict = Verdict{Kernels: options.Kernels, Engine: options.Engine, Died: err.Error()}
	}
	if verdict.Differences == nil { // as an empty list is sent
		verdict.Differences = []Difference{}
	}
	return verdict, nil
}

// Check has the control model answer the golden's items in this process, with the options' kernels.
func (g Golden) Check(ctx context.Context, options llamacpp.Options) (verdict Verdict, err error) {
	defer func() {
		if ctx.Err() != nil {
			verdict, err = Verdict{}, context.Cause(ctx)
		}
	}()
	options.Slots = cmp.Or(options.Slots, slots)
	model, err := embedded.Open(ctx, options)
	if err != nil {
		return Verdict{}, err
	}
	defer model.Close()
	work := backends.Workload{Requests: len(g.Items), MaxTokens: g.MaxTokens}
	var requests []backends.Request
	known := map[string]string{}
	for _, item := range g.Items {
		known[item.ID] = item.Text
		prompt := g.Preambles[item.Subject] + item.Prompt
		requests = append(requests, backends.Request{ID: item.ID, Prompt: prompt, Stop: g.Stop, MaxTokens: g.MaxTokens})
		tokens, err := model.Tokenize(prompt)
		if err != nil {
			return Verdict{}, err
		}
		work.PromptTokens = max(work.PromptTokens, len(tokens))
	}
	if _, err := model.Plan(ctx, work); err != nil {
		return Verdict{}, err
	}
	verdict.Differences = []Difference{}
	err = model.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			return fmt.Errorf("%s: %s", c.ID, c.Error)
		}
		verdict.Items++
		want := known[c.ID]
		if c.Text == want {
			verdict.Texts++
		} else if options.Engine == "" || letter(c.Text) != letter(want) {
			verdict.Differences = append(verdict.Differences, differing(c.ID, want, c.Text))
		}
		return nil
	})
	if err != nil {
		return Verdict{}, err
	}
	slices.SortFunc(verdict.Differences, func(a, b Difference) int { return cmp.Compare(a.ID, b.ID) })
	info, err := model.Info(ctx)
	verdict.Kernels, verdict.Level = info.Engine.Kernels, info.Engine.KernelLevel
	if options.Engine != "" {
		verdict.Engine = info.Engine.Version
	}
	return verdict, err
}

// letter is the one that a text ends in, in brackets; "" where it has none. Another llama.cpp may add numbers up in
// another order, and write other words, but the letter is beyond doubt.
func letter(text string) string {
	at := strings.LastIndexByte(text, '(')
	if at < 0 || len(text) < at+3 || text[at+2] != ')' {
		return ""
	}
	return text[at+1 : at+2]
}

// snippet is how many characters of a text are shown.
const snippet = 32

// differing finds where two texts part.
func differing(id, want, got string) Difference {
	w, g := []rune(want), []rune(got)
	at := 0
	for at < len(w) && at < len(g) && w[at] == g[at] {
		at++
	}
	cut := func(text []rune) string { return string(text[at:min(len(text), at+snippet)]) }
	return Difference{ID: id, At: at, Want: cut(w), Got: cut(g)}
}

//go:embed golden.json
var golden []byte

// Golden is the questions of the self-test, and what the control model is known to answer.
type Golden struct {
	Stop      []string          `json:"stop"`
	MaxTokens int               `json:"max_tokens"`
	Preambles map[string]string `json:"preambles"` // by subject: the beginning that its items share
	Items     []Item            `json:"items"`     // a subject's one after the other
}

// An Item is one question and its text.
type Item struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Prompt  string `json:"prompt"` // after the preamble
	Text    string `json:"text"`
}

// Known is the golden that every copy of the program carries.
func Known() Golden {
	var g Golden
	if err := json.Unmarshal(golden, &g); err != nil {
		panic(fmt.Sprintf("golden.json: %v", err)) // it is compiled in
	}
	return g
}
