package prompts_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
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
			items, err := evalOf(t, task.Name, "").Items(set, set.Test[:1])
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
			items := itemsOf(t, set, prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: prompts.MaxShots})
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
		assert.Equal(t, style.Rules, strings.TrimSuffix(harness, "-direct"), style.Name)
	}
}

func TestLookupStyle(t *testing.T) {
	for name, want := range map[string]string{"tiger": "tiger@1", "evalscope@1": "evalscope@1", "binary": "binary@2"} {
		assert.Equal(t, lookup(t, name).Name, want)
	}
	for _, name := range []string{"tigre", "tiger@2", ""} {
		_, err := prompts.LookupStyle(name)
		errortest.For(t, name, err, "there are tiger@1, lm-eval@1, evalscope@1, agi-evals@1, binary@2, binary@1, ")
	}
}

func TestEveryNumberOfShots(t *testing.T) {
	set := setOf(question(1, 4, "A"))
	for _, style := range prompts.Styles {
		for shots := range prompts.MaxShots + 1 {
			item := itemsOf(t, set, prompts.Eval{Task: tasksOf(style)[0], Style: style, Shots: shots})[0]
			assert.Equal(t, strings.Count("\n"+item.Prompt(), "\nQuestion:"), shots+1, style.Name)
			assert.Equal(t, len(item.Turns.Shots), shots, style.Name)
		}
	}
}

func TestEvalscopeShowsNoInstructionWithoutShots(t *testing.T) {
	item := itemsOf(t, setOf(question(1, 3, "A")), prompts.Eval{Task: task.All[0], Style: lookup(t, "evalscope")})[0]
	assert.Equal(t, item.Preamble+item.Turns.Instruction, "")
	assert.Check(t, strings.HasPrefix(item.Text, "Answer the following multiple choice question."), item.Text)
}

func TestFillerIsDroppedOnlyWhereTheReferenceDropsIt(t *testing.T) {
	q := question(1, 3, "B")
	q.Options = append(q.Options, dataset.Filler)
	set := setOf(q)
	own := itemsOf(t, set, evalOf(t, "mmlu_pro", ""))[0]
	assert.Check(t, own.Options == 4 && strings.Contains(own.Text, "D. N/A"), "an own set's N/A is an option: %s",
		own.Text)
	set.Published = task.Published
	for _, test := range []struct {
		style, task string
		options     int
	}{{"tiger", "mmlu_pro", 3}, {"lm-eval", "mmlu_pro", 4}, {"evalscope", "mmlu_pro", 4}, {"binary", "mmlu_pro_binary", 2}} {
		eval := evalOf(t, test.task, "")
		eval.Style = lookup(t, test.style)
		items := itemsOf(t, set, eval)
		assert.Equal(t, items[0].Options, test.options, test.style)
		assert.Equal(t, strings.Contains(items[0].Text, "N/A"), test.options == 4, test.style)
		assert.Equal(t, len(items), map[bool]int{true: 3, false: 1}[test.task == "mmlu_pro_binary"], "one for each real option")
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
		item := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, test.style), Shots: 5})[0]
		assert.Check(t, strings.Count(item.Preamble, test.want) == 5, "%s: %s", test.style, item.Preamble)
	}
}

func TestBinaryShots(t *testing.T) {
	set := setOf(question(1, 4, "A"))
	set.Validation[0].CoT = "A: Let's think step by step. P(A) is small, which rules out (A) and (J). The answer is (B)."
	set.Validation[1].Answer, set.Validation[1].CoT = "D", ""
	set.Validation[2].Options[1] = " o2"
	shots := itemsOf(t, set, evalOf(t, "mmlu_pro_binary", ""))[0].Turns.Shots
	for i, want := range []prompts.Shot{
		{binaryAsk("o2"), " P(A) is small, which rules out 'o1' and (J). The correct answer is 'o2', which is the option asked about. " +
			"The answer is (A)."},
		{binaryAsk("o1"), " The correct answer is 'o4', not 'o1'. The answer is (B)."},
		{binaryAsk("o3"), " Not 'o1'. The correct answer is 'o2', not 'o3'. The answer is (B)."},
		{binaryAsk("o2"), " Not 'o1'. The correct answer is 'o2', which is the option asked about. The answer is (A)."},
		{binaryAsk("o3"), " Not 'o1'. The correct answer is 'o2', not 'o3'. The answer is (B)."},
	} {
		want.Answer += "\n\n"
		assert.Equal(t, shots[i], want)
	}
}

func binaryAsk(option string) string {
	return "Question:\nIs " + option + " the correct answer to the question: 'Which?'\nOptions:\nA. True\nB. False\nAnswer: Let's think " +
		"step by step."
}

// TestBinaryAsksInTheWordsOfItsSources has the README's example of MMLU-Pro Binary, whose sentence has no mark, and MMLU-Pro-Max's prompt.
func TestBinaryAsksInTheWordsOfItsSources(t *testing.T) {
	capital := dataset.Question{ID: 1, Subject: "geography", Text: "What is the capital of France?", Options: []string{" London", "Paris"},
		Answer: "B", AnswerIndex: 1}
	for style, want := range map[string]string{
		"binary@2": "\nIs London the correct answer to the question: 'What is the capital of France?'\nOptions:\nA. True\nB. False\n",
		"binary@1": "\nIs London the correct answer to the question: 'What is the capital of France?'?\nOptions:\nA. True\nB. False\n",
		"binary-nvidia": "The following is a question with it's answer about geography. You need to determine if the provided answer is correct or " +
			"not. Think step by step and then finish your answer with \"The answer is (X)\" where X is either \"correct\" or \"incorrect\".\n" +
			"Question: What is the capital of France?\nAnswer: London\nLet’s think step by step ",
	} {
		items := itemsOf(t, setOf(capital), prompts.Eval{Task: task.All[1], Style: lookup(t, style)})
		assert.Check(t, strings.HasSuffix(items[0].Prompt(), want) == (style == "binary-nvidia") && strings.Contains(items[0].Prompt(), want),
			"%s: %q", style, items[0].Prompt())
		assert.Check(t, items[0].Gold == "B" && items[1].Gold == "A" && items[0].OptionTexts[0] == "True", "%s: %+v", style, items)
	}
}

func TestStylesReproduceTheReferenceImplementations(t *testing.T) {
	file, err := os.Open(sharedtest.Path(t, "reference/prompts.jsonl"))
	assert.NilError(t, err)
	defer file.Close()
	set := published(t)

	compared := 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var want struct {
			Style, Category, Prompt, SHA256 string
			QuestionID                      int `json:"question_id"`
		}
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &want))
		t.Run(want.Style+"/"+want.Category, func(t *testing.T) {
			got := itemOf(t, set, task.All[0], want.Style, want.QuestionID).Prompt()
			assert.Equal(t, got, want.Prompt)
			assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(got))), want.SHA256, "the reference's own hash differs")
		})
		compared++
	}
	assert.NilError(t, lines.Err())
	assert.Equal(t, compared, 42, "3 styles of 14 subjects")
}

func published(tb testing.TB) *dataset.Set {
	tb.Helper()
	return open(tb, sharedtest.Path(tb, "data/mmlu-pro"))
}

func open(tb testing.TB, ref string) *dataset.Set {
	tb.Helper()
	set, err := dataset.Open(ref, dataset.Options{Folder: tb.TempDir()})
	assert.NilError(tb, err)
	return set
}

// itemOf renders the first item of one question.
func itemOf(tb testing.TB, set *dataset.Set, task task.Task, style string, id int) prompts.Item {
	tb.Helper()
	q, err := set.Find(id)
	assert.NilError(tb, err)
	set = &dataset.Set{Test: []dataset.Question{q}, Validation: set.Validation, Published: set.Published}
	return itemsOf(tb, set, prompts.Eval{Task: task, Style: lookup(tb, style), Shots: 5})[0]
}

func lookup(tb testing.TB, style string) prompts.Style {
	tb.Helper()
	s, err := prompts.LookupStyle(style)
	assert.NilError(tb, err)
	return s
}
