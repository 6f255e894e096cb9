package importlog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal/importlog"
	"proctor/scripts/tests/errortest"
)

// A row is one of the authors' scripts' logs.
type row struct {
	ID       int      `json:"question_id"`
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Answer   string   `json:"answer"`
	Category string   `json:"category"`
	Response string   `json:"response"`
}

// rowOf is a question's row with its options in an order, such as "red blue": red is right. It is answered with a letter, or with the right
// one where that is empty.
func rowOf(id, question int, order, answered string) row {
	r := row{ID: id, Question: fmt.Sprintf("Which is number %d?", question), Options: strings.Fields(order), Category: "colours"}
	r.Answer = string(rune('A' + slices.Index(r.Options, "red")))
	if answered == "" {
		answered = r.Answer
	}
	r.Response = "The answer is (" + answered + ")."
	return r
}

func logOf(t *testing.T, rows ...row) string {
	t.Helper()
	text, err := json.Marshal(rows)
	assert.NilError(t, err)
	return file(t, "log.json", string(text))
}

var rotations = []string{"red blue green pink", "pink red blue green", "green pink red blue", "blue green pink red"}

// circular are the rows of five questions in four rotations; idOf is a row's id.
func circular(idOf func(question, order int) int) (rows []row) {
	for q := range 5 {
		for i, order := range rotations {
			rows = append(rows, rowOf(idOf(q, i), q, order, ""))
		}
	}
	return rows
}

func idsOf(log *importlog.Log) (ids []string) {
	for _, r := range log.Records {
		ids = append(ids, r.ID)
	}
	return ids
}

// Five questions in four rotations are five questions, whatever ids the rows have.
func TestRotationsInALogAreOneQuestion(t *testing.T) {
	for name, log := range map[string]*importlog.Log{
		"an id a row":      read(t, logOf(t, circular(func(q, i int) int { return 4*q + i })...)),
		"an id a question": read(t, logOf(t, circular(func(q, _ int) int { return 4 * q })...)),
	} {
		h := log.Header
		assert.Check(t, h.Task == "mmlu_pro_circular" && h.Pattern == "circular" && h.Repeats == 0 && h.Dataset.Rows == 5 &&
			h.Selection.Items == 20 && h.Selection.Questions == 5, "%s: %+v", name, h)
		assert.Check(t, is.DeepEqual(idsOf(log)[:5], []string{"mmlu_pro_circular/0/ABCD", "mmlu_pro_circular/0/BCDA",
			"mmlu_pro_circular/0/CDAB", "mmlu_pro_circular/0/DABC", "mmlu_pro_circular/4/ABCD"}), name)
		assert.Check(t, log.Records[1].Gold == "B" && log.Records[1].Variant == "BCDA" && log.Records[1].QuestionID == 0, "%+v", log.Records[1])
	}
}

func TestAllOrdersInALogAreOneQuestion(t *testing.T) {
	var rows []row
	for q := range 3 {
		for _, order := range []string{"red blue pink", "red pink blue", "blue red pink", "pink red blue", "blue pink red", "pink blue red"} {
			rows = append(rows, rowOf(len(rows), q, order, ""))
		}
	}
	log := read(t, logOf(t, rows...))
	assert.Check(t, log.Header.Task == "mmlu_pro_circular" && log.Header.Pattern == "all_possible", "%+v", log.Header)
	assert.Check(t, is.DeepEqual(idsOf(log)[:6], []string{"mmlu_pro_circular/0/ABC", "mmlu_pro_circular/0/ACB", "mmlu_pro_circular/0/BAC",
		"mmlu_pro_circular/0/BCA", "mmlu_pro_circular/0/CAB", "mmlu_pro_circular/0/CBA"}))
	assert.Check(t, log.Header.Selection.Items == 18 && log.Header.Selection.Questions == 3, "%+v", log.Header.Selection)
}

// A filler that stands among the options twice leaves the rotations what they are.
func TestOptionsThatAreThereTwiceTurnWithTheOthers(t *testing.T) {
	log := read(t, logOf(t, rowOf(1, 1, "none red none", ""), rowOf(2, 1, "none none red", ""), rowOf(3, 1, "red none none", "")))
	assert.Check(t, is.DeepEqual(idsOf(log), []string{"mmlu_pro_circular/1/ABC", "mmlu_pro_circular/1/BCA", "mmlu_pro_circular/1/CAB"}))
}

func TestOpenCompassRotationsAreOneQuestion(t *testing.T) {
	lines := map[string]any{}
	for i, r := range circular(func(_, _ int) int { return 0 }) {
		prompt := "Answer it.\n\nQuestion:\n\n" + r.Question + "\n\nOptions:\n"
		for k, option := range r.Options {
			prompt += fmt.Sprintf("\n%c. %s", 'A'+k, option)
		}
		lines[fmt.Sprintf("%d", i)] = map[string]any{"origin_prompt": prompt, "prediction": "ANSWER: " + r.Answer, "gold": r.Answer}
	}
	text, err := json.Marshal(lines)
	assert.NilError(t, err)
	log := read(t, file(t, "predictions/tiny/mmlu_pro_colours.json", string(text)))
	s := log.Header.Selection
	assert.Check(t, log.Header.Task == "mmlu_pro_circular" && s.Items == 20 && s.Questions == 5, "%s: %+v", log.Header.Task, s)
}

func TestOrdersThatAreNotOfOneTaskAreRefused(t *testing.T) {
	const remedy = "leave one row of each question in the log"
	otherGold := rowOf(1, 1, rotations[1], "")
	otherGold.Answer = "A"
	for name, c := range map[string]struct {
		rows []row
		want string
	}{
		"another right option": {[]row{rowOf(0, 1, rotations[0], ""), otherGold}, "question 0 has the same options in several rows, but not " +
			"the same right one: correct its gold letters in the log"},
		"some of the permutations": {[]row{rowOf(0, 1, "red blue pink", ""), rowOf(1, 1, "red pink blue", "")}, "question 0 has its options in " +
			"orders that are neither rotations of the first one nor all that there are: " + remedy},
		"one question of three": {[]row{rowOf(0, 0, rotations[0], ""), rowOf(1, 1, rotations[0], ""), rowOf(2, 2, rotations[0], ""),
			rowOf(2, 2, rotations[1], "")}, "1 of its 3 questions are asked in several orders of their options, the others in one: " + remedy},
	} {
		path := logOf(t, c.rows...)
		_, err := importlog.Read(path)
		errortest.For(t, name, err, path+": "+c.want)
	}
}

// A set has a few questions twice, under ids of their own.
func TestAFewQuestionsThatAreThereTwiceStayQuestions(t *testing.T) {
	var rows []row
	for id := range 12 {
		rows = append(rows, rowOf(id, max(id, 2), rotations[0], ""))
	}
	log := read(t, logOf(t, rows[1:]...)) // 1 and 2 are the same
	s := log.Header.Selection
	assert.Check(t, log.Header.Task == "mmlu_pro" && s.Questions == 11 && s.Items == 11, "%s: %+v", log.Header.Task, s)
}

// lmEvalRepeats is a sample of a task with repeats.
func lmEvalRepeats(t *testing.T, id int, resps ...string) string {
	t.Helper()
	text, err := json.Marshal([][]string{resps})
	assert.NilError(t, err)
	sample := lmEval(t, id, "custom-extract", fmt.Sprintf("Question:\nWhat is %d?", id), named)
	return strings.Replace(sample, `[["The answer is (B)."]]`, string(text), 1)
}

func TestRepeatsInALogAreRepeats(t *testing.T) {
	const a, b = "The answer is (A).", "The answer is (B)."
	review := func(index int) string {
		return strings.NewReplacer(`"index":0`, fmt.Sprintf(`"index":%d`, index), "\n", "").Replace(evalscopeReview) + "\n"
	}
	for name, c := range map[string]struct {
		path    string
		repeats int
		ids     []string
	}{
		"lm-eval's": {file(t, "samples_x.jsonl", lmEvalRepeats(t, 1, a, b)+lmEvalRepeats(t, 2, b, b)), 2,
			[]string{"mmlu_pro/101", "mmlu_pro/101#2", "mmlu_pro/102", "mmlu_pro/102#2"}},
		"evalscope's": {file(t, "reviews/tiny/mmlu_pro_math.jsonl", review(0)+review(1)), 2, []string{"mmlu_pro/7", "mmlu_pro/7#2"}},
		"rows of their own": {logOf(t, rowOf(1, 1, rotations[0], "A"), rowOf(2, 2, rotations[0], "A"), rowOf(3, 1, rotations[0], "B"),
			rowOf(4, 2, rotations[0], "B")), 2, []string{"mmlu_pro/1", "mmlu_pro/2", "mmlu_pro/1#2", "mmlu_pro/2#2"}},
		"of orders": {logOf(t, rowOf(1, 1, "red blue", ""), rowOf(2, 1, "blue red", ""), rowOf(3, 1, "red blue", ""), rowOf(4, 1, "blue red", "")),
			2, []string{"mmlu_pro_circular/1/AB", "mmlu_pro_circular/1/BA", "mmlu_pro_circular/1/AB#2", "mmlu_pro_circular/1/BA#2"}},
	} {
		log := read(t, c.path)
		assert.Check(t, is.DeepEqual(idsOf(log), c.ids), name)
		assert.Check(t, log.Header.Repeats == c.repeats && log.Records[len(c.ids)-1].Repeat == c.repeats, "%s: %+v", name, log)
		s := log.Header.Selection
		assert.Check(t, s.Items == len(c.ids) && s.Questions*c.repeats <= s.Items, "%s: %+v", name, s)
	}
	log := read(t, file(t, "samples_x.jsonl", lmEvalRepeats(t, 1, a, b)))
	assert.Check(t, log.Records[0].Text == a && log.Records[1].Text == b, "%+v", log.Records)
}

// Where not every question is asked as often, the last time counts, as in a log that was appended to.
func TestUnevenRepeatsReplaceOneAnother(t *testing.T) {
	log := read(t, logOf(t, rowOf(1, 1, rotations[0], "A"), rowOf(2, 2, rotations[0], "A"), rowOf(3, 1, rotations[0], "B")))
	assert.Check(t, is.DeepEqual(idsOf(log), []string{"mmlu_pro/1", "mmlu_pro/2"}))
	assert.Check(t, log.Header.Repeats == 0 && log.Records[0].Text == "The answer is (B)." &&
		slices.Contains(log.Header.Notes, "1 completions were replaced by a later one for the same question."), "%+v", log)
}

// No text is taken for two, whatever stands in it: a question of two options is none of three.
func TestOptionsOfOtherTextsAreOfAnotherQuestion(t *testing.T) {
	three, two := rowOf(1, 1, "red blue pink", ""), rowOf(1, 1, "blue red", "")
	two.Options[0] += "\x00pink"
	for name, rows := range map[string][]row{"more first": {three, two}, "fewer first": {two, three}} {
		path := logOf(t, rows...)
		_, err := importlog.Read(path)
		errortest.For(t, name, err, path+": element 2: question 1 of colours is another one than question 1 of colours before it, and a run tells "+
			"questions apart by their ids: import the log of each subject as a run of its own, or number the questions")
	}
}
