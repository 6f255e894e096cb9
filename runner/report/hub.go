package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// Published scores of MMLU-Pro follow its authors: all questions, their prompt, five shots, and their rules.
const (
	authorsShots = 5
	authorsRules = "tiger"
)

// A hubResult is an entry of the file .eval_results/mmlu_pro.yaml in a model's repository, which the Hub reads.
type hubResult struct {
	Dataset struct {
		ID   string `yaml:"id"`
		Task string `yaml:"task_id"`
	} `yaml:"dataset"`
	Value float64 `yaml:"value"` // in per cent
	Date  string  `yaml:"date"`
	Notes string  `yaml:"notes"`
}

// writeForHub writes the run's score as the file that the Hub reads. It refuses a score that the Hub would not show.
func writeForHub(w io.Writer, s *metrics.Summary) error {
	r := document{Summary: s} // without footnotes
	if lacks := r.lacksForHub(); len(lacks) > 0 {
		return fmt.Errorf("%s is no score that the Hub shows for %s; that takes\n  %s", s.Path, task.Published,
			strings.Join(lacks, "\n  "))
	}
	var facts page.Facts
	r.addAccuracy(&facts)
	var e hubResult
	e.Dataset.ID, e.Dataset.Task = task.Published, task.All[0].Name
	e.Value = math.Round(r.Accuracy.Or(0)*1e4) / 1e2
	e.Date = r.Run.Created.UTC().Format(time.DateOnly)
	e.Notes = strings.Join([]string{facts[0].Detail, r.askedWith(), r.Model.Title() + ", proctor " + r.Run.ToolVersion},
		"; ")
	entry, err := yaml.Marshal([]hubResult{e})
	if err == nil {
		_, err = w.Write(entry)
	}
	return err
}

// lacksForHub lists what the run lacks for a score that the Hub shows, in people's words.
func (r document) lacksForHub() (lacks []string) {
	need := func(holds bool, what string, args ...any) {
		if !holds {
			lacks = append(lacks, fmt.Sprintf(what, args...))
		}
	}
	t, whole := task.All[0], task.PublishedQuestions()
	versioned := strings.Contains(r.Run.Style, "@")
	need(r.Task == t.Name, "%s, not %s", setting.Tasks.As(t.Name), r.Task)
	need(r.Run.Dataset.Published == task.Published, "the questions of %s (`proctor data pull`), not %s", task.Published,
		r.Run.Dataset.Name)
	need(r.Completeness.Complete && r.Scored() == whole, "all %s questions, each with a completion, not %s", format.Count(whole),
		format.Count(r.Scored()))
	need(r.Run.Repeats <= 1, "one completion a question, not %d (%s)", r.Run.Repeats, setting.Repeats)
	need(len(r.Run.Budgets) <= 1, "one budget of thinking, not %d", len(r.Run.Budgets))
	need(r.AskedAgain == nil || r.Run.Greedy(), "no question drawn again: its first answer counts (%s)", setting.Again)
	need(r.Run.Shots == authorsShots, "%s, not %s", setting.Shots.As(strconv.Itoa(authorsShots)), shots(r.Run.Shots))
	need(versioned, "a run of proctor's own, not the log of another harness")
	need(r.Run.Style == t.Style && r.Run.StyleSHA256 == "" || !versioned, "%s, not %s", setting.Style.As(t.Style),
		r.Run.Style+when(r.Run.StyleSHA256 != "", ", a file"))
	need(r.Run.System == "", "no text of the system's that the authors' prompt does not have (%s)", setting.System)
	need(r.RuleSet == authorsRules && r.RulesSHA256 == "", "%s, not %s", setting.Rules.As(authorsRules),
		r.RuleSet+when(r.RulesSHA256 != "", ", a file"))
	if !r.Validity.Valid {
		need(false, "a valid score: %s", r.Validity.Reasons[0])
	}
	for _, warning := range r.Marked.Warnings {
		need(false, "a journal as it was written: %s", warning)
	}
	return lacks
}

// askedWith says how the questions were put and their answers marked.
func (r document) askedWith() string {
	return "asked with " + joined(append(r.prompt(), r.sampling())) + "; marked by " + r.markedBy()
}
