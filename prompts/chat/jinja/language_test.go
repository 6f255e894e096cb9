package jinja

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// givenVariables is what the templates of the tests may read.
func givenVariables() map[string]Value {
	turn := func(role, content string) Value { return NewDict().Set("role", role).Set("content", content) }
	return map[string]Value{
		"messages": List{turn("system", " Hé\n"), turn("user", "q <b> & \"x\"")},
		"s":        "Hello wörld", "n": int64(7), "f": 2.5, "t": true, "no": nil, "e": "", "el": List{},
		"l": List{int64(3), int64(1), int64(2)},
		"d": NewDict().Set("b", int64(1)).Set("A", "x").Set("items", List{}),
	}
}

func render(source string) (string, error) {
	template, err := Parse(source)
	if err != nil {
		return "", err
	}
	return template.Render(givenVariables(), Limits{})
}

func TestTemplatesRenderAsInJinja2(t *testing.T) {
	for _, c := range rendered {
		t.Run(c.name, func(t *testing.T) {
			got, err := render(c.source)
			if err != nil || got != c.want {
				t.Errorf("%s\n got %q, %v\nwant %q", c.source, got, err, c.want)
			}
		})
	}
}

func TestTemplatesAreRefusedAsInJinja2(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			got, err := render(c.source)
			if err == nil || got != "" || err.Error() != c.want {
				t.Errorf("%s\n got %q, %v\nwant the error %q", c.source, got, err, c.want)
			}
		})
	}
}

func TestWhatIsLackingIsNamedWithItsLine(t *testing.T) {
	for source, want := range map[string]string{
		"\n{% include 'x' %}":                               "line 2: unsupported: tag 'include'",
		"\n\n{% do f() %}":                                  "line 3: unsupported: tag 'do'",
		"{{ s | pprint }}":                                  "line 1: unsupported: filter 'pprint'",
		"{{ s.encode() }}":                                  "line 1: unsupported: method 'encode' of str",
		"{% if s.encode is defined %}{% endif %}":           "line 1: unsupported: method 'encode' of str",
		"{{ '%(a)s' % {'a': 1} }}":                          "line 1: unsupported: operator '%' on str",
		"{{ '{:>5}'.format(1) }}":                           "line 1: unsupported: method 'format' of str",
		"{{ 2 ** 10 }}":                                     "line 1: unsupported: operator '**' on int",
		"{{ l | batch(2) }}":                                "line 1: unsupported: filter 'batch'",
		"{{ n is sameas 1 }}":                               "line 1: unsupported: test 'sameas'",
		"{{ l.index(1) }}":                                  "line 1: unsupported: method 'index' of list",
		"\n{% raw %}{{ x }}{% endraw %}":                    "line 2: unsupported: tag 'raw'",
		"{% with a = 1 %}{% endwith %}":                     "line 1: unsupported: tag 'with'",
		"{% for x in l recursive %}{% endfor %}":            "line 1: unsupported: a recursive loop",
		"{% for x in l %}{{ loop.changed(x) }}{% endfor %}": "line 1: unsupported: loop.changed",
		"{% macro m() %}\n{{ varargs }}{% endmacro %}":      "line 2: unsupported: 'varargs' in a macro",
		"{{ f(*l) }}":                                       "line 1: unsupported: '*' in a call",
		"{{ {(1, 2): 3} }}":                                 "line 1: unsupported: a tuple as a key",
		"{{ (s | safe).upper() }}":                          "line 1: unsupported: method 'upper' of Markup",
		"{{ 9223372036854775807 + 1 }}":                     "line 1: unsupported: an integer of more than 64 bits",
		"{{ 9223372036854775808 }}": "line 1: unsupported: number 9223372036854775808: integers have 64 bits " +
			"here",
		"{{ 'straße' | upper }}":      "line 1: unsupported: changing the case of \"ß\"",
		"{{ '\\N{DASH}' }}":           "line 1: unsupported: escape \"\\\\N\" in a string",
		"{{ '\\ud83d' }}":             "line 1: unsupported: escape \"\\\\ud83d\" in a string: not a character",
		"{% call f() %}{% endcall %}": "line 1: unsupported: tag 'call'",
		"{{ l | map('abs') }}":        "line 1: unsupported: printing a generator",
		"{{ range }}":                 "line 1: unsupported: printing a function",
		"{% for x in l %}{{ s }}{% endfor %}\n{% set s = 1 %}": "line 2: unsupported: setting 's' after a block inside has read it",
		"{% set s %}{{ s }}{% endset %}":                       "line 1: unsupported: setting 's' after a block inside has read it",
	} {
		got, err := render(source)
		if err == nil || got != "" || err.Error() != want {
			t.Errorf("%s\n got %q, %v\nwant the error %q", source, got, err, want)
		}
	}
}

func TestAnErrorOfAGivenFunctionComesWithItsLineAndItself(t *testing.T) {
	sentinel := errors.New("not today")
	variables := map[string]Value{"f": Function(func(a Arguments) (Value, error) {
		if len(a.Values) == 1 {
			return a.Values[0], nil
		}
		return nil, sentinel
	})}
	template, err := Parse("{{ f(1) }}{% macro m() %}\n{{ f() }}{% endmacro %}\n{{ m() }}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = template.Render(variables, Limits{})
	var placed *Error
	if !errors.Is(err, sentinel) || !errors.As(err, &placed) || placed.Line != 2 {
		t.Errorf("got %v, want %v on line 2", err, sentinel)
	}
}

func TestARenderLeavesVariablesAndTemplateAsTheyWere(t *testing.T) {
	variables := givenVariables()
	source := "{% set messages = messages + [1] %}{% set n = 8 %}{{ n }}{{ messages | length }}" +
		"{% for x in l | sort(reverse=true) %}{{ x }}{% endfor %}{{ l }}"
	template, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := template.Render(variables, Limits{})
		if err != nil || got != "83321[3, 1, 2]" {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestReadsKnowsTheVariablesOfATemplate(t *testing.T) {
	template, err := Parse("{# c #}{% set a = b.c %}{% macro m(p) %}{{ p ~ inside }}{% endmacro %}{{ 'text' | default(d) }}{% set ns.x = " +
		"1 %}")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a": false, "b": true, "c": false, "inside": true, "text": false, "d": true, "ns": true, "x": false,
	} {
		if template.Reads(name) != want {
			t.Errorf("Reads(%q) is %v", name, !want)
		}
	}
}

func TestLongScopesAndDictsFindTheirNames(t *testing.T) {
	const many = 3 * few
	var sets, pairs, want strings.Builder
	for i := range many {
		fmt.Fprintf(&sets, "{%% set name%d = %d %%}", i, i)
		fmt.Fprintf(&pairs, "'key%d': name%d, ", i, i)
		fmt.Fprintf(&want, "%d ", i)
	}
	got, err := render(sets.String() + "{% set name3 = 3 %}{% set all = {" + pairs.String() + "'key3': name3} %}" +
		"{{ all.values() | join(' ') }} {{ all.key5 }}{{ all.copy().key6 }}{{ all.key99 is defined }}{{ name99 is defined }}")
	if err != nil || got != want.String()+"56FalseFalse" {
		t.Errorf("got %q, %v", got, err)
	}
}
