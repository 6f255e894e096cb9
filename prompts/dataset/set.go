package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
)

// MaxOptions is the largest number of options a question may have: the letters A to Z. MMLU-Pro's have up to ten.
const MaxOptions = 26

// Filler is the text that stands in for an option that was never written.
const Filler = "N/A"

// DefaultSubject is the subject of rows that name none.
const DefaultSubject = "general knowledge"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// A Question is one row of a set. In JSON its fields have the names of MMLU-Pro's columns.
type Question struct {
	ID          int      `json:"question_id"` // unique in its split
	Text        string   `json:"question"`
	Options     []string `json:"options"`      // 2 to MaxOptions
	Answer      string   `json:"answer"`       // the gold letter, always one of the question's
	AnswerIndex int      `json:"answer_index"` // as the row has it; where it disagrees with Answer, Answer decides
	CoT         string   `json:"cot_content"`  // worked reasoning, usually of validation questions only
	Subject     string   `json:"category"`
	Src         string   `json:"src"` // where the set's authors took it from
	Row         int      `json:"row"` // 1-based: the row of a parquet file, the line of a JSON Lines file
}

// Letter names the option at index i: 0 is A.
func Letter(i int) string { return letters[i : i+1] }

// Gold is the index of the gold option.
func (q Question) Gold() int { return strings.Index(letters, q.Answer) }

// WithoutFiller returns q without its filler options. The gold letter moves with its option, and a gold option is
// kept even if it reads like filler.
func (q Question) WithoutFiller() Question {
	if !slices.Contains(q.Options, Filler) {
		return q
	}
	gold, all := q.Gold(), q.Options
	q.Options = nil
	for i, option := range all {
		if i == gold {
			q.Answer, q.AnswerIndex = Letter(len(q.Options)), len(q.Options)
		}
		if option != Filler || i == gold {
			q.Options = append(q.Options, option)
		}
	}
	return q
}

// The splits a set can have.
const (
	TestSplit       = "test"       // the questions that become items
	ValidationSplit = "validation" // the questions that shots are made of
)

// A Set is an opened data set: questions for the run, and questions for shots.
type Set struct {
	Name       string
	Folder     string  // where it lies in the data folder; empty for one that is not imported
	SHA256     string  // see digest
	Splits     []Split // test first
	Test       []Question
	Validation []Question // in the order of the file; may be empty
	Overlaps   []Overlap  // validation questions that the test split has as well
	Published  string     // the published set that all test questions are of, by their content; empty where they are not
}

// A Split describes the files that one split was read from.
type Split struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	Rows   int      `json:"rows"`   // questions
	SHA256 string   `json:"sha256"` // over the bytes of Files, one after the other

	Subjects []string `json:"subjects,omitempty"` // of Files, where their names say them; empty where the rows do

	// How the files were read.
	Format string   `json:"format,omitempty"` // of the first: parquet, JSON Lines, JSON, or CSV with its separator
	Shape  string   `json:"shape,omitempty"`  // that was recognised; empty where the mapping was given whole
	Map    string   `json:"map,omitempty"`    // as [Mapping.String]; empty for MMLU-Pro's own columns
	Notes  []string `json:"notes,omitempty"`  // what was found out beside, such as rows that were left out
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
	for _, q := range slices.Concat(s.Test, s.Validation) {
		if q.ID == id {
			return q, nil
		}
	}
	return Question{}, fmt.Errorf("%s has no question %d", s.Name, id)
}

// digest is the set's identity: the sha256, as hex, of the lines "SPLIT SHA256\n" of its splits, test first. Names of
// files do not enter: a copy is the same set. Where a split is not read by MMLU-Pro's own columns, its mapping follows,
// and the subjects that the files' names say: other columns make another set of the same bytes.
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

// Shots returns the first n validation questions that can be shots of a subject (empty for all subjects), in the order
// of the file, as every reference implementation picks them. Where validation questions have no subjects, they serve
// all. Those that are test questions too are left out, see [Overlap].
func (s *Set) Shots(subject string, n int) ([]Question, error) {
	overlapping := map[int]bool{}
	for _, both := range s.Overlaps {
		overlapping[both.Validation] = true
	}
	serveAll := subject == "" || slices.Equal(subjectsOf(s.Validation), []string{DefaultSubject})
	shots := slices.DeleteFunc(slices.Clone(s.Validation), func(q Question) bool {
		return overlapping[q.ID] || !serveAll && q.Subject != subject
	})
	if len(shots) >= n {
		return shots[:n], nil
	}
	left := ""
	if count := len(s.Overlaps); count > 0 {
		left = fmt.Sprintf(" (%s also in the test split, left out)", english.Plural(count, "validation question", ""))
	}
	return nil, fmt.Errorf("%s has %d validation questions for subject %q%s, %d shots need %d; "+
		"ask for fewer shots (%s), or give a file of them (%s)", s.Name, len(shots), subject, left, n, n,
		setting.Shots.As("N"), setting.ShotsFile.As("FILE"))
}

// Overlap is a validation question that the test split has as well: as a shot it would give its answer away.
type Overlap struct {
	Validation int `json:"validation"` // the question's id
	Test       int `json:"test"`       // the first test question with the same text and options
}

// overlaps compares the splits: questions are the same that have the same text and options, in whatever order, spaces
// around them and filler aside. All test questions count, so that shots do not depend on a draw.
func (s *Set) overlaps() []Overlap {
	test := map[string]int{}
	for _, q := range slices.Backward(s.Test) {
		test[q.key()] = q.ID
	}
	all := []Overlap{}
	for _, q := range s.Validation {
		if id, found := test[q.key()]; found {
			all = append(all, Overlap{Validation: q.ID, Test: id})
		}
	}
	return all
}

// key is the same for questions with the same text and options.
func (q Question) key() string {
	parts := []string{strings.TrimSpace(q.Text)}
	for _, option := range q.WithoutFiller().Options {
		parts = append(parts, strings.TrimSpace(option))
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
}
