package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// orders writes a run of questions of three options, asked in all six orders: orders run.jsonl cA 5 2 1, where so many of them
// are right in every order, the others in the rotations alone, and so many of the last have an order that failed.
func orders(ts *testscript.TestScript, neg bool, args []string) {
	var questions, right, failed int
	if neg || len(args) != 5 {
		ts.Fatalf("usage: orders JOURNAL NAME QUESTIONS RIGHT FAILED")
	}
	_, err := fmt.Sscan(args[2]+" "+args[3]+" "+args[4], &questions, &right, &failed)
	ts.Check(err)
	h := journaltest.Header("mmlu_pro_circular")
	h.Pattern, h.RuleSet = "all_possible", "tiger-strict"
	var records []journal.Record
	for q := range questions {
		for i, pattern := range []string{"ABC", "BCA", "CAB", "ACB", "BAC", "CBA"} {
			answer := journaltest.Answer{Letter: pattern[:1]}
			switch {
			case q >= questions-failed && i == 5:
				answer = journaltest.Answer{Failed: backends.CauseTimeout}
			case q >= right && i > 2:
				answer.Letter = pattern[1:2]
			}
			records = append(records, journaltest.Record(&h, q, "law", pattern, 3, pattern[:1], answer))
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// oneEach writes a run of MMLU-Pro Binary with one question of each of 14 subjects: oneeach run.jsonl cA 10, where the gold
// options of so many of them are called true.
func oneEach(ts *testscript.TestScript, neg bool, args []string) {
	var right int
	if neg || len(args) != 3 {
		ts.Fatalf("usage: oneeach JOURNAL NAME RIGHT")
	}
	_, err := fmt.Sscan(args[2], &right)
	ts.Check(err)
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for q := range 14 {
		for option := range 4 {
			gold, letter := "B", "B"
			if option == 0 {
				gold = "A"
				if q < right {
					letter = "A"
				}
			}
			r := journaltest.Record(&h, q, fmt.Sprintf("subject %02d", q), journaltest.Letter(option), 2, gold,
				journaltest.Answer{Letter: letter})
			r.OptionsOriginal = 4
			records = append(records, r)
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// evenDraw writes a run of 100 questions of each of 14 subjects: evendraw JOURNAL NAME FIRST OTHERS. FIRST is how many questions are
// right in each of the first five subjects, and OTHERS in each of the others, among those that another run has wrong.
func evenDraw(ts *testscript.TestScript, neg bool, args []string) {
	var first, others int
	if neg || len(args) != 4 {
		ts.Fatalf("usage: evendraw JOURNAL NAME FIRST OTHERS")
	}
	_, err := fmt.Sscan(args[2]+" "+args[3], &first, &others)
	ts.Check(err)
	h := journaltest.Header("mmlu_pro")
	h.Selection = journal.Selection{Limit: 1400, PerSubject: 100}
	var records []journal.Record
	for s := range 14 {
		subject, right := fmt.Sprintf("subject %02d", s), first
		if s >= 5 {
			right = others
		}
		for q := range 100 {
			letter := "B"
			if q < 30+right { // 30 are right in every run
				letter = "A"
			}
			records = append(records, journaltest.Record(&h, 100*s+q, subject, "", 10, "A", journaltest.Answer{Letter: letter}))
		}
	}
	keepRun(ts, args[0], args[1], h, records)
}

// keepRun writes the journal of a run of the model with this name.
func keepRun(ts *testscript.TestScript, path, name string, h journal.Header, records []journal.Record) {
	h.Model.Name, h.Model.Quantization, h.Model.FileSHA256 = name, "", name
	var ids []string
	questions := map[int]bool{}
	for _, r := range records {
		ids, questions[r.QuestionID] = append(ids, r.ID), true
	}
	h.Selection.Items, h.Selection.Questions, h.Selection.IDsSHA256 = len(records), len(questions), journal.DigestIDs(ids)
	to, err := journal.Create(ts.MkAbs(path), h)
	ts.Check(err)
	for _, r := range records {
		ts.Check(to.Append(r))
	}
	ts.Check(to.Close())
}
