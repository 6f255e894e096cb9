//go:build unix && !race

// The race detector's own memory would count, too.

package chat

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

// TestAHostileTemplateEnds has templates take more than they may. The system reports the memory of the largest of all children.
func TestAHostileTemplateEnds(t *testing.T) {
	p := apart()
	harmless, err := Parse(OfModel, "{{ messages[0].role }}", p.Render)
	assert.NilError(t, err)
	const loops = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
	impatient := apart()
	impatient.patience = 100 * time.Millisecond
	for name, c := range map[string]struct {
		by           *Process
		source, want string
	}{
		"a long loop":        {p, "{% for i in range(300000000) %}{% endfor %}", "512 MiB of memory"},
		"a long text":        {p, "{{ 'a' * 3000000000 }}", "512 MiB of memory"},
		"a text that grows":  {p, "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}", "512 MiB of memory"},
		"a long answer":      {p, "{{ 'a' * 30000000 }}", "it writes 29 MiB: more than 16 MiB"},
		"endless recursion":  {p, "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "64 MiB of stack"},
		"deep nesting":       {p, "{{ " + strings.Repeat("(", maxSource/2) + "1 }}", "64 MiB of stack"},
		"loops within loops": {impatient, loops, "100ms"},
	} {
		template, err := Parse("theirs.jinja", c.source, c.by.Render)
		if err == nil {
			_, err = template.Render(question, aPrompt)
		}
		errortest.For(t, name, err, "theirs.jinja: ", c.want)
		text, err := harmless.Render(question, aPrompt)
		assert.Check(t, err == nil && text == "user", "after %s: %q, %v", name, text, err)
	}
	var children syscall.Rusage
	assert.NilError(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children))
	if took := children.Maxrss * 1024; runtime.GOOS == "linux" && took > maxMemory*5/4 { // its code counts, too
		t.Errorf("a child took %d bytes, more than %d", took, maxMemory)
	}
}
