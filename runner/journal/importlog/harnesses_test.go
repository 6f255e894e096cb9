package importlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal/importlog"
	"proctor/scripts/tests/errortest"
)

// Invented samples in the shapes of other harnesses' logs.
const (
	evalscopeReview = `{"index":0,"target":"B","messages":[{"id":"a","content":"Shots first.\n\nQuestion:\nOld?\nOptions:\nA x\nB y\n` +
		`ANSWER: A\n\nAnswer it, thinking.\n\nQuestion:\nWhich is a prime?\nIn ten?\nOptions:\nA) four\nB) five\nand more\nC) six","role":"user"},` +
		`{"content":"ANSWER: B","role":"assistant"}],"sample_score":{"score":{"value":{"acc":1.0},"extracted_prediction":"B",` +
		`"prediction":"ANSWER: B"},"sample_id":0,"group_id":0,"sample_metadata":{"cot_content":"","subject":"math","question_id":7}}}`
	openCompassLog = `{"0":{"origin_prompt":[{"role":"HUMAN","prompt":"Answer it.\n\nQuestion:\n\nWhich is a gas?\n\nOptions:\n\n` +
		`A. iron\nB. neon"}],"prediction":"ANSWER: B","gold":"B"},"1":{"origin_prompt":[{"role":"HUMAN","prompt":"Answer it.\n\n` +
		`Question:\n\nWhich is a metal?\n\nOptions:\n\nA. iron\nB. neon"}],"prediction":"ANSWER: A","gold":"A"}}`
	inspectLog   = `{"version":2,"status":"success","eval":{"task":"mmlu_pro","model":"openai/tiny"},"samples":[]}`
	llamaEvalLog = `{"id":"gpqa","model_name":"tiny","tasks":["gpqa_000_012"],"task_states":{"total":1,"cases":{}}}`
)

func TestLogsOfOtherHarnessesBecomeRuns(t *testing.T) {
	for name, test := range map[string]struct {
		file, text, style, rules, model, id string
		subject, question                   string
		options, gold, say                  string
		items                               int
	}{
		"evalscope's reviews": {"reviews/tiny/mmlu_pro_math.jsonl", evalscopeReview, "evalscope", "evalscope", "tiny",
			"mmlu_pro/7", "math", "Which is a prime?\nIn ten?", "four|five\nand more|six", "B", "ANSWER: B", 1},
		"older reviews, with their input as text": {"mmlu_pro_law.jsonl", `{"index":3,"input":"Answer.\n\nWhich?\n\nA) x\nB) y","target":"A",` +
			`"sample_score":{"score":{"value":{"acc":0},"prediction":"B"}}}`, "evalscope", "evalscope", "", "mmlu_pro/0", "law", "Which?",
			"x|y", "A", "B", 1},
		"OpenCompass's predictions": {"predictions/tiny/mmlu_pro_computer_science.json", openCompassLog, "opencompass", "opencompass", "tiny",
			"mmlu_pro/0", "computer science", "Which is a gas?", "iron|neon", "B", "ANSWER: B", 2},
	} {
		t.Run(name, func(t *testing.T) {
			log := read(t, file(t, test.file, test.text))
			h, r := log.Header, log.Records[0]
			assert.Check(t, h.Style == test.style && h.RuleSet == test.rules && (test.model == "" || h.Model.Name == test.model) &&
				len(log.Records) == test.items,
				"style %s, rules %s, model %s, %d items", h.Style, h.RuleSet, h.Model.Name, len(log.Records))
			assert.Check(t, r.ID == test.id && r.Subject == test.subject && strings.Join(r.OptionTexts, "|") == test.options &&
				r.Gold == test.gold && r.Text == test.say, "%+v", r)
			assert.Check(t, strings.Contains(h.Preambles[r.Subject]+r.Prompt, strings.SplitN(test.question, "\n", 2)[0]),
				"prompt %q", r.Prompt)
		})
	}
}

func TestLogsThatAreNotImportedAreRefusedInALine(t *testing.T) {
	for name, log := range map[string]string{
		"Inspect's":            file(t, "log.json", inspectLog),
		"an archive of theirs": archive(t, "log.eval", map[string]string{"header.json": inspectLog}),
		"llama-eval's":         file(t, "llama-eval-state.json", llamaEvalLog),
	} {
		_, err := importlog.Read(log)
		errortest.For(t, name, err, log+": a log of Inspect or llama-eval: only those of MMLU-Pro's scripts, lm-eval, "+
			"evalscope and "+
			"OpenCompass can be imported")
	}
}

func TestOtherThanMultipleChoiceIsNamed(t *testing.T) {
	for name, text := range map[string]string{
		"its prompt shows no options":     `{"0":{"origin_prompt":"2 + 2?","prediction":"4","gold":"4"}}`,
		"has no gold letter":              `{"0":{"origin_prompt":"Q\n\nA. x\nB. y","prediction":"4"}}`,
		`gold "C" is not one of its 2`:    strings.Replace(openCompassLog, `"gold":"B"`, `"gold":"C"`, 1),
		"the prediction is not a text":    strings.Replace(openCompassLog, `"prediction":"ANSWER: B"`, `"prediction":4`, 1),
		"sample_score: the prediction is": strings.Replace(evalscopeReview, `"prediction":"ANSWER: B"`, `"prediction":[1,2]`, 1),
	} {
		_, err := importlog.Read(file(t, "log.json", text))
		errortest.Says(t, err, name, "log.json")
	}
}

func TestALogThatIsCutOffSaysSo(t *testing.T) {
	text := strings.TrimSpace(openCompassLog)
	for n := len(text) / 2; n < len(text); n += 1 + len(text[n:])%7 {
		_, err := importlog.Read(file(t, "log.json", text[:n]))
		assert.Assert(t, err != nil, "cut to %d of %d bytes, it is read", n, len(text))
		errortest.Says(t, err, "log.json: ", "the file ends in the middle: fetch it again")
	}
}

// output makes a folder of a harness's output.
func output(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return folder
}

const (
	firstDate, lastDate = "2026-11-27T07-06-33.078442", "2026-11-28T01-00-00.5"
	oneReview           = "20261127_070858/reviews/tiny/mmlu_pro_math.jsonl"
)

func TestAFolderOfOutputIsOneRun(t *testing.T) {
	sample := func(id int) string { return lmEval(t, id, "custom-extract", "Question:\nWhat?", named) }
	lm := output(t, map[string]string{
		"org__tiny/samples_mmlu_pro_law_" + lastDate + ".jsonl":     sample(1),
		"org__tiny/samples_mmlu_pro_math_" + lastDate + ".jsonl":    sample(2),
		"org__tiny/samples_mmlu_pro_math_" + firstDate + ".jsonl":   sample(3),
		"org__tiny/results_" + lastDate + ".json":                   `{"results": {}, "configs": {}}`,
		"org__tiny/samples_mmlu_pro_law_" + lastDate + ".jsonl.bak": "?",
	})
	scope := output(t, map[string]string{
		oneReview: evalscopeReview, "20261127_070858/predictions/tiny/mmlu_pro_math.jsonl": "?",
		"20261127_070858/reports/tiny/mmlu_pro.json": "?", "20261126_235959/reviews/tiny/mmlu_pro_law.jsonl": evalscopeReview,
	})
	for name, test := range map[string]struct {
		folder, model, note string
		items               int
	}{
		"lm-eval's":              {lm, "org/tiny", "the newest were taken, of " + lastDate + "; there are others of " + firstDate + ".", 2},
		"lm-eval's, of a model":  {lm + "/org__tiny/", "org/tiny", "there are others of " + firstDate + ".", 2},
		"evalscope's":            {scope, "tiny", "the newest were taken, of 20261127_070858; there are others of 20261126_235959.", 1},
		"evalscope's, of a date": {scope + "/20261127_070858", "tiny", "", 1},
		"evalscope's reviews":    {filepath.Dir(filepath.Join(scope, oneReview)), "tiny", "", 1},
	} {
		log := read(t, test.folder)
		notes := strings.Join(log.Header.Notes, "\n")
		assert.Check(t, len(log.Records) == test.items && log.Header.Model.Name == test.model &&
			strings.Contains(notes, test.note) && strings.Contains(notes, "there are others") == (test.note != ""),
			"%s: %d items of %s, notes %q", name, len(log.Records), log.Header.Model.Name, notes)
	}
}

func TestAFolderThatIsNotOneLogIsRefused(t *testing.T) {
	two := output(t, map[string]string{oneReview: "", "20261127_070858/reviews/big/mmlu_pro_math.jsonl": ""})
	_, err := importlog.Read(two)
	errortest.Says(t, err, two+" holds logs of several models (big, tiny)", "give the folder of one of them")
	none := output(t, map[string]string{"samples.jsonl": "", "reviews.jsonl": ""})
	_, err = importlog.Read(none)
	errortest.Says(t, err, none+" is a folder without lm-evaluation-harness's samples", "without evalscope's reviews", "give the log's files")
}

// A chat's shots are counted in its messages, whether they are one or several.
func TestShotsOfChatsAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"Question:\nOld?\nAnswer: A\n\nQuestion:\nWhat?": 1, "Answer this: what?": -1,
		`[{"role": "system", "content": "Answer."}, {"role": "user", "content": "Question:\nOld?"},` +
			`{"role": "assistant", "content": "A"}, {"role": "user", "content": "Question:\nWhat?"}]`: 1,
	} {
		assert.Check(t, is.Equal(read(t, file(t, "samples_x.jsonl", lmEval(t, 1, "f", text, named))).Header.Shots, want), text)
	}
	assert.Check(t, is.Equal(read(t, file(t, "mmlu_pro_math.jsonl", evalscopeReview)).Header.Shots, 1), "evalscope's one message")
}

func TestAFileOfScoresNamesTheSamplesBesideIt(t *testing.T) {
	folder := output(t, map[string]string{
		"m/results_x.json": `{"results": {}, "configs": {}}`, "m/samples_mmlu_pro_law_x.jsonl": "{}",
		"reports/m/mmlu_pro.json": `{"dataset_name": "mmlu_pro", "metrics": []}`, "reviews/m/mmlu_pro_law.jsonl": "{}",
	})
	for scores, samples := range map[string]string{"m/results_x.json": "m", "reports/m/mmlu_pro.json": "reviews/m"} {
		_, err := importlog.Read(filepath.Join(folder, scores))
		errortest.Says(t, err, "with scores alone", "proctor import "+filepath.Join(folder, samples))
	}
}
