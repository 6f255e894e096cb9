package jinja

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// hostile is templates that would take for ever, fill the memory or overflow the stack without a budget.
var hostile = map[string]string{
	"loops in loops":              strings.Repeat("{% for i in range(100000) %}", 8) + "x" + strings.Repeat("{% endfor %}", 8),
	"a loop over a loop's output": "{% for i in range(100000) %}{% for c in s %}{{ c }}{% endfor %}{% set s = s ~ s %}{% endfor %}",
	"a text that doubles":         "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
	"a list that doubles":         "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"a list in a list in a list": "{% set ns = namespace(s=[]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ " +
		"ns.s }}",
	"comparing a list that is a DAG": "{% set ns = namespace(a=[], b=[]) %}" +
		"{% for i in range(99) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}",
	"json of a list that is a DAG": "{% set ns = namespace(s=[]) %}" +
		"{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | tojson(indent=60) }}",
	"a list nested very deep":      "{% set ns = namespace(s=[]) %}{% for i in range(90000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
	"a macro that calls itself":    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
	"two macros in turns":          "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() ~ a() }}{% endmacro %}{{ a() }}",
	"a text times a large number":  "{{ 'x' * 999999999999 }}",
	"a list times a large number":  "{{ [1] * 999999999999 }}",
	"a tuple times a large number": "{{ 999999999999 * (1,) }}",
	"a range too long":             "{{ range(999999999999) | list }}",
	"a very wide indent":           "{{ 'x' | indent(9223372036854775807) }}",
	"indent":                       "{{ ('\\n' * 100000) | indent(99999, true, true) }}",
	"replacing nothing by much":    "{% set s = 'x' * 100000 %}{{ s.replace('', s) }}",
	"joining with much":            "{% set s = 'x' * 100000 %}{{ s | join(s) }}",
	"indexing a long text often":   "{% set s = 'π' * 1000000 %}{% for i in range(100000) %}{{ s[999999] }}{% endfor %}",
	"measuring a long text often":  "{% set s = 'π' * 1000000 %}{% for i in range(100000) %}{% if s | length %}{% endif %}{% endfor %}",
	"searching a long text often":  "{% set s = 'π' * 1000000 %}{% for i in range(100000) %}{% if 'x' in s %}{% endif %}{% endfor %}",
	"sorting often": "{% set l = range(100000) | list %}" +
		"{% for i in range(100000) %}{% if l | sort | first %}{% endif %}{% endfor %}",
	"slicing backwards often": "{% set s = 'π' * 1000000 %}{% for i in range(100000) %}{% if s[::-1] %}{% endif %}{% endfor %}",
	"comparing long texts often": "{% set s = 'π' * 1000000 %}{% set t = s ~ '' %}" +
		"{% for i in range(100000) %}{% if s == t %}{% endif %}{% endfor %}",
	"splitting often": "{% set s = 'π ' * 1000000 %}{% for i in range(100000) %}{% if s.split() %}{% endif %}{% endfor %}",
	"macros kept in a list": "{% set ns = namespace(l=[]) %}" +
		"{% for i in range(100000) %}{% macro m() %}{% endmacro %}{% set ns.l = [ns.l, m] %}{% endfor %}" +
		"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
	"a long chain of sums":       "{{ 1" + strings.Repeat("+1", 20_000) + " }}",
	"a long chain of attributes": "{{ x" + strings.Repeat(".x", 20_000) + " }}",
	"a long chain of filters":    "{{ x" + strings.Repeat("|e", 20_000) + " }}",
	"brackets in brackets":       "{{ " + strings.Repeat("[", 20_000),
	"brackets around brackets":   "{{ " + strings.Repeat("(", 20_000) + strings.Repeat(")", 20_000) + " }}",
	"not not not":                "{{ " + strings.Repeat("not ", 20_000) + "x }}",
	"minus minus minus":          "{{ " + strings.Repeat("-", 20_000) + "1 }}",
	"else if else if":            "{{ " + strings.Repeat("1 if 0 else ", 20_000) + "1 }}",
	"blocks in blocks":           strings.Repeat("{% if 1 %}", 20_000),
	"targets in targets":         "{% set " + strings.Repeat("(", 20_000) + "x",
	"a template too long":        strings.Repeat("x", maxSource+1),
}

func TestAHostileTemplateIsStoppedSoon(t *testing.T) {
	limits := Limits{Steps: DefaultLimits.Steps / 50, Memory: DefaultLimits.Memory / 32}
	for name, source := range hostile {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			template, err := Parse(source)
			if err == nil {
				_, err = template.Render(map[string]Value{"s": "xxxx"}, limits)
			}
			var f *Error
			if !errors.As(err, &f) || f.Kind != LimitExceeded {
				t.Errorf("got %.200v, want a limit that is exceeded", err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("stopped only after %v", took)
			}
		})
	}
}

func TestALimitThatIsGivenHolds(t *testing.T) {
	template, err := Parse("{% for i in range(100) %}{{ 'x' * 100 }}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	for limits, passes := range map[Limits]bool{
		{}:                                       true,
		{Steps: 100}:                             false,
		{Memory: 1000}:                           false,
		{Depth: 1}:                               false,
		{Steps: 10_000, Memory: 1e5}:             true,
		{Steps: 1e6, Memory: 1 << 20, Depth: 10}: true,
	} {
		got, err := template.Render(nil, limits)
		if passes != (err == nil) || passes != (len(got) == 100*100) {
			t.Errorf("%+v: got %d bytes, %v", limits, len(got), err)
		}
	}
}
