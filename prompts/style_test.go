package prompts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// A prompt's bytes count, line ends too.
func init() { golden.NormalizeCRLFToLF = false }

func TestGoldensOfTheSample(t *testing.T) {
	set := open(t, "sample")
	first := set.Test[0].ID
	for _, style := range prompts.Styles {
		t.Run(style.Name, func(t *testing.T) {
			golden.Assert(t, itemOf(t, set, tasksOf(style)[0], style.Name, first).Prompt(), strings.ReplaceAll(style.Name, "@", "-")+".txt")
		})
	}
	for _, task := range task.All[1:] {
		t.Run(task.Name, func(t *testing.T) {
			q, err := set.Find(first)
			assert.NilError(t, err)
			items, err := evalOf(t, task.Name, "").Items(set, []dataset.Question{q})
			assert.NilError(t, err)
			var b strings.Builder
			for _, item := range items {
				fmt.Fprintf(&b, "== %s gold %s\n%s\n", item.ID, item.Gold, item.Text)
			}
			golden.Assert(t, b.String(), task.Name+".txt")
		})
	}
	t.Run("digests", func(t *testing.T) {
		var b strings.Builder
		for _, style := range prompts.Styles {
			eval := prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: prompts.MaxShots}
			items, err := eval.Items(set, set.Test)
			assert.NilError(t, err)
			for _, digest := range prompts.Digests(style, items) {
				fmt.Fprintln(&b, digest)
			}
		}
		golden.Assert(t, b.String(), "digests.txt")
	})
}

// tasksOf are those that a style lays out.
func tasksOf(style prompts.Style) []task.Task {
	return slices.DeleteFunc(slices.Clone(task.Generating()), func(t task.Task) bool { return !style.LaysOut(t) })
}

func TestEachStyleNamesItsRuleSet(t *testing.T) {
	for _, style := range prompts.Styles {
		harness, _, _ := strings.Cut(style.Name, "@")
		if want := strings.TrimSuffix(harness, "-direct"); style.Rules != want {
			t.Errorf("%s is marked by %s, want %s", style.Name, style.Rules, want)
		}
	}
}

func TestLookupStyle(t *testing.T) {
	for name, want := range map[string]string{"tiger": "tiger@1", "evalscope@1": "evalscope@1", "binary": "binary@1"} {
		if style, err := prompts.LookupStyle(name); err != nil || style.Name != want {
			t.Errorf("%s: %s, %v", name, style.Name, err)
		}
	}
	for _, name := range []string{"tigre", "tiger@2", ""} {
		if _, err := prompts.LookupStyle(name); err == nil ||
			!strings.Contains(err.Error(), "there are tiger@1, lm-eval@1, evalscope@1, agi-evals@1, binary@1, ") {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestEveryNumberOfShots(t *testing.T) {
	set := setOf(question(1, 4, "A"))
	for _, style := range prompts.Styles {
		for shots := range prompts.MaxShots + 1 {
			eval := prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: shots}
			items, err := eval.Items(set, set.Test)
			if err != nil {
				t.Fatalf("%s, %d shots: %v", style.Name, shots, err)
			}
			prompt := items[0].Prompt()
			if got := len(regexp.MustCompile(`(?m)^Question:`).FindAllString(prompt, -1)); got != shots+1 {
				t.Errorf("%s, %d shots: %d questions in %q", style.Name, shots, got, prompt)
			}
			if got := len(items[0].Turns.Shots); got != shots {
				t.Errorf("%s: %d shots in turns, want %d", style.Name, got, shots)
			}
			if prompt != items[0].Preamble+items[0].Text {
				t.Errorf("%s: the prompt is not preamble and text", style.Name)
			}
		}
	}
}

func TestEvalscopeShowsNoInstructionWithoutShots(t *testing.T) {
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "evalscope")}
	set := setOf(question(1, 3, "A"))
	items, err := eval.Items(set, set.Test)
	assert.NilError(t, err)
	if items[0].Preamble != "" || items[0].Turns.Instruction != "" ||
		!strings.HasPrefix(items[0].Text, "Answer the following multiple choice question.") {
		t.Errorf("%q then %q", items[0].Preamble, items[0].Text)
	}
}

func TestFillerIsDroppedOnlyWhereTheReferenceDropsIt(t *testing.T) {
	q := question(1, 3, "B")
	q.Options = append(q.Options, dataset.Filler)
	set := setOf(q)
	for _, test := range []struct {
		style, task string
		options     int
	}{{"tiger", "mmlu_pro", 3}, {"lm-eval", "mmlu_pro", 4}, {"evalscope", "mmlu_pro", 4}, {"binary", "mmlu_pro_binary", 2}} {
		eval := evalOf(t, test.task, "")
		eval.Style = lookup(t, test.style)
		items, err := eval.Items(set, set.Test)
		assert.NilError(t, err)
		if items[0].Options != test.options || strings.Contains(items[0].Text, "N/A") != (test.options == 4) {
			t.Errorf("%s: %d options in %q", test.style, items[0].Options, items[0].Text)
		}
		if test.task == "mmlu_pro_binary" && len(items) != 3 {
			t.Errorf("%s: %d items, want one for each real option", test.style, len(items))
		}
	}
}

func TestShotsWithoutReasoningEndInTheirVerdict(t *testing.T) {
	set := setOf(question(1, 4, "A"))
	for i := range set.Validation {
		set.Validation[i].CoT = ""
	}
	for _, test := range []struct{ style, want string }{
		{"tiger", "Answer: Let's think step by step. The answer is (B).\n\n"},
		{"lm-eval", "Answer: Let's think step by step. The answer is (B).\n\n"},
		{"evalscope", "A: Let's think step by step. ANSWER: B.\n\n"},
	} {
		eval := prompts.Eval{Task: task.All[0], Style: lookup(t, test.style), Shots: 5}
		items, err := eval.Items(set, set.Test)
		assert.NilError(t, err)
		if got := strings.Count(items[0].Preamble, test.want); got != 5 {
			t.Errorf("%s: %d of 5 shots end in %q:\n%s", test.style, got, test.want, items[0].Preamble)
		}
	}
}

func TestBinaryShots(t *testing.T) {
	set := setOf(question(1, 4, "A"))
	set.Validation[0].CoT = "A: Let's think step by step. P(A) is small, which rules out (A) and (J). The answer is (B)."
	set.Validation[1].Answer, set.Validation[1].CoT = "D", ""
	set.Validation[2].Options[1] = " o2"
	items, err := evalOf(t, "mmlu_pro_binary", "").Items(set, set.Test)
	assert.NilError(t, err)
	shots := items[0].Turns.Shots
	for i, want := range []prompts.Shot{
		{binaryAsk("o2"), " P(A) is small, which rules out 'o1' and (J). The correct answer is 'o2', which is the option asked about. " +
			"The answer is (A)."},
		{binaryAsk("o1"), " The correct answer is 'o4', not 'o1'. The answer is (B)."},
		{binaryAsk("o3"), " Not 'o1'. The correct answer is 'o2', not 'o3'. The answer is (B)."},
		{binaryAsk("o2"), " Not 'o1'. The correct answer is 'o2', which is the option asked about. The answer is (A)."},
		{binaryAsk("o3"), " Not 'o1'. The correct answer is 'o2', not 'o3'. The answer is (B)."},
	} {
		want.Answer += "\n\n"
		if shots[i] != want {
			t.Errorf("shot %d:\n got %q\nwant %q", i+1, shots[i], want)
		}
	}
}

func binaryAsk(option string) string {
	return "Question:\nIs " + option + " the correct answer to the question: 'Which?'?\nOptions:\nA. True\nB. False\nAnswer: Let's think " +
		"step by step."
}

func TestBinaryHidesTheLeadingSpaceOfAnOption(t *testing.T) {
	q := question(1, 3, "A")
	q.Options[0] = " o1"
	for i, item := range render(t, "mmlu_pro_binary", "", q) {
		if want := binaryAsk(fmt.Sprintf("o%d", i+1)); item.Text != want {
			t.Errorf("got %q, want %q", item.Text, want)
		}
	}
}
