// Processes of a merged summary.
import assert from "node:assert/strict";
import {test} from "node:test";
import {follow, open, ranksReport, report, texts} from "./page.mjs";

const cells = (page, label, row) => texts(page, `[role=region][aria-label='${label}'] tbody tr:nth-child(${row}) td`);

test("numbers that differ are shown, with who has them and who is far off", async t => {
  const page = await open(t, ranksReport(t));
  await follow(page, "nav a:has-text('Processes')");
  assert.equal(await page.textContent("nav [aria-current=page]"), "Processes5");
  await follow(page, "nav a:has-text('Overview')");
  assert.match(await page.textContent("main"), /the page of a process shows its own: gmreport html \/.*\/summary\.json/);
  await follow(page, "nav a:has-text('Processes')");
  // 6 KiB, and 1,000 bytes more in one of five.
  assert.deepEqual(await cells(page, "Numbers by process", 1),
                   ["peak", "6 KiB", "rank 0", "6.2 KiB", "7 KiB", "rank 4", "13 %", "rank 4"]);
  const differing = await page.locator("[role=region][aria-label='Numbers by process'] tbody tr").count();
  await page.check("input[type=checkbox]");
  assert.ok(await page.locator("[role=region][aria-label='Numbers by process'] tbody tr").count() > differing);
});

test("a process has its outliers and findings, and a finding its processes", async t => {
  const page = await open(t, ranksReport(t), "#/processes");
  assert.equal(await page.textContent(".details h3"), "rank 0");
  assert.deepEqual(await cells(page, "Processes", 5), ["rank 4", "node1", "2 s", "0", "1", "2"]);
  const findings = await page.locator(".details ul li a").count();
  assert.ok(findings > 1);
  await follow(page, "[role=region][aria-label='Numbers by process'] a:has-text('rank 4') >> nth=0");
  assert.equal(await page.textContent(".details h3"), "rank 4");
  assert.deepEqual(await texts(page, ".details ul:nth-of-type(1) li"), ["peak", "findings"]);
  await follow(page, ".details ul li a");
  assert.match(await page.textContent(".details"), /in all 5 processes/);
  await page.keyboard.press("Tab");
  await page.locator("[role=region][aria-label='Findings'] tbody tr").nth(1).click();
  assert.match(await page.textContent(".details"), /in 4 of 5 processes: ranks 0-3/);
});

test("the summary of one process has no such view", async t => {
  const page = await open(t, report(t, "objects"));
  assert.equal(await page.locator("nav a:has-text('Processes')").count(), 0);
});
