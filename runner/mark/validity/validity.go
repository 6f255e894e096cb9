// Package validity decides whether a run's score measures the model, or its setup: a token cap, a server, a wrong prompt.
package validity

import (
	"fmt"
	"maps"
	"slices"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// A Result says whether a score is valid. It is not where the setup decided too many of the items: then no verdict, gate or
// recommendation may rest on it.
type Result struct {
	Valid   bool     `json:"valid"`
	Reasons []Reason `json:"reasons,omitempty"` // why the score is not valid, the first to be mended first
	// Unheeded says where the model thinks against the setting, or does not think; the score may be valid all the same.
	Unheeded *Reason `json:"unheeded,omitempty"`
}

// A Reason is a property of the setup that decided too many items.
type Reason struct {
	Name   string `json:"name"` // failed, cut, thinking, echo, no_answer, weak_rule, contradictions or one_letter; of Unheeded think_off or think_on
	Items  int    `json:"items"`
	Of     int    `json:"of"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

// The shares of items above which a score is not valid. A model's own weakness stays below them: a published log of 12,032 questions
// has 8 % without an answer.
const (
	mostCut      = 0.20 // ended by the cap before the answer was final
	mostSilent   = 0.20 // without an answer
	mostFailed   = 0.05 // left out of the score as failed: the rest is no fair sample of the planned items
	mostDoubtful = 0.20 // of the answers: found by the weakest rule, or of completions that contradict themselves
	mostUnclosed = 0.05 // completions that ended although their thinking did not: their answers may have counted as thinking
	mostEchoes   = 0.05 // that repeat their prompts
)

// A model that gives one letter for everything is recognised on the questions where another letter is right. If the other letters are
// picked less than mostOthers times as often as they are right, over at least fewestOthers such questions, the answers do not depend
// on the questions. This works for Binary in both directions, although nine in ten of its items are False: a model that always says
// False never picks True, which is right once a question. A set with the same right letter everywhere has no such questions.
const (
	mostOthers   = 0.05
	fewestOthers = 20
)

// String is the first line wherever the score is shown; empty where it is valid.
func (r Result) String() string {
	if r.Valid {
		return ""
	}
	return "Not a valid score: " + r.Reasons[0].String()
}

// Also begins what is said of the reasons after the first one.
const Also = "not valid, either, since "

// Others are the reasons after the first one.
func (r Result) Others() []string {
	var all []string
	for _, reason := range r.Reasons[min(1, len(r.Reasons)):] {
		all = append(all, Also+reason.String())
	}
	return all
}

// String is the reason and its remedy.
func (r Reason) String() string { return r.Text + "; " + r.Remedy }

// Of decides whether the score of a run's items is valid, as the first of its rule sets marks them.
func Of(run *results.Run) Result {
	h, own, v := &run.Header, run.RuleSets[0], run.View(0)
	t := tally(h, own, v)
	var r Result
	note := func(name string, items, of int, most float64, text, remedy string) {
		if items > min(1, of-1) && float64(items) > most*float64(of) { // one item says nothing about the setup
			text = fmt.Sprintf("%s of %s %s", format.Count(items), format.Count(of), text)
			r.Reasons = append(r.Reasons, Reason{name, items, of, text, remedy})
		}
	}
	scored := t.Scored()
	of := func(cause backends.Cause, cut int) string {
		return own.Remedy(string(cause), grade.Failed{Header: h, Cut: cut})
	}
	why := commonestFailure(v)
	note("failed", t.Errors, t.Items, mostFailed, "items failed, most often: "+grade.InWords(why), own.Remedy(why, grade.Failed{Header: h}))
	cut := backends.CauseLength
	if 2*t.cutThinking > t.cut {
		cut = backends.CauseThinkUnclosed
	}
	note("cut", t.cut, scored, mostCut, "answers were cut at "+capOf(h), of(cut, t.cut))
	note("thinking", t.unclosed, scored, mostUnclosed, "answers did not end thinking, though they ended", of(backends.CauseThinkUnclosed, 0))
	note("echo", t.echoes, scored, mostEchoes, "completions repeat their prompts", of(backends.CauseEcho, 0))
	silent := t.silent
	if float64(t.cut) <= mostCut*float64(scored) {
		silent = scored - t.Answered - t.loops - t.echoes // those that were cut, too
	}
	unanswered := v.Where(func(it *results.Item) bool { return v.Of(it).Tag == grade.NoAnswer })
	note("no_answer", silent, scored, mostSilent, "completions have no answer", Remedy(run, string(grade.NoAnswer), unanswered, false))
	doubtful := DoubtfulOf(own, v)
	note("weak_rule", doubtful.ByRule, t.Answered, mostDoubtful, "answers are found by "+doubtful.Rule+" alone, the weakest rule",
		"`proctor report RUN "+setting.Items.String()+" "+setting.Tag.As("weakest-rule")+"` lists them")
	note("contradictions", doubtful.Contradicting, t.Answered, mostDoubtful, "answers are of completions that give two letters",
		"see with `proctor show RUN ID` which one the model means")
	if letter, picked := oneLetter(v, t.Answered); letter != "" {
		remedy := "see with `proctor show RUN ID` what the model read and said"
		if grade.MayChat(h) {
			remedy += "; a chat model wants " + setting.Prompt.As("chat")
		}
		note("one_letter", picked, t.Answered, 0, "answers are "+letter+", whatever the question", remedy)
	}
	var thoughts Thinking
	for a := range v.Scored() {
		thoughts.Add(&a.Record, a.Thinks)
	}
	r.Valid, r.Unheeded = len(r.Reasons) == 0, thoughts.Unheeded(h)
	return r
}

// counts are how the items ended.
type counts struct {
	results.Tally
	cut, cutThinking int // by the cap before the answer was final, and while thinking
	loops, echoes    int // without an answer, since they repeat themselves, the model's own doing, or their prompts, the server's
	unclosed, silent int // of the others: with unclosed thinking, and without an answer
}

// Doubtful counts questionable answers.
type Doubtful struct {
	Rule          string `json:"rule,omitempty"` // the rule set's weakest, which takes what all others left; empty where there is one rule
	ByRule        int    `json:"by_rule"`        // answers that it found
	Contradicting int    `json:"contradicting"`  // completions that have "answer is (X)" with two letters
}

// DoubtfulOf counts them in a view under the rule set own.
func DoubtfulOf(own grade.RuleSet, v results.View) Doubtful {
	d := Doubtful{Rule: own.Weakest()}
	for a := range v.Scored() {
		if a.Answered() && a.Rule == d.Rule {
			d.ByRule++
		}
		if a.Answered() && a.Signs.Contradicts {
			d.Contradicting++
		}
	}
	return d
}

// Remedy says what to do about items with a tag or a cause. Each step is tested on the items where possible, and steps that the run
// took already are left out. With shown, the reader already sees the items and is not sent to look at them.
func Remedy(run *results.Run, name string, items results.View, shown bool) string {
	failed := grade.Failed{Header: &run.Header, Shown: shown, Items: len(items.Items)}
	found := make([]int, len(run.RuleSets))
	for a := range items.Answers() {
		for i := range run.RuleSets {
			if a.Marks[i].Answered() {
				found[i]++
			}
		}
		if a.Cut {
			failed.Cut++
		}
		if a.Signs.Lists {
			failed.Lists++
		}
	}
	for i, n := range found {
		if n > failed.Found {
			failed.Found, failed.Other = n, run.RuleSets[i].Name
		}
	}
	return run.RuleSets[0].Remedy(name, failed)
}

func tally(h *journal.Header, own grade.RuleSet, v results.View) counts {
	t := counts{Tally: v.Tally()}
	anyThinks := slices.ContainsFunc(v.Items, func(it *results.Item) bool { return it.Thinks })
	for a := range v.Scored() {
		thinks := a.Mark.Cause == backends.CauseThinkUnclosed
		// Where nothing thinks, nothing that comes later can turn an answer into thinking.
		final := own.Decides(h.Strip && anyThinks) && a.Rule == own.Rules[0].Name
		switch {
		case a.Mark.Cause == backends.CauseLoop:
			if !a.Answered() {
				t.loops++
			}
		case a.Mark.Cause == backends.CauseEcho:
			t.echoes++
		case a.Cut && !final:
			t.cut++
			if thinks {
				t.cutThinking++
			}
		case thinks:
			t.unclosed++
		case !a.Answered():
			t.silent++
		}
	}
	return t
}

// commonestFailure is the commonest cause of the items that failed.
func commonestFailure(v results.View) (commonest string) {
	causes := map[string]int{}
	for a := range v.Answers() {
		if a.Tag.IsError() {
			name := string(a.Mark.Cause)
			if grade.Explain(name).Name == "" {
				name = string(a.Tag)
			}
			causes[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(causes)) {
		if causes[name] > causes[commonest] {
			commonest = name
		}
	}
	return commonest
}

// capOf names the token cap.
func capOf(h *journal.Header) string {
	if h.Sampling.MaxTokens == 0 {
		return "the token cap"
	}
	return format.Several(h.Sampling.MaxTokens, "token")
}

// oneLetter is the letter that nearly all answers are, and how many; empty where there is none.
func oneLetter(v results.View, answers int) (letter string, picked int) {
	for _, l := range v.Letters() {
		if l.Picked > picked {
			letter, picked = l.Letter, l.Picked
		}
	}
	others := v.Where(func(it *results.Item) bool { return it.Gold != letter && !v.Of(it).Tag.IsError() })
	if picked == 0 || others.Tally().Questions < fewestOthers || float64(answers-picked) > mostOthers*float64(len(others.Items)) {
		return "", 0
	}
	return letter, picked
}
