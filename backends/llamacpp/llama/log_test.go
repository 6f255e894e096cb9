package llama

import (
	"log/slog"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func TestTheEnginesLinesReachEveryListener(t *testing.T) {
	type line struct {
		level slog.Level
		text  string
	}
	var one, two []line
	a := listen("", func(level slog.Level, text string) { one = append(one, line{level, text}) })
	defer a.Close()
	b := listen("", func(level slog.Level, text string) { two = append(two, line{level, text}) })
	say := func(level int, text string) { engineSays(level, text) }
	say(2, "an info\n")
	say(4, "an error ")
	say(5, "in pieces\n")
	say(2, "....")
	say(5, "....\n")
	b.Close()
	say(3, "a\r\n\twarning\n")
	want := []line{{slog.LevelInfo, "an info"}, {slog.LevelError, "an error in pieces"}, {slog.LevelWarn, "a warning"}}
	assert.Check(t, slices.Equal(one, want) && slices.Equal(two, want[:2]), "got %v and %v, want %v", one, two, want)
	got := a.reason("none")
	assert.Check(t, got == "an error in pieces" && a.reason("none") == "none", "reason %q", got)
}
