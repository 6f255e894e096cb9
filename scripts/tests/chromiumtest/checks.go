package chromiumtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// contrasts lists the texts that stand out of their ground by less than 4.5 to 1 (WCAG 2.2, 1.4.3).
const contrasts = `(() => {
	const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
	const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const colour = channels(getComputedStyle(e).backgroundColor);
			if (colour.length < 4 || colour[3] > 0) return colour;
		}
		return [255, 255, 255];
	};
	const low = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
		if (e.closest("script, style")) continue;
		const style = getComputedStyle(e), inside = e instanceof SVGElement;
		const [a, b] = [luminance(channels(inside ? style.fill : style.color)), luminance(ground(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < 4.5) low.add(e.tagName + "." + (e.className.baseVal ?? e.className) + " " + ratio.toFixed(2));
	}
	return [...low];
})()`

// nameless lists what people can act on that has no name, and drawings without one.
const nameless = `[...document.querySelectorAll("button, select, input, a, summary, [role=grid], svg[role=img], nav, article")]
	.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 120))`

// crowded lists the labels of drawings that meet another one or leave the window, and the names of places on axes that do.
const crowded = `(() => {
	const boxes = [];
	for (const e of document.querySelectorAll("figure svg text, figure .upright")) {
		if (!e.checkVisibility() || !e.textContent.trim()) continue;
		const range = document.createRange();
		range.selectNodeContents(e);
		const r = e instanceof SVGElement ? e.getBoundingClientRect() : range.getBoundingClientRect();
		if (r.width > 0) boxes.push({ text: e.textContent, figure: e.closest("figure"), scrolls: e.closest("table"), r });
	}
	const found = [], slack = 1;
	for (const [i, a] of boxes.entries()) {
		if (!a.scrolls && (a.r.left < 0 || a.r.right > innerWidth)) found.push("outside: " + a.text);
		for (const b of boxes.slice(i + 1)) {
			if (b.figure === a.figure && a.r.left + slack < b.r.right && b.r.left + slack < a.r.right && a.r.top + slack < b.r.bottom &&
				b.r.top + slack < a.r.bottom) found.push(a.text + " over " + b.text);
		}
	}
	return found;
})()`

// struck lists the underlined texts whose underscores the line would hide.
const struck = `(() => {
	const ruler = document.createElement("canvas").getContext("2d");
	return [...document.querySelectorAll("a, abbr")].filter((e) => {
		const style = getComputedStyle(e);
		ruler.font = style.font;
		return e.textContent.includes("_") && e.checkVisibility() && style.textDecorationLine.includes("underline") &&
			parseFloat(style.textUnderlineOffset) < ruler.measureText("_").actualBoundingBoxDescent;
	}).map((e) => e.textContent);
})()`

// unhinted lists the tables that are cut off without a sign that there is more.
const unhinted = `[...document.querySelectorAll(".wide")].filter((e) => e.scrollWidth > e.clientWidth &&
	!getComputedStyle(e).backgroundAttachment.includes("local")).map((e) => e.textContent.slice(0, 60))`

// Silent fails where the page wrote to the console, or requested anything but its own file.
func (p *Page) Silent() {
	p.tb.Helper()
	if said := p.Said(); len(said) > 0 {
		p.tb.Errorf("the page said %q", said)
	}
	if asked := p.Requests(); len(asked) > 0 {
		p.tb.Errorf("the page asked for %q", asked)
	}
}

// Readable says what of the page not everybody can read: texts with too little contrast, what has no name, a page wider than its
// window, cells that are cut off, labels of drawings that meet, underscores that a line hides, a ground that is not the window's.
func (p *Page) Readable(w Window) {
	p.tb.Helper()
	if low := Ask[[]string](p, contrasts); len(low) > 0 {
		p.tb.Errorf("too little contrast: %q", low)
	}
	if without := Ask[[]string](p, nameless); len(without) > 0 {
		p.tb.Errorf("without a name: %q", without)
	}
	if twice := Ask[[]string](p, `[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, k, ids) =>
		ids.indexOf(id) !== k)`); len(twice) > 0 {
		p.tb.Errorf("ids that are there twice: %q", twice)
	}
	if wide := Ask[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		p.tb.Errorf("the page is %d pixels wider than its window", wide)
	}
	if cut := Ask[[]string](p, `[...document.querySelectorAll(".room [role=row]:not([hidden]) > *")]
		.filter((e) => e.getBoundingClientRect().width > 0 &&
			e.getBoundingClientRect().right > e.closest(".room").getBoundingClientRect().right)
		.map((e) => e.className + " " + e.textContent)`); len(cut) > 0 {
		p.tb.Errorf("cells that are cut off: %q", cut)
	}
	for what, find := range map[string]string{"labels that meet or leave the window": crowded, "underscores under a line": struck,
		"tables cut off without a sign": unhinted} {
		if found := Ask[[]string](p, find); len(found) > 0 {
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
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Screenshot(), 0o644); err != nil {
			p.tb.Fatal(err)
		}
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
