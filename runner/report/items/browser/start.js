import { start } from "./browser.js";
import { Items } from "./items.js";

await start("items", "id", (index) => new Items(index));
