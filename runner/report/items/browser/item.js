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
  const { rule, parsed_answer: letter } = items.items[i];
  const note = letter
    ? ["rule ", make("b", {}, rule), ` of ${items.names[0]} found `, make("b", {}, letter), " in the marked part"]
    : [`${items.names[0]} finds no answer`];
  return section("Completion",
    texts.error ? make("p", { className: "warning" }, ...visible(texts.error)) : make("p", { className: "note" }, ...note),
    ...(texts.text ? written(texts) : [make("p", { className: "note" }, "empty")]));
}

function marksOf(items, i, texts) {
  const rows = items.names.map((ruleSet, k) => {
    const letter = texts.letters[k];
    return [ruleSet, letter || "–", !letter ? "no answer" : letter === items.gold(i) ? "✓ right" : "✗ wrong", texts.rules[k]];
  });
  return section("Marks", table(["rule set", "answer", "verdict", "rule"], rows));
}

function figuresOf(items, i, texts) {
  const item = items.items[i], { timing } = texts;
  const rows = [["ended by", item.finish], ["asked", `${item.attempts} ${item.attempts === 1 ? "time" : "times"}`]];
  const tokens = (name, n, more, what) => { if (n) rows.push([name, count(n) + " tokens" + (more ? `, ${count(more)} of them ${what}` : "")]); };
  const time = (name, seconds) => { if (seconds >= 0.00005) rows.push([name, seconds.toFixed(3) + " s"]); };
  tokens("prompt", item.prompt_tokens, texts.reused, "reused");
  tokens("completion", item.output_tokens, item.thinking_tokens, "thinking");
  time("part of the wall time", item.seconds);
  for (const [name, what] of Object.entries({ queue: "waiting", first_token: "to the first token", prefill: "prefill", decode: "decode",
    total: "in all" })) time(what, timing[name + "_ns"] / 1e9);
  if (item.server) rows.push(["server", item.server]);
  return section("Figures", table(["", ""], rows));
}

function othersOf(items, i) {
  const rows = [], { question_id: question, subject } = items.items[i];
  items.items.forEach((other, k) => {
    if (k !== i && other.question_id === question && other.subject === subject) {
      rows.push([link(items, k), other.expected, other.parsed_answer ?? "-", items.said(k)]);
    }
  });
  return rows.length ? section("The question's other items", table(["item", "gold", "answer", "outcome"], rows)) : null;
}

// itemOf gives the nodes that show an item as a person reads it.
export function itemOf(items, i, texts) {
  const outcome = items.outcome(i), { cause, subject, expected: gold, parsed_answer: letter } = items.items[i];
  const said = [outcome, cause].map((name) => items.explained[name]).filter(Boolean);
  return [
    make("h3", { tabIndex: -1 }, ...visible(items.id(i))),
    make("p", { className: items.right(i) ? "outcome right" : "outcome" }, items.said(i),
      cause ? ", " + items.worded(cause) : "",
      ` · gold ${gold}, answered ${letter ?? "nothing"} · `, ...visible(subject)),
    ...said.map(([, means, remedy]) => make("p", { className: "note" }, remedy ? `${means}: ${remedy}` : means)),
    completionOf(items, i, texts), promptOf(texts, subject, items.preambles[subject]),
    optionsOf(texts, (option) => [option === gold && "gold", option === letter && "answered"].filter(Boolean)),
    marksOf(items, i, texts),
    figuresOf(items, i, texts), othersOf(items, i),
  ].filter((node) => node != null);
}
