import { unpack } from "./data.js";
import { count, make, visible } from "./dom.js";
import { List } from "./list.js";
import { chosen, searching } from "./things.js";

// The place in the document's address names what is shown, as in #item=mmlu_pro/70&subject=law&outcome=not+right.
const placed = () => new URLSearchParams(location.hash.slice(1));

class Browser {
  // Items are sorted by a column until somebody chooses another one.
  constructor(root, things, column) {
    this.root = root;
    this.things = things;
    this.picked = -1;
    this.turn = 0;
    this.sort = { column, backwards: false };
    this.search = root.querySelector("input[type=search]");
    this.status = root.querySelector("[role=status]");
    this.detail = root.querySelector(".item");
    this.grid = root.querySelector("[role=grid]");
    this.selects = {};
    this.columns = things.columns.filter(({ of }) => things.items.some((_, i) => of(i)));
    this.grid.classList.toggle("full", this.columns.length === things.columns.length);
    this.list = new List(this.grid, things, this.columns, (i) => this.open(i));
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

  // filters offers what the things have, with how many have it.
  filters() {
    const place = this.root.querySelector(".filters");
    const { things } = this;
    for (const [name, { label, of, also }] of Object.entries(things.choices)) {
      const counts = new Map();
      for (let i = 0; i < things.length; i++) {
        const value = of(i);
        if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      if (counts.size < 2 && (name !== "cause" || !counts.size)) continue;
      for (const [value, test] of Object.entries(also ?? {})) {
        let n = 0;
        for (let i = 0; i < things.length; i++) if (test(i)) n++;
        if (n > 0 && n < things.length) counts.set(value, n);
      }
      const values = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
      const select = make("select", { name }, make("option", { value: "" }, "all"),
        ...values.map(([value, n]) => make("option", { value }, `${things.worded(value)} (${count(n)})`)));
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
    if (![...place.keys()].some((name) => name === "item" || name === "q" || this.things.choices[name])) {
      if (first) this.refresh(true);
      return;
    }
    const i = place.has("item") ? this.things.find(place.get("item")) : -1;
    for (const [name, select] of Object.entries(this.selects)) select.value = place.get(name) ?? "";
    this.search.value = place.get("q") ?? "";
    if (place.has("item") && i < 0) {
      this.detail.replaceChildren(make("p", { className: "warning" }, ...visible(`there is no item ${place.get("item")}`)));
    }
    this.picked = i;
    this.refresh(true);
    if (i >= 0) this.open(i);
    const [{ type }] = performance.getEntriesByType("navigation");
    if (!first || type !== "reload") this.root.scrollIntoView();
  }

  // remember puts what is shown into the address, for a link.
  remember() {
    const place = new URLSearchParams();
    if (this.picked >= 0) place.set("item", this.things.id(this.picked));
    for (const [name, value] of Object.entries(this.wanted())) if (value) place.set(name, value);
    if (this.search.value) place.set("q", this.search.value);
    history.replaceState(null, "", place.size ? "#" + place : location.href.split("#")[0]);
  }

  // refresh shows the things that are wanted: at once, or, where words are looked for in texts, as they are found.
  async refresh(placed) {
    const turn = ++this.turn;
    const { column, backwards } = this.sort;
    for (const cell of this.grid.querySelectorAll("[role=columnheader]")) {
      const sorted = cell.classList.contains(column);
      cell.setAttribute("aria-sort", sorted ? (backwards ? "descending" : "ascending") : "none");
    }
    performance.mark("filter");
    const list = chosen(this.things, this.wanted(), this.things.order(column), backwards);
    const words = this.search.value.trim();
    if (!placed) this.remember();
    if (!words) {
      this.tell(list, "");
      performance.measure("filtered", "filter");
      return;
    }
    const found = new Set();
    let shownAt = 0;
    for await (const some of searching(this.things, list, words)) {
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
    this.list.show(list, this.picked);
    this.status.textContent = `${count(list.length)} of ${count(this.things.length)} items${more}`;
  }

  async open(i) {
    this.picked = i;
    this.remember();
    const nodes = await this.things.shown(i);
    if (this.picked !== i) return;
    this.detail.replaceChildren(...nodes);
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

// start shows things, which of makes of the document's index, in the browser of an id.
export async function start(id, column, of) {
  const root = document.getElementById(id);
  new Browser(root, of(await unpack("index")), column);
  root.classList.add("ready");
  performance.mark("ready");
}
