package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"proctor/prompts/dataset"
	"proctor/runner/journal/journaltest"
)

// TestForeignShapesGiveTheSameMarks asks the control model the sample's questions from files of other shapes: each must come
// to the prompts, texts, gold letters and marks that the sample itself comes to.
func TestForeignShapesGiveTheSameMarks(t *testing.T) {
	sample, err := dataset.Open(dataset.SampleName, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	test, shots := sample.Test, sample.Validation
	four := fitting(test, 4)
	many := withManyOptions(sample)
	folder := t.TempDir()
	native := func(name string, questions []dataset.Question) string {
		return saved(t, folder, name, linesOf(t, questions, func(q dataset.Question) any { return q }))
	}
	validation := native("validation.jsonl", shots)

	for name, shape := range map[string]struct {
		like, from string   // files of the same questions
		flags      []string // of the one that is foreign
		shots      string   // of both
	}{
		"CSV with columns A to D": {
			like: native("four.jsonl", four), from: saved(t, folder, "four.csv", csvOf(t, four, 4)), shots: "2",
			flags: []string{"--map", "question=question,options=A+B+C+D,answer=answer,id=nr,subject=topic", "--shots-file", validation},
		},
		"JSON Lines with integers from 1, as are the shots": {
			like: native("all.jsonl", test), from: saved(t, folder, "numbers.jsonl", linesOf(t, test, numbered)), shots: "2",
			flags: []string{"--map", "question=prompt,options=endings,answer=key,id=nr,subject=about.field,cot=why",
				"--shots-file", saved(t, folder, "numbers-dev.jsonl", linesOf(t, shots, numbered))},
		},
		"parquet with texts as answers": {
			like: native("distinct.jsonl", distinct(test)), from: saved(t, folder, "texts.parquet", parquetOf(t, distinct(test))),
			flags: []string{"--map", "question=q,options=o,answer=a,id=nr,subject=s", "--shots-file", validation}, shots: "2",
		},
		"a CSV file of 26 columns, most of them empty": {
			like: native("all.jsonl", test), from: saved(t, folder, "wide.csv", csvOf(t, test, dataset.MaxOptions)), shots: "2",
			flags: []string{"--map", "id=nr,subject=topic", "--shots-file", validation},
		},
		"26 options": {
			like: native("many.jsonl", many), from: saved(t, folder, "many.csv", csvOf(t, many, dataset.MaxOptions)), shots: "1",
			flags: []string{"--map", "id=nr,subject=topic", "--shots-file", validation},
		},
		"no validation split": {
			like: native("all.jsonl", test), from: saved(t, folder, "alone.jsonl", linesOf(t, test, numbered)), shots: "0",
			flags: []string{"--map", "question=prompt,options=endings,answer=key,id=nr,subject=about.field"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			common := []string{"--quiet", "--threads", "1", "--slots", "1", "--subjects", "law,math", "--limit", "6",
				"--max-tokens", "60"}
			ask := func(data string, more ...string) (items, report string) {
				out := filepath.Join(t.TempDir(), "run")
				args := append([]string{"run", "--data", data, "--out", out, "--format", "json"}, common...)
				printed := run(t, append(args, more...)...)
				return itemsOf(t, out), markedIn(t, printed)
			}
			foreign := shape.flags
			if shape.shots != "0" { // without a validation split there are no shots, unasked
				foreign = append(foreign, "--shots", shape.shots)
			}
			wantItems, want := ask(shape.like, "--shots", shape.shots, "--shots-file", validation)
			gotItems, got := ask(shape.from, foreign...)
			if gotItems != wantItems {
				t.Errorf("items\n%.1500s\nwant\n%.1500s", gotItems, wantItems)
			}
			if got != want {
				t.Errorf("marks %s, want %s", got, want)
			}
		})
	}
}

// TestGuessingFollowsTheSet looks at the baselines of sets whose questions have 2, 4 and 26 options.
func TestGuessingFollowsTheSet(t *testing.T) {
	for _, options := range []int{2, 4, dataset.MaxOptions} {
		var questions []dataset.Question
		for id := range 6 {
			q := dataset.Question{ID: id + 1, Text: fmt.Sprintf("Which is number %d?", id), Subject: "counting"}
			for i := range options {
				q.Options = append(q.Options, fmt.Sprint("thing ", i))
			}
			q.Answer = dataset.Letter(id % options)
			questions = append(questions, q)
		}
		file := saved(t, t.TempDir(), "set.csv", csvOf(t, questions, options))
		var report struct {
			Baseline struct{ Nominal, Expected float64 }
		}
		printed := run(t, "run", "--quiet", "--data", file, "--map", "id=nr,subject=topic", "--format", "json", "--max-tokens", "60",
			"--out", filepath.Join(t.TempDir(), "run"))
		if err := json.Unmarshal(printed, &report); err != nil {
			t.Fatal(err)
		}
		want := 1 / float64(options)
		if b := report.Baseline; b.Nominal != want || !near(b.Expected, want) {
			t.Errorf("%d options: baseline %+v, want %g", options, b, want)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func fitting(questions []dataset.Question, options int) (kept []dataset.Question) {
	for _, q := range questions {
		if len(q.Options) <= options {
			kept = append(kept, q)
		}
	}
	return kept
}

// distinct are the questions whose right option is told by its text.
func distinct(questions []dataset.Question) (kept []dataset.Question) {
	for _, q := range questions {
		same := 0
		for _, option := range q.Options {
			if strings.TrimSpace(option) == strings.TrimSpace(q.Options[q.Gold()]) {
				same++
			}
		}
		if same == 1 {
			kept = append(kept, q)
		}
	}
	return kept
}

// withManyOptions fills questions up to 26 options with those of others.
func withManyOptions(set *dataset.Set) (questions []dataset.Question) {
	for i, q := range set.Test {
		options := slices.Clone(q.Options)
		for at := i + 1; len(options) < dataset.MaxOptions; at++ {
			options = append(options, set.Test[at%len(set.Test)].Options...)
		}
		gold := (7 * i) % dataset.MaxOptions // also letters that MMLU-Pro does not have
		options = options[:dataset.MaxOptions]
		options[q.Gold()], options[gold] = options[gold], options[q.Gold()]
		q.Options, q.Answer, q.AnswerIndex = options, dataset.Letter(gold), gold
		questions = append(questions, q)
	}
	return questions
}

func linesOf(t *testing.T, questions []dataset.Question, row func(dataset.Question) any) []byte {
	t.Helper()
	var lines bytes.Buffer
	for _, q := range questions {
		if err := json.NewEncoder(&lines).Encode(row(q)); err != nil {
			t.Fatal(err)
		}
	}
	return lines.Bytes()
}

func numbered(q dataset.Question) any {
	return map[string]any{"nr": q.ID, "prompt": q.Text, "endings": q.Options, "key": q.Gold() + 1, "why": q.CoT,
		"about": map[string]string{"field": q.Subject}}
}

// csvOf has a column for each of so many options.
func csvOf(t *testing.T, questions []dataset.Question, options int) []byte {
	t.Helper()
	header := []string{"nr", "topic", "question"}
	for i := range options {
		header = append(header, dataset.Letter(i))
	}
	rows := [][]string{append(header, "answer")}
	for _, q := range questions {
		row := append([]string{fmt.Sprint(q.ID), q.Subject, q.Text}, q.Options...)
		row = append(row, make([]string, options-len(q.Options))...)
		rows = append(rows, append(row, q.Answer))
	}
	content := bytes.NewBufferString("\ufeff")
	writer := csv.NewWriter(content)
	writer.Comma = ';'
	if err := writer.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

func parquetOf(t *testing.T, questions []dataset.Question) []byte {
	t.Helper()
	type row struct {
		Nr int32    `parquet:"nr"`
		S  string   `parquet:"s"`
		Q  string   `parquet:"q"`
		O  []string `parquet:"o,list"`
		A  string   `parquet:"a"`
	}
	var rows []row
	for _, q := range questions {
		rows = append(rows, row{int32(q.ID), q.Subject, q.Text, q.Options, q.Options[q.Gold()]})
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, rows); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func saved(t *testing.T, folder, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// itemsOf lists a run's items with all that was asked and answered.
func itemsOf(t *testing.T, folder string) string {
	t.Helper()
	kept, err := journaltest.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	var items strings.Builder
	for _, r := range kept.Records {
		fmt.Fprintf(&items, "%s %s %d %s\n%q\n%q\n%q\n", r.ID, r.Subject, r.Options, r.Gold,
			kept.Header.Preambles[r.Subject], r.Prompt, r.Text)
	}
	return items.String()
}

// markedIn is what a report's marks come to.
func markedIn(t *testing.T, report []byte) string {
	t.Helper()
	var marks struct {
		Items, Answered, Correct int
		Accuracy                 float64
		Baseline                 struct{ Nominal, Expected float64 }
		Rules                    map[string]struct{ Answered, Correct int }
		Letters                  json.RawMessage
	}
	if err := json.Unmarshal(report, &marks); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", marks)
}
