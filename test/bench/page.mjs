#!/usr/bin/env node
// Measures the page of gmreport html for large profiles, in headless Chromium:
//
//   test/bench/page.mjs [--runs N]
//
// makes a profile of a million GPU APIs and a heat map of 100,000 rows, and one of a million calls
// with waits, and prints a table: the time from opening the file until a view is drawn, and of
// frames while it is zoomed, moved and scrolled. Needs build/ and the packages of
// runtime/report/web (ctest -R web-packages).
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync, statSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = process.env.GMPROF_BIN ?? join(root, "build/bin");
const {chromium} = createRequire(join(root, "runtime/report/web/package.json"))("playwright-core");
const runs = Number(process.argv[process.argv.indexOf("--runs") + 1]) || 5;

const quantile = (values, q) =>
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const median = values => quantile(values, 0.5);

/** What a view has when it is drawn: a canvas with something on it, or a row. */
const views = {
  "large overview": ["large", "#/overview", "main section"],
  "large memory": ["large", "#/memory", ".lifetimes canvas"],
  "large timeline": ["large", "#/timeline", ".lanes canvas"],
  "large heat map": ["large", "#/kernels/0", ".heat canvas"],
  "large-sync overview": ["large-sync", "#/overview", "main section"],
  "large-sync timeline": ["large-sync", "#/timeline", ".lanes canvas"],
};

async function untilDrawn(page, selector) {
  return page.evaluate(wanted => new Promise((resolve, reject) => {
    const look = () => {
      if (performance.now() > 30000)
        return reject(Error(`${wanted} is not drawn`));
      const element = document.querySelector(wanted);
      const drawn = element && (element.tagName !== "CANVAS" || (element.width > 300 &&
          element.getContext("2d").getImageData(0, 0, element.width, element.height).data.some(byte => byte !== 0)));
      // Two frames later it is on the screen.
      if (drawn)
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
      else
        requestAnimationFrame(look);
    };
    look();
  }), selector);
}

/** Milliseconds of each frame while something is done again and again. */
async function frames(page, what, selector) {
  return page.evaluate(([action, wanted]) => new Promise(resolve => {
    const element = document.querySelector(wanted), times = [];
    let last = performance.now(), count = 0;
    const step = () => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      if (++count > 120)
        return resolve(times.slice(1));
      if (action === "scroll")
        element.scrollTop += 150;
      else if (action === "move")
        element.dispatchEvent(new WheelEvent("wheel", {deltaX: count % 40 < 20 ? 60 : -60, bubbles: true, cancelable: true}));
      else
        element.dispatchEvent(new WheelEvent("wheel", {deltaY: count % 60 < 30 ? -40 : 40, ctrlKey: true, clientX: 700, bubbles: true, cancelable: true}));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }), [what, selector]);
}

const actions = {
  "large memory": [["scroll", ".lifetimes"], ["zoom", ".lifetimes"]],
  "large timeline": [["zoom", ".lanes"], ["move", ".lanes"]],
  "large heat map": [["scroll", ".heat"]],
  "large-sync timeline": [["zoom", ".lanes"], ["move", ".lanes"]],
};

const folder = mkdtempSync(join(tmpdir(), "gmprof-page-"));
const browser = await chromium.launch({executablePath: process.env.GMPROF_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});
try {
  console.log("| profile | gmreport html, s | page, MB |\n| --- | --- | --- |");
  for (const name of ["large", "large-sync"]) {
    execFileSync(join(bin, "gmprof-test-profile"), [name, join(folder, name)]);
    const begin = performance.now();
    execFileSync(join(bin, "gmreport"), ["html", join(folder, name), "-o", join(folder, `${name}.html`)]);
    console.log(`| ${name} | ${((performance.now() - begin) / 1000).toFixed(1)} | ${(statSync(join(folder, `${name}.html`)).size / 1e6).toFixed(1)} |`);
  }
  console.log("\n| view | drawn after, s | worst of " + runs + " | frames: median, 95 %, worst, ms |\n| --- | --- | --- | --- |");
  for (const [name, [profile, hash, selector]] of Object.entries(views)) {
    const times = [];
    let smooth = "";
    for (let run = 0; run < runs; ++run) {
      const page = await browser.newPage({viewport: {width: 1400, height: 900}});
      await page.goto(`file://${folder}/${profile}.html${hash}`, {waitUntil: "commit"});
      times.push(await untilDrawn(page, selector));
      if (run === 0)
        for (const [action, on] of actions[name] ?? []) {
          const each = await frames(page, action, on);
          smooth += `${smooth && "; "}${action} ${[median(each), quantile(each, 0.95), Math.max(...each)].map(t => t.toFixed(0)).join(", ")}`;
        }
      await page.close();
    }
    console.log(`| ${name} | ${(median(times) / 1000).toFixed(2)} | ${(Math.max(...times) / 1000).toFixed(2)} | ${smooth} |`);
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}
