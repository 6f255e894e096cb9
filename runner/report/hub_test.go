package report

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/again"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/validity"
	"proctor/scripts/tests/errortest"
)

// runOf keeps a run of count questions of the published set, 45 % of them right, changed by change.
func runOf(t *testing.T, count int, change func(*journal.Header)) (run string) {
	t.Helper()
	h, records := journaltest.MCQ(count, func(q, options int, gold string) journaltest.Answer {
		if q%20 < 9 {
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1 + q%2) % options)}
	})
	h.Selection.Limit = 0
	h.Dataset.Name, h.Dataset.Published, h.Dataset.Rows, h.Dataset.Subjects = "mmlu-pro", task.Published, task.PublishedQuestions(), 3
	change(&h)
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "run"), h, records)
}

// huggingface_hub 2.4.0 reads the file (parse_eval_result_entries) and writes its entry back (eval_result_entries_to_yaml) unchanged.
func TestTheHubGetsTheScoreOfTheWholeSet(t *testing.T) {
	assert.Equal(t, task.PublishedQuestions(), 12032)
	whole, err := metrics.Open(runOf(t, 12032, func(*journal.Header) {}), metrics.Options{})
	assert.NilError(t, err)
	entry, err := forHub(whole)
	assert.NilError(t, err)
	assert.Equal(t, entry, `- dataset:
    id: TIGER-Lab/MMLU-Pro
    task_id: mmlu_pro
  value: 45.03
  date: "2026-11-12"
  notes: 5,418 of 12,032, 95 % interval 44.14–45.92 %; guessing 24.40 % (nominal 14.29 %); `+
		`asked with tiger@1, 5 shots, raw prompt, greedy; marked by tiger; tiny Q4_K_M, proctor 1.2.3
`)
	refusesLess(t, whole)
}

// refusesLess checks that everything a score lacks has a line in the refusal.
func refusesLess(t *testing.T, whole *metrics.Summary) {
	t.Helper()
	for name, c := range map[string]struct {
		change func(*metrics.Summary)
		want   []string
	}{
		"nothing":           {func(*metrics.Summary) {}, nil},
		"other shots":       {func(s *metrics.Summary) { s.Run.Shots = 0 }, []string{"--shots 5, not 0 shots"}},
		"another prompt":    {func(s *metrics.Summary) { s.Run.Style = "lm-eval@1" }, []string{"--style tiger@1, not lm-eval@1"}},
		"a style of a file": {func(s *metrics.Summary) { s.Run.StyleSHA256 = "ab" }, []string{"--style tiger@1, not tiger@1, a file"}},
		"an imported log": {func(s *metrics.Summary) { s.Run.Style = "tiger" },
			[]string{"a run of proctor's own, not the log of another harness"}},
		"a system text": {func(s *metrics.Summary) { s.Run.System = "Think." }, []string{"that the authors' prompt does not have (--system)"}},
		"other questions": {func(s *metrics.Summary) { s.Run.Dataset.Published, s.Run.Dataset.Name = "", "mine" },
			[]string{"the questions of TIGER-Lab/MMLU-Pro (`proctor data pull`), not mine"}},
		"another task": {func(s *metrics.Summary) { s.Task = "mmlu_pro_direct" }, []string{"--tasks mmlu_pro, not mmlu_pro_direct"}},
		"a draw": {func(s *metrics.Summary) { s.Items, s.Questions = 1400, 1400 },
			[]string{"all 12,032 questions, each with a completion, not 1,400"}},
		"a question that failed": {func(s *metrics.Summary) { s.Errors = 1 }, []string{"not 12,031"}},
		"a question not asked":   {func(s *metrics.Summary) { s.Completeness.Complete = false }, []string{"all 12,032 questions"}},
		"repeats":                {func(s *metrics.Summary) { s.Run.Repeats = 4 }, []string{"one completion a question, not 4 (--repeats)"}},
		"several budgets":        {func(s *metrics.Summary) { s.Run.Budgets = []int{0, 512} }, []string{"one budget of thinking, not 2"}},
		"answers drawn again": {func(s *metrics.Summary) { s.Run.Sampling.Temperature, s.AskedAgain = 0.7, new(again.Figures) },
			[]string{"no question drawn again: its first answer counts (--again)"}},
		"greedy answers with more room": {func(s *metrics.Summary) { s.AskedAgain = new(again.Figures) }, nil},
		"rules of a file": {func(s *metrics.Summary) { s.RulesSHA256 = "ab" },
			[]string{"--rules tiger, not tiger, a file"}},
		"no valid score": {func(s *metrics.Summary) {
			s.Validity = validity.Result{Reasons: []validity.Reason{{Text: "it is A", Remedy: "look"}, {Text: "it is cut"}}}
		}, []string{"a valid score: it is A; look"}},
		"a journal that was changed": {func(s *metrics.Summary) { s.Marked = &results.Run{Warnings: []string{"the fingerprint is another"}} },
			[]string{"a journal as it was written: the fingerprint is another"}},
		"nearly everything": {func(s *metrics.Summary) { s.Run.Shots, s.Run.Style, s.Items, s.Run.Repeats = 0, "mine@1", 168, 2 },
			[]string{"all 12,032", "one completion", "--shots 5", "--style tiger@1, not mine@1"}},
	} {
		changed := *whole
		c.change(&changed)
		lacks := document{Summary: &changed}.lacksForHub()
		assert.Check(t, slices.EqualFunc(lacks, c.want, strings.Contains), "%s: %q, want %q", name, lacks, c.want)
	}
}

func TestARunOfLessThanTheSetIsRefused(t *testing.T) {
	s, err := metrics.Open(runOf(t, 168, func(h *journal.Header) { h.Shots, h.RuleSet = 0, "agi-evals" }),
		metrics.Options{})
	assert.NilError(t, err)
	entry, err := forHub(s)
	errortest.Says(t, err, "run is no score that the Hub shows for TIGER-Lab/MMLU-Pro; that takes\n  all 12,032 "+
		"questions, ", ", not 168\n  --shots 5", "\n  --rules tiger, not agi-evals")
	assert.Equal(t, entry, "")
}

func forHub(s *metrics.Summary) (string, error) {
	var text strings.Builder
	err := writeForHub(&text, s)
	return text.String(), err
}
