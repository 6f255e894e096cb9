import { unpack } from "./data.js";
import { count, make } from "./dom.js";
import { Items, choices, chosen, notRight, searching } from "./items.js";
import { List } from "./list.js";
import { itemOf } from "./item.js";

const columns = [
  { name: "id", head: "Item", of: (items, i) => items.ids[i] },
  { name: "subject", head: "Subject", of: (items, i) => items.subjects[items.subject[i]] },
  { name: "gold", head: "Gold", of: (items, i) => items.gold[i] },
  { name: "answer", head: "Answer", of: (items, i) => (items.main[i] === "-" ? "–" : items.main[i]) },
  { name: "outcome", head: "Outcome", of: (items, i) => items.said(i) },
  { name: "tokens", head: "Tokens", of: (items, i) => (items.tokens[i] ? count(items.tokens[i]) : "") },
  { name: "time", head: "Seconds", of: (items, i) => (items.ms[i] ? (items.ms[i] / 1000).toFixed(2) : "") },
];

// The place in the document's address names what is shown: #item=mmlu_pro/70&subject=law&outcome=not+right.
const placed = () => new URLSearchParams(location.hash.slice(1));

class Browser {
  constructor(root, items, preambles) {
    this.root = root;
    this.items = items;
    this.preambles = preambles;
    this.item = -1;
    this.turn = 0;
    this.sort = { column: "id", backwards: false };
    this.search = root.querySelector("input[type=search]");
    this.status = root.querySelector("[role=status]");
    this.detail = root.querySelector(".item");
    this.grid = root.querySelector("[role=grid]");
    this.selects = {};
    this.columns = columns.filter(({ of }) => items.ids.some((_, i) => of(items, i)));
    this.grid.classList.toggle("timed", this.columns.length === columns.length);
    this.list = new List(this.grid, items, this.columns, (i) => this.open(i));
    this.head();
    this.filters();
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.follow());
    root.querySelector("button.clear").addEventListener("click", () => this.clear());
    let typing;
    this.search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.refresh(), 150);
    });
    this.follow(true);
  }

  head() {
    const row = this.grid.querySelector(".head");
    for (const { name, head } of this.columns) {
      const button = make("button", { type: "button", tabIndex: 0 }, head);
      const cell = make("span", { role: "columnheader", className: name }, button);
      button.addEventListener("click", () => {
        this.sort = { column: name, backwards: this.sort.column === name && !this.sort.backwards };
        this.refresh();
      });
      row.append(cell);
    }
  }

  // filters offers what the items have, with how many have it.
  filters() {
    const place = this.root.querySelector(".filters");
    const { items } = this;
    for (const [name, [label, of]] of Object.entries(choices)) {
      const counts = new Map();
      for (let i = 0; i < items.length; i++) {
        const value = of(items, i);
        if (value && value !== "-") counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      if (name === "outcome" && counts.has("right")) counts.set(notRight, items.length - counts.get("right"));
      if (counts.size < 2 && name !== "cause") continue;
      if (!counts.size) continue;
      const values = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
      const select = make("select", { name }, make("option", { value: "" }, "all"),
        ...values.map(([value, n]) => make("option", { value }, `${items.worded(value)} (${count(n)})`)));
      select.addEventListener("change", () => this.refresh());
      this.selects[name] = select;
      place.append(make("label", {}, make("span", {}, label), select));
    }
  }

  wanted() {
    return Object.fromEntries(Object.entries(this.selects).map(([name, select]) => [name, select.value]));
  }

  clear() {
    for (const select of Object.values(this.selects)) select.value = "";
    this.search.value = "";
    this.refresh();
  }

  // follow shows what the address names.
  follow(first) {
    const place = placed();
    if (![...place.keys()].some((name) => name === "item" || name === "q" || choices[name])) {
      if (first) this.refresh(true);
      return;
    }
    const i = place.has("item") ? this.items.find(place.get("item")) : -1;
    for (const [name, select] of Object.entries(this.selects)) select.value = place.get(name) ?? "";
    this.search.value = place.get("q") ?? "";
    if (place.has("item") && i < 0) {
      this.detail.replaceChildren(make("p", { className: "warning" }, "there is no item " + place.get("item")));
    }
    this.item = i;
    this.refresh(true);
    if (i >= 0) this.open(i);
    this.root.scrollIntoView();
  }

  // remember puts what is shown into the address, for a link.
  remember() {
    const place = new URLSearchParams();
    if (this.item >= 0) place.set("item", this.items.id(this.item));
    for (const [name, value] of Object.entries(this.wanted())) if (value) place.set(name, value);
    if (this.search.value) place.set("q", this.search.value);
    history.replaceState(null, "", place.size ? "#" + place : location.href.split("#")[0]);
  }

  // refresh shows the items that are wanted: at once, or, where words are looked for in texts, as they are found.
  async refresh(placed) {
    const turn = ++this.turn;
    const { column, backwards } = this.sort;
    for (const cell of this.grid.querySelectorAll("[role=columnheader]")) {
      const sorted = cell.classList.contains(column);
      cell.setAttribute("aria-sort", sorted ? (backwards ? "descending" : "ascending") : "none");
    }
    performance.mark("filter");
    const list = chosen(this.items, this.wanted(), this.items.order(column), backwards);
    const words = this.search.value.trim();
    if (!placed) this.remember();
    if (!words) {
      this.tell(list, "");
      performance.measure("filtered", "filter");
      return;
    }
    const found = new Set();
    let shownAt = 0;
    for await (const some of searching(this.items, list, words)) {
      if (turn !== this.turn) return;
      for (const i of some) found.add(i);
      if (performance.now() - shownAt > 200) {
        this.tell(list.filter((i) => found.has(i)), ", searching …");
        shownAt = performance.now();
        await new Promise((on) => setTimeout(on));
      }
    }
    if (turn === this.turn) this.tell(list.filter((i) => found.has(i)), "");
    performance.measure("searched", "filter");
  }

  tell(list, more) {
    this.list.show(list, this.item);
    this.status.textContent = `${count(list.length)} of ${count(this.items.length)} items${more}`;
  }

  async open(i) {
    this.item = i;
    this.remember();
    const texts = await this.items.texts(i);
    if (this.item !== i) return;
    const preamble = this.preambles[this.items.subjects[this.items.subject[i]]];
    this.detail.replaceChildren(...itemOf(this.items, i, texts, preamble));
    this.detail.scrollTop = 0;
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      this.search.focus();
    } else if (event.key === "Escape" && typing) {
      this.grid.focus();
    } else if ((event.key === "j" || event.key === "k") && !typing) {
      this.list.pick(this.list.at + (event.key === "j" ? 1 : -1));
    } else if (event.key === "Enter" && event.target === this.grid) {
      this.detail.querySelector("h3")?.focus();
    }
  }
}

// A printed report has everything that is folded on a screen.
addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll("main details")) fold.open = true; });

const root = document.getElementById("items");
if (root) {
  const [index, preambles] = await Promise.all([unpack("index"), unpack("preambles")]);
  new Browser(root, new Items(index), preambles);
  root.classList.add("ready");
  performance.mark("ready");
}
