const table = document.querySelector("#all-runs table");
const lines = [...table.tBodies[0].rows];
const units = ["KiB", "MiB", "GiB", "TiB"];

// sizeOf is a cell's number, or its text where it is none: a time, a name.
function sizeOf(row, column) {
  const text = row.cells[column].textContent;
  const number = /^-?[\d,.]+(?= |$|\/)/.exec(text);
  if (!number) return text;
  return Number(number[0].replaceAll(",", "")) * 1024 ** (1 + units.indexOf(text.split(" ").at(-1)));
}

// order puts two cells' values in a row: numbers before texts, so that what has no figure stands last.
function order(a, b) {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? b - a : a.localeCompare(b);
}

for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
  if (head.tagName !== "TH") continue;
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const numbers = lines.some((row) => typeof sizeOf(row, column) === "number");
    const again = head.ariaSort != null;
    for (const other of table.tHead.rows[0].cells) if (other !== head) other.removeAttribute("aria-sort");
    const back = again && (head.ariaSort === "descending") === numbers;
    lines.sort((x, y) => {
      const a = sizeOf(x, column), b = sizeOf(y, column);
      return back && typeof a === typeof b ? order(b, a) : order(a, b);
    });
    head.ariaSort = numbers !== back ? "descending" : "ascending";
    table.tBodies[0].append(...lines);
  });
}

const words = document.createElement("input");
words.type = "search";
const label = document.createElement("label");
label.append("Show runs with", words);
const told = document.createElement("p");
told.role = "status";
const sift = document.createElement("div");
sift.className = "sift";
sift.append(label, told);
table.closest("figure").before(sift);

function filter() {
  const wanted = words.value.toLowerCase().split(" ").filter(Boolean);
  for (const row of lines) row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
  told.textContent = `${lines.filter((row) => !row.hidden).length} of ${lines.length} runs`;
}
words.addEventListener("input", filter);
filter();
