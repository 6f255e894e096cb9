package chat

import (
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

// TestAHostileTemplateEnds has templates take more than they may.
func TestAHostileTemplateEnds(t *testing.T) {
	const tooMuch = "it takes more time or memory than a template may"
	doubled := "{% set n = namespace(l=[1]) %}{% for i in range(99) %}{% set n.l = [n.l, n.l] %}{% endfor %}"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, c := range map[string]struct{ source, want string }{
		"a long range": {"{% for i in range(300000000) %}{% endfor %}", "the sandbox blocks ranges"},
		"a long text":  {"{{ 'a' * 3000000000 }}", tooMuch},
		"a text that grows": {"{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}",
			tooMuch},
		"a long answer": {"{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}", "it writes more than 16 MiB"},
		"endless recursion": {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
			"macros call each other more than 200 levels deep"},
		"deep nesting": {"{{ " + strings.Repeat("(", maxSource/4) + "1" + strings.Repeat(")", maxSource/4) + " }}",
			"more than 100 things within each other"},
		"deep statements": {strings.Repeat("{% if 1 %}", maxSource/16), "more than 100 things within each other"},
		"many operators": {"{{ " + strings.Repeat("not ", maxSource/8) + "1 }}",
			"more than 100 things within each other"},
		"lists that double": {doubled + "{{ n.l }}", tooMuch},
		"equal ones":        {doubled + "{{ n.l == n.l }}", tooMuch},
		"a text replaced":   {"{{ ('a' * 99999).replace('a', 'b' * 99999) }}", tooMuch},
		"a join":            {"{{ range(99999) | join('a' * 99999) }}", tooMuch},
		"an indent":         {"{{ ('\n' * 9999999) | indent(999) }}", tooMuch},
		"itself": {"{% set n = namespace() %}{% set n.n = [n] %}{{ n.n }}",
			"a Namespace within a text is not supported"},
		"loops within loops": {strings.Repeat("{% for a in range(9999) %}", 3) + strings.Repeat("{% endfor %}", 3), tooMuch},
	} {
		template, err := Parse("theirs.jinja", c.source)
		if err == nil {
			_, err = template.Render(question, aPrompt)
		}
		errortest.For(t, name, err, "theirs.jinja: ", c.want)
	}
	runtime.ReadMemStats(&after)
	assert.Check(t, after.Sys-before.Sys < 1<<30, "the templates took %d bytes", after.Sys-before.Sys)
}
