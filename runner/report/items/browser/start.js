import { start } from "./browser.js";
import { Items } from "./items.js";

await start("items", "item", "id", (index, preambles) => new Items(index, preambles));
