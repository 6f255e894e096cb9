package sweep

import (
	"fmt"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// A Spec specifies a sweep: how its candidates differ and are compared, and each one's run.
type Spec struct {
	Axes
	Imatrix string `flag:"imatrix" is:"input"`     // file of an importance matrix
	Cache   string `flag:"cache" is:"destination"` // folder of the models that are made

	// of the model to run; a resumed sweep may change all but the loss
	Want         choice.Wishes `flag:"want" is:"machine"`
	UntilDecided bool          `flag:"until-decided" is:"identity"` // the others stop once it is decided how they do beside the first
	Margin       spec.Points   `flag:"margin" is:"identity"`
	Confidence   spec.Level    `flag:"confidence" is:"identity"`

	spec.Spec
}

// Default is a sweep without any flag.
func Default() Spec {
	return Spec{Margin: pairs.DefaultMargin, Confidence: stats.DefaultConfidence, Spec: spec.Default()}
}

// OfRuns are flags of runs that no candidate takes from its sweep.
var OfRuns = []string{"model", "shard", "keep-logprobs"}

// Check refuses what no sweep can do with an eval.
func (s *Spec) Check(eval task.Task) error {
	if (eval.Variants != task.Itself || s.Repeats > 1) && s.decides() {
		return fmt.Errorf("%s and %s decide question by question: leave %s out, and %s %s, which ask each question "+
			"several times", setting.Want,
			setting.UntilDecided, setting.Repeats, setting.Tasks, eval)
	}
	if len(s.Budgets) > 1 {
		return fmt.Errorf("%s: a sweep compares runs with one budget: give one", setting.ThinkBudget.As(s.Budgets.Texts()[0]))
	}
	return nil
}

// decides says whether candidates stop once their comparison with the first is decided.
func (s *Spec) decides() bool { return s.UntilDecided || len(s.Want) > 0 }

// margin is the tolerated loss.
func (s *Spec) margin() float64 { return s.Want.Loss(float64(s.Margin)) }

// KVTypes are types of the cache, such as q8_0, or k=q8_0,v=q5_1.
type KVTypes []string

// Set reads a list; a type of values belongs to the type of keys before it.
func (t *KVTypes) Set(list string) error {
	var all KVTypes
	for value := range strings.SplitSeq(list, ",") {
		value = strings.TrimSpace(value)
		if last := len(all) - 1; last >= 0 && strings.HasPrefix(value, "v=") && !strings.Contains(all[last], ",") {
			all[last] += "," + value
			continue
		}
		all = append(all, value)
	}
	*t = all
	return nil
}

// Texts are the list.
func (t *KVTypes) Texts() []string {
	if len(*t) == 0 {
		return nil
	}
	return []string{strings.Join(*t, ",")}
}

// of is the run of a candidate.
func (s *Sweep) of(c *Progress) *spec.Spec {
	run, first := s.Spec.Spec, &s.candidates[0]
	run.Model = c.Ref
	if c.KVType != "" {
		run.KVType = c.KVType
	}
	run.KeepLogprobs = c == first && s.Unread == ""
	if s.Spec.decides() && c != first {
		run.UntilDecided, run.Margin = first.Cell.Out, spec.Points(s.Spec.margin())
		// The chance of a wrong decision is divided among the candidates, so that the total is at most that of the confidence.
		run.Alpha = (1 - float64(s.Spec.Confidence)) / float64(max(1, len(s.candidates)-1))
	}
	return &run
}
