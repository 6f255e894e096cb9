package importlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

// file writes a log under a name that may hold a folder.
func file(t testing.TB, name, text string) string {
	t.Helper()
	return filepath.Join(output(t, map[string]string{name: text}), name)
}

func archive(t *testing.T, name string, members map[string]string) string {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range members {
		w, err := z.Create(name)
		assert.NilError(t, err)
		_, err = w.Write([]byte(text))
		assert.NilError(t, err)
	}
	assert.NilError(t, z.Close())
	return file(t, name, packed.String())
}

func read(t *testing.T, files ...string) *importlog.Log {
	t.Helper()
	log, err := importlog.Read(files...)
	assert.NilError(t, err)
	return log
}

const (
	one = `{"question_id": 7, "question": "Which is a prime?", "options": ["four", "five", "six"], "answer": "B", "answer_index": 1,
		"cot_content": "", "category": "math", "src": "made up", "pred": "B", "model_outputs": " The answer is (B)."}`
	two = `{"question_id": 9, "question": "Which is a gas?", "options": "A. iron\nB. neon", "answer": "B", ` +
		`"category": "chemistry", "generated_text": "no idea"}`
	both = "[" + one + "," + two + "]"
)

func TestALogOfTheAuthorsScriptsBecomesAJournal(t *testing.T) {
	log := read(t, file(t, "model_outputs_Tiny-1B_5shots.json", both))
	h := log.Header
	assert.Check(t, h.Task == "mmlu_pro" && h.Style == "tiger" && h.RuleSet == "tiger" && h.Shots == 5 &&
		h.Model.Name == "Tiny-1B" && h.PromptMode == "", "header: %+v", h)
	assert.Check(t, h.Selection.Items == 2 && h.Selection.IDsSHA256 == journal.DigestIDs([]string{"mmlu_pro/7", "mmlu_pro/9"}) &&
		h.Fingerprint == h.Digest(), "selection: %+v", h.Selection)
	want := []journal.Record{
		{Kind: "item", ID: "mmlu_pro/7", QuestionID: 7, Subject: "math", Options: 3, Gold: "B", Text: " The answer is (B).",
			Finish: backends.FinishStop, Attempt: 1, Question: "Which is a prime?", OptionTexts: []string{"four", "five", "six"}},
		{Kind: "item", ID: "mmlu_pro/9", QuestionID: 9, Subject: "chemistry", Options: 2, Gold: "B", Text: "no idea",
			Finish: backends.FinishStop, Attempt: 1, Question: "Which is a gas?", OptionTexts: []string{"iron", "neon"}},
	}
	assert.Check(t, reflect.DeepEqual(log.Records, want), "got %+v", log.Records)
}

func TestAnImportedLogIsReadLikeAnyJournal(t *testing.T) {
	log := read(t, file(t, "mmlu-pro.json", both))
	d := log.Header.Dataset
	assert.Check(t, d.Name == "imported-log" && d.Published == "", "of other questions than the published set's: %+v", d)
	run := filepath.Join(t.TempDir(), "run")
	assert.NilError(t, log.Keep(run))
	j, err := journaltest.Load(run)
	assert.NilError(t, err)
	assert.Check(t, len(j.Warnings) == 0 && reflect.DeepEqual(j.Records, log.Records) &&
		j.Header.Fingerprint == log.Header.Fingerprint, "got %+v", j)
	assert.Check(t, log.Keep(run) != nil, "a second import overwrites the first")

	log.Records[1].ID = "" // which no journal takes
	broken := filepath.Join(t.TempDir(), "broken")
	assert.Check(t, log.Keep(broken) != nil)
	left, _ := os.ReadDir(broken)
	assert.Check(t, len(left) == 0, "a part of a log is left: %v", left)
}

func TestALogIsTheSameHoweverItIsPacked(t *testing.T) {
	plain := read(t, file(t, "log.json", both))
	lines := strings.NewReplacer("\n", " ", "\t", " ")
	const options = `["four", "five", "six"]`
	changed := func(old, text string) []string {
		return []string{file(t, "log.json", strings.Replace(both, old, text, 1))}
	}
	for name, files := range map[string][]string{
		"JSON Lines":        {file(t, "log.jsonl", lines.Replace(one)+"\r\n"+lines.Replace(two)+"\n")},
		"a byte order mark": {file(t, "log.json", "\ufeff ["+one+","+two+"]\n")},
		"a zip archive": {archive(t, "log.zip", map[string]string{"readme.txt": "hi",
			"a/log.json": both, "__MACOSX/log.json": "?"})},
		"a file for each subject":   {file(t, "math_result.json", "["+one+"]"), file(t, "chemistry_result.json", "["+two+"]")},
		"options as a Python list":  changed(options, `"['four', \"five\", 'six']"`),
		"options as a JSON text":    changed(options, `"[\"four\", \"five\", \"six\"]"`),
		"options as lettered lines": changed(options, `"(A): four\n(B): five\n(C): six\n"`),
		"options on one line":       changed(options, `"A) four B) five C) six"`),
		"the completion in a list":  changed(`" The answer is (B)."`, `[" The answer is (B)."]`),
		"the completion elsewhere":  changed("model_outputs", "response"),
		"an index for the letter":   changed(`"answer": "B",`, ""),
	} {
		log := read(t, files...)
		assert.Check(t, reflect.DeepEqual(log.Records, plain.Records) && log.Header.Dataset == plain.Header.Dataset,
			"%s: got %+v with %+v", name, log.Records, log.Header.Dataset)
	}
}

func TestOddSamplesAreNotedNotHidden(t *testing.T) {
	later := strings.Replace(one, "(B)", "(C)", 1)
	askew := strings.Replace(two, `"category"`, `"answer_index": 0, "category"`, 1)
	silent := strings.NewReplacer(`"no idea"`, "null", `: 9`, `: 10`, "a gas", "noble").Replace(two)
	log := read(t, file(t, "log.json", "["+strings.Join([]string{one, askew, later, silent}, ",")+"]"))
	assert.Check(t, len(log.Records) == 3 && log.Records[0].Text == " The answer is (C).", "got %+v", log.Records)
	last := log.Records[2]
	rules, err := grade.Lookup("tiger")
	assert.NilError(t, err)
	m := rules.Mark(&log.Header, &last)
	assert.Check(t, last.Failed() && m.Tag == grade.AdapterError, "a sample without a completion: %+v, marked %+v", last, m)
	notes := strings.Join(log.Header.Notes, "\n")
	for _, want := range []string{"1 completions were replaced", "answer decides. (1 samples)", "no prompts", "how many shots", "dataset.sha256"} {
		assert.Check(t, is.Contains(notes, want))
	}
}

// lmEval makes a line as lm-evaluation-harness writes it with --log_samples.
func lmEval(t *testing.T, id int, filter, prompt string, arguments func(prompt string) any) string {
	t.Helper()
	line, err := json.Marshal(map[string]any{
		"doc_id": id, "target": "B", "filter": filter, "metrics": []string{"exact_match"}, "exact_match": 1.0, "doc_hash": "aa",
		"doc": map[string]any{"question_id": 100 + id, "question": "Q" + prompt, "options": []string{"x", "y"}, "answer": "B",
			"answer_index": 1, "category": "law", "cot_content": "", "src": "made up"},
		"arguments": arguments(prompt), "resps": [][]string{{"The answer is (B)."}}, "filtered_resps": []string{"B"},
	})
	assert.NilError(t, err)
	return string(line) + "\n"
}

var settings = map[string]any{"until": []string{"Question:"}, "max_gen_toks": 2048, "do_sample": false, "temperature": 0.0}

func named(prompt string) any {
	return map[string]any{"gen_args_0": map[string]any{"arg_0": prompt, "arg_1": settings}}
}

func TestSamplesOfLMEvalBecomeAJournal(t *testing.T) {
	const shared = "About law.\nQuestion:\nOne?\nAnswer: A\n\n"
	listed := func(prompt string) any { return []any{[]any{prompt, settings}} }
	for name, arguments := range map[string]func(string) any{"newer logs": named, "older logs": listed} {
		text := lmEval(t, 1, "custom-extract", shared+"Question:\nWhat?\nAnswer:", arguments) +
			lmEval(t, 1, "other-filter", shared+"Question:\nWhat?\nAnswer:", arguments) +
			lmEval(t, 2, "custom-extract", shared+"Question:\nWhy?\nAnswer:", arguments)
		log := read(t, file(t, "org__Tiny-1B/samples_mmlu_pro_law_2025-01-01T00-00-00.jsonl", text))
		h := log.Header
		assert.Check(t, h.Style == "lm-eval" && h.RuleSet == "lm-eval" && h.Model.Name == "org/Tiny-1B" && h.Shots == 1 &&
			h.PromptMode == "raw", "%s: header: %+v", name, h)
		assert.Check(t, h.Sampling.MaxTokens == 2048 && slices.Equal(h.Sampling.Stop, []string{"Question:"}), "%s: %+v", name, h.Sampling)
		assert.Check(t, len(log.Records) == 2 && h.Preambles["law"] == shared+"Question:\n" &&
			log.Records[1].Prompt == "Why?\nAnswer:" && log.Records[1].Text == "The answer is (B).",
			"%s: preamble %q, records %+v", name, h.Preambles["law"], log.Records)
	}
}

func TestChatPromptsOfLMEvalAreKeptAsTheirMessages(t *testing.T) {
	messages := `[{"role": "user", "content": "Question:\nWhat?"}]`
	for name, prompt := range map[string]any{"a text": messages, "texts": []string{messages}, "messages": json.RawMessage(messages)} {
		log := read(t, file(t, "samples_x.jsonl", lmEval(t, 1, "f", "", func(string) any {
			return map[string]any{"gen_args_0": map[string]any{"arg_0": prompt}}
		})))
		prompt := log.Records[0].Prompt
		assert.Check(t, log.Header.PromptMode == "chat" && log.Header.Shots == 0 && strings.HasPrefix(prompt, `[{"role":`), "%s: %q", name, prompt)
	}
}

func TestOtherFilesAreRefusedByFileAndElement(t *testing.T) {
	of3 := func(rest string) string { return `{"question_id": 3, "category": "law", ` + rest + `}` }
	doc := `{"doc": ` + of3(`"options": ["a"], "answer": "A"`)
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", " \n", "the file is empty"},
		{"an empty list", "[]", "holds no samples"},
		{"plain text", "hello", "neither a JSON array nor JSON Lines"},
		{"a summary", `{"total": {"acc": 0.5}}`, "element 1: has no generated_text"},
		{"a list of numbers", `[1, 2]`, "element 1: "},
		{"a file cut off", "[" + one + "," + two[:50], "element 2: the file ends in the middle"},
		{"a list without its end", "[" + one, "the file ends in the middle"},
		{"a broken second line", strings.ReplaceAll(one, "\n", " ") + "\n{]", "element 2: "},
		{"no question id", "[" + one + `,{"options": ["a"], "answer": "A", "response": "x"}]`, "element 2: has no question_id"},
		{"no category", `[{"question_id": 3, "options": ["a"], "answer": "A", "response": "x"}]`, "question 3 has no category"},
		{"no options", of3(`"answer": "A", "response": "x"`), "question 3: options are missing"},
		{"options as numbers", of3(`"options": [1, 2], "answer": "A", "response": "x"`), "options are neither"},
		{"options in no known form", of3(`"options": "red, blue", "answer": "A", "response": "x"`), "options are 0, not 1 to 26"},
		{"27 options", of3(`"options": ["1"` + strings.Repeat(`,"2"`, 26) + `], "answer": "A", "response": "x"`), "options are 27"},
		{"a gold letter beyond them", of3(`"options": ["a"], "answer": "B", "response": "x"`), `answer "B" is not one of its 1 letters`},
		{"no gold letter", of3(`"options": ["a"], "answer_index": 4, "response": "x"`), `answer "" is not one`},
		{"a number for a completion", of3(`"options": ["a"], "answer": "A", "response": 4`), "the completion is not a text"},
		{"log-likelihoods", doc + `, "resps": [[-1.5, false]]}`, "resps: the completion is not a text"},
		{"no resps", doc + `}`, "resps is not a list"},
		{"another task of lm-eval", `{"doc": {"question": "x", "choices": ["a"]}, "resps": [["x"]]}`, "doc: has no question_id"},
		{"both formats at once", "[" + one + "," + doc + `, "resps": [["x"]]}]`, "element 2: is a lm-eval sample among tiger samples"},
		{"a truncated archive", "PK\x03\x04rest", "zip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, "log.json", c.text)
			_, err := importlog.Read(path)
			errortest.Says(t, err, path, c.want)
		})
	}
	for want, path := range map[string]string{
		"is a folder": t.TempDir(), "no such file": filepath.Join(t.TempDir(), "no.json"),
		"holds no .json": archive(t, "x.zip", map[string]string{"a.txt": "x"}),
	} {
		_, err := importlog.Read(path)
		errortest.Says(t, err, want, path)
	}
	_, err := importlog.Read()
	assert.Check(t, err != nil, "no files are no error")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(both))
	f.Add([]byte(two + "\n" + two))
	f.Add([]byte(`{"doc": {"question_id": 3, "category": "law", "options": "['a', 'b']", "answer": "A"}, ` +
		`"resps": [["x"]], "arguments": [["p", {"until": []}]]}`))
	f.Add([]byte(`[{"question_id": 3, "category": "law", "options": "(A) x (B) y", "answer": "A", "response": null}]`))
	f.Add([]byte(`{"doc_id": 1, "doc": {"question_id": 3, "category": "law", "question": "Is x the correct answer to the question: 'Q'", ` +
		`"options": ["True", "False"], "answer": "A", "option_ind": 3, "options_original": 10}, "resps": [["x"]]}`))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := importlog.Read(file(t, "log.json", string(data)))
		if err != nil {
			assert.Check(t, strings.Contains(err.Error(), "log.json"), "error without its place: %v", err)
			return
		}
		assert.Check(t, log.Keep(filepath.Join(t.TempDir(), "run")), "what was read cannot be kept")
	})
}

func TestQuestionsOfOneIDAreToldApart(t *testing.T) {
	other := func(old, text string) string { return strings.Replace(one, old, text, 1) }
	for name, second := range map[string]string{
		"in another subject":  other("math", "law"),
		"with another text":   other("a prime", "even"),
		"with another option": other("six", "seven"),
	} {
		path := file(t, "log.json", "["+one+","+two+","+second+"]")
		_, err := importlog.Read(path)
		errortest.For(t, name, err, path+": element 3: question 7 of ", "import the log of each subject as a run of its own")
	}
	// Spaces around a subject are no part of it, and another completion of the same question replaces the first.
	log := read(t, file(t, "log.json", "["+one+","+other(`"math"`, `" math "`)+","+other("(B)", "(C)")+"]"))
	assert.Check(t, len(log.Records) == 1 && log.Records[0].Subject == "math" && log.Records[0].Text == " The answer is (C).",
		"%+v", log.Records)
}
