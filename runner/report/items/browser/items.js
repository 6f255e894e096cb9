import { count } from "./dom.js";
import { Things } from "./things.js";
import { itemOf } from "./item.js";

// Items are all items of the run.
export class Items extends Things {
  constructor(index) {
    super(index);
    const of = (field) => (i) => this.items[i][field] ?? "";
    const subject = (i) => this.subject(i), gold = (i) => this.gold(i), letter = of("parsed_answer");
    const tokens = (i) => this.items[i].output_tokens ?? 0, seconds = (i) => this.items[i].seconds ?? 0;
    // Those without a key stand in the run's own order.
    this.columns = [
      { name: "id", head: "Item", of: (i) => this.short(i) },
      { name: "subject", head: "Subject", of: subject },
      { name: "gold", head: "Gold", of: gold, key: gold },
      { name: "answer", head: "Answer", of: (i) => letter(i) || "–", key: letter },
      { name: "outcome", head: "Outcome", of: (i) => this.said(i), key: of("tag") },
      { name: "tokens", head: "Tokens", of: (i) => (tokens(i) ? count(tokens(i)) : ""), key: tokens },
      { name: "time", head: "Seconds", of: (i) => (seconds(i) ? seconds(i).toFixed(2) : ""), key: seconds },
    ];
    // What can be chosen, by the names that links use.
    this.choices = {
      subject: { label: "Subject", of: subject },
      outcome: { label: "Outcome", of: (i) => this.outcome(i), also: { "not right": (i) => !this.right(i) } },
      cause: { label: "Cause", of: of("cause") },
      letter: { label: "Answer", of: letter },
      gold: { label: "Gold letter", of: gold },
      rule: { label: "Rule", of: of("rule") },
    };
  }

  right(i) { return !this.items[i].tag; }

  // outcome names how an item came out: right, or its failure's tag.
  outcome(i) { return this.items[i].tag ?? "right"; }

  // said is how an item came out, for people: by a sign and in words.
  said(i) { return this.right(i) ? "✓ right" : "✗ " + this.worded(this.outcome(i)); }

  marked(i) { return this.right(i); }

  searched(texts) { return [texts.prompt, texts.text, texts.question, ...(texts.options ?? [])]; }

  async shown(i) { return itemOf(this, i, await this.texts(i)); }
}
