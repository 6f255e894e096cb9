package exportlog_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/exportlog"
	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/scripts/tests/errortest"
)

func marks(ruleSet string) (exportlog.Marker, error) {
	rules, err := grade.Lookup(ruleSet)
	return func(h *journal.Header, r *journal.Record) (completion, letter string, correct bool) {
		mark := rules.Mark(h, r)
		return grade.Completion(h, r), mark.Letter, mark.Correct
	}, err
}

// says are completions that rules read differently, for a letter.
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
	var records []journal.Record
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
			records = append(records, r) // a later line replaces it
			r.Text = "the answer is (B)"
		}
		records = append(records, r)
	}
	return journaltest.Keep(t, run, header, records)
}

// export writes a run, and returns the log's files of samples.
func export(t *testing.T, run string) (samples []string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "log")
	out := opened(t, run)
	_, err := out.Write(folder)
	assert.NilError(t, err)
	_, err = out.Write(folder)
	assert.Check(t, err != nil, "a folder that is not empty is written into")
	samples, err = filepath.Glob(filepath.Join(folder, "*/samples_*.jsonl"))
	assert.NilError(t, err)
	return samples
}

func opened(t *testing.T, run string) *exportlog.Run {
	t.Helper()
	out, err := exportlog.Open(run, marks)
	assert.NilError(t, err)
	return out
}

// TestWhatIsExportedAndImportedIsMarkedAlike exports runs, with thinking that counts and thinking that is left out, imports them again
// and marks both, item by item.
func TestWhatIsExportedAndImportedIsMarkedAlike(t *testing.T) {
	rules, _ := grade.Lookup("lm-eval")
	for _, strip := range []bool{false, true} {
		run := madeUp(t, journal.Header{Strip: strip})
		log, err := importlog.Read(export(t, run)...)
		assert.NilError(t, err)
		assert.Check(t, log.Header.Style == "lm-eval" && log.Header.RuleSet == "lm-eval" && len(log.Records) == 499,
			"%d items of style %s, rules %s", len(log.Records), log.Header.Style, log.Header.RuleSet)
		imported := map[int]journal.Record{}
		for _, r := range log.Records {
			imported[r.QuestionID] = r
		}
		kept, err := journaltest.Load(run)
		assert.NilError(t, err)
		right := 0
		for _, r := range kept.Records {
			again, there := imported[r.QuestionID]
			if assert.Check(t, there != r.Failed(), "%s, failed: %t", r.ID, r.Failed()); !there {
				continue
			}
			a, b := rules.Mark(&kept.Header, &r), rules.Mark(&log.Header, &again)
			assert.Check(t, a.Letter == b.Letter && a.Correct == b.Correct && r.Subject == again.Subject && r.Gold == again.Gold &&
				slices.Equal(r.OptionTexts, again.OptionTexts), "%s is marked %q, then %q, of %q", r.ID, a.Letter, b.Letter, r.Text)
			if a.Correct {
				right++
			}
		}
		assert.Check(t, len(kept.Records) == 500 && right >= 5, "thinking left out %t: %d are right", strip, right)
	}
}

// TestExportsSayWhatTheirHarnessCounts adds up what the files themselves say.
func TestExportsSayWhatTheirHarnessCounts(t *testing.T) {
	run := madeUp(t, journal.Header{})
	samples := export(t, run)
	for _, file := range samples {
		text, err := os.ReadFile(file)
		assert.NilError(t, err)
		assert.Check(t, !bytes.Contains(text, []byte(`\u202`)) && !bytes.Contains(text, []byte(`\u003c`)), "%s", file)
	}
	items, counted := exportedItems(t, samples), 0.0
	for _, it := range items {
		if it.right {
			counted++
		}
	}
	out := opened(t, run)
	right, variance := 0.0, 0.0
	for _, s := range out.Subjects {
		before := right
		for _, it := range s.Items {
			if it.Correct {
				right++
			}
			want := fmt.Sprintf("Which of %d?\nAnd why?", it.ID)
			assert.Assert(t, it.Question == want, "the question of %d is %q", it.ID, it.Question)
		}
		n, share := float64(len(s.Items)), (right-before)/float64(len(s.Items))
		variance += n * share * (1 - share)
	}
	assert.Check(t, counted == right && len(items) == 499 && right >= 5, "%g of %d, %g", counted, len(items), right)
	assert.Check(t, is.DeepEqual(out.Notes, []string{"1 item failed and is left out: they count nowhere",
		"1 item refused to answer and is written as an empty text: a letter in a refusal is not an answer"}))
	folder := filepath.Dir(samples[0])
	found, _ := filepath.Glob(filepath.Join(folder, "results_*.json"))
	assert.Assert(t, len(found) == 1 && filepath.Base(folder) == "org__made up", "results in %s: %v", folder, found)
	text, err := os.ReadFile(found[0])
	assert.NilError(t, err)
	var results struct{ Results map[string]map[string]any }
	assert.NilError(t, json.Unmarshal(text, &results))
	assert.Check(t, is.Len(results.Results, 4))
	all := results.Results["mmlu_pro"]
	assert.Check(t, is.Equal(all["exact_match,custom-extract"], right/499))
	pooled := math.Sqrt(variance / (499 - 3) / 499) // as lm-eval pools subjects
	assert.Check(t, math.Abs(all["exact_match_stderr,custom-extract"].(float64)-pooled) < 1e-12, "%v, want %g", all, pooled)
}

func TestEachSubjectHasAFileOfItsOwn(t *testing.T) {
	run := exportlog.Run{Header: journal.Header{Task: task.All[0].Name, Model: backends.ModelInfo{Name: "m"}}}
	for _, name := range []string{"Math", "a b", "a_b", "math"} {
		run.Subjects = append(run.Subjects, exportlog.Subject{Name: name, Items: []exportlog.Item{{ID: 1, Options: []string{"x"}, Gold: "A"}}})
	}
	folder := filepath.Join(t.TempDir(), "log")
	_, err := run.Write(folder)
	assert.NilError(t, err)
	files, err := filepath.Glob(filepath.Join(folder, "m/samples_*.jsonl"))
	assert.NilError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		names[strings.ToLower(file)] = true
	}
	assert.Check(t, is.Len(names, 4), "%q", files)
}

// TestABinaryRunIsSamplesToo writes the two items of a question, whose log counts by the rules of such items.
func TestABinaryRunIsSamplesToo(t *testing.T) {
	binary := task.All[1].Name
	run := filepath.Join(t.TempDir(), "run")
	header := journal.Header{Task: binary, RuleSet: "binary"}
	header.Model.Name = "m"
	var records []journal.Record
	question := "Is \"Two\" the correct answer to the question: 'Which?'"
	for variant, r := range map[string]journal.Record{"B": {Gold: "A", Text: "the answer is (A)"}, "A": {Gold: "B", Text: "the answer is (A)"}} {
		r.ID, r.QuestionID, r.Variant, r.Subject = binary+"/70/"+variant, 70, variant, "law"
		r.Options, r.OptionsOriginal, r.OptionTexts, r.Finish, r.Attempt = 2, 2, []string{"True", "False"}, backends.FinishStop, 1
		r.Prompt = "Question:\n" + question + "?\nOptions:\nA. True\nB. False\nAnswer: "
		records = append(records, r)
	}
	out := opened(t, journaltest.Keep(t, run, header, records))
	items := out.Subjects[0].Items
	assert.Check(t, len(items) == 2 && items[0].Variant == "A" && !items[0].Correct && items[1].Correct &&
		items[1].Question == question, "%+v", items)
	folder := filepath.Join(t.TempDir(), "log")
	files, err := out.Write(folder)
	assert.Assert(t, err == nil && files == 2, "%v, %v", files, err)
	samples, err := filepath.Glob(filepath.Join(folder, "m/samples_mmlu_pro_binary_law_*.jsonl"))
	assert.Assert(t, err == nil && len(samples) == 1, "%v, %v", samples, err)
	text, err := os.ReadFile(samples[0])
	assert.Check(t, err == nil && strings.Count(string(text), `"options":["True","False"]`) == 2 &&
		strings.Contains(string(text), `"target":"B"`), "%s, %v", text, err)
}

// verdicts are completions that the rule sets for true-or-false items read differently, for a letter and its word.
var verdicts = []string{"So the answer is (%s).", "The answer is (%s). No, the answer is (B).", "So.\nThe answer is (%w).", "No idea.", ""}

// binaryRun is a run of some of the sample's questions of each subject, without one of its first question's items.
func binaryRun(t *testing.T, style string, perSubject, without int) string {
	t.Helper()
	set, err := dataset.Open("sample", dataset.Options{})
	assert.NilError(t, err)
	questions, err := set.Select(dataset.Selection{PerSubject: perSubject})
	assert.NilError(t, err)
	layout, err := prompts.LookupStyle(style)
	assert.NilError(t, err)
	eval := prompts.Eval{Task: task.All[1], Style: layout}
	if layout.ShowsShots() {
		eval.Shots = 2
	}
	items, err := eval.Items(set, questions)
	assert.NilError(t, err)
	header := journal.Header{Task: task.All[1].Name, RuleSet: layout.Rules, Preambles: map[string]string{}}
	header.Style, header.Shots, header.Model.Name, header.PromptMode = style, eval.Shots, "m", "raw"
	header.Dataset = journal.Dataset{Name: "sample", SHA256: "aa", Split: "test"}
	header.Selection = journal.Selection{Items: len(items), Questions: len(questions)}
	random := rand.New(rand.NewPCG(3, 4))
	var records []journal.Record
	for i, it := range items {
		pick := random.IntN(2)
		r := journal.Record{ID: it.ID, QuestionID: it.QuestionID, Subject: it.Subject, Variant: it.Variant, Options: it.Options, Gold: it.Gold,
			OptionsOriginal: it.OptionsOriginal, OptionTexts: it.OptionTexts, Prompt: it.Text, Finish: backends.FinishStop, Attempt: 1}
		r.Text = strings.NewReplacer("%s", "AB"[pick:pick+1], "%w", []string{"correct", "incorrect"}[pick]).Replace(verdicts[random.IntN(len(verdicts))])
		if header.Preambles[it.Subject] = it.Preamble; i != without {
			records = append(records, r)
		}
	}
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "run"), header, records)
}

// imported keeps what import makes of a run's samples.
func imported(t *testing.T, samples []string) string {
	t.Helper()
	log, err := importlog.Read(samples...)
	assert.NilError(t, err)
	again := filepath.Join(t.TempDir(), "again")
	assert.NilError(t, log.Keep(again))
	return again
}

// TestABinaryRunComesBackEqual exports runs, imports them, and holds all figures that rest on answers against one another: as reports have
// them in JSON. Where a subject has one question, its log has whole prompts.
func TestABinaryRunComesBackEqual(t *testing.T) {
	for style, perSubject := range map[string]int{"binary@1": 1, "binary@2": 2, "binary-nvidia@1": 2} {
		run := binaryRun(t, style, perSubject, -1)
		samples := export(t, run)
		again := imported(t, samples)
		var figures [2]map[string]any
		for i, path := range []string{run, again} {
			summary, err := metrics.Open(path, metrics.Options{})
			assert.NilError(t, err)
			text, err := json.Marshal(summary)
			assert.NilError(t, err)
			assert.NilError(t, json.Unmarshal(text, &figures[i]))
			for _, unknown := range []string{"model", "backend", "run", "speed", "warnings", "validity"} { // which a log does not say
				delete(figures[i], unknown)
			}
			delete(figures[i]["headline"].(map[string]any), "covers")
		}
		assert.Check(t, is.DeepEqual(figures[1], figures[0]), style)
		kinds := figures[0]["binary"].(map[string]any)["by_option"].(map[string]any)["kinds"].([]any)
		items, right := exportedItems(t, samples), 0.0
		for _, it := range items {
			if it.right {
				right++
			}
		}
		assert.Check(t, len(items) > 100 && right > 20 && right == figures[0]["correct"] && len(kinds) > 2, "%s: %g right, %v", style, right, kinds)
		compared, err := pairs.Of([]string{run, again}, pairs.Options{})
		assert.NilError(t, err, style)
		pair := compared.Pairs[0]
		assert.Check(t, pair.Items == len(items) && pair.RightToWrong+pair.WrongToRight == 0 && pair.LeftOut == 0, "%s: %+v", style, pair)
	}
}

// TestAnItemThatIsLeftOutLeavesTheOthersTheirOptions has runs without each of their first question's items in turn.
func TestAnItemThatIsLeftOutLeavesTheOthersTheirOptions(t *testing.T) {
	for without := range 10 {
		run := binaryRun(t, "binary@2", 1, without)
		before, err := journaltest.Load(run)
		assert.NilError(t, err)
		after, err := journaltest.Load(imported(t, export(t, run)))
		assert.NilError(t, err)
		assert.Assert(t, is.Len(after.Records, len(before.Records)))
		for i, r := range after.Records {
			was := before.Records[i]
			assert.Check(t, r.ID == was.ID && r.Gold == was.Gold && r.OptionsOriginal == was.OptionsOriginal, "%+v, was %+v", r, was)
		}
	}
}

// TestTheQuestionIsToldFromTheRestOfAPrompt renders questions in every built-in style, and takes them out of it again.
func TestTheQuestionIsToldFromTheRestOfAPrompt(t *testing.T) {
	set, err := dataset.Open("sample", dataset.Options{})
	assert.NilError(t, err)
	questions := map[int]string{}
	for _, q := range set.Test {
		questions[q.ID] = strings.TrimSpace(q.Text)
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
		assert.NilError(t, err)
		run := filepath.Join(t.TempDir(), "run")
		header := journal.Header{Task: task.All[0].Name, RuleSet: "tiger", Preambles: map[string]string{}}
		var records []journal.Record
		for _, item := range items {
			header.Preambles[item.Subject] = item.Preamble
			records = append(records, journal.Record{ID: item.ID, QuestionID: item.QuestionID, Subject: item.Subject, Options: item.Options,
				Gold: item.Gold, OptionTexts: item.OptionTexts, Prompt: item.Text, Finish: backends.FinishStop, Attempt: 1})
		}
		out := opened(t, journaltest.Keep(t, run, header, records))
		for _, s := range out.Subjects {
			for _, it := range s.Items {
				assert.Assert(t, it.Question == questions[it.ID], "%s: %d, %q, %q", style.Name, it.ID, it.Question, questions[it.ID])
			}
		}
		assert.Check(t, len(out.Notes) == 0 && out.Items() == len(set.Test), "%s: %d, %v", style.Name, out.Items(), out.Notes)
	}
	assert.Check(t, styles >= 5, "%d styles", styles)
}

func TestOtherTasksAreRefused(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	journaltest.Keep(t, run, journal.Header{Task: task.All[2].Name, RuleSet: "lm-eval"}, nil)
	_, err := exportlog.Open(run, marks)
	errortest.Says(t, err, run, "is of task mmlu_pro_circular", "of mmlu_pro and mmlu_pro_binary")
}

// TestAFileOfScoresNamesTheSamplesBesideIt gives import the results of a log, and the report of one of evalscope's, which have no items.
func TestAFileOfScoresNamesTheSamplesBesideIt(t *testing.T) {
	samples := export(t, madeUp(t, journal.Header{}))
	results, _ := filepath.Glob(filepath.Join(filepath.Dir(samples[0]), "results_*.json"))
	folder := t.TempDir()
	report, review := filepath.Join(folder, "reports", "m", "mmlu_pro.json"), filepath.Join(folder, "reviews", "m", "mmlu_pro_law.jsonl")
	for path, text := range map[string]string{report: `{"dataset_name": "mmlu_pro", "metrics": []}`, review: "{}"} {
		assert.NilError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	for _, log := range []struct{ scores, samples string }{{results[0], samples[0]}, {report, review}} {
		_, err := importlog.Read(log.scores)
		errortest.Says(t, err, "with scores alone")
		_, folder, _ := strings.Cut(err.Error(), "proctor import ")
		folder = strings.Trim(folder, "'")
		assert.Check(t, folder == filepath.Dir(log.samples), "%s is not the folder of %q", folder, log.samples)
	}
}

// TestPublishedCodeReadsTheSameAnswers exports 500 made items, and has lm-eval's own function find the answers in them.
func TestPublishedCodeReadsTheSameAnswers(t *testing.T) {
	folder := os.Getenv("PROCTOR_PUBLISHED")
	if folder == "" {
		t.Skip("set PROCTOR_PUBLISHED to a folder with a checkout of lm-evaluation-harness to hold exports against its code")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	checkout := filepath.Join(folder, "lm-evaluation-harness")
	if _, err := os.Stat(checkout); err != nil {
		t.Skip(err)
	}
	for _, strip := range []bool{false, true} {
		all := exportedItems(t, export(t, madeUp(t, journal.Header{Strip: strip})))
		theirs := publishedLetters(t, python, checkout, all)
		assert.Check(t, is.Len(all, 499))
		for i, it := range all {
			assert.Check(t, it.right == (theirs[i] == it.gold) && (it.letter == "" || theirs[i] == it.letter), "%+v, theirs %q", it, theirs[i])
		}
	}
}

// An exportedItem is a completion, and what its log says of it.
type exportedItem struct {
	Text         string `json:"text"`
	gold, letter string
	right        bool
}

// exportedItems reads the items of a log.
func exportedItems(t *testing.T, files []string) (all []exportedItem) {
	t.Helper()
	for _, file := range files {
		content, err := os.ReadFile(file)
		assert.NilError(t, err)
		for dec := json.NewDecoder(bytes.NewReader(content)); dec.More(); {
			var e struct {
				Target   string
				Resps    [][]string
				Filtered []string `json:"filtered_resps"`
				Match    float64  `json:"exact_match"`
			}
			assert.NilError(t, dec.Decode(&e), "%s", file)
			all = append(all, exportedItem{e.Resps[0][0], e.Target, strings.TrimPrefix(e.Filtered[0], "[invalid]"), e.Match == 1})
		}
	}
	return all
}

// publishedLetters are what lm-eval's own code finds, empty where that is nothing.
func publishedLetters(t *testing.T, python, checkout string, all []exportedItem) []string {
	t.Helper()
	var input bytes.Buffer
	for _, it := range all {
		assert.NilError(t, json.NewEncoder(&input).Encode(it))
	}
	command := exec.Command(python, filepath.Join("testdata", "published.py"), checkout)
	command.Stdin, command.Stderr = &input, os.Stderr
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	out, err := command.Output()
	assert.NilError(t, err)
	var letters []string
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		var letter *string
		assert.NilError(t, json.Unmarshal(scan.Bytes(), &letter), "%q", scan.Text())
		if letter == nil {
			letter = new(string)
		}
		letters = append(letters, *letter)
	}
	assert.Assert(t, len(letters) == len(all), "%d answers of %d items", len(letters), len(all))
	return letters
}
