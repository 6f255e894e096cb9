package prompts_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

func TestABuiltInStyleReadBackUnderAnotherNameAsksTheSame(t *testing.T) {
	set := open(t, "sample")
	var err error
	set.Test, err = set.Select(dataset.Selection{PerSubject: 2})
	assert.NilError(t, err)
	for _, built := range prompts.Styles {
		own, err := prompts.ParseStyle("mine.style", strings.Replace(built.Text, built.Name, "mine@1", 1))
		assert.NilError(t, err)
		assert.Check(t, own.Name == "mine@1" && !own.BuiltIn && own.Rules == built.Rules, "%s: %+v", built.Name, own)
		assert.DeepEqual(t, own.Stop, built.Stop)
		for _, of := range tasksOf(built) {
			for _, shots := range []int{0, 3, 5} {
				want := itemsOf(t, set, prompts.Eval{Task: of, Style: built, Shots: shots})
				for i, item := range itemsOf(t, set, prompts.Eval{Task: of, Style: own, Shots: shots}) {
					assert.Equal(t, item.ID+item.Prompt(), want[i].ID+want[i].Prompt(), "%s, %d shots", built.Name, shots)
				}
			}
		}
	}
}

func itemsOf(tb testing.TB, set *dataset.Set, eval prompts.Eval) []prompts.Item {
	tb.Helper()
	items, err := eval.Items(set, set.Test)
	assert.NilError(tb, err)
	return items
}

// whole is a style with all that a file can have.
const whole = `# A comment.
style: mine@2
summary: in all its parts
items: any
filler: keep
rules: anchored
stop: "\n\n"
stop: Q:
-- system --
You know {{.Subject}}.
-- instruction --
{{if .Shots}}{{.Shots}} examples, {{end}}{{if eq .Subject "math"}}sums{{else if not .Shots}}none{{else}}facts{{end}}:

-- shot --
Q: {{.Question}}{{if .Option}} {{.Option}}?{{end}}
-- shot-answer --
 {{.Rationale | upper}} [{{.Answer}}={{.AnswerText}}] {{restate "So:" .Reasoning}}

-- question --
Q: {{trim .Question}}{{if .Option}} {{.Option}}?{{end}} ({{join "/" .Letters}}) in {{lower $.Subject}}
{{range .Options -}}
{{.Number}}{{.Letter}} {{.Text}}{{if eq .Letter "A"}}!{{end}};
{{- end}}
-- lead-in --

A:
`

func TestAllThatAStyleCanHold(t *testing.T) {
	style, err := prompts.ParseStyle("mine.style", whole)
	assert.NilError(t, err)
	set := setOf(question(1, 3, "B"))
	eval := prompts.Eval{Task: task.All[0], Style: style, Shots: 1}
	item := itemsOf(t, set, eval)[0]
	assert.Equal(t, item.Prompt(), "You know math.\n\n1 examples, sums:\nQ: Which? NOT (A). [B=o2] Not (A). So: B.\n"+
		"Q: Which? (A/B/C) in math\n1A o1!;2B o2;3C o3;\nA:")
	assert.DeepEqual(t, style.Stop, []string{"\n\n", "Q:"})
	assert.Check(t, style.Name == "mine@2" && style.Summary == "in all its parts" && style.Text == whole, "%+v", style)
	eval.Task = task.All[1] // items: any
	got := itemsOf(t, set, eval)[0].Text
	assert.Check(t, strings.Contains(got, "Which? o1? (A/B) in math"), got)
}

func TestEveryMistakeInAStyleIsOneLineThatNamesItsPlaceAndTheRemedy(t *testing.T) {
	const head, asks = "style: a@1\n", "-- question --\nQ {{.Question}}\n"
	for name, test := range map[string]struct{ text, want string }{
		"an empty file":       {"", "f:1: the setting style is missing: begin with a line such as style: mine@1"},
		"no name":             {"rules: tiger\n" + asks, "f:1: the setting style is missing"},
		"no version":          {"style: a\n" + asks, `f:1: style "a" is not a name and version, such as mine@1`},
		"a name with a slash": {"style: ../a@1\n" + asks, `f:1: style "../a@1" is not a name`},
		"no question":         {head + "-- lead-in --\nA:\n", "f:4: the section question is missing"},
		"true-or-false without the option": {head + "items: true-or-false\n" + asks,
			"f:3: true-or-false items ask about an option, which the sections question and shot have to say: write {{.Option}} in its place"},
		"true-or-false shots without it": {head + "items: true-or-false\n-- shot --\nQ {{.Question}}\n" + asks + "{{.Option}}\n",
			"f:5: true-or-false items ask about an option"},
		"no sections":        {head, "f:2: the section question is missing"},
		"an unknown setting": {head + "stops: x\n" + asks, "f:2: there is no setting stops; there are style, summary, items"},
		"no setting":         {head + "\nHello\n" + asks, `f:3: "Hello" is not a setting, such as style: mine@1, and not a section marker`},
		"a setting twice":    {head + "rules: a\n#\nrules: b\n" + asks, "f:4: rules again, after line 2: take one of them out"},
		"an empty setting":   {head + "rules:\n" + asks, "f:2: rules has no value"},
		"unknown items":      {head + "items: all\n" + asks, `f:2: items "all": there are any, questions and true-or-false`},
		"unknown filler":     {head + "filler: no\n" + asks, `f:2: filler "no": there are keep and drop`},
		"a bad quoted stop":  {head + "stop: \"x\n" + asks, `f:2: stop "x is no quoted text`},
		"an empty stop":      {head + "stop: \"\"\n" + asks, "f:2: an empty stop string would end every completion"},
		"an unknown section": {head + "-- prompt --\nx\n" + asks,
			`f:2: there is no section "prompt"; there are system, instruction, shot`},
		"a section twice": {head + asks + asks, "f:4: section question again, after line 2"},
		"an unknown field": {head + asks + "{{.Text}}\n",
			"f:4: there is no field .Text here; `proctor help style` lists what a template can hold"},
		"the gold letter": {head + asks + "{{.Answer}}\n", "f:4: there is no field .Answer here"},
		"a question's field": {head + "-- instruction --\n\n{{.Question}}\n" + asks,
			"f:4: there is no field .Question here"},
		"a field in a branch": {head + asks + "{{if .Option}}\n{{.Nope}}{{end}}\n", "f:5: there is no field .Nope here"},
		"a field in an else": {head + asks + "{{if .Option}}\n{{else}}{{.Nope}}{{end}}\n",
			"f:5: there is no field .Nope here"},
		"an option's field": {head + asks + "{{range .Options}}{{.Question}}{{end}}\n",
			"f:4: <.Question>: can't evaluate field Question in type prompts.option; `proctor help style` lists"},
		"a path": {head + asks + "{{.Question.Text}}\n", "f:4: <.Question.Text>: can't evaluate field Text"},
		"an unknown function": {head + asks + "{{shout \"x\"}}\n",
			`f:4: function "shout" not defined; ` + "`proctor help style` lists"},
		"too few values": {head + asks + "{{join .Letters}}\n",
			"f:4: <join>: wrong number of args for join: want 2 got 1"},
		"the wrong order": {head + asks + "{{join .Letters \",\"}}\n",
			"f:4: <.Letters>: wrong type for value; expected string"},
		"a text called": {head + asks + "{{\"x\" .Shots}}\n", "f:4: <\"x\">: can't give argument to non-function"},
		"without an end": {head + asks + "{{template \"section\" .}}\n",
			`f:4: <{{template "section" .}}>: exceeded maximum template depth`},
		"an open action":       {head + asks + "\n\n{{.Question\n", "f:6: unclosed action"},
		"no end":               {head + asks + "{{if .Shots}}\n", "f:4: unexpected EOF"},
		"line ends of Windows": {head + "-- question --\r\nQ\r\n", "f:2: a carriage return: save the file with line feeds"},
		"an escape sequence": {head + asks + "\x1b[31m\n",
			`f:4: the invisible character U+001B: write it as {{"\u001b"}}, or take it out`},
		"a turn of direction": {head + asks + "a\u202eb\n", `f:4: the invisible character U+202E: write it as {{"\u202e"}}`},
		"broken UTF-8":        {head + asks + "\xff\n", "f:4: not UTF-8"},
		"a novel":             {head + asks + strings.Repeat("x", prompts.MaxStyleBytes), "f: more than 65536 bytes: is this a style?"},
	} {
		_, err := prompts.ParseStyle("f", test.text)
		errortest.For(t, name, err, test.want)
		assert.Check(t, strings.HasPrefix(fmt.Sprint(err), "f:") && !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", name, err)
	}
}

func TestAMistakeThatOnlyAQuestionShowsIsAnErrorToo(t *testing.T) {
	style, err := prompts.ParseStyle("f", "style: a@1\n-- question --\n{{if eq .Question "+
		"\"Which?\"}}\n{{.Nope}}{{else}}x{{end}}\n")
	if err == nil {
		set := setOf(question(1, 3, "B"))
		_, err = prompts.Eval{Task: task.All[0], Style: style}.Items(set, set.Test)
	}
	errortest.For(t, "a field", err, "f:4: there is no field .Nope here")
}

func TestAStyleThatDoesNotSayTheOptionLaysOutNoTrueOrFalseItems(t *testing.T) {
	for text, want := range map[string]bool{"{{.Question}}": false, "{{if .Option}}x{{end}}": false, "{{.OptionLines}}": false,
		"{{upper .Option}}": true} {
		style, err := prompts.ParseStyle("f", "style: a@1\n-- question --\n"+text+"\n")
		assert.Check(t, (err == nil && style.LaysOut(task.All[1])) == want, "%s: %v", text, err)
	}
}

func TestAStyleWithoutShotAnswersShowsNoShots(t *testing.T) {
	style, err := prompts.ParseStyle("f", "style: a@1\n-- question --\n{{.Question}}\n")
	assert.NilError(t, err)
	set := setOf(question(1, 3, "B"))
	_, err = prompts.Eval{Task: task.All[0], Style: style, Shots: 1}.Items(set, set.Test)
	assert.ErrorContains(t, err, "style a@1 has no section shot-answer, so it can show no shots: give shots 0")
	assert.Equal(t, itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: style})[0].Prompt(), "Which?")
}

func TestTheLineOfTheRuleSetIsKnown(t *testing.T) {
	for text, want := range map[string]int{whole: 6, "style: a@1\n-- question --\nrules: x\n": 0, "style: a@1\n": 0} {
		assert.Equal(t, prompts.Style{Text: text}.RulesLine(), want)
	}
}

func FuzzParseStyle(f *testing.F) {
	for _, style := range prompts.Styles {
		f.Add(style.Text)
		f.Add(strings.Replace(style.Text, style.Name, "mine@1", 1))
	}
	f.Add(whole)
	for _, piece := range []string{
		"{{.", "{{range .Options}}{{end}}", "{{/* {{ */}}", "{{- -}}", "{{(((((.Subject)))))}}", "{{nil}}", "{{not nil}}",
		"{{1.5}}", "{{eq 'a' 2}}", "{{\"\\xff\"}}", "{{$x}}", "{{block \"a\" .}}{{end}}", "{{.Letters | join \"\"}}", "{{true}}"} {
		f.Add("style: a@1\nstop: x\n-- question --\n" + piece)
	}
	set := setOf(question(1, 3, "B"))
	f.Fuzz(func(t *testing.T, text string) {
		style, err := prompts.ParseStyle("f", text)
		if err != nil {
			assert.Check(t, !strings.Contains(err.Error(), "\n") && strings.HasPrefix(err.Error(), "f:"), "error %q", err)
			return
		}
		for _, of := range tasksOf(style) {
			for _, shots := range []int{0, 1} {
				if _, err := (prompts.Eval{Task: of, Style: style, Shots: shots}).Items(set, set.Test); err != nil && shots == 0 {
					t.Errorf("%q is read, but %v", text, err)
				}
			}
		}
	})
}
