package dataset

import (
	"slices"
	"strings"
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
	gold := q.Gold()
	kept := make([]string, 0, len(q.Options))
	for i, option := range q.Options {
		if option == Filler && i != gold {
			continue
		}
		if i == gold {
			q.Answer, q.AnswerIndex = Letter(len(kept)), len(kept)
		}
		kept = append(kept, option)
	}
	q.Options = kept
	return q
}
