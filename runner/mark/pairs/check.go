package pairs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/format"
)

// A NotComparableError lists why two runs can't be compared.
type NotComparableError struct {
	A, B   string // the runs
	Fields []journal.FieldDiff
	Final  bool // even Force does not help
}

func (e *NotComparableError) Error() string {
	text := fmt.Sprintf("%s and %s are not comparable: %s", e.A, e.B, List(e.Fields))
	if e.Final {
		return text
	}
	return text + "; " + setting.Force.String() + " compares them anyway, on the questions they share"
}

// List is differences for people: style (tiger@1 and lm-eval@1), shots (5 and 0).
func List(fields []journal.FieldDiff) string {
	return format.List(fields, func(f journal.FieldDiff) string {
		ours, theirs := f.Shown(24)
		return fmt.Sprintf("%s (%s and %s)", f.Field, ours, theirs)
	})
}

// Check refuses runs with different settings. With force, and for settings that only may matter, it warns instead.
func Check(a, b *Run, force bool) (warnings []string, err error) {
	x, y := &a.Marked.Header, &b.Marked.Header
	if diffs := differing([][3]string{{"task", x.Task, y.Task}, {"pattern", x.Pattern, y.Pattern}}); len(diffs) > 0 {
		return nil, &NotComparableError{a.Path, b.Path, diffs, true}
	}
	if b.matched {
		warnings = append(warnings, "the runs' sets have other names or files: questions were matched by their texts and options")
	}
	diffs := append(Settings(x, b.named(x)), differing([][3]string{
		{"rule_set", a.RuleSet, b.RuleSet},
		{"rule_file", rulesDigest(a), rulesDigest(b)},
	})...)
	diffs = append(diffs, ids(a, b)...)
	if len(diffs) > 0 && !force {
		return nil, &NotComparableError{a.Path, b.Path, diffs, false}
	}
	if len(diffs) > 0 {
		warnings = append(warnings, "not the same evaluation, compared anyway: "+List(diffs))
	}
	for _, run := range []*Run{a, b} { // the header does not match the items
		if why := run.Validity.Unheeded; why != nil {
			warnings = append(warnings, run.Path+": "+why.Text)
		}
	}
	if others := others(x, y); len(others) > 0 {
		warnings = append(warnings, "the runs differ in more than the model: "+List(others))
	}
	if differ := served(a, b); differ != "" {
		warnings = append(warnings, differ)
	}
	for _, run := range []*Run{a, b} {
		if text := again.Of(run.Marked).Warning(); text != "" {
			warnings = append(warnings, run.Path+": "+text)
		}
		if len(run.Marked.Header.History.Draws()) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s: it was extended: if fewer of its questions were compared before, a wrong verdict is up "+
				"to twice as likely; fresh questions (another %s) have no such error", run.Path, setting.Seed))
		}
	}
	return warnings, nil
}

// named is the run's header with another's names for the same set and style.
func (r *Run) named(like *journal.Header) *journal.Header {
	h := r.Marked.Header
	if r.matched {
		h.Dataset = like.Dataset
	}
	if strings.HasPrefix(h.Style, like.Style+"@") || strings.HasPrefix(like.Style, h.Style+"@") { // imported logs have no version
		h.Style = like.Style
	}
	return &h
}

// Settings lists the settings in which compared runs must not differ, apart from their questions and rules.
func Settings(x, y *journal.Header) []journal.FieldDiff { return x.Differs(y, journal.OfQuestions) }

// Asked lists the settings by which two runs were not asked, or marked, alike, whatever their models, engines and
// questions are. What a model's own chat template or recommendation decides counts only where both have the same, and a
// seed only where tokens are drawn.
func Asked(x, y *journal.Header) []journal.FieldDiff {
	aspects := []journal.Aspect{journal.OfQuestions, journal.OfPrompts, journal.OfMarks}
	if x.Model.ChatTemplateSHA256 == y.Model.ChatTemplateSHA256 {
		aspects = append(aspects, journal.OfTemplate)
	}
	return slices.DeleteFunc(x.Differs(y, aspects...), func(d journal.FieldDiff) bool {
		name := strings.TrimPrefix(d.Field, "sampling.")
		return x.Sampling.From[name] != "" && y.Sampling.From[name] != "" ||
			name == "seed" && x.Sampling.Temperature == 0 && y.Sampling.Temperature == 0
	})
}

// rulesDigest identifies a rule set that was read from a file.
func rulesDigest(r *Run) string { return journal.SourceOf(r.Marked.RuleSets[0].Text).Digest() }

func differing(fields [][3]string) []journal.FieldDiff {
	var diffs []journal.FieldDiff
	for _, f := range fields {
		if f[1] != f[2] {
			diffs = append(diffs, journal.FieldDiff{Field: f[0], Ours: f[1], Theirs: f[2]})
		}
	}
	return diffs
}

// ids says whether the runs have different items. Where the headers can't tell, the items are compared.
func ids(a, b *Run) []journal.FieldDiff {
	x, y := a.Marked.Header.Selection.IDsSHA256, b.Marked.Header.Selection.IDsSHA256
	if x == y && x != "" && !b.matched {
		return nil
	}
	shared := sharedItems(a, b)
	if shared == a.Items && shared == b.Items {
		return nil
	}
	return []journal.FieldDiff{{
		Field:  "ids",
		Ours:   fmt.Sprintf("%d of %d shared", shared, a.Items),
		Theirs: fmt.Sprintf("%d of %d", shared, b.Items),
	}}
}

// sharedItems counts the items in both runs.
func sharedItems(a, b *Run) (shared int) {
	inA := map[string]bool{}
	for _, it := range a.Marked.Items {
		inA[it.ID] = true
	}
	for _, it := range b.Marked.Items {
		if inA[it.ID] {
			shared++
		}
	}
	return shared
}

// others lists differences in further settings that affect prompts and completions. Where all layers of both engines are on GPUs, the
// CPU's kernels do not matter.
func others(x, y *journal.Header) []journal.FieldDiff {
	diffs := x.Differs(y, journal.OfPrompts, journal.OfTemplate, journal.OfEngine)
	diffs = slices.DeleteFunc(diffs, func(d journal.FieldDiff) bool {
		return d.Field == "backend.kernels" && x.Backend.Offloaded && y.Backend.Offloaded
	})
	if x.Backend.Unsteady() != "" && y.Backend.Unsteady() != "" && min(x.Backend.Slots, y.Backend.Slots) > 1 { // else they differ already
		diffs = append(diffs, differing([][3]string{{"backend.slots", strconv.Itoa(x.Backend.Slots), strconv.Itoa(y.Backend.Slots)}})...)
	}
	return diffs
}
