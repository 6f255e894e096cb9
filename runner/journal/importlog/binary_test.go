package importlog_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/scripts/tests/errortest"
)

// binarySamples are the first 14 lines that lm-eval 0.4.13 wrote of a task made after the README of MMLU-Pro Binary: the ten options of one
// question of the sample, and four of another, whose right one comes later.
const binarySamples = "testdata/smollm2/samples_mmlu_pro_binary_math_2026-11-28T07-57-07.456864.jsonl"

func binaryLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(binarySamples)
	assert.NilError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestSamplesThatAskAboutEachOptionBecomeABinaryRun(t *testing.T) {
	log := read(t, binarySamples)
	h := log.Header
	assert.Check(t, h.Task == "mmlu_pro_binary" && h.Style == "binary" && h.RuleSet == "binary" && h.Backend.Name == "lm-eval log" &&
		h.Model.Name == "smollm2" && h.Shots == 2 && h.Sampling.MaxTokens == 64, "%+v", h)
	assert.Check(t, h.Selection.Items == 14 && h.Selection.Questions == 2 && h.Dataset.Rows == 2, "%+v", h.Selection)
	assert.Check(t, is.Contains(strings.Join(h.Notes, "\n"), "1 of its 2 questions have no option whose answer is True: rows are missing"))
	golds, options := "", map[int]int{}
	for _, r := range log.Records {
		golds += r.Gold
		options[r.QuestionID] = r.OptionsOriginal
	}
	assert.Check(t, golds == "BBABBBBBBBBBBB" && options[109] == 10 && options[110] == 5, "%s, %v", golds, options)
	r := log.Records[2]
	assert.Check(t, r.ID == "mmlu_pro_binary/109/C" && r.Variant == "C" && r.Options == 2 && r.Subject == "math", "%+v", r)
	assert.Check(t, strings.HasPrefix(r.Question, "Is ") && strings.HasSuffix(h.Preambles["math"], "\nQuestion:\n") &&
		strings.HasPrefix(r.Prompt, r.Question+"\nOptions:\n"), "%q", r.Question)
}

// In the README's description the sentence has no quotes and a mark; other filters repeat a row; ranks write rows in their own order.
func TestABinaryLogIsTheSameHoweverItsRowsAreWritten(t *testing.T) {
	want, lines := read(t, binarySamples), binaryLines(t)
	described := strings.NewReplacer("question: '", "question: ", `'", "options"`, `?", "options"`, `'\nOptions`, `?\nOptions`)
	turned := slices.Clone(lines)
	turned[13] += "\n"
	slices.Reverse(turned)
	for name, text := range map[string]string{
		"as the README describes it": described.Replace(strings.Join(lines, "")),
		"a subject for its category": strings.ReplaceAll(strings.Join(lines, ""), `"category"`, `"subject"`),
		"from the last row on":       strings.Join(turned, ""),
		"a row for each filter":      lines[0] + strings.Replace(lines[0], "custom-extract", "other", 1) + strings.Join(lines[1:], ""),
	} {
		log := read(t, file(t, "samples_x.jsonl", text))
		slices.SortFunc(log.Records, func(a, b journal.Record) int { return strings.Compare(a.ID, b.ID) })
		for i := range log.Records {
			log.Records[i].Prompt, want.Records[i].Prompt = "", ""
		}
		assert.Check(t, reflect.DeepEqual(log.Records, want.Records) && log.Header.Dataset == want.Header.Dataset, name)
	}
	other := read(t, file(t, "samples_x.jsonl", strings.Replace(strings.Join(lines, ""), `"question": "Is `, `"question": "Is not `, 1)))
	assert.Check(t, other.Header.Dataset.SHA256 != want.Header.Dataset.SHA256, "another option leaves the checksum of the questions")
}

func TestRowsThatAskAboutTheSameOptionsOtherwiseAreRefused(t *testing.T) {
	lines := binaryLines(t)
	rightToo := strings.Replace(lines[0], `"answer": "B", "answer_index": 1`, `"answer": "A", "answer_index": 0`, 1)
	assert.Assert(t, rightToo != lines[0])
	placed := func(line string) string { return strings.Replace(line, `"doc": {`, `"doc": {"option_ind": 3, `, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"two right options": {rightToo + strings.Join(lines[1:], ""),
			"question 109 has two options whose answer is True, A and C: correct the log's answers"},
		"two at one place": {placed(lines[0]) + placed(lines[1]), "question 109 has two options D: "},
		"too many":         {strings.Replace(placed(lines[0]), ": 3", ": 99", 1), "question 109 has more than 26 options"},
		"rows of mmlu_pro": {lines[0] + lmEval(t, 1, "f", "What?", named), "is a lm-eval sample among binary samples"},
	} {
		path := file(t, "samples_x.jsonl", c.text)
		_, err := importlog.Read(path)
		errortest.For(t, name, err, path, c.want)
	}
}
