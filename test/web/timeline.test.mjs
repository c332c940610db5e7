// Memory over time, calls and waits, heat maps: drawings have a text equivalent.
import assert from "node:assert/strict";
import {test} from "node:test";
import {follow, open, report, texts} from "./page.mjs";

const said = (page, id) => page.textContent(`#${id}`);

/** Whether something is drawn, by the share of the canvas's pixels that are not empty. */
const drawn = (page, selector) => page.locator(`${selector} canvas`).evaluate(canvas => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let filled = 0;
  for (let i = 3; i < data.length; i += 4)
    filled += data[i] !== 0;
  return filled / (data.length / 4);
});

test("objects over time, from one to the next by keyboard", async t => {
  const page = await open(t, report(t, "objects"), "#/memory");
  await page.waitForSelector(".lifetimes canvas");
  await page.waitForSelector(".chart canvas");
  assert.equal(await page.getAttribute(".chart", "aria-label"),
               "Memory in use over time; peak 1: 6 KiB after 31 us");
  assert.match(await page.textContent(".filters button:has-text('Peak')"), /^Peak 1: 6 KiB in 3 allocations after 31 us$/);
  assert.equal((await page.textContent(".owners")).trim(), "\u25a0 program");
  await page.waitForFunction(() => document.querySelector(".lifetimes canvas").width > 300);
  assert.ok(await drawn(page, ".lifetimes") > 0.05);
  await page.focus(".lifetimes");
  await page.keyboard.press("ArrowDown");
  assert.equal(await said(page, "lifetime"), "a: 1 KiB, from 11 us, for 59 us");
  await page.keyboard.press("ArrowDown");
  assert.equal(await said(page, "lifetime"), "b: 2 KiB, from 21 us, for 59 us");
  await page.keyboard.press("End");
  assert.match(await said(page, "lifetime"), /^c: 3 KiB, from 31 us, never freed$/);
  assert.equal(await page.textContent(".details h3"), "c");
  assert.match(page.url(), /#\/memory\/2$/);
  // Its finding, from there.
  await follow(page, ".details .findings a");
  assert.match(await page.textContent(".details"), /c/);
});

test("allocations of a wrapper have the lines of its users", async t => {
  const source = (file, line) => ({file, line});
  const frame = (...at) => ({function: "f()", source: source(...at), inlined: false, image: "app", address: 16});
  const file = report(t, "objects", {change: summary => {
    summary.frames = [frame("array.h", 60), frame("array.h", 61), frame("app.cu", 7), frame("app.cu", 9)];
    summary.call_paths = [[0, 1, 2, 3]];
    for (const o of summary.objects) {
      o.name = "Array::Data";
      Object.assign(o.alloc, {source: source("array.h", 60), call_path: o.id === 2 ? 0 : null});
    }
  }});
  const page = await open(t, file, "#/memory");
  assert.deepEqual(await texts(page, "[aria-label=Allocations] tbody td:first-child"),
                   ["Array::Data #1", "Array::Data #2", "Array::Data (app.cu:7)"]);
  await page.locator("[aria-label=Allocations] tbody tr").nth(2).click();
  await page.waitForSelector(".details");
  assert.match(await page.textContent("#lifetime"), /^Array::Data \(app\.cu:7\): 3 KiB, /);
});

test("allocations of a wrapper have the names that kernels give them", async t => {
  const page = await open(t, report(t, "heat", {change: summary => {
    for (const o of summary.objects)
      if (o.kernel === null)
        o.name = "Array::Data";
  }}), "#/memory");
  assert.deepEqual(await texts(page, "[aria-label=Allocations] tbody td:first-child"),
                   ["a", "b", "c", "</script><b>"].map(name => `${name} (Array::Data)`));
});

test("an object's kernels lead to their pages", async t => {
  const page = await open(t, report(t, "objects"), "#/memory/1");
  await page.waitForSelector(".details");
  await page.waitForSelector("[aria-label='Calls that access it'] tbody tr");
  // scale writes b, cudaMemcpy reads it.
  assert.deepEqual(await texts(page, "[aria-label='Calls that access it'] tbody tr"),
                   ["scale-50 us01", "cudaMemcpy-60 us10"]);
  await page.click(".details a:has-text('scale')");
  await page.waitForSelector("h2:has-text('scale')");
  assert.deepEqual(await texts(page, "[aria-label='Accessed allocations'] tbody td:first-child"), ["a", "b"]);
});

test("zooming leaves out what is not in sight, and peaks are zoomed to", async t => {
  const page = await open(t, report(t, "objects"), "#/memory");
  const count = page.locator("section [role=status]");
  await page.waitForFunction(() => document.querySelector("section [role=status]")?.textContent.startsWith("3 allocations"));
  await page.focus(".lifetimes");
  // The profile is 500 ms long, the objects are at its begin; c is never freed.
  for (let i = 0; i < 3; ++i)
    await page.keyboard.press("+");
  assert.match(await count.textContent(), /^1 allocation of 3/);
  await page.click("button:has-text('Peak 1')");
  assert.match(await count.textContent(), /^3 allocations of 3/);
  await page.keyboard.press("Tab");
  await page.click("button:has-text('All')");
  assert.match(await count.textContent(), /^3 allocations of 3/);
  await page.selectOption("label:has-text('At least') select", "1024");
  assert.match(await count.textContent(), /^3 allocations of 3/);
  await page.selectOption("label:has-text('At least') select", "65536");
  assert.match(await count.textContent(), /^0 allocations of 3/);
});

test("a range is chosen with the pointer, and left again", async t => {
  const page = await open(t, report(t, "objects"), "#/memory");
  await page.waitForSelector(".u-over");
  const box = await page.locator(".u-over").boundingBox();
  const count = page.locator("section [role=status]");
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 50, {steps: 4});
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("section [role=status]").textContent.startsWith("1 allocation"));
  await page.locator(".lifetimes").dblclick({position: {x: 400, y: 5}});
  await page.waitForFunction(() => document.querySelector("section [role=status]").textContent.startsWith("3 allocations"));
  await page.mouse.move(box.x + box.width * 0.9, box.y + 50);
  await page.keyboard.down("Control");
  for (let i = 0; i < 4; ++i)
    await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await page.waitForFunction(() => document.querySelector("section [role=status]").textContent.startsWith("1 allocation"));
  assert.match(await count.textContent(), /of 3/);
});

test("calls, waits and the GPU", async t => {
  const page = await open(t, report(t, "sync"), "#/timeline");
  await page.waitForSelector(".lanes canvas");
  // Two times: launch, wait 18 ms, launch, wait 2 ms, copy 1 ms.
  assert.match(await page.textContent(".filters"), /10 calls/);
  await page.waitForFunction(() => document.querySelector(".lanes canvas").width > 300);
  assert.ok(await drawn(page, ".lanes") > 0.05);
  await page.focus(".lanes");
  await page.keyboard.press("ArrowRight");
  assert.equal(await said(page, "call"), "cudaLaunchKernel at 100 ms, 10 us");
  await page.keyboard.press("ArrowRight");
  assert.equal(await said(page, "call"), "cudaDeviceSynchronize at 100.01 ms, 18 ms, waits 18 ms, redundant synchronization");
  assert.match(await page.textContent(".call"), /cudaDeviceSynchronize.*, 18 ms of it waiting, redundant synchronization/);
  await page.keyboard.press("End");
  assert.match(await page.textContent(".call"), /cudaMemcpy.*on the GPU at/);
  await page.keyboard.press("Home");
  assert.match(await page.textContent(".call"), /on the GPU at 100.01 ms, 18 ms/);
  await page.click("button:has-text('Next problem')");
  assert.match(await said(page, "call"), /^cudaDeviceSynchronize at 100.01 ms/);
});

test("call sites that wait, with their estimated benefit", async t => {
  const page = await open(t, report(t, "sync"), "#/timeline");
  const row = page.locator("[aria-label='Call sites'] tbody tr", {hasText: "cudaDeviceSynchronize"});
  await row.click();
  assert.match(page.url(), /#\/timeline\/1$/);
  assert.match(await page.textContent(".details"), /2 of 2 blocked, 36 ms.*2 redundant/);
  await page.click("button:has-text('Next call of the call site')");
  assert.match(await said(page, "call"), /^cudaDeviceSynchronize/);
  await page.click(".details .findings a");
  await page.waitForSelector("h2:has-text('Findings')");
  assert.match(await page.textContent(".details h3"), /Redundant synchronization/);
  await page.click(".details a:has-text('cudaDeviceSynchronize')");
  await page.waitForSelector("h2:has-text('Timeline')");
});

test("calls of other profiles are summed up by name and call site", async t => {
  const page = await open(t, report(t, "objects"), "#/timeline");
  await page.waitForSelector("[aria-label='Calls by name and call site'] tbody tr");
  const rows = await texts(page, "[aria-label='Calls by name and call site'] tbody tr");
  assert.deepEqual(rows.map(row => row.match(/^(cuda[A-Z][a-z]+|scale)(?=memory|copy|set|launch)/)?.[0]).sort(),
                   ["cudaFree", "cudaMalloc", "cudaMemcpy", "cudaMemset", "scale"]);
  assert.match(await page.textContent("p.call"), /Select a call for its values/);
  await page.focus(".lanes");
  // From the thread that allocates to the next one.
  for (const key of ["ArrowRight", "ArrowDown", "Home"])
    await page.keyboard.press(key);
  await page.waitForSelector("p.call a:has-text('a')");
  assert.match(await page.textContent("p.call"), /^cudaMemset at 40 us, 2 us; writes a/);
});

test("the selection and the range in sight are in the URL", async t => {
  const file = report(t, "sync");
  const page = await open(t, file, "#/timeline/1");
  await page.waitForSelector(".lanes canvas");
  await page.focus(".lanes");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(page.url(), /#\/timeline\/1\?call=1$/);
  await page.keyboard.press("Enter"); // zooms to the call: from 18 ms before to 18 ms after it
  await page.waitForFunction(() => /from=82010000&to=136010000/.test(location.hash));
  const shown = await page.textContent(".filters");
  assert.match(shown, /82\.01 ms to 136\.01 ms/);
  const again = await open(t, file, new URL(page.url()).hash);
  await again.waitForSelector(".lanes canvas");
  assert.equal(await again.textContent(".filters"), shown);
  assert.match(await again.textContent("p.call"), /^cudaDeviceSynchronize at 100\.01 ms/);
  assert.match(await again.textContent(".details h3"), /cudaDeviceSynchronize/);
  await again.click("button:has-text('All')");
  await again.waitForFunction(() => location.hash === "#/timeline/1?call=1");
  // Back restores the range of the entry before.
  await again.evaluate(() => { location.hash = "#/timeline/1?call=1&from=1000&to=2000"; });
  await again.waitForFunction(() => document.querySelector(".filters").textContent.includes("1 us to 2 us"));
  await again.goBack();
  await again.waitForFunction(() => document.querySelector(".filters").textContent.includes("0 s to"));
});

test("values under the pointer", async t => {
  const page = await open(t, report(t, "sync"), "#/timeline?from=100000000&to=120000000");
  const lanes = page.locator(".lanes");
  await lanes.hover({position: {x: 700, y: 35}});
  assert.match(await page.textContent(".tip"), /^cudaDeviceSynchronize wait.*host: 18 ms, at 100\.01 ms.*waits 18 ms.*redundant synchronization/);
  await lanes.hover({position: {x: 700, y: 65}});
  assert.match(await page.textContent(".tip"), /GPU: 18 ms, at 100\.01 ms/);
  const memory = await open(t, report(t, "objects"), "#/memory?from=0&to=90000");
  await memory.locator(".lifetimes").hover({position: {x: 700, y: 27}});
  assert.match(await memory.textContent(".tip"), /^b2 KiB \(2,048 bytes\)allocated after 21 us, freed after 80 us/);
  await memory.locator(".u-over").hover({position: {x: 550, y: 60}});
  await memory.waitForSelector(".tip b");
  // All three are allocated from 31 us to 70 us, when a is freed.
  assert.match(await memory.textContent(".tip"), /^6 KiB \(6,144 bytes\)after (3[1-9]|[4-6]\d)\.?\d* us\u25a0 program: 6 KiB$/);
});

test("kernels have their names and colours", async t => {
  const page = await open(t, report(t, "objects"), "#/timeline");
  await page.waitForSelector(".lanes canvas");
  assert.ok((await texts(page, "[aria-label='Calls by name and call site'] tbody td:first-child")).includes("scale"));
  assert.match((await texts(page, "main p code"))[0], /^gmprof run --profile sync -- \.\/app$/);
});

test("a heat map to scale", async t => {
  const page = await open(t, report(t, "heat"), "#/kernels/0");
  await page.waitForSelector(".scalemap canvas");
  await page.selectOption("label:has-text('Allocation') select", "c");
  await page.waitForFunction(() => document.querySelector(".scalemap canvas").width > 300);
  const map = page.locator(".scalemap");
  const width = await map.evaluate(e => e.clientWidth), plot = width - 64 - 14;
  // Of its 4,096 bytes the first 0x7f0 are accessed: 49.6 % of the width.
  await map.hover({position: {x: 64 + 0.49 * plot, y: 10}});
  assert.match(await page.textContent(".tip"), /^0x10 to 0x7ef: 63 sectors.*\nsector: 8 warps/);
  await map.hover({position: {x: 64 + 0.5 * plot, y: 10}});
  assert.match(await page.textContent(".tip"), /^0x7f0 to 0xfef: 64 sectors.*\nsector: not accessed/);
  const colors = await page.locator(".scalemap canvas").evaluate(canvas => {
    const ratio = canvas.width / canvas.clientWidth, plot = canvas.clientWidth - 78;
    const {data} = canvas.getContext("2d").getImageData(0, 10 * ratio, canvas.width, 1);
    return [0.4, 0.49, 0.5, 0.9].map(x => Math.floor((64 + x * plot) * ratio)).map(x => data.slice(4 * x, 4 * x + 4).join());
  });
  assert.equal(colors[0], colors[1]);
  assert.equal(colors[2], colors[3]);
  assert.notEqual(colors[1], colors[2]);
  await map.click({position: {x: 64 + 0.25 * plot, y: 10}});
  assert.match(await said(page, "heatcell"), /^0x10 to 0x7ef: 63 sectors/);
  assert.match((await texts(page, ".heatlegend b")).join(), /^0,1,/);
});

test("a flame graph, with zoom and search", async t => {
  const frame = name => ({function: name, source: null, inlined: false, image: "app", address: 16});
  const page = await open(t, report(t, "objects", {change: summary => {
    summary.frames = [frame("load(int) (.isra.0)"), frame("main"), frame("setup()")];
    summary.call_paths = [[0, 1], [2, 1]];
    summary.objects.forEach((o, i) => { o.alloc.call_path = i < 2 ? 0 : 1; });
  }}), "#/flame?of=allocated");
  const labels = () => page.locator("[role=treeitem]").evaluateAll(all => all.map(e => e.getAttribute("aria-label")));
  assert.equal((await labels())[0], "all: 6 KiB (6,144 bytes) in 3 allocations, 100 %");
  assert.deepEqual((await labels()).sort(), [
    "a: 1 KiB (1,024 bytes) in 1 allocation, 17 %", "all: 6 KiB (6,144 bytes) in 3 allocations, 100 %",
    "b: 2 KiB (2,048 bytes) in 1 allocation, 33 %", "c: 3 KiB (3,072 bytes) in 1 allocation, 50 %",
    "load: 3 KiB (3,072 bytes) in 2 allocations, 50 %", "main: 6 KiB (6,144 bytes) in 3 allocations, 100 %",
    "setup: 3 KiB (3,072 bytes) in 1 allocation, 50 %"]);
  // A box is as wide as its share.
  const widths = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("[role=treeitem]")].map(
    e => [e.getAttribute("aria-label").split(/[ :]/)[0], e.getBoundingClientRect().width])));
  assert.ok(Math.abs(widths.b / widths.all - 1 / 3) < 0.01, JSON.stringify(widths));
  await page.fill("input[type=search]", "LOAD");
  await page.waitForSelector(".box.found");
  assert.match(page.url(), /text=LOAD/);
  assert.deepEqual(await texts(page, ".box.found"), ["load 3 KiB"]);
  assert.equal(await page.textContent("form [role=status]"), "3 KiB (50 %) in matching functions");
  await page.fill("input[type=search]", "");
  await page.waitForFunction(() => !document.querySelector(".box.found"));
  await page.locator("[role=treeitem]").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /zoom=0$/.test(location.hash));
  assert.equal(await page.getAttribute("[role=treeitem][aria-selected=true]", "aria-level"), "2");
  await page.keyboard.press("0");
  await page.waitForFunction(() => !/zoom/.test(location.hash));
  await page.locator("[role=treeitem]", {hasText: /^c /}).click();
  await page.click("p.call a:has-text('details')");
  await page.waitForSelector("h2:has-text('Memory')");
  assert.equal(await page.textContent(".details h3"), "c");
});

test("a heat map, cell by cell", async t => {
  const page = await open(t, report(t, "heat"), "#/kernels/0");
  await page.waitForSelector(".heat canvas");
  await page.selectOption("label:has-text('Allocation') select", "c");
  await page.waitForFunction(() => document.querySelector(".heat canvas").width > 300);
  assert.ok(await drawn(page, ".heat") > 0.02);
  await page.focus(".heat");
  await page.keyboard.press("ArrowRight");
  assert.match(await said(page, "heatcell"), /^0x0 to 0xf: 1 sector at address 0x40010\nsector: 4 warps \(writes 4\)\n4 accesses/);
  await page.keyboard.press("ArrowRight");
  assert.match(await said(page, "heatcell"), /^0x10 to 0x7ef: 63 sectors at address 0x40020\nsector: 8 warps \(writes 8\)/);
  await page.keyboard.press("ArrowDown");
  assert.match(await said(page, "heatcell"), /\nword 0: 1 warp \(writes 1\)/);
  await page.selectOption("label:has-text('Accesses') select", "1");
  await page.focus(".heat");
  await page.keyboard.press("ArrowRight");
  assert.equal(await said(page, "heatcell"), "Point at a cell, or move to it with the arrow keys, for its values.");
  await page.selectOption("label:has-text('Accesses') select", "0");
  await page.selectOption("label:has-text('Allocation') select", "tile");
  await page.focus(".heat");
  for (const key of ["ArrowRight", "ArrowDown"])
    await page.keyboard.press(key);
  assert.match(await said(page, "heatcell"), /\nbank 0: 1 warp \(writes 1\)\naccessed by one thread/);
});

test("caches by object and line, of the program and of a kernel", async t => {
  const page = await open(t, report(t, "cache"), "#/kernels");
  const rows = () => texts(page, "[aria-label='Caches by allocation'] tbody tr");
  // test/report/cache-summary.test has the same.
  assert.deepEqual((await rows())[0], "in99.7 %0.0 %93.8 %12.5 %8,19288 %8 MiB1 MiB");
  assert.equal((await rows()).length, 3);
  await page.click("a:has-text('layer')");
  await page.waitForSelector("h2:has-text('layer')");
  assert.equal((await rows()).length, 2);
  assert.match((await texts(page, "[aria-label='Caches by line'] tbody tr"))[0], /^layer\.cu:7load99\.7 %/);
  assert.equal((await texts(page, "[aria-label='Caches by launch'] tbody tr")).length, 1);
});

test("without the event log the page says what it lacks", async t => {
  const page = await open(t, report(t, "objects", {change: summary => { summary.files = []; }}));
  assert.match(await page.textContent("main"), /Memory over time, calls and heat maps: the summary names no event log\./);
  await follow(page, "nav a:has-text('Memory')");
  assert.deepEqual(await texts(page, "[aria-label=Allocations] tbody td:first-child"), ["a", "b", "c"]);
  await page.click("nav a:has-text('Timeline')");
  await page.waitForSelector(".empty");
  assert.match(await page.textContent("main"), /could not be read/);
});
