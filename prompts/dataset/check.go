package dataset

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Audit is what [Check] found in a set. It marshals to JSON, no list ever null, and prints itself with WriteText.
type Audit struct {
	Name           string          `json:"name"`
	SHA256         string          `json:"sha256"`
	Splits         []SplitAudit    `json:"splits"`
	AskedToo       []AskedToo      `json:"asked_too"` // validation questions that the test split has as well
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

// OptionCount is how many questions have so many options.
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

// A Contradiction is a question whose answer and answer_index disagree. Answer decides.
type Contradiction struct {
	Split       string `json:"split"`
	ID          int    `json:"id"`
	Answer      string `json:"answer"`
	AnswerIndex int    `json:"answer_index"`
}

// Check looks through a set. Open it with SkipBadRows to see bad rows among the findings.
func Check(set *Set) Audit {
	audit := Audit{
		Name: set.Name, SHA256: set.SHA256,
		AskedToo:       set.AskedToo,
		Contradictions: set.contradictions(),
		BadRows:        append([]BadRow{}, set.BadRows...),
	}
	for _, split := range set.Splits {
		audit.Splits = append(audit.Splits, checkSplit(split, set.of(split.Name)))
	}
	return audit
}

// contradictions are those of all questions of a set, test first.
func (s *Set) contradictions() []Contradiction {
	found := []Contradiction{}
	for _, split := range s.Splits {
		for _, q := range s.of(split.Name) {
			if q.AnswerIndex != q.Gold() {
				found = append(found, Contradiction{Split: split.Name, ID: q.ID, Answer: q.Answer, AnswerIndex: q.AnswerIndex})
			}
		}
	}
	return found
}

func (c Contradiction) String() string {
	return fmt.Sprintf("%s question %d: answer %s, answer_index %d", c.Split, c.ID, c.Answer, c.AnswerIndex)
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
	for _, subject := range subjectsOf(questions) {
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

// note adds one question's findings.
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
	if filler > 0 && slices.ContainsFunc(q.Options[slices.Index(q.Options, Filler):], func(o string) bool { return o != Filler }) {
		a.FillerInside = append(a.FillerInside, q.ID)
	}
}

// repeatsOption tells whether an option occurs twice, filler aside.
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
