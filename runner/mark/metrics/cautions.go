package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/validity"
)

// frequent is the share of completions above which a failure concerns the set-up: accuracy may then be measuring, say, the token cap.
const frequent = 0.02

// caution adds the warnings that concern the whole run.
func (r *Summary) caution(run *results.Run) {
	h, rules := &run.Header, run.RuleSets[0]
	r.warn(AboutRun, h.Model.SplitAsDefault)
	if why := r.Validity.Unheeded; why != nil {
		r.warn(AboutRun, why.String())
	}
	if h.Dataset.Name == task.Sample {
		r.warn(AboutRun, "bundled sample: not MMLU-Pro; for trying out only")
	}
	r.warn(AboutRun, r.Completeness.sentence(r))
	shards, missing := h.History.Shards()
	own, there := h.History.Last().Shard, shards-len(missing)
	if own != nil {
		r.warn(AboutRun, fmt.Sprintf("shard %d of %d: a part of a run", own.Index, own.Count))
	} else if len(missing) > 0 && r.Completeness.Missing > 0 {
		r.warn(AboutRun, fmt.Sprintf("merged without %s of %d", format.Shards(missing), shards))
	}
	r.warn(AboutSpeed, h.Backend.Slower())
	if there > 1 {
		r.warn(AboutSpeed, fmt.Sprintf("%d shards: tokens/s are the total of those that ran at the same time", there))
	}
	if not := r.Run.NotTaken; len(not) > 0 {
		r.warn(AboutRun, fmt.Sprintf("the server takes no %s: answers are drawn with its own", strings.Join(not, ", ")))
	}
	r.warn(AboutRun, r.interrupted(run))
	r.warn(AboutRun, rules.Unsupported(h.Style), thinkingRead(run))
	cut := slices.ContainsFunc(r.Validity.Reasons, func(why validity.Reason) bool { return why.Name == "cut" }) // the warning about it comes first
	if rate := r.CapHitRate.Or(0); rate > frequent && !cut {
		r.warn(AboutFailures, fmt.Sprintf("the token cap of %s ended %s of the completions: accuracy may be measuring the cap; %s",
			format.Count(r.Run.Sampling.MaxTokens), format.Percent(r.CapHitRate), rules.Remedy(string(backends.CauseLength),
				grade.Failed{Header: h})))
	}
	if loops := r.Causes[string(backends.CauseLoop)]; loops > 0 {
		r.warn(AboutFailures, fmt.Sprintf("%s of %s answers repeat themselves (%s): %s", format.Count(loops), format.Count(r.Scored()),
			backends.CauseLoop, rules.Remedy(string(backends.CauseLoop), grade.Failed{Header: h})))
	}
	r.diagnose(run)
	r.warn(AboutSpeed, r.reuse())
	if others := r.Speed.Others; others.Busy() {
		r.warn(AboutSpeed, fmt.Sprintf("busy machine: %s; its speed alone would differ", others))
	}
}

// thinkingRead is a warning where the rule set looks for answers in thinking, too.
func thinkingRead(run *results.Run) string {
	own, thinking := run.RuleSets[0], run.View(0).Where(func(it *results.Item) bool { return it.Thinks }).Items
	share := stats.Ratio(len(thinking), len(run.Items))
	if own.LeavesThinkingOut(&run.Header) || share.Or(0) <= frequent {
		return ""
	}
	return fmt.Sprintf("%s of the completions have thinking in them: rule set %s looks for the answer there, too", format.Percent(share), own.Name)
}

// interrupted is a note on resumed answers, whose texts may differ from uninterrupted ones.
func (r *Summary) interrupted(run *results.Run) string {
	n := 0
	for _, it := range run.Items {
		if it.Resumed > 0 {
			n++
		}
	}
	switch h := &run.Header; {
	case n == 0:
		return ""
	case !r.Run.Greedy():
		return fmt.Sprintf("%s went on after an interruption, with other random numbers than without it", format.Several(n, "answer"))
	case h.Backend.Unsteady() != "":
		return fmt.Sprintf("%s went on after an interruption: with %s, texts may differ from uninterrupted ones",
			format.Several(n, "answer"), h.Backend.Unsteady())
	}
	return ""
}

// reuse is a warning where no prompt token was reused.
func (r *Summary) reuse() string {
	s := &r.Speed
	if s.ReusedTokens > 0 || !s.ReuseShare.Defined() || r.Items < 2 {
		return ""
	}
	switch possible, known := s.ReusePossible.Get(); {
	case known && possible <= 0:
		return ""
	case len(r.Backend.Servers) > 0:
		return "the server reports no reused prompt token: it evaluated every prompt in full, or does not report reuse"
	case !known:
		return "no prompt token was reused: every item's shots were evaluated again"
	}
	return fmt.Sprintf("no prompt token was reused, though %s of them are shared: every prompt was evaluated in full",
		format.Percent(s.ReusePossible))
}

// sentence says what an incomplete run lacks.
func (c Completeness) sentence(r *Summary) string {
	if c.Complete {
		return ""
	}
	of := format.Count(max(c.Planned, r.Items))
	if r.Sequential != nil && r.Sequential.Stopped == "" {
		of = "up to " + of
	}
	text := fmt.Sprintf("incomplete: %s of %s items have a completion", format.Count(r.Scored()), of)
	if c.Errors > 0 {
		text += fmt.Sprintf(", %s failed", format.Count(c.Errors))
	}
	if c.Missing > 0 {
		text += fmt.Sprintf(", %s not asked yet", format.Count(c.Missing))
	}
	return text + "; run it again with " + setting.Resume.String()
}

// diagnose says of each failure how many items have it, an example, and what to do: of errors always, of missing answers and causes
// where they are frequent. Wrong answers need no diagnosis, the token cap and loops have warnings of their own, and an error with an
// explained cause is named by the cause alone.
func (r *Summary) diagnose(run *results.Run) {
	v := run.View(0)
	for _, e := range grade.Explanations(grade.Failed{Header: &run.Header}) {
		switch e.Name {
		case string(grade.WrongAnswer), string(backends.CauseLength), string(backends.CauseLoop), string(backends.CauseNoLetter):
			continue
		}
		failed, causes := v.Where(func(it *results.Item) bool {
			m := v.Of(it).Mark
			return string(m.Cause) == e.Name || string(m.Tag) == e.Name && (grade.Explain(string(m.Cause)).Name == "" || !m.Tag.IsError())
		}), map[string]int{}
		for a := range failed.Answers() {
			said := []string{"", e.Name, string(backends.CauseNoLetter), string(backends.CauseLength)} // the remedy counts the completions that the cap ended
			if cause := string(a.Mark.Cause); !slices.Contains(said, cause) {
				causes[cause]++
			}
		}
		n := len(failed.Items)
		share := stats.Ratio(n, r.Items)
		if n == 0 || share.Or(0) <= frequent && !v.Of(failed.Items[0]).Tag.IsError() {
			continue
		}
		remedy := validity.Remedy(run, e.Name, failed, false)
		text := fmt.Sprintf("%s on %s (%s)", grade.InWords(e.Name), format.Several(n, "item"), format.Percent(share))
		for _, cause := range slices.Sorted(maps.Keys(causes)) {
			text += fmt.Sprintf(", %s of them %s", format.Count(causes[cause]), grade.InWords(cause))
		}
		r.Warnings = append(r.Warnings, Warning{AboutFailures,
			fmt.Sprintf("%s, such as %s: %s; %s", text, strings.Join(Examples(failed.Items), ", "), e.Means, remedy),
			fmt.Sprintf("%s: %s", grade.InWords(e.Name), remedy)})
	}
}

// Examples are the ids of up to three items, from the first to the last of them.
func Examples(items []*results.Item) []string {
	if len(items) > 3 {
		items = []*results.Item{items[0], items[len(items)/2], items[len(items)-1]}
	}
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ID
	}
	return ids
}
