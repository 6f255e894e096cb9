package dataset

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// An Audit holds the findings of [Set.Audit]. It marshals to JSON, no list ever null, and prints itself with WriteText.
type Audit struct {
	Name           string          `json:"name"`
	SHA256         string          `json:"sha256"`
	Splits         []SplitAudit    `json:"splits"`
	Overlaps       []Overlap       `json:"asked_too"` // validation questions that the test split has as well
	Contradictions []Contradiction `json:"contradictions"`
	BadRows        []BadRow        `json:"bad_rows"`
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
	FillerInside     []int          `json:"filler_inside"`     // ids where filler comes before a real option: dropping it shifts letters
	LeadingSpace     Leak           `json:"leading_space"`     // options that begin with a space
	OfTheAbove       Leak           `json:"of_the_above"`      // options that say "of the above": untrue in any other order
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

// A Leak compares how often gold and other options have a mark. Where the shares differ much, the mark gives the
// answer away.
type Leak struct {
	Gold   int `json:"gold"`
	Golds  int `json:"golds"` // all gold options
	Other  int `json:"other"`
	Others int `json:"others"` // all other options
}

// Audit finds what is odd in the set: duplicates, filler, marks that give answers away. Open it with SkipBadRows to see
// bad rows among the findings.
func (s *Set) Audit() Audit {
	audit := Audit{
		Name: s.Name, SHA256: s.SHA256,
		Overlaps:       s.Overlaps,
		Contradictions: s.Contradictions(),
		BadRows:        append([]BadRow{}, s.BadRows...),
	}
	for _, split := range s.Splits {
		audit.Splits = append(audit.Splits, checkSplit(split, s.Of(split.Name)))
	}
	return audit
}

func checkSplit(split Split, questions []Question) SplitAudit {
	audit := SplitAudit{
		Split:           split,
		RepeatedOptions: []int{},
		FillerInside:    []int{},
		SameText:        sharing(questions, func(q Question) string { return q.Text }),
		SameQuestion:    sharing(questions, func(q Question) string { return q.Text + "\x00" + strings.Join(q.Options, "\x00") }),
	}
	subjects := map[string]int{}
	options := map[int]int{}
	for _, q := range questions {
		subjects[q.Subject]++
		options[len(q.Options)]++
		audit.note(q)
	}
	for _, subject := range slices.Sorted(maps.Keys(subjects)) {
		audit.Subjects = append(audit.Subjects, SubjectCount{Subject: subject, Questions: subjects[subject]})
	}
	for n := range MaxOptions + 1 {
		if options[n] > 0 {
			audit.OptionCounts = append(audit.OptionCounts, OptionCount{Options: n, Questions: options[n]})
		}
	}
	return audit
}

var ofTheAbove = regexp.MustCompile(`(?i)\bof the above\b`)

func (a *SplitAudit) note(q Question) {
	if strings.TrimSpace(q.CoT) == "" {
		a.WithoutReasoning++
	}
	if repeatsOption(q) {
		a.RepeatedOptions = append(a.RepeatedOptions, q.ID)
	}
	filler := 0
	for i, option := range q.Options {
		if option == Filler {
			filler++
		}
		a.LeadingSpace.count(i == q.Gold(), strings.HasPrefix(option, " "))
		a.OfTheAbove.count(i == q.Gold(), ofTheAbove.MatchString(option))
	}
	a.FillerOptions += filler
	isOption := func(option string) bool { return option != Filler }
	if filler > 0 && slices.ContainsFunc(q.Options[slices.Index(q.Options, Filler):], isOption) {
		a.FillerInside = append(a.FillerInside, q.ID)
	}
}

// repeatsOption says whether an option occurs twice, filler aside.
func repeatsOption(q Question) bool {
	options := slices.DeleteFunc(slices.Sorted(slices.Values(q.Options)), func(o string) bool { return o == Filler })
	return len(slices.Compact(slices.Clone(options))) < len(options)
}

func (l *Leak) count(gold, marked bool) {
	all, some := &l.Others, &l.Other
	if gold {
		all, some = &l.Golds, &l.Gold
	}
	*all++
	if marked {
		*some++
	}
}

// sharing groups the ids of questions with the same key; groups stand in the order of their first question.
func sharing(questions []Question, key func(Question) string) [][]int {
	sum := func(q Question) [sha256.Size]byte { return sha256.Sum256([]byte(key(q))) } // keys are as long as the set
	ids := map[[sha256.Size]byte][]int{}
	for _, q := range questions {
		ids[sum(q)] = append(ids[sum(q)], q.ID)
	}
	groups := [][]int{}
	for _, q := range questions {
		if group := ids[sum(q)]; len(group) > 1 && group[0] == q.ID {
			groups = append(groups, group)
		}
	}
	return groups
}

//go:embed audit.gotmpl
var auditText string

var auditTemplate = template.Must(template.New("audit").Funcs(template.FuncMap{
	"counted": Counted, "join": strings.Join, "examples": examples,
}).Parse(auditText))

// WriteText prints the audit for people: counts first, then what deserves a look.
func (a Audit) WriteText(w io.Writer) error { return auditTemplate.Execute(w, a) }

// Duplicates counts the questions that share a text, and those of them that share their options too.
func (a SplitAudit) Duplicates() string {
	if len(a.SameText) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s shared by %d questions; with the same options too: %d shared by %d", Counted(len(a.SameText), "text", ""),
		len(slices.Concat(a.SameText...)), len(a.SameQuestion), len(slices.Concat(a.SameQuestion...)))
}

// String gives both shares in per cent.
func (l Leak) String() string {
	share := func(n, of int) string {
		if of == 0 {
			return "none"
		}
		return fmt.Sprintf("%d of %d (%.2f %%)", n, of, 100*float64(n)/float64(of))
	}
	return fmt.Sprintf("gold %s, others %s", share(l.Gold, l.Golds), share(l.Other, l.Others))
}

// examples names the first few ids.
func examples(ids []int) string {
	const shown = 5
	if len(ids) == 0 {
		return ""
	}
	words := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids[:min(shown, len(ids))]), " ", ", "), "[]")
	if len(ids) > shown {
		words += ", …"
	}
	return " (" + words + ")"
}
