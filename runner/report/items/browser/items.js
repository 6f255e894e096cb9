import { count } from "./dom.js";
import { Things, codes } from "./things.js";
import { itemOf } from "./item.js";

// Items are all items of the run.
export class Items extends Things {
  constructor(index, preambles) {
    super(index);
    this.preambles = preambles;
    this.main = this.letters[0]; // the letters that the report's rule set found, - for none
    this.columns = [
      { name: "id", head: "Item", of: (i) => this.ids[i] },
      { name: "subject", head: "Subject", of: (i) => this.subjects[this.subject[i]] },
      { name: "gold", head: "Gold", of: (i) => this.gold[i] },
      { name: "answer", head: "Answer", of: (i) => (this.main[i] === "-" ? "–" : this.main[i]) },
      { name: "outcome", head: "Outcome", of: (i) => this.said(i) },
      { name: "tokens", head: "Tokens", of: (i) => (this.tokens[i] ? count(this.tokens[i]) : "") },
      { name: "time", head: "Seconds", of: (i) => (this.ms[i] ? (this.ms[i] / 1000).toFixed(2) : "") },
    ];
    // What can be chosen, by the names that links use.
    this.choices = {
      subject: { label: "Subject", of: (i) => this.subjects[this.subject[i]] },
      outcome: { label: "Outcome", of: (i) => this.outcome(i), also: { "not right": (i) => !this.right(i) } },
      cause: { label: "Cause", of: (i) => this.causes[this.cause[i]] },
      letter: { label: "Answer", of: (i) => this.main[i] },
      gold: { label: "Gold letter", of: (i) => this.gold[i] },
      rule: { label: "Rule", of: (i) => this.rules[this.rule[i]] },
    };
  }

  right(i) { return this.tag[i] === 0; }

  // outcome names how an item came out: right, or its failure's tag.
  outcome(i) { return this.tags[this.tag[i]]; }

  // said is how an item came out, for people: by a sign and in words.
  said(i) { return this.right(i) ? "✓ right" : "✗ " + this.worded(this.outcome(i)); }

  marked(i) { return this.right(i); }

  key(column) {
    switch (column) {
      case "gold": return codes(this.gold);
      case "answer": return codes(this.main);
      case "outcome": return this.tag;
      case "tokens": return this.tokens;
      case "time": return this.ms;
    }
    return null; // id and subject are the run's own order
  }

  searched(texts) { return [texts.prompt, texts.text, texts.question, ...(texts.options ?? [])]; }

  async shown(i) { return itemOf(this, i, await this.texts(i), this.preambles[this.subjects[this.subject[i]]]); }
}
