package isolated

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// TestWhatAProcessCollectsIsWhatThisOneWould holds the file of an importance matrix against that of a model in this process.
func TestWhatAProcessCollectsIsWhatThisOneWould(t *testing.T) {
	t.Parallel()
	o := options(write(t, ""))
	o.Engine.Collect, o.Engine.Slots = true, 2
	here, err := llamacpp.Open(t.Context(), o.Engine)
	assert.NilError(t, err)
	defer here.Close()
	there := open(t, o)
	var files [2]bytes.Buffer
	for _, m := range []interface {
		backends.Model
		backends.Planner
	}{here, there} {
		plan(t, m, backends.Workload{Requests: 5, PromptTokens: 100, MaxTokens: 28})
		answers(t, m, questions(5), nil)
	}
	assert.NilError(t, errors.Join(here.WriteImatrix(&files[0], "five"), there.WriteImatrix(&files[1], "five")))
	assert.Check(t, files[0].Len() >= 10_000 && bytes.Equal(files[0].Bytes(), files[1].Bytes()),
		"%d and %d bytes, or others", files[0].Len(), files[1].Len())
}

// TestWhatWasCollectedIsNotHalfLost kills a process that has collected something: another one would lack it.
func TestWhatWasCollectedIsNotHalfLost(t *testing.T) {
	t.Parallel()
	o := options(write(t, ""))
	o.Engine.Collect, o.Engine.Slots = true, 2
	m := open(t, o)
	done := 0
	generate := func() error {
		return m.Generate(t.Context(), slices.Values(questions(9)), func(backends.Completion) error {
			if done++; done == 3 {
				return m.process.command.Process.Kill()
			}
			return nil
		})
	}
	_, tokenizes := m.Tokenize("x")
	first, again, written := generate(), generate(), m.WriteImatrix(&bytes.Buffer{}, "nine")
	_, asked := m.Tokenize("x")
	for _, err := range []error{first, again, written, asked} {
		death := (*Death)(nil)
		assert.Check(t, errors.As(err, &death), "%v, want its death", err)
	}
	assert.Check(t, tokenizes == nil && done >= 3 && done <= 5 && m.deaths == 1, "%v, %d done, %d deaths", tokenizes, done, m.deaths)
}
