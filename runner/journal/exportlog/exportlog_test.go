package exportlog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/exportlog"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

type marker struct{ grade.RuleSet }

func (m marker) Marked(h *journal.Header, r *journal.Record) (string, bool) {
	mark := m.Mark(h, r)
	return mark.Letter, mark.Correct
}

func (m marker) Completion(h *journal.Header, r *journal.Record) string {
	return grade.Completion(h, r)
}

// says are completions that the harnesses' rules read differently, for a letter.
var says = []string{
	"So the answer is (%s).", "ANSWER: %s", "Answer: %s", "I take %s", "**ANSWER: (%s)**", "the answer is %s, or (B)", "Who knows? None %s\u2028it is",
	"<think>the answer is (A)</think> the answer is (%s)", "no idea", "",
}

// madeUp is a run of 500 made items whose completions are written in all those ways.
func madeUp(t *testing.T, header journal.Header) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	run := filepath.Join(t.TempDir(), "run")
	header.Task, header.Style, header.RuleSet, header.Thinking = task.All[0].Name, "tiger@1", "tiger", backends.ThinkingNames()
	header.Model.Name, header.Shots = "org/made up", 5
	header.Preambles = map[string]string{"law": "About law.\n\nQuestion:\nOld?\nOptions:\nA. x\nB. y\nAnswer: A\n\n"}
	w, err := journal.Create(run, header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		r := journal.Record{ID: fmt.Sprintf("mmlu_pro/%d", i), QuestionID: i, Subject: []string{"law", "computer science", "a/b"}[i%3],
			Finish: backends.FinishStop, Attempt: 1}
		lines := ""
		for k := range 2 + random.IntN(9) {
			r.OptionTexts = append(r.OptionTexts, fmt.Sprintf("Option <%d>\u2029 of %d", k, i))
			lines += fmt.Sprintf("%c. %s\n", 'A'+k, r.OptionTexts[k])
		}
		r.Options = len(r.OptionTexts)
		r.Gold = string(rune('A' + random.IntN(r.Options)))
		r.Prompt = fmt.Sprintf("Question:\nWhich of %d?\nAnd why?\nOptions:\n%sAnswer: Let's think step by step.", i, lines)
		r.Text = strings.ReplaceAll(says[random.IntN(len(says))], "%s", string(rune('A'+random.IntN(10))))
		switch i {
		case 7:
			r.Finish, r.Error, r.Cause = backends.FinishError, "gone", backends.CauseConnection
		case 8:
			r.Cause, r.Text = backends.CauseRefused, "the answer is (A)"
		case 9:
			if err := w.Append(r); err != nil { // a later line replaces it
				t.Fatal(err)
			}
			r.Text = "the answer is (B)"
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return run
}

// export writes a run in a shape, and returns the log's files of samples.
func export(t *testing.T, run string, shape exportlog.Format) (samples []string) {
	t.Helper()
	rules, err := grade.Lookup(shape.RuleSet)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exportlog.Open(run, marker{rules})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "log")
	if _, err := shape.Write(out, folder); err != nil {
		t.Fatal(err)
	}
	if _, err := shape.Write(out, folder); err == nil {
		t.Error("a folder that is not empty is written into")
	}
	for _, pattern := range []string{"*.json", "*/samples_*.jsonl", "reviews/*/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, found...)
	}
	return samples
}

// TestWhatIsExportedAndImportedIsMarkedAlike exports runs, with thinking that counts and thinking that is left out, imports them again
// and marks both, item by item.
func TestWhatIsExportedAndImportedIsMarkedAlike(t *testing.T) {
	for _, strip := range []bool{false, true} {
		run := madeUp(t, journal.Header{Strip: strip})
		for _, shape := range exportlog.Formats {
			rules, _ := grade.Lookup(shape.RuleSet)
			log, err := importlog.Read(export(t, run, shape)...)
			if err != nil {
				t.Fatalf("%s: %v", shape.Name, err)
			}
			if log.Header.Style != shape.Name || log.Header.RuleSet != shape.RuleSet || len(log.Records) != 499 {
				t.Errorf("%s: %d items of style %s, rules %s", shape.Name, len(log.Records), log.Header.Style, log.Header.RuleSet)
			}
			imported := map[int]journal.Record{}
			for _, r := range log.Records {
				imported[r.QuestionID] = r
			}
			differ, right := 0, 0
			reader, err := journal.Open(run)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			latest := map[int]journal.Record{}
			for r, err := range reader.Records() {
				if err != nil {
					t.Fatal(err)
				}
				latest[r.QuestionID] = r
			}
			for id, r := range latest {
				again, ok := imported[id]
				if r.Failed() {
					if ok {
						t.Errorf("%s: item %d, which failed, is exported", shape.Name, id)
					}
					continue
				}
				a, b := rules.Mark(&reader.Header, &r), rules.Mark(&log.Header, &again)
				if a.Letter != b.Letter || a.Correct != b.Correct || r.Subject != again.Subject || r.Gold != again.Gold ||
					strings.Join(r.OptionTexts, "|") != strings.Join(again.OptionTexts, "|") {
					differ++
					t.Logf("%s: item %d is marked %q, then %q, of %q", shape.Name, id, a.Letter, b.Letter, r.Text)
				}
				if a.Correct {
					right++
				}
			}
			if differ > 0 || right < 5 {
				t.Errorf("%s, thinking left out %t: %d of 499 differ, %d are right", shape.Name, strip, differ, right)
			}
		}
	}
}

// TestExportsSayWhatTheirHarnessCounts adds up what the files themselves say.
func TestExportsSayWhatTheirHarnessCounts(t *testing.T) {
	run := madeUp(t, journal.Header{})
	type said struct {
		Answer, Pred string  // tiger
		Match        float64 `json:"exact_match"` // lm-eval
		Sample       struct {
			Score struct{ Value struct{ Acc float64 } }
		} `json:"sample_score"` // evalscope
	}
	for _, shape := range exportlog.Formats {
		rules, _ := grade.Lookup(shape.RuleSet)
		samples := export(t, run, shape)
		counted, items := 0.0, 0
		for _, file := range samples {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all []said
			if strings.HasSuffix(file, "l") {
				text = []byte("[" + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", ",") + "]")
			}
			if err := json.Unmarshal(text, &all); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if bytes.Contains(text, []byte(`\u202`)) || bytes.Contains(text, []byte(`\u003c`)) {
				t.Errorf("%s has escapes that Python's json does not write", file)
			}
			for _, s := range all {
				items++
				counted += s.Match + s.Sample.Score.Value.Acc
				if s.Answer != "" && s.Answer == s.Pred {
					counted++
				}
			}
		}
		out, err := exportlog.Open(run, marker{rules})
		if err != nil {
			t.Fatal(err)
		}
		right := 0.0
		for _, s := range out.Subjects {
			for _, it := range s.Items {
				if it.Correct {
					right++
				}
				if want := fmt.Sprintf("Which of %d?\nAnd why?", it.ID); it.Question != want {
					t.Fatalf("the question of %d is %q", it.ID, it.Question)
				}
			}
		}
		if counted != right || items != 499 || right < 5 {
			t.Errorf("%s: the files count %g of %d, the marks %g", shape.Name, counted, items, right)
		}
		if notes := strings.Join(out.Notes, "; "); notes != "1 item failed and is left out: they count nowhere; "+
			"1 item refused to answer and is written as an empty text: a letter in a refusal is not an answer" {
			t.Errorf("notes %q", notes)
		}
		if shape.Name == "lm-eval" {
			checkResults(t, filepath.Dir(samples[0]), right/499)
		}
	}
}

func checkResults(t *testing.T, folder string, want float64) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(folder, "results_*.json"))
	if len(found) != 1 || filepath.Base(folder) != "org__made up" {
		t.Fatalf("results in %s: %v", folder, found)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var results struct{ Results map[string]map[string]any }
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	if got := results.Results["mmlu_pro"]["exact_match,custom-extract"]; got != want || len(results.Results) != 4 {
		t.Errorf("results say %v of %d tasks, want %v", got, len(results.Results), want)
	}
}

// TestTheQuestionIsToldFromTheRestOfAPrompt renders questions in every built-in style, and takes them out of it again.
func TestTheQuestionIsToldFromTheRestOfAPrompt(t *testing.T) {
	set, err := dataset.Open("sample", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int]string{}
	for _, q := range set.Test {
		asked[q.ID] = strings.TrimSpace(q.Text)
	}
	styles := 0
	for _, style := range slices.Concat(prompts.Styles, prompts.Published) {
		if !style.LaysOut(task.All[0]) {
			continue
		}
		styles++
		eval := prompts.Eval{Task: task.All[0], Style: style, Shots: 5}
		items, err := eval.Items(set, set.Test)
		if err != nil { // a style without shots
			eval.Shots = 0
			items, err = eval.Items(set, set.Test)
		}
		if err != nil {
			t.Fatal(err)
		}
		run := filepath.Join(t.TempDir(), "run")
		header := journal.Header{Task: task.All[0].Name, RuleSet: "tiger", Preambles: map[string]string{}}
		for _, item := range items {
			header.Preambles[item.Subject] = item.Preamble
		}
		w, err := journal.Create(run, header)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if err := w.Append(journal.Record{ID: item.ID, QuestionID: item.QuestionID, Subject: item.Subject, Options: item.Options,
				Gold: item.Gold, OptionTexts: item.OptionTexts, Prompt: item.Text, Finish: backends.FinishStop, Attempt: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := exportlog.Open(run, marker{grade.Sets()[0]})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range out.Subjects {
			for _, it := range s.Items {
				if it.Question != asked[it.ID] {
					t.Fatalf("%s: question %d is read as %q, want %q", style.Name, it.ID, it.Question, asked[it.ID])
				}
			}
		}
		if len(out.Notes) > 0 || out.Items() != len(set.Test) {
			t.Errorf("%s: %d items, notes %v", style.Name, out.Items(), out.Notes)
		}
	}
	if styles < 5 {
		t.Errorf("%d styles", styles)
	}
}

func TestOtherTasksAreRefused(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	w, err := journal.Create(run, journal.Header{Task: task.All[1].Name, RuleSet: "binary"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = exportlog.Open(run, marker{})
	errortest.Says(t, err, run, "is of task mmlu_pro_binary", "as task mmlu_pro has")
	_, err = exportlog.Lookup("csv")
	errortest.Says(t, err, `exported as tiger, lm-eval, evalscope, not as "csv"`)
}

// TestAFileOfScoresNamesTheSamplesBesideIt gives import the results and the report of a log, which have no items.
func TestAFileOfScoresNamesTheSamplesBesideIt(t *testing.T) {
	run := madeUp(t, journal.Header{})
	for name, file := range map[string]string{"lm-eval": "*/results_*.json", "evalscope": "reports/*/*.json"} {
		shape, err := exportlog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		samples := export(t, run, shape)
		folder, _, _ := strings.Cut(samples[0], string(filepath.Separator)+"log"+string(filepath.Separator))
		scores, _ := filepath.Glob(filepath.Join(folder, "log", file))
		if len(scores) != 1 {
			t.Fatalf("%s: %q", name, scores)
		}
		_, err = importlog.Read(scores[0])
		errortest.Says(t, err, "with scores alone")
		_, pattern, _ := strings.Cut(err.Error(), "proctor import ")
		if found, _ := filepath.Glob(strings.ReplaceAll(pattern, "'", "")); len(found) == 0 || !slices.Contains(samples, found[0]) {
			t.Errorf("%s: %s names none of %q", name, pattern, samples)
		}
	}
}
