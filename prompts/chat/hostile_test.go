//go:build !race

// The race detector's own memory would count, too.

package chat

import (
	"strings"
	"testing"
	"time"

	"proctor/scripts/tests/errortest"
)

// hostile are templates that take more than they may, with what is said of them.
var hostile = map[string]struct{ source, want string }{
	"a long loop":        {"{% for i in range(300000000) %}{% endfor %}", "512 MiB of memory"},
	"a long text":        {"{{ 'a' * 3000000000 }}", "512 MiB of memory"},
	"a text that grows":  {"{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}", "512 MiB of memory"},
	"a long answer":      {"{{ 'a' * 30000000 }}", "it writes 29 MiB: more than 16 MiB"},
	"endless recursion":  {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "64 MiB of stack"},
	"deep nesting":       {"{{ " + strings.Repeat("(", maxSource/2) + "1 }}", "64 MiB of stack"},
	"loops within loops": {"{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}", "5s"},
}

func TestAHostileTemplateEndsInSeconds(t *testing.T) {
	p := apart()
	harmless, err := Parse(OfModel, "{{ messages[0].role }}", p.Render)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range hostile {
		began := time.Now()
		template, err := Parse("theirs.jinja", c.source, p.Render)
		if err == nil {
			_, err = template.Render(question, aPrompt)
		}
		errortest.For(t, name, err, "theirs.jinja: ", c.want)
		if took := time.Since(began); took > 2*maxTime {
			t.Errorf("%s took %v", name, took)
		}
		if text, err := harmless.Render(question, aPrompt); err != nil || text != "user" {
			t.Errorf("after %s: %q, %v", name, text, err)
		}
	}
}
