package journal_test

import (
	"fmt"
	"log"
	"strings"

	"proctor/runner/journal"
)

// A journal is read line by line, from a file or a stream.
func ExampleNewReader() {
	lines := `{"kind":"run","version":1,"task":"mmlu_pro","model":{"name":"tiny"}}
{"kind":"item","id":"mmlu_pro/70","question_id":70,"subject":"business","options":10,"gold":"I",` +
		`"text":"the answer is (I)","finish":"stop","attempt":1}
`
	run, err := journal.NewReader(strings.NewReader(lines), "journal.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Header.Task, "by", run.Header.Model.Name)
	for record, err := range run.Records() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.ID, record.Text)
	}
	// Output:
	// mmlu_pro by tiny
	// mmlu_pro/70 the answer is (I)
}
