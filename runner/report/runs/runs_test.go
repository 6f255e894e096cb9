package runs

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/stats"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// several are runs of two models and two tasks; one is unfinished and one is unreadable.
func several() []Listed {
	return []Listed{
		{Run: "a", Task: "mmlu_pro", Model: "m Q8_0", Score: stats.Of(0.5), PerMin: stats.Of(10), Bytes: 8, Created: "1", Complete: true},
		{Run: "b", Task: "mmlu_pro", Model: "m Q4_K_M", Score: stats.Of(0.4), PerMin: stats.Of(20), Bytes: 4, Created: "2", Complete: true},
		{Run: "c", Task: "mmlu_pro", Model: "m Q8_0", Score: stats.Of(0.6), PerMin: stats.Of(11), Bytes: 8, Created: "3", Complete: true},
		{Run: "d", Task: "mmlu_pro_binary", Model: "m Q4_K_M", Score: stats.Of(0.8), Bytes: 4, Created: "4"},
		{Run: "e", Task: "mmlu_pro_binary", Model: "m Q8_0", Score: stats.Of(0.9), Bytes: 8, Created: "5", Complete: true},
		{Run: "f", Task: "mmlu_pro", Model: "m Q8_0", Score: stats.Of(0.95), Bytes: 9, Created: "6", Complete: true, Invalid: "all cut"},
		{Run: "z", Problem: "unreadable"},
	}
}

func TestTheBestRunStandsFirst(t *testing.T) {
	for by, want := range map[string]string{"made": "abcdefz", "score": "edcabfz", "speed": "bcadefz", "size": "bdacefz", "model": "bdacefz"} {
		list, got := several(), ""
		Sort(list, by)
		for _, r := range list {
			got += r.Run
		}
		assert.Check(t, got == want, "by %s: %s, want %s", by, got, want)
	}
}

func TestSomeRunsAreListed(t *testing.T) {
	got := Matching(several(), "q4_k")
	assert.Check(t, len(got) == 2 && got[0].Run == "b", "%+v", got)
}

func TestAListFitsItsTerminal(t *testing.T) {
	for columns, want := range map[int]struct{ has, lacks string }{
		200: {"made", "left out"},
		100: {"left out: made; --full has them", "complete  made"},
		60:  {"95 % interval", "questions/min  "},
		40:  {"items      score", "m Q4_K_M"},
		20:  {"score  of", "95 % interval  "},
	} {
		var out bytes.Buffer
		assert.NilError(t, Short(columns)[0].Write(&out, several()))
		text := out.String()
		assert.Check(t, strings.Contains(text, want.has) && !strings.Contains(text, want.lacks),
			"on %d columns:\n%s\nwant %q and no %q", columns, text, want.has, want.lacks)
		for line := range strings.SplitSeq(text, "\n") {
			table := !strings.HasPrefix(line, "  ! ") && !strings.HasPrefix(line, "  left out") && !strings.HasPrefix(line, "  `")
			if width := len([]rune(line)); table && width > columns && columns > 30 {
				t.Errorf("%d characters on %d columns: %q", width, columns, line)
			}
		}
	}
	var whole bytes.Buffer
	err := Full[0].Write(&whole, several())
	assert.Check(t, err == nil && strings.Contains(whole.String(), "  made  complete\n"), "%s, %v", whole.String(), err)
}
