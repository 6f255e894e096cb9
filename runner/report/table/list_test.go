package table

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/mark/stats"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// listed are runs of two models and two tasks; one is unfinished and one is unreadable.
func listed() []Listed {
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
	list, got := listed(), ""
	rank(list)
	for _, r := range list {
		got += r.Run
	}
	assert.Check(t, got == "cabfedz", "%s", got)
}

func TestAListInABrowserLeadsToTheReports(t *testing.T) {
	list := listed()
	list[0].link = "a/report.html"
	for _, w := range []chromiumtest.Window{{}, {Width: 390, Height: 844, Dark: true}} {
		var out bytes.Buffer
		assert.NilError(t, writeListHTML(&out, list))
		file := filepath.Join(t.TempDir(), "runs.html")
		assert.NilError(t, os.WriteFile(file, out.Bytes(), 0o644))
		p := chromiumtest.Open(t, file, "", w)
		assert.Check(t, is.Equal(p.Text(`a[href="a/report.html"]`), "a"))
		assert.Check(t, is.Contains(p.Text("main"), "unreadable"))
		p.Readable(w)
		p.Keep(fmt.Sprintf("runs-%d", w.Width))
		p.Silent()
	}
}

func TestAListFitsItsTerminal(t *testing.T) {
	for columns, want := range map[int]struct{ has, lacks string }{
		200: {"made", "left out"},
		100: {"left out: made; --full has them", "complete  made"},
		60:  {"interval", "questions/min  "},
		40:  {"m Q4_K_M", "mmlu_pro"},
		20:  {"score  of", "interval  "},
	} {
		var out bytes.Buffer
		assert.NilError(t, ListFormats(columns)[0].Write(&out, listed()))
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
	err := ListFormats(0)[0].Write(&whole, listed())
	assert.Check(t, err == nil && strings.Contains(whole.String(), "  made  complete\n"), "%s, %v", whole.String(), err)
}
