// Command arithmetic writes a small set of questions that can be computed, in MMLU-Pro's schema, as JSON Lines.
//
//	go run ./scripts/tools/arithmetic -o FOLDER [-n 300] [-seed 7] [-sums]
//
// FOLDER gets test.jsonl (n questions) and validation.jsonl (5, with their reasoning), all of subject math: sums,
// differences, small products, largest and smallest number, some told as a story. The operand pairs of sums and
// differences are ones that the control model has never been trained on (questions.HeldOut); products and comparisons
// come from a range too small to divide, so there only the options are new. No question occurs twice.
// With -sums the questions are those for the model that thinks (llamatest.WriteThinker): the last digit of sums of two
// to six digits.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"proctor/scripts/tools/questions"
)

// row is one line of the dataset.
type row struct {
	QuestionID  int      `json:"question_id"`
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Answer      string   `json:"answer"`
	AnswerIndex int      `json:"answer_index"`
	Reasoning   string   `json:"cot_content"`
	Category    string   `json:"category"`
	Source      string   `json:"src"`
}

const shots = 5

func main() {
	folder := flag.String("o", "", "`folder` to write test.jsonl and validation.jsonl to")
	count := flag.Int("n", 300, "`number` of test questions")
	seed := flag.Uint64("seed", 7, "random `seed`")
	sums := flag.Bool("sums", false, "ask for the last digit of sums")
	flag.Parse()
	if err := write(*folder, *count, *seed, *sums); err != nil {
		fmt.Fprintln(os.Stderr, "arithmetic:", err)
		os.Exit(1)
	}
}

func write(folder string, count int, seed uint64, sums bool) error {
	if folder == "" {
		return errors.New("no folder given; say -o FOLDER")
	}
	if count < 1 || count > 10000 {
		return fmt.Errorf("-n %d: give 1 to 10000 questions", count)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	rows := invent(count+shots, seed, sums)
	for i := range rows[:shots] {
		rows[i].QuestionID = i
	}
	test := rows[shots:]
	for i := range test {
		test[i].QuestionID = 100 + i
		test[i].Reasoning = ""
	}
	return errors.Join(save(filepath.Join(folder, "validation.jsonl"), rows[:shots]), save(filepath.Join(folder, "test.jsonl"), test))
}

func invent(count int, seed uint64, sums bool) []row {
	source := questions.NewSource(seed, 0)
	next := func() questions.Question { return source.Arithmetic(questions.HeldOut) }
	if sums {
		next = source.Sum
	}
	seen := map[string]bool{}
	var rows []row
	for len(rows) < count {
		q := next()
		key := fmt.Sprint(q.Text, q.Options)
		if seen[key] {
			continue
		}
		seen[key] = true
		letter := questions.Letter(q.Gold)
		rows = append(rows, row{
			Question: q.Text, Options: q.Options, Answer: letter, AnswerIndex: q.Gold, Category: q.Subject, Source: "proctor-arithmetic",
			Reasoning: fmt.Sprintf("A: Let's think step by step. %s (%s). The answer is (%s).",
				strings.TrimSuffix(q.Working, "."), letter, letter),
		})
	}
	return rows
}

func save(path string, rows []row) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, r := range rows {
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(path, lines.Bytes(), 0o644)
}
