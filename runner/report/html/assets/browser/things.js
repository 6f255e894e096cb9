import { textsOf } from "./data.js";

// Things are the items that a browser shows: all of them in rows, which lists show and filters ask about. Their texts lie in chunks. Each
// kind of browser has a class of its own, with the columns and choices that it has and the nodes that show an item.
export class Things {
  constructor({ task, items, names, chunk, explained, preambles }) {
    Object.assign(this, { items, names, chunk, explained, preambles });
    this.length = items.length;
    this.prefix = items.every(({ id }) => id.startsWith(task + "/")) ? task + "/" : ""; // of all ids
    this.orders = new Map();
  }

  id(i) { return this.items[i].id; }

  // short is an id without what all of them begin with.
  short(i) { return this.items[i].id.slice(this.prefix.length); }

  subject(i) { return this.items[i].subject; }

  gold(i) { return this.items[i].expected; }

  find(id) { return this.items.findIndex((_, i) => this.id(i) === id || this.id(i) === this.prefix + id); }

  // worded is a name for people.
  worded(name) { return this.explained[name]?.[0] ?? name; }

  async texts(i) { return (await textsOf(Math.floor(i / this.chunk)))[i % this.chunk]; }

  // order lists all items by a column, in their own order where they are alike there, or where it has no key.
  order(column) {
    if (!this.orders.has(column)) {
      const order = Uint32Array.from({ length: this.length }, (_, i) => i);
      const { key } = this.columns.find(({ name }) => name === column);
      if (key) {
        const keys = Array.from(order, key);
        order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
      }
      this.orders.set(column, order);
    }
    return this.orders.get(column);
  }
}

// chosen lists the things that have what is wanted, in an order; backwards turns it round.
export function chosen(things, wanted, order, backwards) {
  const tests = [];
  for (const [name, { of, also }] of Object.entries(things.choices)) {
    const value = wanted[name];
    if (!value) continue;
    tests.push(also?.[value] ?? ((i) => of(i) === value));
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

// searching yields, chunk after chunk, the things of a list whose id or texts have the words.
export async function* searching(things, list, words) {
  const wanted = words.toLowerCase();
  const has = (text) => text != null && text.toLowerCase().includes(wanted);
  const byChunk = new Map();
  for (const i of list) {
    const chunk = Math.floor(i / things.chunk);
    if (!byChunk.has(chunk)) byChunk.set(chunk, []);
    byChunk.get(chunk).push(i);
  }
  for (const members of byChunk.values()) {
    const found = [];
    for (const i of members) {
      if (has(things.id(i)) || things.searched(await things.texts(i)).some(has)) found.push(i);
    }
    yield found;
  }
}
