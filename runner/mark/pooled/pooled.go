package pooled

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// Name stands where a comparison of one task has that task's name.
const Name = "pooled"

// Pooled is what runs of several tasks say of each other together.
type Pooled struct {
	Task       string   `json:"task"` // [Name]
	Confidence float64  `json:"confidence"`
	Margin     float64  `json:"margin"`
	Pairs      []Pair   `json:"pairs"`              // each run but the first against the first
	Combined   bool     `json:"one_score"`          // the tasks are measured alike, so that their mean is a score
	Sets       int      `json:"sets"`               // of questions, independent of each other
	Warnings   []string `json:"warnings,omitempty"` // of the tasks' comparisons
}

// A Pair is run B against run A in the mean of the tasks.
type Pair struct {
	A          string         `json:"a"`
	B          string         `json:"b"`
	Questions  int            `json:"questions"`        // each counted once
	Shared     int            `json:"shared_questions"` // of several tasks
	ValueA     stats.Number   `json:"value_a,omitzero"` // where the tasks are measured alike
	ValueB     stats.Number   `json:"value_b,omitzero"`
	Difference stats.Number   `json:"difference,omitzero"` // B − A
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	PValue     stats.Number   `json:"p_value,omitzero"`                            // two-sided, of no difference
	PAdjusted  stats.Number   `json:"p_adjusted,omitzero"`                         // of several runs: Bonferroni over the pairs
	Apart      stats.Number   `json:"difference_se_of_independent_tasks,omitzero"` // what the error would be if tasks shared no question

	NonInferior *bool          `json:"non_inferior,omitempty"` // B is not worse than A by more than the margin
	Decision    pairs.Decision `json:"decision,omitempty"`     // empty where a task's is none for a pool
	Verdict     string         `json:"verdict"`
	Tasks       []Part         `json:"tasks"`
	Clearest    string         `json:"clearest,omitempty"` // the task with the most signal over noise
}

// A Part is one task's share in it.
type Part struct {
	Name       string         `json:"name"`
	Run        string         `json:"run"` // the folder of A's
	Task       string         `json:"task"`
	Pattern    string         `json:"pattern,omitempty"`
	Data       string         `json:"data"`
	Measure    string         `json:"measure"`
	Questions  int            `json:"questions"`
	Weight     float64        `json:"weight"` // in the mean
	Difference stats.Number   `json:"difference,omitzero"`
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	PValue     stats.Number   `json:"p_value,omitzero"`
	Decision   pairs.Decision `json:"decision,omitempty"`

	Signal stats.Number `json:"signal_over_noise,omitzero"` // |difference| / difference_se
	// Information is the task's 1/difference_se² as a share of all tasks': what it would weigh if tasks counted by what they tell.
	Information stats.Number `json:"information_share,omitzero"`
}

// Of pools comparisons of the same runs, one of each task.
func Of(tasks []*pairs.Comparison) (*Pooled, error) {
	if len(tasks) < 2 {
		return nil, fmt.Errorf("these are runs of one task: one decision takes several")
	}
	first := tasks[0]
	p := &Pooled{Task: Name, Confidence: first.Confidence, Margin: first.Margin, Combined: true}
	sets := map[string]bool{}
	for _, c := range tasks {
		if len(c.Runs) != len(first.Runs) {
			return nil, fmt.Errorf("%d runs of one task and %d of another: one decision is of the same runs in all", len(first.Runs), len(c.Runs))
		}
		for i := range c.Runs {
			if x, y := first.Runs[i].Model, c.Runs[i].Model; !reflect.DeepEqual(x, y) {
				return nil, fmt.Errorf("%s and %s are of two models, %s and %s: one decision is of two models in all tasks",
					first.Runs[i].Path, c.Runs[i].Path, cmp.Or(x.Name, x.Ref), cmp.Or(y.Name, y.Ref))
			}
		}
		sets[setOf(c)] = true
		p.Combined = p.Combined && c.Pairs[0].Measure == first.Pairs[0].Measure
	}
	p.Sets = len(sets)
	names := namesOf(tasks)
	for i, c := range tasks {
		for _, warning := range c.Warnings {
			p.Warnings = append(p.Warnings, names[i]+": "+warning)
		}
		for _, pair := range c.Pairs {
			for _, warning := range pair.Warnings {
				p.Warnings = append(p.Warnings, fmt.Sprintf("%s, %s: %s", names[i], pair.B, warning))
			}
		}
	}
	for i := range first.Pairs {
		p.Pairs = append(p.Pairs, p.pairOf(tasks, i, names))
	}
	return p, nil
}

// setOf identifies the set that a comparison's questions are of.
func setOf(c *pairs.Comparison) string { return c.Runs[0].Marked.Header.Dataset.SHA256 }

func (p *Pooled) pairOf(tasks []*pairs.Comparison, pair int, names []string) Pair {
	o := pairs.Options{Confidence: p.Confidence, Margin: p.Margin}.Together(len(tasks[0].Pairs))
	weights := slices.Repeat([]float64{1 / float64(len(tasks))}, len(tasks))
	out := Pair{A: nameOf(&tasks[0].Runs[0]), B: nameOf(&tasks[0].Runs[pair+1])}
	judged := pairs.Pair{A: out.A, B: out.B}
	var sides []side
	var none []string // why there is no decision
	valueA, valueB, apart := 0.0, 0.0, 0.0
	for i, c := range tasks {
		of := &c.Pairs[pair]
		sides = append(sides, side{setOf(c), c.Totals(pair)})
		out.Tasks = append(out.Tasks, partOf(c, of, names[i], weights[i]))
		valueA, valueB = valueA+weights[i]*of.ValueA.Or(0), valueB+weights[i]*of.ValueB.Or(0)
		apart += weights[i] * weights[i] * of.SE.Or(0) * of.SE.Or(0)
		judged.RightToWrong, judged.WrongToRight = judged.RightToWrong+of.RightToWrong, judged.WrongToRight+of.WrongToRight
		switch {
		case of.Decision == "":
			none = append(none, names[i]+" has no valid score")
		case !of.Difference.Defined():
			none = append(none, names[i]+" has no difference")
		case of.Stopped():
			none = append(none, names[i]+" stopped once it was decided, and no interval holds where one stops by looking")
		}
	}
	joined := clustersOf(sides, weights)
	e := joined.difference(o.Confidence)
	out.Questions, out.Shared = joined.asked, joined.shared
	out.Difference, out.SE, out.CI, out.PValue = e.Value, e.SE, e.Interval, e.P(0)
	if p.Combined && e.Value.Defined() {
		out.ValueA, out.ValueB = stats.Of(valueA), stats.Of(valueB)
	}
	if e.SE.Defined() {
		out.Apart = stats.Of(math.Sqrt(apart))
	}
	if pairs := len(tasks[0].Pairs); pairs > 1 && out.PValue.Defined() {
		out.PAdjusted = stats.Of(min(1, float64(pairs)*out.PValue.Or(1)))
	}
	out.inform()
	if len(none) > 0 {
		out.Verdict = "no decision of all tasks together: " + strings.Join(none, "; ")
		return out
	}
	judged.Questions = joined.asked
	judged.Outcome = pairs.Outcome{Measure: "the mean of " + format.Several(len(tasks), "task"), Difference: e.Value, SE: e.SE, CI: e.Interval}
	judged.Judge(o)
	out.Decision, out.NonInferior, out.Verdict = judged.Decision, judged.NonInferior, judged.Verdict
	return out
}

func partOf(c *pairs.Comparison, of *pairs.Pair, name string, weight float64) Part {
	h := &c.Runs[0].Marked.Header
	part := Part{Name: name, Run: c.Runs[0].Path, Task: h.Task, Pattern: h.Pattern, Data: h.Dataset.Name, Measure: of.Measure,
		Questions: of.Questions, Weight: weight, Difference: of.Difference, SE: of.SE, CI: of.CI, PValue: of.PValue, Decision: of.Decision}
	if se := of.SE.Or(0); se > 0 && of.Difference.Defined() {
		part.Signal = stats.Of(math.Abs(of.Difference.Or(0)) / se)
	}
	return part
}

// inform says what each task tells. Without an error of every task, nothing is known of their shares.
func (p *Pair) inform() {
	whole, most := 0.0, 0.0
	for i := range p.Tasks {
		part := &p.Tasks[i]
		se := part.SE.Or(0)
		if !(se > 0) {
			whole = 0
			break
		}
		whole += 1 / se / se
	}
	for i := range p.Tasks {
		part := &p.Tasks[i]
		if whole > 0 {
			part.Information = stats.Of(1 / part.SE.Or(0) / part.SE.Or(0) / whole)
		}
		if signal := part.Signal.Or(0); signal > most {
			p.Clearest, most = part.Name, signal
		}
	}
}

// namesOf tells the tasks apart: by what they ask, by their folders where that is not enough, or by where these lie.
func namesOf(tasks []*pairs.Comparison) []string {
	names, _ := pairs.Apart(tasks,
		func(c *pairs.Comparison) string {
			h := &c.Runs[0].Marked.Header
			t, _ := task.Lookup(h.Task)
			return t.Title(h.Dataset.Title())
		},
		func(c *pairs.Comparison) string { return filepath.Base(c.Runs[0].Path) },
		func(c *pairs.Comparison) string { return c.Runs[0].Path },
	)
	return names
}

// nameOf is the run's name, without the task's folder where the name is the path.
func nameOf(r *pairs.Run) string {
	if after, found := strings.CutPrefix(r.Name, r.Path); found {
		return filepath.Dir(r.Path) + after
	}
	return r.Name
}
