// The page in the repository is the build of these sources, and small.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";
import {folder, open} from "./page.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../runtime/report/web");

test("dist/page.html is of these sources", t => {
  const path = join(folder(t), "page.html");
  execFileSync(process.execPath, [join(web, "build.mjs"), path]);
  const built = readFileSync(path, "utf8");
  assert.ok(built === readFileSync(join(web, "dist/page.html"), "utf8"), "build gmreport, and commit runtime/report/web/dist");
  assert.ok(built.length <= 400 * 1024);
});

test("a page without a report says so", async t => {
  const page = await open(t, join(web, "dist/page.html"), "", {wait: "#app:not(:empty)"});
  assert.match(await page.textContent("#app"), /cannot be shown: the page holds no report/);
});
