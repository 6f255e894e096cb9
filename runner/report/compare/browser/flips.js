import { count } from "./dom.js";
import { Things, codes } from "./things.js";
import { flipOf } from "./flip.js";

const signs = { right_to_wrong: "✓ → ✗", wrong_to_right: "✗ → ✓", wrong_to_wrong: "✗ → ✗" };

// Flips are the items to which two runs gave other answers, of every pair of runs.
export class Flips extends Things {
  constructor(index, preambles) {
    super(index);
    this.preambles = preambles;
    this.columns = [
      { name: "change", head: "Change", of: (i) => this.said(i) },
      { name: "id", head: "Item", of: (i) => this.items[i] },
      { name: "run", head: "Run", of: (i) => (this.runs.length > 1 ? this.run(i) : "") },
      { name: "subject", head: "Subject", of: (i) => this.subjects[this.subject[i]] },
      { name: "gold", head: "Gold", of: (i) => this.gold[i] },
      { name: "answers", head: "Answers", of: (i) => `${this.letter("a", i)} → ${this.letter("b", i)}` },
      { name: "tokens", head: "Tokens", of: (i) => (this.tokens_a[i] + this.tokens_b[i]
        ? `${count(this.tokens_a[i])} → ${count(this.tokens_b[i])}` : "") },
    ];
    const outcome = (side) => (i) => this.outcome(side, i);
    this.choices = {
      change: { label: "Change", of: (i) => this.changed(i), also: { flips: (i) => this.change[i] < 2 } },
      run: { label: "Run", of: (i) => this.run(i) },
      subject: { label: "Subject", of: (i) => this.subjects[this.subject[i]] },
      gold: { label: "Gold letter", of: (i) => this.gold[i] },
      a: { label: `${this.first}'s outcome`, of: outcome("a") },
      b: { label: this.runs.length > 1 ? "the run's outcome" : `${this.runs[0]}'s outcome`, of: outcome("b") },
    };
  }

  run(i) { return this.runs[this.pair[i]]; }

  changed(i) { return this.changes[this.change[i]]; }

  // said is how the answer changed, for people: by signs and in words.
  said(i) { return `${signs[this.changed(i)]} ${this.worded(this.changed(i))}`; }

  marked(i) { return this.changed(i) !== "right_to_wrong"; }

  // letter is what one of the runs answered, for people.
  letter(side, i) {
    const letter = this["letters_" + side][i];
    return letter === "-" ? "–" : letter;
  }

  // outcome names how an item came out in one of the runs: right, a cause, or a tag.
  outcome(side, i) { return this.outcomes[this["outcome_" + side][i]]; }

  key(column) {
    switch (column) {
      case "change": return this.change;
      case "run": return this.pair;
      case "gold": return codes(this.gold);
      case "answers": return codes(this.letters_b);
      case "tokens": return this.tokens_b;
    }
    return null; // id and subject are the runs' own order
  }

  searched(texts) {
    return [texts.prompt, texts.question, texts.a.text, texts.b.text, ...(texts.options ?? [])];
  }

  async shown(i) { return flipOf(this, i, await this.texts(i), this.preambles[this.subjects[this.subject[i]]]); }
}
