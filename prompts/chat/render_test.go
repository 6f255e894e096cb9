package chat

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestDatesPrintAsPythonPrintsThem(t *testing.T) {
	o := Options{Now: time.Date(2026, 1, 4, 15, 4, 5, 6_007_000, time.FixedZone("elsewhere", 3600))} // a Sunday
	for format, want := range map[string]string{
		"%Y-%m-%d":                  "2026-01-04",
		"%d %b %Y":                  "04 Jan 2026",
		"%A, %B %-d":                "Sunday, January 4",
		"%a %e %h %y":               "Sun  4 Jan 26",
		"%H:%M:%S.%f":               "15:04:05.006007",
		"%I:%M %p, %-I %-H %-M":     "03:04 PM, 3 15 4",
		"%j %-j %w %u %G-W%V":       "004 4 0 7 2026-W01",
		"%D %F %R %T %x %X":         "01/04/26 2026-01-04 15:04 15:04:05 01/04/26 15:04:05",
		"%c | %r":                   "Sun Jan  4 15:04:05 2026 | 03:04:05 PM",
		"100%% plain%n%t[%Z%z]%%Z":  "100% plain\n\t[]%Z",
		"no conversion, 2006 Jan π": "no conversion, 2006 Jan π",
	} {
		got, err := ofModel(t, "{{ strftime_now('"+format+"') }}").Render(nil, o)
		assert.Check(t, err == nil && got == want, "%q: got %q, %v; want %q", format, got, err, want)
	}
}

func TestEffortIsTheTemplatesOrRefused(t *testing.T) {
	for effort, want := range map[string]string{"": "Reasoning: medium", "high": "Reasoning: high"} {
		got, err := ofModel(t, "Reasoning: {{ reasoning_effort | default('medium') }}").Render(nil, Options{Effort: effort})
		assert.Check(t, err == nil && got == want, "%q: %q, %v, want %q", effort, got, err, want)
	}
	assert.Check(t, errors.Is(ofModel(t, "{{ messages }}").CheckEffort("low", nil), ErrEffortUnknown))
	printed, one := ofModel(t, "{{ reasoning_effort | default('medium') }}"),
		ofModel(t, "{% if reasoning_effort == 'max' %}hard{% endif %}")
	for effort, template := range map[string]*Template{"medium": printed, "no_think": printed, "max": one} {
		assert.Check(t, template.CheckEffort(effort, nil), effort)
	}
	errortest.Says(t, one.CheckEffort("low", nil),
		"the model's chat template writes the same with that effort as without: leave reasoning effort out, or take max")
	thinking := ofModel(t, "{% if thinking %}T{% if reasoning_effort == 'max' %}hard{% endif %}{% endif %}")
	assert.Check(t, thinking.CheckEffort("max", new(true)))
	errortest.Says(t, thinking.CheckEffort("max", nil), "take max with think on")
	assert.Check(t, errors.Is(thinking.CheckEffort("max", new(false)), ErrEffortUnknown))
}

func TestArgumentsAreJSONOrText(t *testing.T) {
	all, err := ParseArguments([]string{"on=false", "n=3", "big=9007199254740993", "x=0.5", "effort=low", `quoted="3"`,
		`list=[1,{"a":null}]`, "empty=", "two=1 2"})
	assert.NilError(t, err)
	assert.Equal(t, string(all.JSON()),
		`{"big":9007199254740993,"effort":"low","empty":"","list":[1,{"a":null}],"n":3,"on":false,"quoted":"3","two":"1 2","x":0.5}`)
	none, err := ParseArguments(nil)
	assert.Check(t, err == nil && none.JSON() == nil, "none: %s, %v", none.JSON(), err)
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
	const source = `{{ effort }} {{ 1 + n }} {{ list[1].a is none }} {% if on is defined and not on %}off{% endif %}`
	template, err := Parse("mine.jinja", source)
	assert.NilError(t, err)
	o := aPrompt
	o.Arguments, err = ParseArguments([]string{"effort=low", "n=3", `list=[1,{"a":null}]`, "on=false"})
	assert.NilError(t, err)
	got, err := template.Render(question, o)
	assert.Check(t, err == nil && got == "low 4 True off", "%q, %v", got, err)
	o.Arguments = Arguments{"effrot": "low"}
	_, err = template.Render(question, o)
	if ignored, is := errors.AsType[*ArgumentError](err); !is || ignored.Name != "effrot" ||
		!strings.HasPrefix(err.Error(), "mine.jinja reads no") {
		t.Errorf("an argument that is not read: %v", err)
	}
	_, err = Parse("mine.jinja", "\n{% fi %}")
	assert.Check(t, err != nil && strings.HasPrefix(err.Error(), "mine.jinja: line 2: "), "a broken file: %v", err)
}
