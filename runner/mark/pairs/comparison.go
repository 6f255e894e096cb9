package pairs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
	"proctor/runner/mark/validity"
)

// DefaultMargin is the usual tolerated loss of accuracy: one percentage point.
const DefaultMargin = 0.01

// Options set how runs are compared. The zero value is the default.
type Options struct {
	RuleSet    string            // marks all runs; empty for their own
	Confidence float64           // of intervals; 0 for 0.95
	Margin     float64           // a share: how much worse still counts as not worse; 0 for 0.01
	Force      bool              // compare incomparable runs, with a warning
	Score      *divergence.Score // of the runs' models; nil for none

	Names   []string // of the runs; empty: derived from their differences
	Without []string // ids of questions of the first run: what the scores and the changes are without them
}

func (o Options) withDefaults() (Options, error) {
	if o.Confidence == 0 {
		o.Confidence = stats.DefaultConfidence
	}
	if o.Margin == 0 {
		o.Margin = DefaultMargin
	}
	if !(o.Margin > 0 && o.Margin < 1) {
		return o, fmt.Errorf("a margin of %s is not between 0pp and 100pp; 1pp is usual", format.TypedPoints(o.Margin))
	}
	return o, nil
}

// A Comparison compares several runs of the same questions.
type Comparison struct {
	Task       string   `json:"task"`
	Confidence float64  `json:"confidence"`
	Margin     float64  `json:"margin"`
	Runs       []Run    `json:"runs"`               // in the order given
	Pairs      []Pair   `json:"pairs"`              // each run but the first against the first
	Tied       []string `json:"tied,omitempty"`     // of several: the runs that are not shown to be worse than the best
	Best       string   `json:"best,omitempty"`     // of several: the run with the highest score
	Decision   Decision `json:"decision,omitempty"` // of two runs
	Verdict    string   `json:"verdict"`            // a plain sentence: the first pair's, or about all
	Warnings   []string `json:"warnings,omitempty"`

	// OtherWork says why the runs' speeds are not compared: their items or forms differ.
	OtherWork string `json:"speed_not_compared,omitempty"`
}

// A Run is one of the compared runs.
type Run struct {
	Name     string             `json:"name"` // unique among the runs
	Path     string             `json:"run"`
	Model    backends.ModelInfo `json:"model"`
	RuleSet  string             `json:"rule_set"`
	Items    int                `json:"items"`
	Errors   int                `json:"errors"`
	Validity validity.Result    `json:"validity"`
	Headline metrics.Headline   `json:"headline"`
	Without  *metrics.Rest      `json:"without,omitempty"` // the score without questions that were left out
	Answered int                `json:"answered"`
	Speed    timing.Speed       `json:"speed"`                  // of all that it did
	Front    bool               `json:"pareto_front,omitempty"` // no other run beats it both in score and in questions a minute
	Length   Length             `json:"length"`
	// QuestionsPerMinute is over the items that all the compared runs answered. Undefined where speeds are not compared.
	QuestionsPerMinute stats.Number `json:"compared_questions_per_minute,omitzero"`
	// Repeats say how much a run differs from itself (an A/A test): a difference between runs that is no larger says nothing of the
	// models.
	Repeats *metrics.Repeats `json:"repeats,omitempty"`
	// Warnings are those of the run's own report that affect a comparison: whether it is complete, what failed.
	Warnings []string `json:"warnings,omitempty"`

	Marked  *results.Run `json:"-"`
	matched bool         // its items have the ids of the first run's, by their texts: see match
}

// Of compares runs, given as their folders or journals, with the first.
func Of(runs []string, o Options) (*Comparison, error) {
	sides, o, err := Open(runs, o)
	if err != nil {
		return nil, err
	}
	return comparison(sides, o)
}

// Open opens runs to compare, gives them unique names and equal ids for equal questions, and completes the options.
func Open(runs []string, o Options) ([]Run, Options, error) {
	if len(runs) < 2 {
		return nil, o, errors.New("it takes two runs or more")
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, o, err
	}
	var sides []Run
	for _, path := range runs {
		run, err := OpenRun(path, o)
		if err == nil && len(sides) > 0 {
			err = run.match(&sides[0])
		}
		if err != nil {
			return nil, o, err
		}
		run.Without, err = metrics.RestOf(run.Marked, metrics.Options{Confidence: o.Confidence, Without: o.Without})
		if err != nil {
			return nil, o, fmt.Errorf("%s: %w", path, err)
		}
		sides = append(sides, run)
	}
	NameApart(sides)
	return sides, o, nil
}

// OpenRun opens a run, given as its folder or its journal; its Name is not set.
func OpenRun(path string, o Options) (Run, error) {
	m, err := metrics.Open(path, metrics.Options{RuleSet: o.RuleSet, Confidence: o.Confidence})
	if err != nil {
		return Run{}, err
	}
	return RunOf(m), nil
}

// RunOf is a run that was opened, by its figures.
func RunOf(m *metrics.Summary) Run {
	return Run{
		Path: m.Path, Model: m.Model, RuleSet: m.RuleSet, Items: m.Items, Errors: m.Errors, Validity: m.Validity, Headline: m.Headline,
		Without: m.Without, Answered: m.Answered, Speed: m.Speed, Marked: m.Marked,
		Warnings: slices.Concat(m.About(metrics.AboutRun), m.About(metrics.AboutFailures)), Length: lengthOf(m.Marked), Repeats: m.Repeats,
	}
}

// comparison sets runs against the first of them.
func comparison(runs []Run, o Options) (*Comparison, error) {
	for i, name := range o.Names {
		runs[i].Name = name
	}
	first := runs[0]
	c := &Comparison{Task: first.Marked.Header.Task, Confidence: o.Confidence, Margin: o.Margin, Runs: runs}
	for _, other := range runs[1:] {
		warnings, err := Check(&first, &other, o.Force)
		if err != nil {
			return nil, err
		}
		pair, err := pairOf(&first, &other, len(runs)-1, o)
		if err != nil {
			return nil, err
		}
		pair.Warnings = append(warnings, pair.Warnings...)
		if first.Without != nil {
			if pair.Without, err = restOf(first, other, len(runs)-1, o); err != nil {
				return nil, err
			}
		}
		c.Pairs = append(c.Pairs, pair)
	}
	c.Warnings = Cautions(runs)
	if text, shared := c.Together(); !shared {
		c.Warnings = append(c.Warnings, text)
	}
	c.compareSpeeds()
	c.adjust()
	c.tie(o)
	c.front()
	return c, nil
}

// Invalid names the runs without a valid score, and why; empty where there are none.
func (c *Comparison) Invalid() string {
	reasons := perRun(c.Runs, func(r Run) []string {
		if r.Validity.Valid {
			return nil
		}
		return []string{r.Validity.Reasons[0].String()}
	})
	if len(reasons) == 0 {
		return ""
	}
	return "Not a valid score: " + strings.Join(reasons, "; ")
}

// FellBack lists the fallback types of tensors that can't have their model's quantisation.
func (c *Comparison) FellBack() []string {
	return perRun(c.Runs, func(r Run) []string { return []string{r.Model.FellBack} })
}

// Cautions are the runs' warnings.
func Cautions(runs []Run) []string { return perRun(runs, func(r Run) []string { return r.Warnings }) }

// perRun lists texts on each run, with its name, or once where they are the same for all.
func perRun(runs []Run, texts func(Run) []string) []string {
	var all []string
	for i, run := range runs {
		for _, text := range texts(run) {
			switch {
			case text == "":
			case slices.ContainsFunc(runs, func(r Run) bool { return !slices.Contains(texts(r), text) }):
				all = append(all, run.Name+": "+text)
			case i == 0:
				all = append(all, "all runs: "+text)
			}
		}
	}
	return all
}

// NameApart gives runs unique names: quantisations of one model, models with their quantisations, or paths.
func NameApart(runs []Run) {
	namings := []func(Run) string{
		func(r Run) string { return r.Model.Quantization },
		func(r Run) string { return r.Model.Title() },
		func(r Run) string { return r.Path },
	}
	if len(runs) == 1 || slices.ContainsFunc(runs, func(r Run) bool { return r.Model.Name != runs[0].Model.Name }) {
		namings = namings[1:]
	}
	names, apart := Apart(runs, namings...)
	for i, name := range names {
		if runs[i].Name = name; !apart { // one run given twice
			runs[i].Name = fmt.Sprintf("%s (%d)", name, i+1)
		}
	}
}

// Apart names things by the first of the namings that makes them unique, else by the last.
func Apart[T any](things []T, namings ...func(T) string) (names []string, apart bool) {
	for _, naming := range namings {
		names = nil
		seen := map[string]bool{}
		for _, thing := range things {
			names = append(names, naming(thing))
			seen[naming(thing)] = true
		}
		if len(seen) == len(things) && !seen[""] {
			return names, true
		}
	}
	return names, false
}
