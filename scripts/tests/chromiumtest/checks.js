// What of a page not everybody can read, and where.
(() => {
	const all = (selector) => [...document.querySelectorAll(selector)];

	// Texts that stand out of their ground by less than 4.5 to 1 (WCAG 2.2, 1.4.3).
	const contrasts = () => {
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
		for (const e of all("body *")) {
			if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
			if (e.closest("script, style")) continue;
			const style = getComputedStyle(e), inside = e instanceof SVGElement;
			const [a, b] = [luminance(channels(inside ? style.fill : style.color)), luminance(ground(e))].sort((x, y) => y - x);
			const ratio = (a + 0.05) / (b + 0.05);
			if (ratio < 4.5) low.add(e.tagName + "." + (e.className.baseVal ?? e.className) + " " + ratio.toFixed(2));
		}
		return [...low];
	};

	// What people can act on that has no name, and drawings without one.
	const nameless = () => all("button, select, input, a, summary, [role=grid], svg[role=img], nav, article")
		.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 120));

	const twice = () => all("[id]").map((e) => e.id).filter((id, k, ids) => ids.indexOf(id) !== k);

	const wide = () => [document.documentElement.scrollWidth - innerWidth].filter((pixels) => pixels > 0).map(String);

	const cut = () => all(".room [role=row]:not([hidden]) > *").filter((e) => e.getBoundingClientRect().width > 0 &&
		e.getBoundingClientRect().right > e.closest(".room").getBoundingClientRect().right).map((e) => e.className + " " + e.textContent);

	// Labels of drawings that meet another one or leave the window, and names of places on axes that do.
	const crowded = () => {
		const boxes = [];
		for (const e of all("figure svg text, figure .upright")) {
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
	};

	// Underlined texts whose underscores the line would hide.
	const struck = () => {
		const ruler = document.createElement("canvas").getContext("2d");
		return all("a, abbr").filter((e) => {
			const style = getComputedStyle(e);
			ruler.font = style.font;
			return e.textContent.includes("_") && e.checkVisibility() && style.textDecorationLine.includes("underline") &&
				parseFloat(style.textUnderlineOffset) < ruler.measureText("_").actualBoundingBoxDescent;
		}).map((e) => e.textContent);
	};

	// Tables that are cut off without a sign that there is more.
	const unhinted = () => all(".wide").filter((e) => e.scrollWidth > e.clientWidth &&
		!getComputedStyle(e).backgroundAttachment.includes("local")).map((e) => e.textContent.slice(0, 60));

	return {
		"too little contrast": contrasts(), "without a name": nameless(), "ids that are there twice": twice(),
		"pixels that the page is wider than its window": wide(), "cells that are cut off": cut(),
		"labels that meet or leave the window": crowded(), "underscores under a line": struck(), "tables cut off without a sign": unhinted(),
	};
})()
