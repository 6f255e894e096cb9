package metrics

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A draw is how the asked questions stand to the set that they were drawn from.
type draw struct {
	population   map[string]int // questions of each subject in the set; nil where all are asked, or the journal does not tell
	part         string         // of the set that was asked, see [Headline]; nothing where all its subjects and all items were
	proportional bool           // each subject has its share of the asked questions, up to rounding or by chance
	inStrata     bool           // population is that of the draw's strata, not of subjects
}

// stratumOf names what an item's question is counted with: its stratum of a draw in strata, else its subject.
func (d draw) stratumOf(it *results.Item) string {
	if d.inStrata {
		return strconv.Itoa(it.Stratum)
	}
	return it.Subject
}

// ofStrata is a draw in strata that have so many questions in the set.
func (d draw) ofStrata(sizes []int, asked int) draw {
	all := 0
	d.population = map[string]int{}
	for h, n := range sizes {
		d.population[strconv.Itoa(h+1)], all = n, all+n
	}
	if asked >= all {
		d.population = nil
		return d
	}
	d.inStrata, d.proportional = true, false
	return d
}

// parts are the view's parts by stratum or by subject.
func (d draw) parts(v results.View) iter.Seq[results.View] {
	if !d.inStrata {
		return v.Subjects()
	}
	return func(yield func(results.View) bool) {
		for h := range len(d.population) {
			part := v.Where(func(it *results.Item) bool { return it.Stratum == h+1 })
			if len(part.Items) > 0 && !yield(part) {
				return
			}
		}
	}
}

// drawOf is the draw of a run's items.
func drawOf(h *journal.Header, v results.View) draw {
	selection := &h.Selection
	d := draw{population: maps.Clone(selection.Population), proportional: true}
	if only := selection.Subjects; len(only) > 0 {
		maps.DeleteFunc(d.population, func(subject string, _ int) bool { return !slices.Contains(only, subject) })
	}
	asked, total := map[string]int{}, 0
	for part := range v.Subjects() {
		asked[part.Items[0].Subject] = part.Tally().Questions
	}
	for _, size := range d.population {
		total += size
	}
	if selection.StratumSizes() != nil { // all of them, whichever were drawn
		asked = d.population
	}
	d.part = partOf(h, len(v.Items), v.Tally().Questions, slices.Sorted(maps.Keys(asked)))
	if sizes := selection.StratumSizes(); sizes != nil {
		return d.ofStrata(sizes, v.Tally().Questions)
	}
	if selection.First || v.Tally().Questions >= total { // the first questions are no sample
		d.population = nil
	}
	if selection.UntilHalfWidth > 0 && selection.PopulationOptions > 0 {
		return d // drawn by chance, each question stands for as many
	}
	d.proportional = stats.Proportional(d.population, asked)
	return d
}

// partOf names the shards, the items, the chosen questions and the subjects that were asked, where some were not.
func partOf(h *journal.Header, items, questions int, asked []string) string {
	var parts []string
	lacks, planned := h.Merged.Lacks(), h.Selection.Items
	switch {
	case h.Shard != nil:
		parts = append(parts, fmt.Sprintf("shard %d of %d", h.Shard.Index, h.Shard.Count))
	case len(lacks) > 0 && items < planned:
		parts = append(parts, fmt.Sprintf("%d of %s", h.Merged.Count-len(lacks), format.Several(h.Merged.Count, "shard")))
	case items < planned && !h.Selection.StopsItself():
		parts = append(parts, fmt.Sprintf("%s of %s so far", format.Count(items), format.Several(planned, "item")))
	}
	if len(h.Selection.Chosen) > 0 { // not drawn from anything: they say nothing of the set
		parts = append(parts, format.Several(questions, "chosen question"))
	}
	of := max(h.Dataset.Subjects, len(h.Selection.Population), len(asked))
	number, names := format.Several(of, "subject"), asked
	if len(asked) < of {
		number = format.Count(len(asked)) + " of " + number
	}
	if len(names) > 3 {
		names = append(names[:2:2], format.Count(len(names)-2)+" more")
	}
	if len(asked) < of || len(h.Selection.Subjects) > 0 && h.Dataset.Subjects == 0 { // of how many, an older journal does not tell
		parts = append(parts, number+" ("+strings.Join(names, ", ")+")")
	}
	return strings.Join(parts, ", ")
}

// Weights are the questions of each subject in the set, where the headline is an estimate for it, or those of each stratum of a draw in
// strata, which [Stratum] names; nil where all questions count alike. covers is what the headline is of.
func Weights(h *journal.Header, v results.View) (weights map[string]int, covers string) {
	d := drawOf(h, v)
	if d.proportional {
		return nil, cmp.Or(d.part, Asked)
	}
	return d.population, cmp.Or(d.part, WholeSet)
}

// Stratum names an item's stratum among the weights of a draw in strata; empty of others.
func Stratum(it *results.Item) string {
	if it.Stratum == 0 {
		return ""
	}
	return draw{inStrata: true}.stratumOf(it)
}

// sampled says whether the set is known of which the asked questions are a sample.
func (d draw) sampled() bool { return d.population != nil }

// strata are the scores of each subject's questions.
func (d draw) strata(v results.View, scores func(results.View) []float64) []stats.Stratum {
	var strata []stats.Stratum
	for part := range d.parts(v) {
		strata = append(strata, stats.Stratum{Population: d.population[d.stratumOf(part.Items[0])], Scores: scores(part)})
	}
	return strata
}

// samples are the totals of each subject's questions.
func (d draw) samples(v results.View, totals func(results.View) [][]float64) []stats.Sample {
	var samples []stats.Sample
	for part := range d.parts(v) {
		samples = append(samples, stats.Sample{Population: d.population[d.stratumOf(part.Items[0])], Questions: totals(part)})
	}
	return samples
}

// rightOfScored are the right and the scored items of each question that has any.
func rightOfScored(v results.View) [][]float64 {
	var totals [][]float64
	for _, c := range clusters(v) {
		if c.Items > 0 {
			totals = append(totals, []float64{float64(c.Successes), float64(c.Items)})
		}
	}
	return totals
}

// chanceOfScored is that for a guesser.
func chanceOfScored(v results.View) [][]float64 {
	var totals [][]float64
	for question := range v.Questions() {
		if all := chances(question); len(all) > 0 {
			totals = append(totals, []float64{floats.Sum(all), float64(len(all))})
		}
	}
	return totals
}

// wholeSet sets what a sample says of the set that it was drawn from, of its questions alone, and has the estimate with the set's
// shares of questions like these stand for the run where the draw is not proportional to it.
func (r *Summary) wholeSet(s *settings, own taskMetrics, v results.View) {
	covers := cmp.Or(s.draw.part, WholeSet)
	r.Headline.Covers = cmp.Or(s.draw.part, Asked)
	if !s.draw.sampled() {
		return
	}
	score, baseline := own.wholeSet(v, stats.ThisSet)
	r.Stratified = &Stratified{
		Proportional: s.draw.proportional, Headline: Headline{r.Headline.Name, score.Value, score.Interval, baseline, covers, ThisSet},
	}
	accuracy := score
	if r.Stratified.Baseline = baseline; r.Headline.Name != string(task.Accuracy) {
		right, guessed := s.draw.samples(v, rightOfScored), s.draw.samples(v, chanceOfScored)
		accuracy = stats.OfTotals(right, stats.ThisSet, stats.OfRatio, 0, 1, s.confidence)
		r.Stratified.Baseline = stats.OfTotals(guessed, stats.ThisSet, stats.OfRatio, 0, 1, s.confidence).Value
	}
	r.Stratified.Accuracy, r.Stratified.SE, r.Stratified.CI = accuracy.Value, accuracy.SE, accuracy.Interval
	if !s.draw.proportional && score.Value.Defined() {
		plain := r.Headline
		plain.Covers, plain.Population = Asked, ""
		score, baseline = own.wholeSet(v, stats.LikeThese)
		r.Sample, r.Headline = &plain, Headline{r.Headline.Name, score.Value, score.Interval, baseline, covers, LikeThese}
		if r.Circular == nil { // whose question mean is held against guessing
			r.trial = trial{score, baseline}
		}
		r.warn(AboutAccuracy, score.Warnings...)
	}
}
