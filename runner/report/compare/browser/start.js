import { start } from "./browser.js";
import { Flips } from "./flips.js";

await start("flips", "change", (index) => new Flips(index));
