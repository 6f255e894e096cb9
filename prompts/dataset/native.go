package dataset

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/dataset/table"
)

// nativeColumns are MMLU-Pro's, and the other names that some of them may have.
var nativeColumns = []string{"question_id", "question", "options", "choices", "answer", "answer_index", "cot_content", "category",
	"subject", "src"}

// nativeRow makes a row of a set of one with MMLU-Pro's columns.
func nativeRow(r table.Row) row {
	c := cellsOf(r)
	if r.Bad != "" {
		return c.to
	}
	c.to.id, c.to.index = c.integer("question_id"), c.integer("answer_index")
	c.to.text, c.to.cot, c.to.src = c.text("question"), c.text("cot_content"), c.text("src")
	c.to.category = c.subject("category", "subject")
	options, choices := c.listed("options"), c.listed("choices")
	if c.to.options = options; options == nil {
		c.to.options = choices
	} else if choices != nil && !slices.Equal(options, choices) {
		c.bad("options and choices differ")
	}
	if n := len(c.to.options); c.to.bad == "" && n > 1 && n <= MaxOptions { // else the row says what is wrong with them
		var why string
		if c.to.gold, why = nativeGold(r.At("answer"), c.to.index, n); why != "" {
			c.badGold("%s", why)
		}
	}
	return c.to
}

// nativeGold is the index of the right one of n options: answer's letter, else answer_index.
func nativeGold(answer any, index *int64, n int) (gold int, why string) {
	switch answer := answer.(type) {
	case string:
		letter := strings.TrimSpace(answer)
		if gold = strings.Index(letters, letter); len(letter) != 1 || gold < 0 || gold >= n {
			return 0, fmt.Sprintf("gold answer %q is not one of A–%s", answer, Letter(n-1))
		}
		return gold, ""
	case nil:
	default:
		return 0, fmt.Sprintf("answer is %s, want a letter (an index belongs in answer_index)", table.Kind(answer))
	}
	if index == nil {
		return 0, "neither answer nor answer_index"
	}
	if *index < 0 || *index >= int64(n) {
		return 0, fmt.Sprintf("answer_index %d is out of range for %d options (0–%d)", *index, n, n-1)
	}
	return int(*index), ""
}

// isNative says whether a table has MMLU-Pro's columns, with what they are to hold: an answer that is a letter, where there is
// no answer_index. A table without any column is taken for one, whose rows are all bad.
func isNative(t *table.Table) (bool, error) {
	if len(t.Columns) == 0 {
		return true, nil
	}
	if !t.Has("question") || !slices.Contains(t.Columns, "options") && !slices.Contains(t.Columns, "choices") {
		return false, nil
	}
	if t.Has("answer_index") {
		return true, nil
	}
	if t.Has(superGPQAAnswer) {
		return false, nil
	}
	letter := false
	err := t.Rows(nativeColumns, func(r table.Row) bool {
		answer, isText := r.At("answer").(string)
		answer = strings.TrimSpace(answer)
		letter = isText && len(answer) == 1 && strings.Contains(letters, answer)
		return r.At("answer") == nil
	})
	return letter, err
}

// nativeMapping returns MMLU-Pro's columns as a mapping, to be changed in part.
func nativeMapping(t *table.Table) Mapping {
	first := func(columns ...string) string {
		if i := slices.IndexFunc(columns, t.Has); i >= 0 {
			return columns[i]
		}
		return ""
	}
	m := Mapping{
		Question: "question", Options: []string{first("options", "choices")}, Answer: first("answer", "answer_index"),
		ID: first("question_id"), Subject: first("category", "subject"), CoT: first("cot_content"), Src: first("src"),
	}
	if m.Answer == "answer_index" {
		m.AnswerIs = AsIndex0
	} else if t.Has("answer_index") {
		m.AnswerIs = AsLetter
	}
	return m
}
