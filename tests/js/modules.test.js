import { readdirSync, readFileSync } from "node:fs";
import { assert, test } from "./testing.js";

const folder = new URL("../../assets/board/", import.meta.url);
const modules = readdirSync(folder)
  .filter((name) => name.endsWith(".js"))
  .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);

test("no top-level name stands in two modules, so that they can be joined to one script", () => {
  const seen = new Map();
  for (const [name, text] of modules) {
    for (const [, found] of text.matchAll(/^(?:export )?(?:default )?(?:function|const|let|class) (\w+)/gm)) {
      assert.ok(!seen.has(found), `${found} is in ${seen.get(found)} and in ${name}`);
      seen.set(found, name);
    }
  }
});

test("modules import by name, one line each, from their own folder only", () => {
  for (const [name, text] of modules) {
    for (const line of text.split("\n").filter((one) => /^import\b|\bimport\(/.test(one))) {
      assert.ok(/^import \{ [\w, ]+ \} from "\.\/\w+\.js";$/.test(line), `${name}: ${line}`);
    }
  }
});

test("only functions, constants and classes are exported, and only the component has a default", () => {
  for (const [name, text] of modules) {
    for (const [line] of text.matchAll(/^export .*$/gm)) {
      assert.ok(
        /^export (function|const|class) \w+/.test(line) || (name === "component.js" && line.startsWith("export default function ")),
        `${name}: ${line}`,
      );
    }
  }
});

test("the board's documentation names every module", () => {
  const told = readFileSync(new URL("../../docs/board.md", import.meta.url), "utf8");
  for (const [name] of modules) assert.ok(told.includes(`\`${name}\``), name);
});

test("text reaches the page as text: no module writes markup", () => {
  for (const [name, text] of modules) assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(text), name);
});
