// The page by keyboard, for readers of the screen, in the dark, on narrow screens and on paper.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {open, packages, ranksReport, report, texts} from "./page.mjs";

const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
const views = ["#/overview", "#/findings", "#/memory/0", "#/kernels", "#/kernels/0", "#/timeline", "#/flame", "#/source", "#/run"];

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing, ${colorScheme}`, async t => {
    for (const name of ["objects", "heat", "mixed", "sync", "cache"]) {
      const file = report(t, name, {sources: {"/src/gemm.cu": "a\n".repeat(30), "/src/app.cu": "b\n".repeat(60)}});
      const page = await open(t, file, "", {colorScheme});
      await page.evaluate(axe);
      for (const view of views) {
        await page.evaluate(to => { location.hash = to; }, view);
        await page.waitForTimeout(0);
        const {violations} = await page.evaluate(() => globalThis.axe.run());
        assert.deepEqual(violations.map(v => [name, view, v.id, v.nodes.map(n => n.html).slice(0, 3)]), []);
      }
    }
  });

test("axe finds nothing in the processes of a merged summary", async t => {
  const page = await open(t, ranksReport(t), "#/processes/4");
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(v => [v.id, v.nodes.map(n => n.html).slice(0, 3)]), []);
});

test("all of it by keyboard", async t => {
  const page = await open(t, report(t, "objects"));
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  // The row that is selected gets the focus when the page has been drawn.
  const focusedRow = number => page.waitForFunction(
    n => document.activeElement.tagName === "TR" && document.activeElement.textContent.startsWith(n), number);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Overview");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h2:has-text('Findings')");
  assert.equal(await focused(), "Findings");
  // Filters, headings, then the rows.
  for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement.tagName === "TR")); ++i)
    await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await focusedRow("2");
  assert.match(await page.textContent(".details h3"), /^2\. /);
  await page.keyboard.press("Home");
  await focusedRow("1");
  assert.match(await page.textContent(".details h3"), /^1\. /);
  // The finding's object, and back.
  for (let i = 0; i < 20 && (await focused()) !== "c"; ++i)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h2:has-text('Memory')");
  assert.equal(await page.textContent(".details h3"), "c");
  await page.goBack();
  await page.waitForSelector("h2:has-text('Findings')");
});

test("colours are those of the system, unless chosen", async t => {
  const page = await open(t, report(t, "objects"), "", {colorScheme: "dark"});
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.emulateMedia({colorScheme: "light"});
  await page.waitForSelector(":root[data-theme=light]", {state: "attached"});
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.selectOption(".theme select", "dark");
  assert.equal(await paper(), dark);
  assert.notEqual(dark, "rgb(255, 255, 255)");
  await page.reload();
  await page.waitForSelector("main");
  assert.equal(await paper(), dark);
});

for (const width of [800, 390])
  test(`nothing is wider than a window of ${width} pixels`, async t => {
    for (const name of ["heat", "sync", "cache", "mixed"]) {
      const file = report(t, name, {sources: {"/src/gemm.cu": "a\n".repeat(30), "/src/app.cu": "b\n".repeat(60)}});
      const page = await open(t, file, "", {viewport: {width, height: 844}});
      for (const view of views) {
        await page.evaluate(to => { location.hash = to; }, view);
        await page.waitForTimeout(0);
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(needed <= width, `${name} ${view}: ${needed}`);
      }
    }
  });

test("pictures are as wide as paper, and light", async t => {
  const page = await open(t, report(t, "sync"), "#/timeline", {colorScheme: "dark"});
  await page.locator(".lanes canvas").waitFor();
  /** Its width, and how dark the darkest text of the lanes' names is. */
  const drawn = () => page.locator(".lanes canvas").evaluate(canvas => {
    const ratio = canvas.width / canvas.clientWidth;
    const {data} = canvas.getContext("2d").getImageData(0, 0, 180 * ratio, canvas.height);
    let darkest = 255;
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] === 255)
        darkest = Math.min(darkest, data[i]);
    return [canvas.clientWidth, darkest];
  });
  await page.waitForFunction(() => document.querySelector(".lanes canvas").clientWidth > 1000);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.deepEqual(await drawn(), [700, 0x1c]); // --ink of light pages
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelector(".lanes canvas").clientWidth > 1000);
});

test("on paper there are all rows, and no controls", async t => {
  const file = report(t, "objects", {change: summary => {
    const first = summary.findings[0];
    summary.findings = Array.from({length: 100}, (_, i) => ({...first, id: i + 1}));
  }});
  const page = await open(t, file, "#/findings", {colorScheme: "dark"});
  assert.ok(await page.locator("tbody tr[aria-rowindex]").count() < 100);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({media: "print", colorScheme: "dark"});
  assert.equal(await page.locator("tbody tr[aria-rowindex]").count(), 100);
  assert.equal(await page.locator(".details").count(), 100);
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.equal(await page.locator(".filters").isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
  assert.ok((await page.pdf()).length > 10000);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.ok(await page.locator("tbody tr[aria-rowindex]").count() < 100);
  assert.deepEqual(await texts(page, "h2"), ["Findings"]);
});
