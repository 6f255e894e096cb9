package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report/items"
	"proctor/scripts/tests/chromiumtest"
)

// opened is the report of a made-up run as a browser shows it.
func opened(t testing.TB, h journal.Header, records []journal.Record, place string, w chromiumtest.Window) (*chromiumtest.Page, string) {
	t.Helper()
	dir := t.TempDir()
	run := journaltest.Keep(t, filepath.Join(dir, "journal.jsonl"), h, records)
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, []byte(keptPage(t, run)), 0o644); err != nil {
		t.Fatal(err)
	}
	p := chromiumtest.Open(t, file, place, w)
	p.Wait(`document.querySelector("#items.ready")`)
	return p, run
}

func TestFiltersShowTheItemsThatListsHave(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	records[1].Text = "Answer: A"
	p, run := opened(t, h, records, "", chromiumtest.Window{})
	for _, row := range []struct{ name, value, where string }{
		{"subject", "law", "subject=law"}, {"outcome", "right", "right=yes"}, {"outcome", "not right", "right=no"},
		{"outcome", "NO_ANSWER", "tag=NO_ANSWER"}, {"cause", "LENGTH", "cause=LENGTH"}, {"cause", "TIMEOUT", "cause=TIMEOUT"},
		{"letter", "A", "letter=A"}, {"gold", "C", "gold=C"}, {"rule", "answer-is", "rule=answer-is"},
	} {
		var where items.Filter
		if err := where.Set(row.where); err != nil {
			t.Fatal(err)
		}
		list, err := items.Open([]string{run}, items.Options{Where: where})
		if err != nil {
			t.Fatal(err)
		}
		want := list.Len()
		list.Close()
		p.Choose(row.name, row.value)
		if got := p.Counted(); got != want || want == 0 {
			t.Errorf("%s %s shows %d items, the list has %d", row.name, row.value, got, want)
		}
		if hash := chromiumtest.Ask[string](p, `location.hash`); !strings.Contains(hash, row.name+"=") {
			t.Errorf("the address %s does not say %s", hash, row.name)
		}
		p.Choose(row.name, "")
	}
	p.Choose("subject", "law")
	p.Choose("outcome", "right")
	both := p.Counted()
	chromiumtest.Ask[bool](p, `(document.querySelector("button.clear").click(), true)`)
	if all := p.Counted(); all != len(records) || both >= all || both == 0 {
		t.Errorf("two filters show %d items, none %d of %d", both, all, len(records))
	}
	p.Silent()
}

func TestItemsAreFoundByKeysLinksAndWords(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	records[11].Text = " a needle: the answer is (A)."
	records[12].Prompt = "Another Needle, in the question?"
	h.Preambles = map[string]string{"biology": "Five shots."}
	p, _ := opened(t, h, records, "item=mmlu_pro%2F112", chromiumtest.Window{})
	p.Wait(`document.querySelector(".item h3")?.textContent === "mmlu_pro/112"`)
	if text := p.Text(".item"); !strings.Contains(text, "Needle, in the question?") || !strings.Contains(text, "answer-is") {
		t.Errorf("the item shows %q", text)
	}
	if marked := p.Text(".item mark"); !strings.HasPrefix(marked, "answer is (") {
		t.Errorf("marked is %q", marked)
	}
	if selected := p.Text("[role=row][aria-selected=true] .id"); selected != "112" {
		t.Errorf("the list has %q selected", selected)
	}
	chromiumtest.Ask[bool](p, `(document.querySelector("[role=grid]").focus(), true)`)
	first := p.Text("[role=row][aria-rowindex='2'] .id")
	for _, row := range []struct{ key, shown string }{{kb.Home, first}, {kb.ArrowDown, ""}, {kb.End, ""}, {"k", ""}} {
		before := p.Text(".item h3")
		p.Key(row.key)
		p.Wait(fmt.Sprintf(`document.querySelector(".item h3").textContent !== %q`, before))
		after := p.Text(".item h3")
		if row.shown != "" && after != "mmlu_pro/"+row.shown {
			t.Errorf("Home shows %s, want %s", after, row.shown)
		}
		if hash := chromiumtest.Ask[string](p, `new URLSearchParams(location.hash.slice(1)).get("item")`); hash != after {
			t.Errorf("the address has %s for %s", hash, after)
		}
	}
	p.Key("/")
	chromiumtest.Ask[bool](p, `(document.activeElement.select(), true)`) // DevTools sends the character whatever became of its key
	p.Key("needle")
	p.Wait(`document.querySelector("[role=status]").textContent.startsWith("2 of")`)
	chromiumtest.Ask[bool](p, `(location.hash = "#outcome=NO_ANSWER", true)`)
	p.Wait(`document.querySelector("select[name=outcome]").value === "NO_ANSWER"`)
	if n := p.Counted(); n != 5 {
		t.Errorf("a link to a tag shows %d items", n)
	}
	chromiumtest.Ask[bool](p, `(location.hash = "#item=mmlu_pro%2F9999", true)`)
	p.Wait(`document.querySelector(".item").textContent.includes("there is no item mmlu_pro/9999")`)
	p.Silent()
}
