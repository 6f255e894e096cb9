package ask

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
)

// Until is a finished run of the same questions, which ends another one once it is decided how that does beside it.
type Until struct {
	Run    string
	Margin float64 // a share: how much worse still counts as not worse
	Alpha  float64 // chance of a wrong decision, at most; 0: that of one decision
}

// Begun is how the run was begun.
func (u Until) Begun() (journal.Header, error) {
	h, err := Begun(u.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, fmt.Errorf("--until-decided %s: there is no run: give a run's folder or its journal", u.Run)
	case err != nil:
		return h, fmt.Errorf("--until-decided %s: %w", u.Run, err)
	}
	return h, nil
}

// alpha is the chance of a wrong decision, at most.
const alpha = 1 - stats.DefaultConfidence

// A rival is the run that a plan is held against, and the order in which the plan's items are looked at: seeded, with all
// subjects in proportion wherever it is cut.
type rival struct {
	asked    journal.UntilDecided
	right    []bool         // by the plan's items
	order    []int          // of the plan's items
	set      map[string]int // questions of each subject, of which the plan asks some: what is decided is of all of them
	weighted bool           // the plan's share of a subject is not the set's
}

// newRival reads the run, which must have asked all of the plan's questions in the plan's way. The first questions of a file are
// no sample, so they are a set of their own.
func newRival(u Until, p *Plan, eval prompts.Eval, set *dataset.Set, selection dataset.Selection, rules grade.RuleSet) (
	*rival, error,
) {
	refuse := func(format string, args ...any) (*rival, error) {
		return nil, fmt.Errorf("--until-decided %s: "+format, append([]any{u.Run}, args...)...)
	}
	h, err := u.Begun()
	if err != nil {
		return nil, err
	}
	for _, each := range [][3]string{
		{"task", h.Task, eval.Task.Name}, {"style", h.Style, eval.Style.Name}, {"shots", strconv.Itoa(h.Shots), strconv.Itoa(eval.Shots)},
		{"dataset.sha256", h.Dataset.SHA256, set.SHA256},
	} {
		if each[1] != each[2] {
			return refuse("its settings differ: %s (%s there, %s here)", each[0], each[1], each[2])
		}
	}
	run, err := results.OpenUnder(u.Run, cmp.Or(rules.Text, rules.Name))
	if err != nil {
		return refuse("%w", err)
	}
	questions := map[int]bool{}
	for _, item := range p.Items {
		questions[item.QuestionID] = true
	}
	if len(questions) < len(p.Items) || h.Repeats > 1 {
		return refuse("a question there or here has several items: it takes %s, each question once", "mmlu_pro")
	}
	marks := map[string]results.Answer{}
	for a := range run.View(0).Scored() {
		marks[a.ID] = a
	}
	r := &rival{
		asked: journal.UntilDecided{Run: u.Run, Fingerprint: h.Fingerprint, Margin: u.Margin, Alpha: cmp.Or(u.Alpha, alpha)},
		right: make([]bool, len(p.Items)),
	}
	lacking, drawn := 0, map[string]int{}
	for i, item := range p.Items {
		drawn[item.Subject]++
		mark, scored := marks[item.ID]
		if !scored {
			lacking++
			continue
		}
		r.right[i] = mark.Correct
	}
	if lacking > 0 {
		return refuse("it has no answer to %d of these %d questions: leave --limit and --subjects out to ask its own, or finish it "+
			"with --resume", lacking, len(p.Items))
	}
	if r.set = drawn; !selection.First {
		if r.set, _, err = population(set, selection, len(p.Items), true); err != nil {
			return nil, err
		}
	}
	r.order, r.weighted = proportional(p.Items, selection.Seed), !stats.Proportional(r.set, drawn)
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
	order := everything(len(items))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	return order
}

// batches are blocks of the order, each asked in the order in which prompts share beginnings.
func (r *rival) batches() []batch {
	var all []batch
	from := 0
	for _, end := range Ends(len(r.order)) {
		block := slices.Clone(r.order[from:end])
		slices.Sort(block)
		all, from = append(all, block), end
	}
	return all
}

// journal is the header's word for it; nil for none.
func (r *rival) journal() *journal.UntilDecided {
	if r == nil {
		return nil
	}
	return &r.asked
}

// decision looks at what the journal holds, question after question in the run's order, and stops where that decides. Questions
// that failed may be right or wrong: whatever they would be, the decision holds.
func (p *Plan) decision(path string, number int) (journal.Interim, error) {
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
		Number: number, Questions: len(run.Items), Items: len(run.Items), Errors: failed, RuleSet: run.RuleSets[0].Name,
		Headline: "difference", Confidence: 1 - p.rival.asked.Alpha,
	}
	test, seen := p.rival.test(p.Items), 0
	sums, answered := map[string]float64{}, map[string]float64{}
	for _, i := range p.rival.order {
		a, asked := marks[p.Items[i].ID]
		if !asked {
			break
		}
		right := p.rival.right[i]
		least, most := difference(right, a.Correct), difference(right, a.Correct)
		if a.Tag.IsError() {
			least, most = difference(right, false), difference(right, true)
		} else {
			subject := p.rival.stratum(p.Items[i].Subject)
			answered[subject]++
			sums[subject] += float64(least)
		}
		seen++
		if verdict := test.AddBetween(least, most); verdict != "" {
			interim.Decision, interim.After, interim.Stop = string(verdict), seen, journal.StopDecided
			break
		}
	}
	if len(answered) == 0 && failed == len(p.Items) {
		return interim, errors.New("no question was answered: nothing can be decided")
	}
	interim.Value = p.rival.mean(sums, answered)
	e := journal.Evidence{}
	e.NotWorse, e.Worse, e.Better = test.Evidence()
	interim.Evidence = &e
	if interim.Stop == "" && number == len(p.batches) {
		interim.Stop = journal.StopAsked
	}
	return interim, nil
}

// test is that of the items' order, over the set.
func (r *rival) test(items []prompts.Item) *betting.Test {
	subjects := slices.Sorted(maps.Keys(r.set))
	sizes, order := make([]int, len(subjects)), make([]int, len(r.order))
	for h, subject := range subjects {
		sizes[h] = r.set[subject]
	}
	for place, i := range r.order {
		order[place], _ = slices.BinarySearch(subjects, items[i].Subject)
	}
	return betting.New(sizes, order, r.asked.Margin, r.asked.Alpha)
}

// stratum is a subject where subjects are weighted, and else the same for all.
func (r *rival) stratum(subject string) string {
	if r.weighted {
		return subject
	}
	return ""
}

// mean is the mean difference, with subjects weighted by their questions in the set as a headline's are; nil without any.
func (r *rival) mean(sums, answered map[string]float64) *float64 {
	sum, whole := 0.0, 0.0
	for _, subject := range slices.Sorted(maps.Keys(answered)) {
		weight := float64(r.set[subject])
		if !r.weighted {
			weight = 1
		}
		sum, whole = sum+weight*sums[subject]/answered[subject], whole+weight
	}
	if whole == 0 {
		return nil
	}
	mean := sum / whole
	return &mean
}

// difference is 1 where the plan's model alone is right, −1 where the other one is.
func difference(theirs, ours bool) int {
	switch {
	case ours && !theirs:
		return 1
	case theirs && !ours:
		return -1
	}
	return 0
}
