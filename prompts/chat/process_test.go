package chat

import (
	"errors"
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

// serving has this test program be the child of a process.
const serving = "serve-templates"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serving {
		_ = Serve(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

func apart() *Process { return &Process{Args: []string{"chat", serving}} }

func TestAProcessRendersAsThisOneDoes(t *testing.T) {
	p := apart()
	for _, name := range []string{"marked-turns", "thinking", "no-system", "thinking", "as-json"} {
		here := ownTemplate(t, name)
		there, err := Parse(OfModel, here.source, p.Render)
		assert.NilError(t, err)
		for range 2 {
			want, refused := here.Render(shots, aPrompt)
			got, err := there.Render(shots, aPrompt)
			assert.Check(t, got == want && reason(err) == reason(refused), "%s: %q, %v, want %q, %v", name, got, err, want, refused)
		}
	}
	_, err := Parse("mine.jinja", "{% fi %}", p.Render)
	errortest.Says(t, err, `mine.jinja: line 1: unknown statement "fi"`)
	if _, refused := errors.AsType[*Refusal](err); refused {
		t.Errorf("a broken template refuses: %v", err)
	}
}
