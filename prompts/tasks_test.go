package prompts_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

// TestStylesOfTasksAskAsTheirTaskDoes compares prompts that were compared with the published tasks' own, byte for byte.
func TestStylesOfTasksAskAsTheirTaskDoes(t *testing.T) {
	set := open(t, "sample")
	for _, style := range prompts.Published {
		t.Run(style.Name, func(t *testing.T) {
			shots := 2
			if !style.ShowsShots() {
				shots = 0
			}
			items := itemsOf(t, set, prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: shots})
			golden.Assert(t, items[0].Prompt(), strings.ReplaceAll(style.Name, "@", "-")+".txt")
		})
	}
}

func TestABuiltInStyleIsFoundByItsNameAndNoOtherHasIt(t *testing.T) {
	for name, want := range map[string]string{"opencompass": "opencompass@1", "lm-eval": "lm-eval@1"} {
		style := lookup(t, name)
		assert.Check(t, style.Name == want && style.BuiltIn, "%s: %s", name, style.Name)
		same, err := prompts.ParseStyle("a.style", style.Text)
		assert.Check(t, err == nil && same.BuiltIn, "%s read back: %v", name, err)
		_, err = prompts.ParseStyle("a.style", "# changed\n"+style.Text)
		errortest.Says(t, err, "a.style:2: "+want+" is built in and reads otherwise: give this one a name of its own, as in my-"+want)
	}
}

func TestShotsOfTheSetAreTheSameForAllSubjects(t *testing.T) {
	set := open(t, "sample")
	items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "leaderboard-direct"), Shots: 5})
	for _, item := range items {
		assert.Assert(t, item.Preamble == items[0].Preamble && len(item.Turns.Shots) == 5, "%s has other shots", item.ID)
		assert.Assert(t, strings.Contains(item.Turns.Shots[0].Ask, set.Validation[0].Text), item.ID)
	}
}

func TestConclude(t *testing.T) {
	set := setOf(question(1, 3, "B"))
	set.Validation = []dataset.Question{question(2, 3, "B")}
	for cot, want := range map[string]string{
		"A: Let's think step by step. So. The answer is (B).": " So. The best answer is B.\n\n",
		"So. The answer is B. The answer is (B)":              " So. The answer is B. The answer is (B)\n\n",
	} {
		set.Validation[0].CoT = cot
		items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "lm-eval-llama"), Shots: 1})
		assert.Equal(t, items[0].Turns.Shots[0].Answer, want)
	}
}

func TestADirectPromptEndsWhereTheLetterStands(t *testing.T) {
	set := open(t, "sample")
	set.Test = set.Test[:1]
	template, err := chat.Parse(chat.OfModel, "U:{{messages[-1].content}}|A:")
	assert.NilError(t, err)
	for style, want := range map[string]string{
		"tiger-direct@1": "\nAnswer: The answer is (", "lm-eval-direct@1": "\nAnswer: The answer is (", "agi-evals-direct@1": "\nAnswer: ",
		"evalscope-direct@1": "\nANSWER: ", "binary-direct@1": "\nAnswer: The answer is (", "binary-direct@2": "\nAnswer: The answer is (",
	} {
		of := task.All[0].AsDirect()
		if strings.HasPrefix(style, "binary") {
			of = task.All[1].AsDirect()
		}
		for _, shots := range []int{0, 5} {
			items := itemsOf(t, set, prompts.Eval{Task: of, Style: lookup(t, style), Shots: shots})
			item := items[0]
			prompt := item.Prompt()
			assert.Check(t, strings.HasSuffix(prompt, want) && strings.Count(prompt, strings.TrimSpace(want)) >= 1+shots &&
				!strings.Contains(prompt, "step by step") && strings.HasPrefix(item.ID, of.Name+"/"), "%s, %d shots: %q", style, shots, prompt)
			// In a conversation the model's turn begins with it.
			turns, _, err := prompts.Dialogue{Template: template}.Apply(items[:1])
			assert.NilError(t, err)
			begins := strings.TrimLeft(item.AnswerPrefix, " \n")
			assert.Check(t, strings.HasSuffix(turns[0].Prompt(), "|A:"+begins) && begins == "" == (style == "agi-evals-direct@1"), "%+v", turns)
		}
	}
}

func TestAStyleThatReasonsHasNoPlaceForADirectLetter(t *testing.T) {
	set := open(t, "sample")
	for _, style := range []string{"tiger@1", "lm-eval@1", "evalscope@1", "agi-evals@1"} {
		_, err := prompts.Eval{Task: task.All[0].AsDirect(), Style: lookup(t, style), Shots: 5}.Items(set, set.Test[:1])
		base, _, _ := strings.Cut(style, "@")
		errortest.For(t, style, err, "reasons before its letter", base+"-direct@1")
	}
	for style, want := range map[string]string{"opencompass": "take tiger-direct@1", "binary-nvidia": "take binary-direct@2"} {
		of := tasksOf(lookup(t, style))[0].AsDirect()
		_, err := prompts.Eval{Task: of, Style: lookup(t, style)}.Items(set, set.Test[:1])
		errortest.For(t, style, err, "reasons before its letter", want)
	}
	for name, text := range map[string]string{
		"no answer":              "",
		"the option's text":      "-- shot-answer --\n {{.AnswerText}}\n",
		"no letter":              "-- shot-answer --\n I know\n",
		"the question once more": "-- shot-answer --\n {{.Question}}: {{.Answer}}\n",
	} {
		style, err := prompts.ParseStyle("f", "style: mine@1\nrules: tiger\n-- question --\n{{.Question}}\n"+text)
		assert.NilError(t, err, name)
		_, err = prompts.Eval{Task: task.All[0].AsDirect(), Style: style}.Items(set, set.Test[:1])
		errortest.For(t, name, err, "shot-answer has to begin with the same words")
	}
}

func TestTheSystemsTextLeadsARawPrompt(t *testing.T) {
	set := setOf(question(1, 3, "A"))
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5}
	without := itemsOf(t, set, eval)[0]
	eval.System = "You are careful."
	with := itemsOf(t, set, eval)[0]
	assert.Equal(t, with.Prompt(), "You are careful.\n\n"+without.Prompt())
	style, err := prompts.ParseStyle("f", "style: my-"+strings.TrimPrefix(strings.Replace(eval.Style.Text, "-- instruction --",
		"-- system --\nAbout {{.Subject}}.\n-- instruction --", 1), "style: "))
	assert.NilError(t, err)
	eval.Style = style
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "You are careful.\n\n"+without.Prompt())
	eval.System = ""
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "About math.\n\n"+without.Prompt())
}
