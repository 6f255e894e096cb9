package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// The splits a set can have.
const (
	TestSplit       = "test"       // the questions that become items
	ValidationSplit = "validation" // the questions that shots are made of
)

// A Set is an opened data set: questions for the run, and questions for shots.
type Set struct {
	Name       string
	Imported   bool    // it lies in the data folder
	SHA256     string  // see digest
	Splits     []Split // test first
	Test       []Question
	Validation []Question // in the order of the file; may be empty
	Overlaps   []Overlap  // validation questions that the test split has as well
	BadRows    []BadRow   // rows left out; empty unless Options.SkipBadRows
}

// A Split describes the files that one split was read from.
type Split struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	Rows   int      `json:"rows"`   // questions, bad rows left out
	SHA256 string   `json:"sha256"` // over the bytes of Files, one after the other

	Subjects []string `json:"subjects,omitempty"` // of Files, where their names say them; empty where the rows do

	// How the files were read.
	Format string   `json:"format,omitempty"` // of the first: parquet, JSON Lines, JSON, or CSV with its separator
	Shape  string   `json:"shape,omitempty"`  // that was recognised; empty where the mapping was given whole
	Map    string   `json:"map,omitempty"`    // see [ReadMapping]; empty for MMLU-Pro's own columns
	Notes  []string `json:"notes,omitempty"`  // what was found out beside, such as what the answer column says

	mapping Mapping // Map
}

// Read says for people how the split was read.
func (s Split) Read() string {
	parts := append([]string{s.Format, s.Shape, s.Map}, s.Notes...)
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// Of are the questions of a split.
func (s *Set) Of(split string) []Question {
	if split == ValidationSplit {
		return s.Validation
	}
	return s.Test
}

// MostOptions is how many options the test question with most of them has.
func (s *Set) MostOptions() int {
	most := 0
	for _, q := range s.Test {
		most = max(most, len(q.Options))
	}
	return most
}

// Published is the name of the published set that all test questions are of, by their content; empty where they are not.
func (s *Set) Published() string {
	for _, q := range s.Test {
		if !task.IsPublished(q.ID, q.Text, q.Options) {
			return ""
		}
	}
	return task.Published
}

// Map is the mapping that the test questions were read by; empty for MMLU-Pro's own columns.
func (s *Set) Map() string {
	if len(s.Splits) == 0 {
		return ""
	}
	return s.Splits[0].Map
}

// Subjects lists the subjects of the test questions by name.
func (s *Set) Subjects() []string { return subjectsOf(s.Test) }

// Find returns the question with this id, from the test split first.
func (s *Set) Find(id int) (Question, error) {
	for _, split := range [][]Question{s.Test, s.Validation} {
		if i := slices.IndexFunc(split, func(q Question) bool { return q.ID == id }); i >= 0 {
			return split[i], nil
		}
	}
	return Question{}, fmt.Errorf("%s has no question %d", s.Name, id)
}

// digest is the set's identity: the sha256, as hex, of the lines "SPLIT SHA256\n" of its splits, test first. File
// names and formats of folders do not enter, only bytes: a copy under another name is the same set. Where a split is not read
// by MMLU-Pro's own columns, its mapping stands at the end of its line: other columns make another set of the same bytes. So do
// subjects that the files' names say, after it.
func digest(splits []Split) string {
	h := sha256.New()
	for _, split := range splits {
		fmt.Fprintln(h, strings.TrimSpace(split.Name+" "+split.SHA256+" "+split.Map+" "+strings.Join(split.Subjects, ",")))
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

// A Contradiction is a question whose answer and answer_index disagree. Answer decides.
type Contradiction struct {
	Split       string `json:"split"`
	ID          int    `json:"id"`
	Answer      string `json:"answer"`
	AnswerIndex int    `json:"answer_index"`
}

// Contradictions are those of all questions of a set, test first.
func (s *Set) Contradictions() []Contradiction {
	found := []Contradiction{}
	for _, split := range s.Splits {
		for _, q := range s.Of(split.Name) {
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

// Counted words a number: "1 bad row left out", "no bad rows left out".
func Counted(n int, noun, rest string) string {
	words := fmt.Sprintf("%d %s", n, noun)
	if n == 0 {
		words = "no " + noun
	}
	if n != 1 {
		words += "s"
	}
	return strings.TrimSpace(words + " " + rest)
}
