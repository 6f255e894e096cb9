package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/chromiumtest"
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

func TestAReportOpensFromDiskAndCanBeReadByEverybody(t *testing.T) {
	for name, run := range journaltest.Examples() {
		for _, w := range []chromiumtest.Window{{}, {Width: 1000, Height: 800}, {Width: 360, Height: 740, Dark: true}} {
			t.Run(fmt.Sprintf("%s in %d pixels", name, w.Width), func(t *testing.T) {
				h, records := run()
				p, _ := opened(t, h, records, "item="+records[4].ID, w)
				p.Wait(`document.querySelector(".item h3")`)
				if low := chromiumtest.Ask[[]string](p, contrasts); len(low) > 0 {
					t.Errorf("too little contrast: %q", low)
				}
				if without := chromiumtest.Ask[[]string](p, nameless); len(without) > 0 {
					t.Errorf("without a name: %q", without)
				}
				if twice := chromiumtest.Ask[[]string](p, `[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, k, ids) =>
					ids.indexOf(id) !== k)`); len(twice) > 0 {
					t.Errorf("ids that are there twice: %q", twice)
				}
				rows := chromiumtest.Ask[int](p, `Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount"))`)
				active := chromiumtest.Ask[string](p, `document.getElementById(document.querySelector("[role=grid]")
					.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`)
				if rows != len(records)+1 || active != "true" {
					t.Errorf("the list says that it has %d rows, and of the active one that it is selected: %s", rows, active)
				}
				if wide := chromiumtest.Ask[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("the page is %d pixels wider than its window", wide)
				}
				if cut := chromiumtest.Ask[[]string](p, `[...document.querySelectorAll(".room [role=row]:not([hidden]) > *")]
					.filter((e) => e.getBoundingClientRect().width > 0 &&
						e.getBoundingClientRect().right > e.closest(".room").getBoundingClientRect().right)
					.map((e) => e.className + " " + e.textContent)`); len(cut) > 0 {
					t.Errorf("cells that are cut off: %q", cut)
				}
				ground := chromiumtest.Ask[string](p, `getComputedStyle(document.body).backgroundColor`)
				if dark := ground == "rgb(21, 24, 27)"; dark != w.Dark {
					t.Errorf("the ground is %s", ground)
				}
				if dir := os.Getenv("SCREENSHOTS"); dir != "" { // a folder, for people to look at
					picture := filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, w.Width))
					if err := os.WriteFile(picture, p.Screenshot(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				silent(t, p)
			})
		}
	}
}
