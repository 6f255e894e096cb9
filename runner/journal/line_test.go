package journal

import (
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
	if _, _, err := l.next(); err != io.EOF {
		t.Errorf("after the last line: %v", err)
	}
}
