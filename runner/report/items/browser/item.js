import { count, make, visible } from "./dom.js";
import { optionsOf, promptOf, section, table, textOf } from "./text.js";

function link(items, i) {
  return make("a", { href: "#" + new URLSearchParams({ item: items.id(i) }) }, ...visible(items.id(i)));
}

// written is what the model wrote, its thinking folded where that is long.
function written(texts) {
  const n = texts.thinking ?? 0;
  if (!n) return [textOf(texts.text, [texts])];
  const fold = make("details", {}, make("summary", {}, `${count(n)} characters of thinking`));
  fold.addEventListener("toggle", () => { if (fold.children.length < 2) fold.append(textOf(texts.text.slice(0, n))); });
  return [fold, textOf(texts.text.slice(n), [{ start: texts.start - n, end: texts.end - n }])];
}

function completionOf(items, i, texts) {
  const rule = items.rules[items.rule[i]];
  const note = texts.start !== undefined
    ? ["rule ", make("b", {}, rule), ` of ${items.rule_sets[0]} found `, make("b", {}, items.main[i]), " in the marked part"]
    : [`${items.rule_sets[0]} finds no answer`];
  return section("Completion",
    texts.error ? make("p", { className: "warning" }, ...visible(texts.error)) : make("p", { className: "note" }, ...note),
    ...(texts.text ? written(texts) : [make("p", { className: "note" }, "empty")]));
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
    completionOf(items, i, texts), promptOf(texts, items.subjects[items.subject[i]], preamble),
    optionsOf(texts, (letter) => [letter === items.gold[i] && "gold", letter === items.main[i] && "answered"].filter(Boolean)),
    marksOf(items, i, texts),
    figuresOf(items, i, texts), othersOf(items, i),
  ].filter((node) => node != null);
}
