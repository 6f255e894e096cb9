package recount

import (
	"fmt"
	"slices"
	"strings"
)

// validity fills in why a score is not valid, with the counts: more than a twentieth of the items failed; more than a fifth of the
// scored ones were cut at the cap before their answer was final, more than a twentieth ended within their thinking or repeat their prompt,
// more than a fifth have no answer though they repeat neither that nor themselves; more than a fifth of the answers contradict
// themselves; or the answers are one letter, whatever the question. One item alone is never enough. The rule sets of these runs have one
// rule, which is never the weakest.
func (r *plainRun) validity() {
	scored := scoredOf(r.items)
	n, items := len(scored), len(r.items)
	thinks := func(it *plainItem) bool { return it.cause == "THINK_UNCLOSED" }
	thought := slices.ContainsFunc(r.items, r.shows)
	r.heed(scored)
	cut := keep(scored, func(it *plainItem) bool {
		final := r.own == "tiger-strict" && !(r.strip && thought) && it.letter != "" // it takes the first match
		return cutShort(it) && !final
	})
	others := keep(scored, func(it *plainItem) bool { return !slices.Contains(cut, it) })
	silent := keep(scored, func(it *plainItem) bool { return it.letter == "" && it.cause != "LOOP" && it.cause != "ECHO" })
	if float64(len(cut)) > 0.2*float64(n) { // that explains those
		silent = keep(silent, func(it *plainItem) bool { return slices.Contains(others, it) && !thinks(it) })
	}
	contradicting := keep(answeredOf(scored), r.twoLetters)
	r.put("doubtful.by_rule", 0)
	r.put("doubtful.contradicting", float64(len(contradicting)))
	at := 0
	reason := func(count, of int, most float64) {
		if float64(count) > most*float64(of) && (count > 1 || of == 1) {
			r.put(fmt.Sprintf("validity.reasons.%d.items", at), float64(count))
			r.put(fmt.Sprintf("validity.reasons.%d.of", at), float64(of))
			at++
		}
	}
	reason(items-n, items, 0.05)
	reason(len(cut), n, 0.2)
	reason(len(keep(others, thinks)), n, 0.05)
	reason(len(keep(scored, func(it *plainItem) bool { return it.cause == "ECHO" })), n, 0.05)
	reason(len(silent), n, 0.2)
	reason(len(contradicting), len(answeredOf(scored)), 0.2)
	if picked, answered := r.oneLetter(scored); picked > 0 {
		reason(picked, answered, 0)
	}
}

// shows says whether an item's text has more thinking than marks, or none where the server counts some.
func (r *plainRun) shows(it *plainItem) bool {
	text, unclosed := r.afterThinking(it)
	if !unclosed && text == it.Text {
		return it.Usage.Thinking > 0
	}
	thinking := strings.Replace(it.Text, text, "", 1)
	if text == "" {
		thinking = it.Text
	}
	for _, way := range r.thinking {
		thinking = strings.ReplaceAll(strings.ReplaceAll(thinking, way.Open, ""), way.Close, "")
	}
	return strings.TrimSpace(thinking) != ""
}

// heed fills in how many think though they were not to, or that none does though they were: of those that ended by themselves, 8 or more.
func (r *plainRun) heed(scored []*plainItem) {
	some := len(keep(scored, r.shows))
	none := len(keep(scored, func(it *plainItem) bool { return it.Finish == "stop" && !r.shows(it) }))
	wanted := r.think == "on" && len(r.budgets) == 0 || len(r.budgets) > 0 && r.budgets[len(r.budgets)-1] > 0
	switch {
	case strings.HasSuffix(r.task, "_direct"):
	case r.think == "off" && some > 0:
		r.put("validity.unheeded.items", float64(some))
		r.put("validity.unheeded.of", float64(some+none))
	case wanted && some == 0 && none >= 8:
		r.put("validity.unheeded.items", float64(none))
		r.put("validity.unheeded.of", float64(none))
	}
}

// oneLetter is how many answers are the commonest letter, where the others were picked less than a twentieth as often as they are right,
// over 20 questions or more; else 0.
func (r *plainRun) oneLetter(scored []*plainItem) (picked, answered int) {
	commonest, most := "", 0
	for letter := range strings.SplitSeq("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "") {
		if n := len(keep(scored, func(it *plainItem) bool { return it.letter == letter })); n > most {
			commonest, most = letter, n
		}
	}
	answered = len(answeredOf(scored))
	gold := keep(scored, func(it *plainItem) bool { return it.Gold != commonest })
	if len(by(gold, questionOf)) < 20 || float64(answered-most) > 0.05*float64(len(gold)) {
		return 0, answered
	}
	return most, answered
}
