// Package draw is how the asked questions stand to the set that they were drawn from.
//
//	journal.Header, results.View ─ Of ─▶ Draw ─ Strata, Samples ─▶ what package stats takes for estimates of the set
//
// Neighbours: runner/mark/metrics estimates a run's score by it, runner/mark/pairs the difference of two runs.
package draw

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// What a figure covers, where that is no part of the set.
const (
	Asked    = "questions asked"
	WholeSet = "whole set" // estimated from a sample of all subjects, whose shares are not those of the set
)

// Part is what a figure covers, to stand behind a name: nothing where that is no part of a set.
func Part(covers string) string {
	if covers == Asked || covers == WholeSet {
		return ""
	}
	return ", " + covers
}

// A Draw is how the asked questions stand to the set that they were drawn from.
type Draw struct {
	Population   map[string]int // questions of each subject in the set; nil where all are asked, or the journal does not tell
	Part         string         // of the set that was asked, as a headline names it; nothing where all its subjects and all items were
	Proportional bool           // each subject has its share of the asked questions, up to rounding or by chance
	inStrata     bool           // Population is that of the draw's strata, not of subjects
}

// stratumOf names what an item's question is counted with: its stratum of a draw in strata, else its subject.
func (d Draw) stratumOf(it *results.Item) string {
	if d.inStrata {
		return strconv.Itoa(it.Stratum)
	}
	return it.Subject
}

// ofStrata is a draw in strata that have so many questions in the set.
func (d Draw) ofStrata(sizes []int, asked int) Draw {
	all := 0
	d.Population = map[string]int{}
	for h, n := range sizes {
		d.Population[strconv.Itoa(h+1)], all = n, all+n
	}
	if asked >= all {
		d.Population = nil
		return d
	}
	d.inStrata, d.Proportional = true, false
	return d
}

// parts are the view's parts by stratum or by subject.
func (d Draw) parts(v results.View) iter.Seq[results.View] {
	if !d.inStrata {
		return v.Subjects()
	}
	return func(yield func(results.View) bool) {
		for h := range len(d.Population) {
			part := v.Where(func(it *results.Item) bool { return it.Stratum == h+1 })
			if len(part.Items) > 0 && !yield(part) {
				return
			}
		}
	}
}

// Of is the draw of a run's items.
func Of(h *journal.Header, v results.View) Draw {
	selection := &h.Selection
	d := Draw{Population: maps.Clone(selection.Population), Proportional: true}
	if only := selection.Subjects; len(only) > 0 {
		maps.DeleteFunc(d.Population, func(subject string, _ int) bool { return !slices.Contains(only, subject) })
	}
	asked, total := map[string]int{}, 0
	for part := range v.Subjects() {
		asked[part.Items[0].Subject] = part.Tally().Questions
	}
	for _, size := range d.Population {
		total += size
	}
	if selection.StratumSizes() != nil { // all of them, whichever were drawn
		asked = d.Population
	}
	d.Part = partOf(h, len(v.Items), v.Tally().Questions, slices.Sorted(maps.Keys(asked)))
	if sizes := selection.StratumSizes(); sizes != nil {
		return d.ofStrata(sizes, v.Tally().Questions)
	}
	if selection.First || v.Tally().Questions >= total { // the first questions are no sample
		d.Population = nil
	}
	if selection.UntilHalfWidth > 0 && selection.PopulationOptions > 0 {
		return d // drawn by chance, each question stands for as many
	}
	d.Proportional = stats.Proportional(d.Population, asked)
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
	d := Of(h, v)
	if d.Proportional {
		return nil, cmp.Or(d.Part, Asked)
	}
	return d.Population, cmp.Or(d.Part, WholeSet)
}

// Stratum names an item's stratum among the weights of a draw in strata; empty of others.
func Stratum(it *results.Item) string {
	if it.Stratum == 0 {
		return ""
	}
	return Draw{inStrata: true}.stratumOf(it)
}

// Strata are the scores of each subject's questions.
func (d Draw) Strata(v results.View, scores func(results.View) []float64) []stats.Stratum {
	var strata []stats.Stratum
	for part := range d.parts(v) {
		strata = append(strata, stats.Stratum{Population: d.Population[d.stratumOf(part.Items[0])], Scores: scores(part)})
	}
	return strata
}

// Samples are the totals of each subject's questions.
func (d Draw) Samples(v results.View, totals func(results.View) [][]float64) []stats.Sample {
	var samples []stats.Sample
	for part := range d.parts(v) {
		samples = append(samples, stats.Sample{Population: d.Population[d.stratumOf(part.Items[0])], Questions: totals(part)})
	}
	return samples
}
