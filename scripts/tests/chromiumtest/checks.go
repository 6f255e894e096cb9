package chromiumtest

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"
)

// checks list what not everybody can read, by what it is.
//
//go:embed checks.js
var checks string

// Silent fails where the page wrote to the console, or requested anything but its own file.
func (p *Page) Silent() {
	p.tb.Helper()
	if said := p.Said(); len(said) > 0 {
		p.tb.Errorf("the page said %q", said)
	}
	if requests := p.Requests(); len(requests) > 0 {
		p.tb.Errorf("the page asked for %q", requests)
	}
}

// Readable says what of the page not everybody can read: texts with too little contrast, what has no name, a page wider than its
// window, cells that are cut off, labels of drawings that meet, underscores that a line hides, a ground that is not the window's.
func (p *Page) Readable(w Window) {
	p.tb.Helper()
	for what, found := range Ask[map[string][]string](p, checks) {
		if len(found) > 0 {
			p.tb.Errorf("%s: %q", what, found)
		}
	}
	ground := Ask[string](p, `getComputedStyle(document.body).backgroundColor`)
	if dark := ground == "rgb(21, 24, 27)"; dark != w.Dark {
		p.tb.Errorf("the ground is %s", ground)
	}
}

// Selected says where the list in the page does not tell how many rows it has, or that the active one is selected.
func (p *Page) Selected(rows int) {
	p.tb.Helper()
	said := Ask[int](p, `Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount"))`)
	active := Ask[string](p, `document.getElementById(document.querySelector("[role=grid]")
		.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`)
	if said != rows+1 || active != "true" {
		p.tb.Errorf("the list says that it has %d rows, and of the active one that it is selected: %s", said, active)
	}
}

// Keep keeps a screenshot in the folder that SCREENSHOTS names, for people to look at.
func (p *Page) Keep(name string) {
	p.tb.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
}

// Choose chooses a filter's value.
func (p *Page) Choose(name, value string) {
	p.tb.Helper()
	Ask[bool](p, fmt.Sprintf(`(() => { const s = document.querySelector("select[name=%s]"); s.value = %q;
		s.dispatchEvent(new Event("change")); return s.value === %[2]q; })()`, name, value))
}

// Counted is the number of things that the list says are shown.
func (p *Page) Counted() int {
	p.tb.Helper()
	first, _, _ := strings.Cut(p.Text("[role=status]"), " of ")
	n, err := strconv.Atoi(strings.ReplaceAll(first, ",", ""))
	if err != nil {
		p.tb.Fatalf("the count is %q", first)
	}
	return n
}

// Walk presses keys in the list and fails where one shows no other item, or the address names another one than is
// shown.
func (p *Page) Walk(keys ...string) {
	p.tb.Helper()
	Ask[bool](p, `(document.querySelector("[role=grid]").focus(), true)`)
	for _, key := range keys {
		before := p.Text(".item h3")
		p.Key(key)
		p.Wait(fmt.Sprintf(`document.querySelector(".item h3").textContent !== %q`, before))
		shown := p.Text(".item h3")
		if address := Ask[string](p, `new URLSearchParams(location.hash.slice(1)).get("item")`); address != shown {
			p.tb.Errorf("the address has %s for %s", address, shown)
		}
	}
}

// Search looks for words from wherever the keyboard is.
func (p *Page) Search(words string) {
	p.tb.Helper()
	p.Key("/")
	// DevTools sends the character even if the page handled the key
	Ask[bool](p, `(document.activeElement.select(), true)`)
	p.Key(words)
}

// Times are milliseconds by the browser's own clock.
type Times struct{ Paint, Ready, Filter float64 }

// Times chooses every value of the filters and measures how long the page took to show something, to be ready, and, in
// the median, to filter its list.
func (p *Page) Times(filters ...string) Times {
	p.tb.Helper()
	of := func(entry string) float64 {
		return Ask[float64](p, `performance.getEntriesByName("`+entry+`")[0].startTime`)
	}
	took := Times{Paint: of("first-contentful-paint"), Ready: of("ready")}
	for _, name := range filters {
		for _, value := range Ask[[]string](p, `[...document.querySelector("select[name=`+name+`]").options].map((o) => o.value)`) {
			p.Choose(name, value)
		}
		p.Choose(name, "")
	}
	each := Ask[[]float64](p, `performance.getEntriesByName("filtered").map((e) => e.duration)`)
	slices.Sort(each)
	took.Filter = each[len(each)/2]
	p.tb.Logf("%s: %+v ms; the slowest of %d filters %.1f ms", p.Text("[role=status]"), took, len(each), each[len(each)-1])
	return took
}
