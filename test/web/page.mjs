// Opens pages of gmreport html in Chromium, for tests. They must neither say an error nor ask for
// anything but the page.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {after} from "node:test";
import {fileURLToPath} from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const packages = createRequire(join(root, "runtime/report/web/package.json"));
const {chromium} = packages("playwright-core");

const bin = process.env.GMPROF_BIN ?? join(root, "build/bin");
const executablePath = process.env.GMPROF_CHROMIUM ?? "/usr/bin/chromium";

/** Runs gmreport and returns its output. */
export const gmreport = (...options) => execFileSync(join(bin, "gmreport"), options, {encoding: "utf8"});

/** A folder that is gone after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "gmprof-web-"));
  t.after(() => rmSync(path, {recursive: true, force: true}));
  return path;
}

/**
 * Returns the folder of a profile of gmprof-test-profile; change may change its summary. Sources, by their
 * paths there, get a text.
 */
export function profile(t, name, {change = () => {}, sources = {}} = {}) {
  const path = folder(t);
  execFileSync(join(bin, "gmprof-test-profile"), [name, path]);
  let text = readFileSync(join(path, "summary.json"), "utf8");
  Object.entries(sources).forEach(([from, content], i) => {
    const file = join(path, `source${i}.cu`);
    writeFileSync(file, content);
    utimesSync(file, 1e9, 1e9); // before the run
    text = text.replaceAll(JSON.stringify(from), JSON.stringify(file));
  });
  const summary = JSON.parse(text);
  change(summary);
  writeFileSync(join(path, "summary.json"), JSON.stringify(summary));
  return path;
}

/** Writes the page of a folder's profile and returns its path. */
export function page(path) {
  gmreport("html", path, "-o", join(path, "report.html"));
  return join(path, "report.html");
}

/** Writes the page of a profile and returns its path. */
export const report = (t, name, options) => page(profile(t, name, options));

/** The page of five ranks that are alike, but that rank 4 needs 1,000 bytes more and lacks all findings but one. */
export function ranksReport(t) {
  const profiles = [0, 1, 2, 3, 4].map(rank => profile(t, "objects", {change: summary => {
    summary.run.rank = rank;
    summary.run.wall_seconds = 2;
    if (rank === 4) {
      summary.memory.devices[0].peak_bytes += 1000;
      summary.findings.length = 1;
    }
  }}));
  const path = folder(t);
  gmreport("merge", ...profiles, "-o", path);
  return page(path);
}

let browser;
after(() => browser?.close());

/** Clicks a link, and waits for the page to show what its address asks for. */
export async function follow(page, selector) {
  const shown = page.evaluate(() => new Promise(done =>
    addEventListener("hashchange", () => requestAnimationFrame(() => setTimeout(done)), {once: true})));
  await page.click(selector);
  await shown;
}

/**
 * Opens a file at a view, until there is what to wait for, and checks after the test that nothing
 * went wrong, but for messages that are expected.
 */
export async function open(t, file, hash = "", {expected, wait = "main", ...options} = {}) {
  browser ??= await chromium.launch({executablePath, args: ["--no-sandbox"]});
  const wrong = [];
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, ...options});
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  const page = await context.newPage();
  page.on("console", message => {
    if (["error", "warning"].includes(message.type()) && !expected?.test(message.text()))
      wrong.push(message.text());
  });
  page.on("pageerror", error => wrong.push(String(error)));
  page.on("request", request => {
    if (!request.url().startsWith("file:"))
      wrong.push(request.url());
  });
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector(wait);
  page.setDefaultTimeout(10000);
  return page;
}

export const texts = (page, selector) =>
    page.locator(selector).evaluateAll(all => all.map(each => each.textContent.trim()));
