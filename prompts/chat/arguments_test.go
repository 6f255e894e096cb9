package chat

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestArgumentsAreJSONOrText(t *testing.T) {
	all, err := ParseArguments([]string{"on=false", "n=3", "big=9007199254740993", "x=0.5", "effort=low", `quoted="3"`, `list=[1,{"a":null}]`, "empty=",
		"two=1 2"})
	assert.NilError(t, err)
	assert.Equal(t, string(all.JSON()),
		`{"big":9007199254740993,"effort":"low","empty":"","list":[1,{"a":null}],"n":3,"on":false,"quoted":"3","two":"1 2","x":0.5}`)
	if none, err := ParseArguments(nil); err != nil || none.JSON() != nil {
		t.Errorf("none: %s, %v", none.JSON(), err)
	}
	for text, want := range map[string]string{
		"thinking":      "give NAME=VALUE",
		"=3":            "give NAME=VALUE",
		"a-b=3":         "give NAME=VALUE",
		"bos_token=<s>": "proctor sets bos_token itself",
		"a=1":           "a is given twice",
	} {
		_, err := ParseArguments([]string{"a=0", text})
		errortest.For(t, text, err, want)
	}
}

func TestATemplateGetsItsArguments(t *testing.T) {
	template, err := Parse("mine.jinja", `{{ effort }} {{ 1 + n }} {{ list[1].a is none }} {% if on is defined and not on %}off{% endif %}`, Here)
	assert.NilError(t, err)
	o := aPrompt
	o.Arguments, err = ParseArguments([]string{"effort=low", "n=3", `list=[1,{"a":null}]`, "on=false"})
	assert.NilError(t, err)
	if got, err := template.Render(question, o); err != nil || got != "low 4 True off" {
		t.Errorf("%q, %v", got, err)
	}
	o.Arguments = Arguments{"effrot": "low"}
	_, err = template.Render(question, o)
	if ignored, is := errors.AsType[*ArgumentError](err); !is || ignored.Name != "effrot" || !strings.HasPrefix(err.Error(), "mine.jinja reads no") {
		t.Errorf("an argument that is not read: %v", err)
	}
	if _, err := Parse("mine.jinja", "\n{% fi %}", Here); err == nil || !strings.HasPrefix(err.Error(), "mine.jinja: line 2: ") {
		t.Errorf("a broken file: %v", err)
	}
}
