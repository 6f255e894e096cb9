import { count } from "./dom.js";
import { Things } from "./things.js";
import { flipOf } from "./flip.js";

const signs = { right_to_wrong: "✓ → ✗", wrong_to_right: "✗ → ✓", wrong_to_wrong: "✗ → ✗" };
const words = { right_to_wrong: "right → wrong", wrong_to_right: "wrong → right", wrong_to_wrong: "another wrong one",
  flips: "both kinds of flip" };

// Flips are the items to which two runs gave other answers, of every pair of runs.
export class Flips extends Things {
  constructor(index) {
    super(index);
    [this.first, ...this.runs] = this.names;
    const subject = (i) => this.subject(i), gold = (i) => this.gold(i), changed = (i) => this.changed(i);
    // Those without a key stand in the runs' own order.
    this.columns = [
      { name: "change", head: "Change", of: (i) => this.said(i), key: changed },
      { name: "id", head: "Item", of: (i) => this.short(i) },
      { name: "run", head: "Run", of: (i) => (this.runs.length > 1 ? this.run(i) : ""), key: (i) => this.items[i].pair },
      { name: "subject", head: "Subject", of: subject },
      { name: "gold", head: "Gold", of: gold, key: gold },
      { name: "answers", head: "Answers", of: (i) => `${this.letter("a", i)} → ${this.letter("b", i)}`,
        key: (i) => this.items[i].b.parsed_answer ?? "" },
      { name: "tokens", head: "Tokens", of: (i) => this.tokens(i), key: (i) => this.items[i].tokens[1] },
    ];
    const outcome = (side) => (i) => this.outcome(side, i);
    this.choices = {
      change: { label: "Change", of: changed, also: { flips: (i) => changed(i) !== "wrong_to_wrong" } },
      run: { label: "Run", of: (i) => this.run(i) },
      subject: { label: "Subject", of: subject },
      gold: { label: "Gold letter", of: gold },
      a: { label: `${this.first}'s outcome`, of: outcome("a") },
      b: { label: this.runs.length > 1 ? "the run's outcome" : `${this.runs[0]}'s outcome`, of: outcome("b") },
    };
  }

  // id has the run's name behind, where there are several.
  id(i) { return super.id(i) + (this.runs.length > 1 ? " " + this.run(i) : ""); }

  run(i) { return this.runs[this.items[i].pair]; }

  changed(i) { return this.items[i].change; }

  worded(name) { return words[name] ?? super.worded(name); }

  // said is how the answer changed, for people: by signs and in words.
  said(i) { return `${signs[this.changed(i)]} ${this.worded(this.changed(i))}`; }

  marked(i) { return this.changed(i) !== "right_to_wrong"; }

  // letter is what one of the runs answered, for people.
  letter(side, i) { return this.items[i][side].parsed_answer ?? "–"; }

  // outcome names how an item came out in one of the runs: right, a cause, or a tag.
  outcome(side, i) { return this.items[i][side].cause ?? this.items[i][side].tag ?? "right"; }

  tokens(i) {
    const [a, b] = this.items[i].tokens;
    return a + b ? `${count(a)} → ${count(b)}` : "";
  }

  searched(texts) {
    return [texts.prompt, texts.question, texts.a.text, texts.b.text, ...(texts.options ?? [])];
  }

  async shown(i) { return flipOf(this, i, await this.texts(i)); }
}
