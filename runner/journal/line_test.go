package journal

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestLinesComeWithoutTheirLineFeeds(t *testing.T) {
	long := strings.Repeat("x", 200_000) // more than is read at once
	l := newLines(strings.NewReader("\none\n" + long + "\nrest"))
	start := int64(0)
	for i, want := range []string{"", "one", long, "rest"} {
		line, ended, err := l.next()
		assert.Check(t, err == nil && string(line) == want && ended == (i < 3) && l.number == i+1 && l.start == start,
			"line %d: %d bytes, ended %v, number %d from %d: %v", i+1, len(line), ended, l.number, l.start, err)
		start += int64(len(want)) + 1
	}
	_, _, err := l.next()
	assert.Check(t, err == io.EOF, "after the last line: %v", err)
}

// TestAHeaderWithAnotherVersionsFieldIsRefused checks that no journal is read halfway, wherever the field stands.
func TestAHeaderWithAnotherVersionsFieldIsRefused(t *testing.T) {
	var line bytes.Buffer
	assert.NilError(t, encode(&line, Header{Kind: KindRun, Version: Version, Task: "mmlu_pro"}))
	for _, with := range []string{`{"moons":3,`, `{"selection":{"moons":3},`, `{"moons":null,`} {
		header := with + line.String()[1:]
		_, err := NewReader(strings.NewReader(header), "old.jsonl")
		assert.Error(t, err, `old.jsonl:1: another version of proctor wrote it (json: unknown field "moons"): `+
			"report it with that version, or ask again with this one")
	}
}
