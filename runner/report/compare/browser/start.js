import { start } from "./browser.js";
import { Flips } from "./flips.js";

await start("flips", "item", "change", (index, preambles) => new Flips(index, preambles));
