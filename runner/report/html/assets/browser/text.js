import { count, make, visible } from "./dom.js";

const mostShown = 100_000; // UTF-16 units of a text that are laid out before somebody asks for the rest

// textOf is a text as it is, with marks in it: each from a start to an end, in UTF-16 units, of a kind, "mark" where it has none.
// Where marks overlap, the first one counts.
export function textOf(text, marks = []) {
  const pre = make("pre", { tabIndex: 0 });
  const some = marks.filter(({ start, end }) => start < end);
  const parts = (from, to) => {
    const cuts = new Set([from, to]);
    for (const { start, end } of some) for (const at of [start, end]) if (at > from && at < to) cuts.add(at);
    const places = [...cuts].sort((a, b) => a - b);
    const nodes = [];
    for (let k = 0; k + 1 < places.length; k++) {
      const inside = visible(text.slice(places[k], places[k + 1]));
      const mark = some.find(({ start, end }) => start <= places[k] && places[k] < end);
      if (mark) nodes.push(make(mark.kind ? "span" : "mark", mark.kind ? { className: mark.kind } : {}, ...inside));
      else nodes.push(...inside);
    }
    return nodes;
  };
  if (text.length <= mostShown) {
    pre.append(...parts(0, text.length));
    return pre;
  }
  const half = mostShown / 2;
  const gap = make("button", { type: "button" }, `show the ${count(text.length - mostShown)} characters between`);
  gap.addEventListener("click", () => pre.replaceChildren(...parts(0, text.length)));
  pre.append(...parts(0, half), "\n", gap, "\n", ...parts(text.length - half, text.length));
  return pre;
}

export const section = (title, ...children) => make("section", {}, make("h4", {}, title), ...children);

export function table(head, rows) {
  const line = (cells, tag) => make("tr", {}, ...cells.map((cell) => make(tag, {}, ...(cell instanceof Node ? [cell] : visible(cell)))));
  return make("div", { className: "wide" }, make("table", { className: "figures words" },
    make("thead", {}, line(head, "th")), make("tbody", {}, ...rows.map((cells) => line(cells, "td")))));
}

// promptOf is what was asked: a prompt with what all prompts of its subject begin with folded, or the question alone.
export function promptOf(texts, subject, preamble) {
  if (texts.prompt === undefined) {
    return section("Question", texts.question ? textOf(texts.question) : make("p", { className: "note" }, "the journal has no prompt"));
  }
  if (!preamble || texts.shots !== undefined) return section("Prompt", textOf(texts.prompt));
  const shots = make("details", {}, make("summary", {},
    `${count(preamble.length)} characters that all items of ${subject} begin with: instructions and shots`));
  shots.addEventListener("toggle", () => { if (shots.children.length < 2) shots.append(textOf(preamble)); });
  return section("Prompt", shots, textOf(texts.prompt));
}

// optionsOf lists the options; named gives the words that stand behind one, by its letter.
export function optionsOf(texts, named) {
  if (!texts.options) return null;
  return section("Options", make("ol", { className: "options" }, ...texts.options.map((option, k) => {
    const letter = String.fromCharCode(65 + k);
    const is = named(letter);
    return make("li", { className: is.length ? "named" : "" }, make("b", {}, letter), " ", ...visible(option.trim()),
      is.length ? make("em", {}, " ", ...visible(is.join(", "))) : null);
  })));
}
