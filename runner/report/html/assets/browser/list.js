import { make, visible } from "./dom.js";

const rowHeight = 30; // in pixels, as in browser.css

// List shows a list of things of any length: only the rows in sight are elements.
export class List {
  constructor(grid, things, columns, picked) {
    this.grid = grid;
    this.things = things;
    this.columns = columns;
    this.picked = picked;
    this.list = new Uint32Array();
    this.at = -1;
    this.rows = [];
    this.room = make("div", { className: "room", role: "presentation" });
    this.scroller = grid.querySelector(".scroller");
    this.scroller.append(this.room);
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    grid.addEventListener("keydown", (event) => this.key(event));
    this.room.addEventListener("click", (event) => {
      const row = event.target.closest("[role=row]");
      if (row) this.pick(Number(row.dataset.at));
    });
  }

  // show puts another list in the place of the last one; the thing that was picked stays so where the list has it.
  show(list, picked) {
    this.list = list;
    this.at = picked < 0 ? -1 : list.indexOf(picked);
    this.room.style.height = list.length * rowHeight + "px";
    this.grid.setAttribute("aria-rowcount", list.length + 1);
    if (this.at >= 0) this.scroller.scrollTop = (this.at + 0.5) * rowHeight - this.scroller.clientHeight / 2;
    else this.scroller.scrollTop = 0;
    this.draw(true);
  }

  pick(at) {
    if (!this.list.length) return;
    this.at = Math.max(0, Math.min(this.list.length - 1, at));
    this.reveal();
    this.draw();
    this.picked(this.list[this.at]);
  }

  reveal() {
    const top = this.at * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top + rowHeight - clientHeight;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1);
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page,
      Home: 0, End: this.list.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey || event.target !== this.grid) return;
    event.preventDefault();
    this.pick(to);
  }

  // draw fills the rows in sight, with others where the list is another one.
  draw(another) {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 4);
    const last = Math.min(this.list.length, first + Math.ceil(this.scroller.clientHeight / rowHeight) + 8);
    while (this.rows.length < last - first) {
      const row = make("div", { role: "row" }, ...this.columns.map(({ name }) => make("span", { role: "gridcell", className: name })));
      this.rows.push(row);
      this.room.append(row);
    }
    for (let k = 0; k < this.rows.length; k++) {
      const row = this.rows[k], at = first + k;
      row.hidden = at >= last;
      if (row.hidden) continue;
      if (another || row.dataset.at !== String(at)) this.fill(row, at);
      row.setAttribute("aria-selected", at === this.at);
    }
    if (this.at >= first && this.at < last) this.grid.setAttribute("aria-activedescendant", "row-" + this.at);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  fill(row, at) {
    const i = this.list[at];
    row.dataset.at = at;
    row.id = "row-" + at;
    row.setAttribute("aria-rowindex", at + 2);
    row.style.transform = `translateY(${at * rowHeight}px)`;
    row.classList.toggle("right", this.things.marked(i));
    this.columns.forEach(({ of }, c) => row.children[c].replaceChildren(...visible(of(i))));
  }
}
