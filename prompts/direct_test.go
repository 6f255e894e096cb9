package prompts_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

func TestADirectPromptEndsWhereTheLetterStands(t *testing.T) {
	set := open(t, "sample")
	set.Test = set.Test[:1]
	template, err := chat.Parse(chat.OfModel, "U:{{messages[-1].content}}|A:", chat.Here)
	assert.NilError(t, err)
	for style, want := range map[string]string{
		"tiger-direct@1": "\nAnswer: The answer is (", "lm-eval-direct@1": "\nAnswer: The answer is (", "agi-evals-direct@1": "\nAnswer: ",
		"evalscope-direct@1": "\nANSWER: ", "binary-direct@1": "\nAnswer: The answer is (",
	} {
		of := task.All[0].AsDirect()
		if style == "binary-direct@1" {
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
