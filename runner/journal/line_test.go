package journal

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
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

// withField is a header's line that has the field at a path, set to a value in JSON.
func withField(t *testing.T, path, value string) []byte {
	t.Helper()
	h := Header{Kind: KindRun, Version: Version, Task: "mmlu_pro"}
	h.Fingerprint = "of what an older version took part"
	var line bytes.Buffer
	assert.NilError(t, encode(&line, h))
	keys := strings.Split(path, ".")
	field := `{"` + strings.Join(keys, `":{"`) + `":` + value + strings.Repeat("}", len(keys))
	return append(append(bytes.TrimSuffix(line.Bytes(), []byte("}\n")), ','), append([]byte(field[1:]), '\n')...)
}

func TestARetiredFieldIsIgnoredAndOneLineSaysSo(t *testing.T) {
	for _, field := range append(retired, retiredField{"selection.moons", "moons"}) {
		fields := append(retired, retiredField{"selection.moons", "moons"})
		for _, value := range []string{`1`, `"x"`, `true`, `[2]`, `{"a":0}`} {
			want := "an older version wrote it: " + field.what + " (" + field.path + ") are ignored"
			assert.Check(t, is.Equal(leftOut(withField(t, field.path, value), fields), want), "%s %s", field.path, value)
		}
		for _, value := range []string{`null`, `0`, `""`, `false`, `[]`, `{}`} {
			got := leftOut(withField(t, field.path, value), fields)
			assert.Check(t, got == "", "%s %s, which was never set: %q", field.path, value, got)
		}
	}
	got := leftOut(withField(t, "selection", `[1]`), []retiredField{{"selection.moons", "moons"}})
	assert.Check(t, got == "", "a path through what is no object: %q", got)
}

func TestAJournalWithARetiredFieldIsRead(t *testing.T) {
	defer func(before []retiredField) { retired = before }(retired)
	retired = []retiredField{{"moons", "moons"}, {"tides.of", "tides"}}
	r, err := NewReader(bytes.NewReader(withField(t, "moons", `3`)), "old.jsonl")
	assert.NilError(t, err)
	// The fingerprint may have covered the field, so that nothing is said of it.
	got := r.Warnings()
	assert.Check(t, len(got) == 1 && got[0] == "old.jsonl:1: an older version wrote it: moons (moons) are ignored", "warnings are %q", got)
}
