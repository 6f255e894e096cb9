import { textsOf } from "./data.js";

// Items are all items of the run in columns: what the list shows and filters ask about. Their texts lie in chunks.
export class Items {
  constructor(index) {
    Object.assign(this, index);
    this.length = this.ids.length;
    this.main = this.letters[0]; // the letters that the report's rule set found, - for none
    this.orders = new Map();
  }

  id(i) { return this.prefix + this.ids[i]; }

  right(i) { return this.tag[i] === 0; }

  // outcome names how an item came out: right, or its failure's tag.
  outcome(i) { return this.tags[this.tag[i]]; }

  // worded is a tag or a cause for people.
  worded(name) { return this.explained[name]?.[0] ?? name; }

  // said is how an item came out, for people: by a sign and in words.
  said(i) { return this.right(i) ? "✓ right" : "✗ " + this.worded(this.outcome(i)); }

  find(id) {
    const short = id.startsWith(this.prefix) ? id.slice(this.prefix.length) : id;
    return this.ids.indexOf(short);
  }

  async texts(i) { return (await textsOf(Math.floor(i / this.chunk)))[i % this.chunk]; }

  // order lists all items by a column, in the run's own order where they are alike there.
  order(column) {
    if (!this.orders.has(column)) {
      const order = Uint32Array.from({ length: this.length }, (_, i) => i);
      const key = this.key(column);
      if (key) order.sort((a, b) => key[a] - key[b] || a - b);
      this.orders.set(column, order);
    }
    return this.orders.get(column);
  }

  key(column) {
    const codes = (text) => Uint16Array.from({ length: this.length }, (_, i) => text.charCodeAt(i));
    switch (column) {
      case "gold": return codes(this.gold);
      case "answer": return codes(this.main);
      case "outcome": return this.tag;
      case "tokens": return this.tokens;
      case "time": return this.ms;
    }
    return null; // id and subject are the run's own order
  }
}

// What can be chosen, by the names that links use: what it is called, and the value of an item.
export const choices = {
  subject: ["Subject", (items, i) => items.subjects[items.subject[i]]],
  outcome: ["Outcome", (items, i) => items.outcome(i)],
  cause: ["Cause", (items, i) => items.causes[items.cause[i]]],
  letter: ["Answer", (items, i) => items.main[i]],
  gold: ["Gold letter", (items, i) => items.gold[i]],
  rule: ["Rule", (items, i) => items.rules[items.rule[i]]],
};

export const notRight = "not right";

// chosen lists the items that have what is wanted, in an order; backwards turns it round.
export function chosen(items, wanted, order, backwards) {
  const tests = [];
  for (const [name, [, of]] of Object.entries(choices)) {
    const value = wanted[name];
    if (!value) continue;
    tests.push(name === "outcome" && value === notRight ? (i) => !items.right(i) : (i) => of(items, i) === value);
  }
  const list = new Uint32Array(order.length);
  let n = 0;
  each: for (let k = 0; k < order.length; k++) {
    const i = order[backwards ? order.length - 1 - k : k];
    for (const test of tests) if (!test(i)) continue each;
    list[n++] = i;
  }
  return list.subarray(0, n);
}

// searching yields, chunk after chunk, the items of a list whose id, prompt or completion has the words.
export async function* searching(items, list, words) {
  const wanted = words.toLowerCase();
  const has = (text) => text != null && text.toLowerCase().includes(wanted);
  const byChunk = new Map();
  for (const i of list) {
    const chunk = Math.floor(i / items.chunk);
    if (!byChunk.has(chunk)) byChunk.set(chunk, []);
    byChunk.get(chunk).push(i);
  }
  for (const members of byChunk.values()) {
    const found = [];
    for (const i of members) {
      if (has(items.id(i))) { found.push(i); continue; }
      const texts = await items.texts(i);
      if (has(texts.prompt) || has(texts.text) || has(texts.question) || texts.options?.some(has)) found.push(i);
    }
    yield found;
  }
}
