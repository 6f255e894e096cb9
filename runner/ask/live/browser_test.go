package live

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/scripts/tests/chromiumtest"
)

func TestABrowserFollowsTheRunToItsEnd(t *testing.T) {
	s, folder, state, records := serving(t, "0.0.0.0:0", 20)
	address, err := url.Parse("http://127.0.0.1:" + s.Port + s.Base)
	assert.NilError(t, err)
	p := chromiumtest.Visit(t, *address, chromiumtest.Window{})
	const inside = `document.querySelector("iframe").contentDocument`
	p.Wait(inside + `.querySelector("#items.ready") && ` + inside + `.title.includes("20 questions")`)
	p.Wait(`document.querySelector("#line").textContent.startsWith("mmlu_pro 20/60")`)
	// What the reader looks at stays while the report grows.
	chromiumtest.Ask[bool](p, `(() => { const w = document.querySelector("iframe").contentWindow; w.location.hash = "#subject=law";
		w.scrollTo(0, 300); return true; })()`)
	writer, _, err := journal.OpenAppend(folder, headerOf(t, folder))
	assert.NilError(t, err)
	defer writer.Close()
	for i := 20; i < 40; i++ {
		assert.NilError(t, writer.Append(records[i]))
		state.Add(&records[i])
	}
	s.Update(state.At(time.Now()))
	p.Wait(`document.querySelector("#line").textContent.startsWith("mmlu_pro 40/60")`)
	s.tasks[0].mu.Lock()
	s.tasks[0].after = time.Now() // nobody waits
	s.tasks[0].mu.Unlock()
	p.Wait(inside + `.title.includes("40 questions") && ` + inside + `.querySelector("#items.ready")`)
	p.Wait(`document.querySelector("iframe").contentWindow.scrollY > 200`)
	if hash := chromiumtest.Ask[string](p, `document.querySelector("iframe").contentWindow.location.hash`); hash != "#subject=law" {
		t.Errorf("the reader's filter became %q", hash)
	}
	bar := chromiumtest.Ask[float64](p, `document.querySelector("progress").position`)
	assert.Check(t, bar >= 0.66 && bar <= 0.67, "the bar is at %g", bar)
	for i := 40; i < 60; i++ {
		assert.NilError(t, writer.Append(records[i]))
		state.Add(&records[i])
	}
	s.Update(state.At(time.Now()))
	began := time.Now()
	assert.Check(t, s.Close())
	t.Logf("the end took %s", time.Since(began))
	p.Wait(inside + `.title.includes("60 questions") && document.querySelector("#line").textContent.endsWith("the run has ended")`)
	for _, said := range p.Said() {
		t.Errorf("the page said %q", said)
	}
	for _, asked := range p.Requests() {
		assert.Check(t, strings.HasPrefix(asked, address.String()), "the page asked for %q", asked)
	}
}
