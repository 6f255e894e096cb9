package journal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
)

func FuzzJournal(f *testing.F) {
	data, err := os.ReadFile("testdata/journal.jsonl")
	assert.NilError(f, err)
	head, rest, _ := strings.Cut(string(data), "\n")
	f.Add(data)
	f.Add(data[:len(data)-100])
	f.Add([]byte(head))
	f.Add([]byte(head + "\n\n" + rest))
	f.Add([]byte(head + "\n{\"kind\":\"item\",\"id\":\"x\",\"options\":1,\"gold\":\"A\",\"finish\":\"stop\",\"attempt\":1}"))
	f.Add([]byte(rest + head))
	f.Add([]byte(head + "\n{\"kind\":\"look\",\"look\":1,\"questions\":100,\"items\":100,\"half_width\":0.1,\"stop\":\"narrow\"}\n" + rest))
	f.Add([]byte(head + "\n{\"kind\":\"item\",\"id\":\"x#2\",\"repeat\":2,\"options\":1,\"gold\":\"A\",\"finish\":\"stop\",\"attempt\":1}"))
	f.Add([]byte("null\n[]\n"))
	f.Add([]byte{0, '\n', 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		records, warnings, ok := readAll(t, data)
		if !ok {
			return
		}
		var again bytes.Buffer
		again.Write(append(bytes.SplitAfter(data, []byte("\n"))[0], '\n'))
		again.Truncate(bytes.IndexByte(again.Bytes(), '\n') + 1)
		for _, r := range records {
			line, err := json.Marshal(r)
			assert.NilError(t, err)
			again.Write(append(line, '\n'))
		}
		same, _, ok := readAll(t, again.Bytes())
		assert.Assert(t, ok && len(same) == len(records), "%d records read, %d after they were written", len(records), len(same))
		for i := range records {
			assert.Check(t, reflect.DeepEqual(same[i], records[i]), "read %+v, after it was written %+v", records[i], same[i])
		}
		assert.Check(t, len(warnings) <= 2, "warnings: %q", warnings)
	})
}

// readAll reads a journal from memory; every error must name where it is.
func readAll(t *testing.T, data []byte) (records []journal.Record, warnings []string, ok bool) {
	r, err := journal.NewReader(bytes.NewReader(data), "fuzz.jsonl")
	if err != nil {
		assert.Check(t, strings.HasPrefix(err.Error(), "fuzz.jsonl"), "an error that names no file: %v", err)
		return nil, nil, false
	}
	for record, err := range r.Records() {
		if err != nil {
			assert.Check(t, strings.HasPrefix(err.Error(), "fuzz.jsonl:"), "an error that names no line: %v", err)
			return nil, nil, false
		}
		records = append(records, record)
	}
	return records, r.Warnings(), true
}
