package metrics

import (
	"cmp"
	"fmt"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// AllQuestions names the coverage of a figure that is not restricted to a part of the set: all questions of the run.
const AllQuestions = "questions asked"

// Part is a suffix with the part of the set that a figure covers; empty where it is not restricted.
func Part(covers string) string {
	if covers == AllQuestions {
		return ""
	}
	return ", " + covers
}

// coversOf names the items behind the headline: the shards, items, chosen questions and subjects, if some are missing.
func coversOf(h *journal.Header, v results.View) string {
	var subjects, parts []string
	for part := range v.Subjects() {
		subjects = append(subjects, part.Items[0].Subject)
	}
	shards, missing := h.History.Shards()
	own, planned, items := h.History.Last().Shard, h.Selection.Items, len(v.Items)
	switch {
	case own != nil:
		parts = append(parts, fmt.Sprintf("shard %d of %d", own.Index, own.Count))
	case len(missing) > 0 && items < planned:
		parts = append(parts, fmt.Sprintf("%d of %s", shards-len(missing), format.Several(shards, "shard")))
	case items < planned && !h.Selection.StopsItself():
		parts = append(parts, fmt.Sprintf("%s of %s so far", format.Count(items), format.Several(planned, "item")))
	}
	if len(h.Selection.Chosen) > 0 { // chosen, not drawn: they don't represent the set
		parts = append(parts, format.Several(v.Tally().Questions, "chosen question"))
	}
	of := max(h.Dataset.Subjects, len(subjects))
	number := format.Several(of, "subject")
	if len(subjects) < of {
		number = format.Count(len(subjects)) + " of " + number
	}
	unknown := h.Dataset.Subjects == 0 // older journals don't have the number
	if items > 0 && (len(subjects) < of || unknown && len(h.Selection.Subjects) > 0) {
		parts = append(parts, number+" ("+format.Few(subjects)+")")
	}
	return cmp.Or(strings.Join(parts, ", "), AllQuestions)
}
