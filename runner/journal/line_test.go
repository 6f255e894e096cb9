package journal

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

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
	_, err := NewReader(strings.NewReader(`{"thinking_marks":["tags"],`+line.String()[1:]), "old.jsonl")
	assert.ErrorContains(t, err, "old.jsonl:1: another version of proctor wrote it (json: cannot unmarshal string into ")
}
