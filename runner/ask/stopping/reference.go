// Package stopping ends runs early: a run is asked in blocks, and ends once its comparison with another run, a
// [Reference], is decided after one of them.
package stopping

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
	"proctor/runner/mark/validity"
)

// Until ends a run once its comparison with a finished run of the same questions is decided.
type Until struct {
	Run    string
	Margin float64 // a share: how much worse still counts as not worse
	Alpha  float64 // largest chance of a wrong decision; 0: that of one decision
}

// Header is the first line of the run's journal.
func (u Until) Header() (journal.Header, error) {
	h, err := journal.HeaderOf(u.Run)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("there is no run: give a run's folder or its journal")
	}
	if err != nil {
		return h, u.refused("%w", err)
	}
	return h, nil
}

// refused says why the run can't be a reference.
func (u Until) refused(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{setting.UntilDecided.As(u.Run)}, args...)...)
}

// comparable refuses a run with other settings than the new one's, or with several items a question.
func (u Until) comparable(was, now *journal.Header, items []prompts.Item) error {
	if diffs := pairs.Settings(was, now); len(diffs) > 0 {
		return u.refused("its settings differ: %s", pairs.List(diffs))
	}
	questions := map[int]bool{}
	for _, item := range items {
		questions[item.QuestionID] = true
	}
	if len(questions) < len(items) || was.Repeats > 1 {
		return u.refused("a question has several items in one of the runs: this needs mmlu_pro, with each question asked once")
	}
	return nil
}

// alpha is the default for the largest chance of a wrong decision.
const alpha = 1 - stats.DefaultConfidence

// A Reference is the run that another is compared with, and the order in which the other's items are analysed: drawn with a seed, with
// all subjects in proportion wherever it is cut.
type Reference struct {
	ForHeader journal.UntilDecided // for the header
	Order     []int                // of the items
	// Invalid says why the reference's score is not valid, so that nothing is decided; empty where it is.
	Invalid string

	was   journal.Header
	items []prompts.Item
	right []bool // beside the items
}

// Otherwise warns that the reference was not asked and marked as the run with a header is; empty where it was.
func (r *Reference) Otherwise(now *journal.Header) string {
	diffs := pairs.Asked(&r.was, now)
	if len(diffs) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: it differs in more than the model, and what is decided depends on that: %s",
		setting.UntilDecided.As(r.ForHeader.Run), pairs.List(diffs))
}

// Open reads the reference run. It must have asked all items, with the settings in header, the new run's.
func (u Until) Open(items []prompts.Item, header *journal.Header, rules grade.RuleSet) (*Reference, error) {
	h, err := u.Header()
	if err != nil {
		return nil, err
	}
	if err := u.comparable(&h, header, items); err != nil {
		return nil, err
	}
	run, err := results.OpenUnder(u.Run, cmp.Or(rules.Text, rules.Name))
	if err != nil {
		return nil, u.refused("%w", err)
	}
	marks := map[string]results.Answer{}
	for a := range run.View(0).Scored() {
		marks[a.ID] = a
	}
	r := &Reference{
		ForHeader: journal.UntilDecided{Run: u.Run, Fingerprint: h.DigestSettings(), Margin: u.Margin, Alpha: cmp.Or(u.Alpha,
			alpha)},
		Invalid: validity.Of(run).String(), was: h, items: items, right: make([]bool, len(items)),
	}
	lacking := 0
	for i, item := range items {
		mark, scored := marks[item.ID]
		if !scored {
			lacking++
			continue
		}
		r.right[i] = mark.Correct
	}
	if lacking > 0 {
		return nil, u.refused("it has no answer to %d of these %d questions: leave %s and %s out to ask its own, or finish it "+
			"with %s", lacking, len(items), setting.Limit, setting.Subjects, setting.Resume)
	}
	r.Order = proportional(items, header.Selection.Seed)
	return r, nil
}

// proportional orders items so that any part of the order holds all subjects in proportion: the k-th of a subject's n, in an order
// drawn with the seed, comes at a chance place between (k−1)/n and k/n of the whole.
func proportional(items []prompts.Item, seed uint64) []int {
	type place struct{ rank, jitter uint64 }
	places, bySubject := make([]place, len(items)), map[string][]int{}
	for i, item := range items {
		sum := sha256.Sum256(fmt.Appendf(nil, "until decided %d/%d", seed, item.QuestionID))
		places[i] = place{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
		bySubject[item.Subject] = append(bySubject[item.Subject], i)
	}
	at := make([]float64, len(items))
	for _, members := range bySubject {
		slices.SortFunc(members, func(a, b int) int { return cmp.Compare(places[a].rank, places[b].rank) })
		for k, i := range members {
			at[i] = (float64(k) + float64(places[i].jitter)/(1<<64)) / float64(len(members))
		}
	}
	order := All(len(items))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	return order
}

// The first interim analysis is after firstQuestions, the next whenever an eighth more is answered. Any number of
// analyses is valid, but at each the slots run empty, and prompts share fewer prefixes.
const (
	firstQuestions = 100
	growth         = 8
)

// Blocks cuts the order into blocks; each is asked in the order in which prompts share prefixes. A block is the items
// between two interim analyses, as indices into the run's items.
func (r *Reference) Blocks() (all [][]int) {
	for from, end := 0, min(firstQuestions, len(r.Order)); ; from, end = end, min(end+end/growth, len(r.Order)) {
		block := slices.Clone(r.Order[from:end])
		slices.Sort(block)
		if all = append(all, block); end == len(r.Order) {
			return all
		}
	}
}

// All is one block of n items in their order.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Interim analyses the journal at path after a block, numbered from 1: it compares question after question in the run's order, and
// stops where that decides. Failed questions may be right or wrong; a decision holds for either. An invalid score decides nothing.
// After the last block the number of questions is the planned one, so the interval decides.
func (r *Reference) Interim(path string, number int, last bool) (journal.Interim, error) {
	run, err := results.OpenUnder(path, "")
	if err != nil {
		return journal.Interim{}, err
	}
	marks := map[string]results.Answer{}
	failed := 0
	for a := range run.View(0).Answers() {
		marks[a.ID] = a
		if a.Tag.IsError() {
			failed++
		}
	}
	interim := journal.Interim{
		Number: number, Questions: len(run.Items), Errors: failed, RuleSet: run.RuleSets[0].Name, Confidence: 1 - r.ForHeader.Alpha,
	}
	if failed == len(r.items) {
		return interim, errors.New("no question was answered: nothing can be decided")
	}
	valid := r.Invalid == "" && validity.Of(run).Valid
	table := r.replay(&interim, marks, valid)
	if total := table.Total(); total > 0 {
		mean := float64(table.OnlyB-table.OnlyA) / float64(total)
		interim.Value = &mean
	}
	if interim.Stop == "" && last {
		interim.Stop = journal.StopExhausted
		if ci := table.Score().Difference(interim.Confidence).Interval; valid && failed == 0 && !ci.IsZero() {
			interim.Low, interim.High = &ci.Low, &ci.High
			if decision := stats.Decide(ci, r.ForHeader.Margin); decision != stats.Undecided {
				interim.Decision, interim.After = string(decision), interim.Questions
			}
		}
	}
	return interim, nil
}

// replay goes through the questions until they decide, and returns the pairs of results without failures.
func (r *Reference) replay(interim *journal.Interim, marks map[string]results.Answer, valid bool) (table stats.Pairs) {
	test := r.test()
	for place, i := range r.Order {
		a, answered := marks[r.items[i].ID]
		if !answered {
			break
		}
		right, failed := r.right[i], a.Tag.IsError()
		least, most := difference(right, a.Correct && !failed), difference(right, a.Correct || failed)
		if !failed {
			table.Add(right, a.Correct)
		}
		if decision := test.Add(least, most); decision != stats.Undecided && valid {
			interim.Decision, interim.After, interim.Stop = string(decision), place+1, journal.StopDecided
			break
		}
	}
	e := journal.Evidence{}
	e.NotWorse, e.Worse, e.Better = test.Evidence()
	interim.Evidence = &e
	return table
}

// test is the test for the items' order.
func (r *Reference) test() *betting.Test {
	numbers, order := map[string]int{}, make([]int, len(r.Order))
	for place, i := range r.Order {
		subject := r.items[i].Subject
		if _, known := numbers[subject]; !known {
			numbers[subject] = len(numbers)
		}
		order[place] = numbers[subject]
	}
	return betting.New(order, r.ForHeader.Margin, r.ForHeader.Alpha)
}

// difference is 1 where only the run's model is right, −1 where only the reference's is, else 0.
func difference(theirs, ours bool) int {
	switch {
	case ours && !theirs:
		return 1
	case theirs && !ours:
		return -1
	}
	return 0
}
