// Package draw is how the asked questions stand to the set that they were drawn from.
//
//	journal.Header, results.View ─ Of ─▶ Draw ─ Strata, Samples ─▶ what package stats takes for estimates of the set
//
// Neighbours: runner/mark/metrics estimates a run's score by it, runner/mark/pairs the difference of two runs.
package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
	Proportional bool           // each subject has its share of the asked questions, up to rounding
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
	d.Part = partOf(h, len(v.Items), v.Tally().Questions, slices.Sorted(maps.Keys(asked)))
	if selection.First || v.Tally().Questions >= total { // the first questions are no sample
		d.Population = nil
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

// Weights are the questions of each subject in the set, where the headline is an estimate for it; nil where all questions count alike. covers is what the headline is of.
func Weights(h *journal.Header, v results.View) (weights map[string]int, covers string) {
	d := Of(h, v)
	if d.Proportional {
		return nil, cmp.Or(d.Part, Asked)
	}
	return d.Population, cmp.Or(d.Part, WholeSet)
}

// Strata are the scores of each subject's questions.
func (d Draw) Strata(v results.View, scores func(results.View) []float64) []stats.Stratum {
	var strata []stats.Stratum
	for part := range v.Subjects() {
		strata = append(strata, stats.Stratum{Population: d.Population[part.Items[0].Subject], Scores: scores(part)})
	}
	return strata
}

// Samples are the totals of each subject's questions.
func (d Draw) Samples(v results.View, totals func(results.View) [][]float64) []stats.Sample {
	var samples []stats.Sample
	for part := range v.Subjects() {
		samples = append(samples, stats.Sample{Population: d.Population[part.Items[0].Subject], Questions: totals(part)})
	}
	return samples
}
