package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// evenDraw writes a run of 100 questions of each of 14 subjects: evendraw run.jsonl cA first others, where so many questions of each
// of the first five subjects and of the others are right, of those that another run has wrong.
func evenDraw(ts *testscript.TestScript, neg bool, args []string) {
	var first, others int
	if neg || len(args) != 4 {
		ts.Fatalf("usage: evendraw JOURNAL NAME FIRST OTHERS")
	}
	_, err := fmt.Sscan(args[2]+" "+args[3], &first, &others)
	ts.Check(err)
	h := journaltest.Header("mmlu_pro")
	h.Model.Name, h.Model.Quantization, h.Model.FileSHA256 = args[1], "", args[1]
	h.Selection = journal.Selection{Limit: 1400, PerSubject: 100, Items: 1400, Questions: 1400}
	var records []journal.Record
	var ids []string
	for s := range 14 {
		subject, right := fmt.Sprintf("subject %02d", s), first
		if s >= 5 {
			right = others
		}
		for q := range 100 {
			letter := "B"
			if q < 30 || q >= 30 && q < 30+right { // 30 are right in every run
				letter = "A"
			}
			r := journaltest.Record(&h, 100*s+q, subject, "", 10, "A", journaltest.Answer{Letter: letter})
			records, ids = append(records, r), append(ids, r.ID)
		}
	}
	h.Selection.IDsSHA256 = journal.DigestIDs(ids)
	to, err := journal.Create(ts.MkAbs(args[0]), h)
	ts.Check(err)
	for _, r := range records {
		ts.Check(to.Append(r))
	}
	ts.Check(to.Close())
}
