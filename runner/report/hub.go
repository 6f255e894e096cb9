package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/journal/output"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// Published scores of MMLU-Pro follow its authors: all questions, their prompt, five shots, and their rules.
const (
	authorsShots = 5
	authorsRules = "tiger"
)

// hubFolder is the folder of a model's repository in which the Hub looks for results: it reads the YAML files and nothing else.
const hubFolder = ".eval_results"

// A hubResult is an entry of such a file.
type hubResult struct {
	Dataset struct {
		ID   string `yaml:"id"`
		Task string `yaml:"task_id"`
	} `yaml:"dataset"`
	Value  float64           `yaml:"value"` // in per cent
	Date   string            `yaml:"date"`
	Source map[string]string `yaml:"source,omitempty"` // url and name
	Notes  string            `yaml:"notes"`
}

// WriteForHub writes a run's score into the folder of a model's repository: as the file that the Hub reads, and as a section for the
// model's card. source is the run's address, or empty. It replaces no file, and refuses a score that the Hub would not show.
func WriteForHub(folder, run, source string) (result, section string, err error) {
	s, err := openForHub(run)
	if err != nil {
		return "", "", err
	}
	r := document{Summary: s} // without footnotes
	if lacks := r.lacksForHub(); len(lacks) > 0 {
		return "", "", fmt.Errorf("%s is no score that the Hub shows for %s; that takes\n  %s", run, task.Published,
			strings.Join(lacks, "\n  "))
	}
	place := filepath.Join(folder, hubFolder, task.All[0].Name)
	result, section = place+".yaml", place+".md"
	var text bytes.Buffer
	entry, err := yaml.Marshal([]hubResult{r.hubResult(source)})
	if err = errors.Join(err, r.hubSection().Markdown(&text)); err == nil {
		err = output.WriteNew([]string{result, section}, [][]byte{entry, text.Bytes()})
	}
	return result, section, err
}

// openForHub marks a run by the authors' rules, if its task has these.
func openForHub(run string) (*metrics.Summary, error) {
	s, err := metrics.Open(run, metrics.Options{})
	if err != nil || s.Task != task.All[0].Name || s.RuleSet == authorsRules {
		return s, err
	}
	return metrics.Open(run, metrics.Options{RuleSet: authorsRules})
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
	need(r.Run.Dataset.PublishedAs() == task.Published, "the questions of %s (`proctor data pull`), not %s", task.Published, r.Run.Dataset.Name)
	need(r.Completeness.Complete && r.Scored() == whole, "all %s questions, each with a completion, not %s", format.Count(whole),
		format.Count(r.Scored()))
	need(r.Run.Repeats <= 1, "one completion a question, not %d (%s)", r.Run.Repeats, setting.Repeats)
	need(len(r.Run.Budgets) <= 1, "one budget of thinking, not %d", len(r.Run.Budgets))
	need(r.AskedAgain == nil || r.Run.Sampling.Temperature == 0, "no question drawn again: its first answer counts (%s)", setting.Again)
	need(r.Run.Shots == authorsShots, "%s, not %s", setting.Shots.As(strconv.Itoa(authorsShots)), shots(r.Run.Shots))
	need(versioned, "a run of proctor's own, not the log of another harness")
	need(r.Run.Style == t.Style && r.Run.StyleSHA256 == "" || !versioned, "%s, not %s", setting.Style.As(t.Style),
		r.Run.Style+when(r.Run.StyleSHA256 != "", ", a file"))
	need(r.Run.System == "", "no text of the system's that the authors' prompt does not have (%s)", setting.System)
	need(r.RulesSHA256 == "", "marks by the rule set %s, not by a file of that name", authorsRules)
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

// hubNotes say what the figure depends on, for which the Hub has no fields.
func (r document) hubNotes() []string {
	return []string{r.askedWith(), r.Model.Title() + ", proctor " + r.Run.ToolVersion}
}

// hubFacts are the figure and its context.
func (r document) hubFacts() (facts page.Facts) {
	r.addAccuracy(&facts)
	return facts
}

func (r document) hubResult(source string) (e hubResult) {
	e.Dataset.ID, e.Dataset.Task = task.Published, task.All[0].Name
	e.Value = math.Round(r.Accuracy.Or(0)*1e4) / 1e2
	e.Date = r.Run.Created.UTC().Format(time.DateOnly)
	e.Notes = strings.Join(append([]string{r.hubFacts()[0].Detail}, r.hubNotes()...), "; ")
	if source != "" {
		e.Source = map[string]string{"url": source, "name": "proctor"}
	}
	return e
}

// hubSection is the same as a section of a model's card.
func (r document) hubSection() page.Page {
	return page.Page{Sections: []page.Section{{Title: task.All[0].Title(r.Run.Dataset.Title()), Facts: r.hubFacts(), Notes: r.hubNotes()}}}
}
