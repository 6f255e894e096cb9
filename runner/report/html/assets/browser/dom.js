// make gives an element with properties and children, texts among them. Nothing here ever reads a text as HTML.
export function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// What a browser would obey instead of show: control and format characters, all but those that scripts are written with.
const obeyed = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const shown = new Set(["\n", "\t", "\u200c", "\u200d"]);

// visible gives the nodes of a text in which every such character is written out, as in \u202e.
export function visible(text) {
  const nodes = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(obeyed)) {
    if (shown.has(character)) continue;
    if (index > from) nodes.push(text.slice(from, index));
    let units = "";
    for (let i = 0; i < character.length; i++) units += "\\u" + character.charCodeAt(i).toString(16).padStart(4, "0");
    nodes.push(make("span", { className: "control" }, units));
    from = index + character.length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

export const count = (n) => n.toLocaleString("en-US");
