import { count, make, visible } from "./dom.js";

const mostShown = 100_000; // UTF-16 units of a text that are laid out before somebody asks for the rest

// textOf is a text as it is, with what lies between start and end marked.
function textOf(text, start, end) {
  const pre = make("pre", { tabIndex: 0 });
  const parts = (from, to) => {
    if (!(start < end)) return visible(text.slice(from, to));
    const between = (x) => Math.max(from, Math.min(to, x));
    const marked = visible(text.slice(between(start), between(end)));
    return [...visible(text.slice(from, between(start))), marked.length ? make("mark", {}, ...marked) : null,
      ...visible(text.slice(between(end), to))].filter((node) => node != null);
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

const section = (title, ...children) => make("section", {}, make("h4", {}, title), ...children);

function table(head, rows) {
  const line = (cells, tag) => make("tr", {}, ...cells.map((cell) => make(tag, {}, ...(cell instanceof Node ? [cell] : visible(cell)))));
  return make("div", { className: "wide" }, make("table", { className: "figures words" },
    make("thead", {}, line(head, "th")), make("tbody", {}, ...rows.map((cells) => line(cells, "td")))));
}

function link(items, i) {
  return make("a", { href: "#" + new URLSearchParams({ item: items.id(i) }) }, ...visible(items.id(i)));
}

function promptOf(items, i, texts, preamble) {
  if (texts.prompt === undefined) {
    return section("Question", texts.question ? textOf(texts.question) : make("p", { className: "note" }, "the journal has no prompt"));
  }
  if (!preamble) return section("Prompt", textOf(texts.prompt));
  const shots = make("details", {}, make("summary", {},
    `${count(preamble.length)} characters that all items of ${items.subjects[items.subject[i]]} begin with: instructions and shots`));
  shots.addEventListener("toggle", () => { if (shots.children.length < 2) shots.append(textOf(preamble)); });
  return section("Prompt", shots, textOf(texts.prompt));
}

function optionsOf(items, i, texts) {
  if (!texts.options) return null;
  return section("Options", make("ol", { className: "options" }, ...texts.options.map((option, k) => {
    const letter = String.fromCharCode(65 + k);
    const is = [letter === items.gold[i] && "gold", letter === items.main[i] && "answered"].filter(Boolean);
    return make("li", { className: is.join(" ") }, make("b", {}, letter), " ", ...visible(option.trim()),
      is.length ? make("em", {}, " " + is.join(", ")) : null);
  })));
}

function completionOf(items, i, texts) {
  const rule = items.rules[items.rule[i]];
  const note = texts.start !== undefined
    ? ["rule ", make("b", {}, rule), ` of ${items.rule_sets[0]} found `, make("b", {}, items.main[i]), " in the marked part"]
    : [`${items.rule_sets[0]} finds no answer`];
  return section("Completion",
    texts.error ? make("p", { className: "warning" }, ...visible(texts.error)) : make("p", { className: "note" }, ...note),
    texts.text ? textOf(texts.text, texts.start, texts.end) : make("p", { className: "note" }, "empty"));
}

function marksOf(items, i, texts) {
  const rows = items.rule_sets.map((set, k) => {
    const letter = items.letters[k][i];
    const verdict = letter === "-" ? "no answer" : letter === items.gold[i] ? "✓ right" : "✗ wrong";
    return [set, letter === "-" ? "–" : letter, verdict, texts.rules?.[k] ?? ""];
  });
  return section("Marks", table(["rule set", "answer", "verdict", "rule"], rows));
}

function figuresOf(items, i, texts) {
  const rows = [["ended by", texts.finish], ["asked", `${texts.attempt} ${texts.attempt === 1 ? "time" : "times"}`]];
  const tokens = (name, n, more) => { if (n) rows.push([name, count(n) + " tokens" + (more ? ", " + more : "")]); };
  const u = texts.usage ?? {}, t = texts.seconds ?? {};
  tokens("prompt", u.prompt, u.reused ? count(u.reused) + " of them reused" : "");
  tokens("completion", u.output, u.thinking ? count(u.thinking) + " of them thinking" : "");
  for (const [name, what] of Object.entries({ share: "part of the wall time", queue: "waiting", first: "to the first token",
    prefill: "prefill", decode: "decode", total: "in all" })) {
    if (t[name]) rows.push([what, t[name].toFixed(3) + " s"]);
  }
  if (texts.server) rows.push(["server", texts.server]);
  return section("Figures", table(["", ""], rows));
}

function othersOf(items, i) {
  const rows = [];
  for (let k = 0; k < items.length; k++) {
    if (k !== i && items.question[k] === items.question[i] && items.subject[k] === items.subject[i]) {
      rows.push([link(items, k), items.gold[k], items.main[k], items.said(k)]);
    }
  }
  return rows.length ? section("The question's other items", table(["item", "gold", "answer", "outcome"], rows)) : null;
}

// itemOf gives the nodes that show an item as a person reads it.
export function itemOf(items, i, texts, preamble) {
  const outcome = items.outcome(i), cause = items.causes[items.cause[i]];
  const said = [outcome, cause].map((name) => items.explained[name]).filter(Boolean);
  return [
    make("h3", { tabIndex: -1 }, ...visible(items.id(i))),
    make("p", { className: items.right(i) ? "outcome right" : "outcome" }, items.said(i),
      cause ? ", " + items.worded(cause) : "",
      ` · gold ${items.gold[i]}, answered ${items.main[i] === "-" ? "nothing" : items.main[i]} · `,
      ...visible(items.subjects[items.subject[i]])),
    ...said.map(([, means, remedy]) => make("p", { className: "note" }, `${means}: ${remedy}`)),
    completionOf(items, i, texts), promptOf(items, i, texts, preamble), optionsOf(items, i, texts), marksOf(items, i, texts),
    figuresOf(items, i, texts), othersOf(items, i),
  ].filter((node) => node != null);
}
