package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// The splits a set can have.
const (
	TestSplit       = "test"       // the questions that are asked
	ValidationSplit = "validation" // the questions that shots are made of
)

// A Set is what one reference opened: questions to ask, and questions to make shots of.
type Set struct {
	Name       string
	SHA256     string  // see digest
	Splits     []Split // test first
	Test       []Question
	Validation []Question // in the order of the file; may be empty
	Warnings   []string   // what a reader of the results should know
	BadRows    []BadRow   // rows left out; empty unless Options.SkipBadRows
}

// A Split describes the files that one split was read from.
type Split struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	Rows   int      `json:"rows"`   // questions, bad rows left out
	SHA256 string   `json:"sha256"` // over the bytes of Files, one after the other
}

// Subjects lists the subjects of the test questions by name.
func (s *Set) Subjects() []string { return subjectsOf(s.Test) }

// Shots returns the first n validation questions of a subject, as every reference implementation picks them.
func (s *Set) Shots(subject string, n int) ([]Question, error) {
	shots := slices.DeleteFunc(slices.Clone(s.Validation), func(q Question) bool { return q.Subject != subject })
	if len(shots) < n {
		return nil, fmt.Errorf("dataset: %s has %d validation questions for subject %q, %d shots need %d; "+
			"ask for fewer shots or give a folder with a validation file", s.Name, len(shots), subject, n, n)
	}
	return shots[:n], nil
}

// Find returns the question with this id, from the test split first.
func (s *Set) Find(id int) (Question, error) {
	for _, split := range [][]Question{s.Test, s.Validation} {
		if i := slices.IndexFunc(split, func(q Question) bool { return q.ID == id }); i >= 0 {
			return split[i], nil
		}
	}
	return Question{}, fmt.Errorf("dataset: %s has no question %d", s.Name, id)
}

// digest is the set's identity: the sha256, as hex, of the lines "SPLIT SHA256\n" of its splits, test first. File
// names and formats of folders do not enter, only bytes: a copy under another name is the same set.
func digest(splits []Split) string {
	h := sha256.New()
	for _, split := range splits {
		fmt.Fprintf(h, "%s %s\n", split.Name, split.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func subjectsOf(questions []Question) []string {
	subjects := map[string]bool{}
	for _, q := range questions {
		subjects[q.Subject] = true
	}
	return slices.Sorted(maps.Keys(subjects))
}
