package dataset

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize/english"
)

// An Audit holds the findings of [Set.Audit]. It marshals to JSON, no list ever null, and prints itself with WriteText.
type Audit struct {
	Name     string       `json:"name"`
	SHA256   string       `json:"sha256"`
	Splits   []SplitAudit `json:"splits"`
	Overlaps []Overlap    `json:"asked_too"` // validation questions that the test split has as well
}

// A SplitAudit counts what is worth knowing about one split.
type SplitAudit struct {
	Split
	Subjects         []SubjectCount `json:"subjects"`          // by name
	OptionCounts     []OptionCount  `json:"option_counts"`     // by number of options
	SameText         [][]int        `json:"same_text"`         // ids of questions that share their text
	SameQuestion     [][]int        `json:"same_question"`     // ids of questions that share text and options
	RepeatedOptions  []int          `json:"repeated_options"`  // ids of questions with an option twice
	FillerOptions    int            `json:"filler_options"`    // options that read N/A
	WithoutReasoning int            `json:"without_reasoning"` // questions without worked reasoning
}

// SubjectCount is how many questions a subject has.
type SubjectCount struct {
	Subject   string `json:"subject"`
	Questions int    `json:"questions"`
}

// OptionCount is how many questions have a number of options.
type OptionCount struct {
	Options   int `json:"options"`
	Questions int `json:"questions"`
}

// Audit finds what is odd in the set, such as questions that occur twice.
func (s *Set) Audit() Audit {
	audit := Audit{Name: s.Name, SHA256: s.SHA256, Overlaps: s.Overlaps}
	for _, split := range s.Splits {
		a := SplitAudit{Split: split, RepeatedOptions: []int{}}
		subjects, options := map[string]int{}, map[int]int{}
		for _, q := range s.Of(split.Name) {
			subjects[q.Subject]++
			options[len(q.Options)]++
			if strings.TrimSpace(q.CoT) == "" {
				a.WithoutReasoning++
			}
			seen := map[string]int{}
			for _, option := range q.Options {
				seen[option]++
			}
			a.FillerOptions += seen[Filler]
			if delete(seen, Filler); slices.Max(slices.Collect(maps.Values(seen))) > 1 {
				a.RepeatedOptions = append(a.RepeatedOptions, q.ID)
			}
		}
		a.SameText = sharing(s.Of(split.Name), func(q Question) string { return q.Text })
		a.SameQuestion = sharing(s.Of(split.Name), func(q Question) string { return fmt.Sprintf("%q%q", q.Text, q.Options) })
		for _, subject := range slices.Sorted(maps.Keys(subjects)) {
			a.Subjects = append(a.Subjects, SubjectCount{subject, subjects[subject]})
		}
		for _, n := range slices.Sorted(maps.Keys(options)) {
			a.OptionCounts = append(a.OptionCounts, OptionCount{n, options[n]})
		}
		audit.Splits = append(audit.Splits, a)
	}
	return audit
}

// sharing groups the ids of questions with the same key; groups stand in the order of their first question.
func sharing(questions []Question, key func(Question) string) [][]int {
	ids := map[string][]int{}
	for _, q := range questions {
		ids[key(q)] = append(ids[key(q)], q.ID)
	}
	groups := [][]int{}
	for _, q := range questions {
		if group := ids[key(q)]; len(group) > 1 && group[0] == q.ID {
			groups = append(groups, group)
		}
	}
	return groups
}

//go:embed audit.gotmpl
var auditText string

var auditTemplate = template.Must(template.New("audit").Funcs(template.FuncMap{
	"join":      strings.Join,
	"plural":    func(n int, noun string) string { return english.Plural(n, noun, "") },
	"questions": func(groups [][]int) int { return len(slices.Concat(groups...)) },
	"listed":    func(ids []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]") },
}).Parse(auditText))

// WriteText prints the audit for people: counts first, then what deserves a look.
func (a Audit) WriteText(w io.Writer) error { return auditTemplate.Execute(w, a) }
