// Package combine takes figures together: of several tasks of one model, and of subjects, by the four groups that MMLU-Pro's are usually
// told by and by groups that people name.
//
//	--group ─ ParseGroup ─ Resolve ─ Shown ─▶ Groups ─ Measurer ─▶ Figures
//
// Neighbours: runner/mark/metrics makes the figures of each; runner/report and its table lay them out.
package combine

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"

	"proctor/backends"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/validity"
)

// Name stands where a report of one task has that task's name.
const Name = "combined"

// Combined is a model's score over several tasks.
type Combined struct {
	Task   string             `json:"task"` // [Name]
	Tasks  []Part             `json:"tasks"`
	Model  backends.ModelInfo `json:"model"`
	Score  stats.Number       `json:"score,omitzero"`  // the macro value
	Macro  *Total             `json:"macro,omitempty"` // mean of the tasks' headlines, each counting the same; of one measure only
	Pooled *Total             `json:"pooled,omitempty"`
	Shared bool               `json:"shared_questions"` // some tasks may ask the same questions: intervals add up instead of averaging out
}

// A Part is one of the tasks with its headline.
type Part struct {
	Run      string           `json:"run,omitempty"` // the name of its folder
	Task     string           `json:"task"`
	Pattern  string           `json:"pattern,omitempty"`
	Data     string           `json:"data"`
	Subjects []string         `json:"subjects,omitempty"` // where the run named them
	Validity validity.Result  `json:"validity"`
	Headline metrics.Headline `json:"headline"`

	Published bool `json:"published,omitempty"` // the questions are the published ones
}

// A Total is a value over tasks. Pooled, it is the share of all tasks' items that are right.
type Total struct {
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"` // what guessing scores, taken together alike
	Items    int            `json:"items,omitempty"`
}

// Of combines the reports of one model, nil where there are fewer than two, or they are of several models. The mean of the tasks is
// there where all are measured alike: an accuracy and a balanced accuracy have none. The pooled accuracy is there where all are of
// one task, and no question is in two of them.
//
// Intervals are made of the tasks' own by square-and-add of their distances from the values (MOVER: Zou and Donner 2008,
// Statist. Med. 27:1693), or, where tasks may share questions, whose errors then go together, by adding the distances up.
func Of(reports []*metrics.Summary) *Combined {
	other := func(r *metrics.Summary) bool { return !reflect.DeepEqual(r.Model, reports[0].Model) }
	if len(reports) < 2 || slices.ContainsFunc(reports, other) {
		return nil
	}
	c := &Combined{Task: Name, Model: reports[0].Model}
	n, items := float64(len(reports)), 0
	seen := map[string]bool{}
	sameMeasure, pool := true, true
	var headlines, accuracies []weighted
	for _, r := range reports {
		c.Tasks = append(c.Tasks, partOf(r))
		sameMeasure = sameMeasure && r.Headline.Name == reports[0].Headline.Name
		for _, subject := range r.Subjects {
			c.Shared = c.Shared || seen[subject.Subject]
		}
		for _, subject := range r.Subjects {
			seen[subject.Subject] = true
		}
		headlines = append(headlines, weighted{1 / n, Total{Value: r.Headline.Value, CI: r.Headline.CI, Baseline: r.Headline.Baseline}})
		accuracies = append(accuracies, weighted{float64(r.Scored()), Total{Value: r.Accuracy, CI: r.CI, Baseline: r.Baseline.Expected}})
		items += r.Scored()
		pool = pool && r.Task == reports[0].Task && r.Pattern == reports[0].Pattern
	}
	if sameMeasure {
		macro := sum{of: "tasks'", shared: c.Shared}.together(headlines)
		c.Macro, c.Score = &macro, macro.Value
	}
	if pool && !c.Shared && items > 0 {
		for i := range accuracies {
			accuracies[i].weight /= float64(items)
		}
		pooled := sum{of: "tasks'"}.together(accuracies)
		pooled.Items = items
		c.Pooled = &pooled
	}
	return c
}

func partOf(r *metrics.Summary) Part {
	p := Part{
		Task: r.Task, Pattern: r.Pattern, Data: r.Run.Dataset.Name, Subjects: r.Run.Selection.Subjects,
		Validity: r.Validity, Headline: r.Headline,
		Published: r.Run.Dataset.PublishedAs() != "",
	}
	if r.Path != "" {
		p.Run = filepath.Base(r.Path)
	}
	return p
}

// A weighted value counts for a share of the whole.
type weighted struct {
	weight float64
	Total
}

// A sum says how weighted values are added up.
type sum struct {
	of     string  // what they are of, in the plural's possessive, as in: tasks'
	shared bool    // their errors may go together
	floor  float64 // below which no value can be; none is above 1
}

// together is the weighted sum, undefined where one of the values is. It has an interval where all have one: by square-and-add of
// their distances from the values, or, where errors may go together, by adding the distances up.
func (s sum) together(parts []weighted) Total {
	value, baseline, low, high := 0.0, 0.0, 0.0, 0.0
	confidence, whole := 0.0, true
	for _, p := range parts {
		x := p.Value.Or(math.NaN())
		value += p.weight * x
		baseline += p.weight * p.Baseline.Or(math.NaN())
		down, up := p.weight*(x-p.CI.Low), p.weight*(p.CI.High-x)
		if !s.shared {
			down, up = down*down, up*up
		}
		low, high = low+down, high+up
		confidence, whole = p.CI.Confidence, whole && !p.CI.IsZero()
	}
	method := "sum of the " + s.of + " intervals"
	if !s.shared {
		low, high = math.Sqrt(low), math.Sqrt(high)
		method = "square-and-add of the " + s.of + " intervals"
	}
	f := Total{Value: stats.Of(value), Baseline: stats.Of(baseline)}
	if whole && f.Value.Defined() {
		f.CI = stats.Interval{Low: max(s.floor, value-low), High: min(1, value+high), Confidence: confidence, Method: method}
	}
	return f
}
