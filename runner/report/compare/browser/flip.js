import { count, make, visible } from "./dom.js";
import { optionsOf, promptOf, section, table, textOf } from "./text.js";

// departureOf says where the two completions part.
function departureOf(names, texts) {
  const at = texts.departs;
  if (at === undefined) return make("p", { className: "note" }, "both completions are the same text");
  const has = (side) => {
    const { text, to } = texts[side];
    return to > at ? make("q", {}, ...visible(text.slice(at, to))) : "its end";
  };
  return make("p", { className: "departs" }, at ? `the same for ${count(at)} character${at === 1 ? "" : "s"}, then ` : "from the start: ",
    ...visible(names.a), " has ", has("a"), " and ", ...visible(names.b), " has ", has("b"));
}

function completionOf(flips, i, side, name, texts) {
  const { text, start, end, to, error, rule } = texts[side];
  const at = texts.departs;
  const outcome = flips.outcome(side, i);
  const marks = [{ start: at ?? 0, end: to ?? 0, kind: "parts" }, { start, end }];
  if (at) marks.push({ start: 0, end: at, kind: "same" });
  return make("section", { className: "side" },
    make("h4", {}, ...visible(name)),
    make("p", { className: outcome === "right" ? "outcome right" : "outcome" },
      (outcome === "right" ? "✓ " : "✗ ") + flips.worded(outcome), ` · ${flips.letter(side, i)}`, rule ? ` by rule ${rule}` : ""),
    error ? make("p", { className: "warning" }, ...visible(error)) : null,
    text ? textOf(text, marks) : make("p", { className: "note" }, "empty"));
}

function figuresOf(names, wrote, texts) {
  const tokens = (n) => (n ? count(n) : "");
  const row = (side, k) => {
    const { finish, thinking } = texts[side];
    return [names[side], finish === "length" ? "the cap (--max-tokens)" : finish, tokens(wrote[k]), tokens(thinking)];
  };
  return section("Figures", table(["", "ended by", "tokens", "of them thinking"], ["a", "b"].map(row)));
}

// flipOf gives the nodes that show an item as both runs answered it.
export function flipOf(flips, i, texts) {
  const names = { a: flips.first, b: flips.run(i) }, { id, subject, expected: gold, tokens } = flips.items[i];
  const a = flips.letter("a", i), b = flips.letter("b", i);
  const said = (letter) => [letter === gold && "gold", letter === a && names.a, letter === b && names.b].filter(Boolean);
  return [
    make("h3", { tabIndex: -1 }, ...visible(id)),
    make("p", { className: flips.marked(i) ? "outcome right" : "outcome" }, flips.said(i),
      ` · gold ${gold}, `, ...visible(names.a), ` ${a}, `, ...visible(names.b), ` ${b} · `, ...visible(subject)),
    departureOf(names, texts),
    make("div", { className: "sides" }, completionOf(flips, i, "a", names.a, texts), completionOf(flips, i, "b", names.b, texts)),
    optionsOf(texts, said), promptOf(texts, subject, flips.preambles[subject]),
    figuresOf(names, tokens, texts),
  ].filter((node) => node != null);
}
