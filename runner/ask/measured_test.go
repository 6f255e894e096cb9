package ask_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
)

// vocabulary is a model that counts how often it makes tokens.
type vocabulary struct {
	scripted.Model
	sum   string
	calls int
}

func (v *vocabulary) Tokenize(text string) ([]int32, error) {
	v.calls++
	return v.Model.Tokenize(text)
}

func (v *vocabulary) VocabularySHA256() string     { return v.sum }
func (v *vocabulary) Piece(int32) string           { return "" }
func (v *vocabulary) TokenOf(string) (int32, bool) { return 0, false }

// TestSessionsThatShareTokensAskAsOthersDo has two sessions share what is measured once, and a third one that shares nothing.
func TestSessionsThatShareTokensAskAsOthersDo(t *testing.T) {
	set := schoolSet()
	eval := evalOf(t, task.All[0], 0)
	selection, settings := dataset.Selection{Limit: 40, Seed: 5}, ask.Settings{MaxTokens: 16}
	answered := func(model *vocabulary, asked ask.Evals) (string, int) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "run")
		ran(t.Context(), t, sessionIn(t, out, asked), model)
		return out, model.calls
	}
	model := func(sum string) *vocabulary {
		return &vocabulary{Model: scripted.Model{Answer: wavering(task.All[0])}, sum: sum}
	}
	own := ask.Evals{Set: set, Evals: []prompts.Eval{eval}, Selection: selection, Settings: settings}
	shared := own
	shared.Measured = ask.Measured{}
	items, err := shared.Items()
	assert.Assert(t, err == nil && items == 40, "%d items, %v", items, err)
	alone, calls := answered(model("a"), own)
	want := load(t, alone)
	for _, each := range []struct {
		sum   string
		calls func(n int) bool
	}{
		{"a", func(n int) bool { return n == calls }},
		{"a", func(n int) bool { return n < calls/2 }}, // the longest prompts alone
		{"b", func(n int) bool { return n == calls }},  // another vocabulary
	} {
		out, n := answered(model(each.sum), shared)
		assert.Check(t, each.calls(n), "vocabulary %s: %d texts were made into tokens, %d by a session of its own", each.sum, n, calls)
		got := load(t, out)
		assert.Check(t, reflect.DeepEqual(got.Header, want.Header) && len(got.Records) == len(want.Records),
			"vocabulary %s: the journal begins otherwise than that of a session of its own", each.sum)
		for i := range got.Records {
			a, b := &got.Records[i], &want.Records[i]
			assert.Check(t, a.ID == b.ID && a.Prompt == b.Prompt && a.Text == b.Text && a.NewTokens == b.NewTokens,
				"vocabulary %s: %+v, want %+v", each.sum, a, b)
		}
	}
}

var _ backends.Scorer = (*vocabulary)(nil)
