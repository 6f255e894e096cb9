package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// evenDraw writes a run of 100 questions of each of 14 subjects, five of which are half of the set: evendraw run.jsonl cA large
// small, where so many questions of a large subject and of a small one are right, of those that another run has wrong.
func evenDraw(ts *testscript.TestScript, neg bool, args []string) {
	var large, small int
	if neg || len(args) != 4 {
		ts.Fatalf("usage: evendraw JOURNAL NAME LARGE SMALL")
	}
	_, err := fmt.Sscan(args[2]+" "+args[3], &large, &small)
	ts.Check(err)
	h := journaltest.Header("mmlu_pro")
	h.Model.Name, h.Model.Quantization, h.Model.FileSHA256 = args[1], "", args[1]
	h.Selection = journal.Selection{Limit: 1400, Items: 1400, Questions: 1400, Population: map[string]int{}}
	var records []journal.Record
	var ids []string
	for s, size := range []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381} {
		subject, right := fmt.Sprintf("subject %02d", s), large
		if s >= 5 {
			right = small
		}
		h.Selection.Population[subject] = size
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
