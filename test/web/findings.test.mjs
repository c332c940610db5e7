// Overview, findings and source.
import assert from "node:assert/strict";
import {test} from "node:test";
import {follow, gmreport, open, page as pageOf, profile, report, texts} from "./page.mjs";

const numbered = count => Array.from({length: count}, (_, i) => `// line ${i + 1}`).join("\n") + "\n";

test("the overview says what ran, what it takes and what to do", async t => {
  const page = await open(t, report(t, "objects"));
  assert.equal(await page.title(), "Overview \u2013 ./app \u2013 GMProf");
  // a, b and c of 1, 2 and 3 KiB; c is never used, a and b are not needed at once.
  assert.deepEqual(await texts(page, ".metrics .value"), ["6 KiB \u2192 3 KiB"]);
  assert.match(await page.textContent(".metrics .note"), /6,144 bytes in 3 allocations, -50 % with all fixes/);
  assert.match((await texts(page, ".findings > li"))[0], /^highUnused allocation: cNo kernel, copy or memset accesses c, which is never freed\.Cost3 KiB of peak memory \(50 %\)Fix\w/);
  await follow(page, ".findings .subject >> nth=0");
  assert.equal(await page.textContent("h2"), "Findings");
  assert.match(await page.textContent(".details h3"), /^1\. Unused allocation/);
});

test("findings without estimated benefit are one line", async t => {
  const path = profile(t, "objects");
  let page = await open(t, pageOf(path));
  assert.equal(await page.locator(".findings > li").count(), 1);
  assert.equal(await page.textContent(".findings + p"),
               "4 findings without estimated benefit: 2 early allocations, 2 late deallocations (the list of findings shows them)");
  assert.match(gmreport(path), /4 findings without estimated benefit: 2 early_allocation, 2 late_deallocation \(--top 0\s+shows them\)/);
  page = await open(t, report(t, "objects", {change: summary => { summary.findings.shift(); }}));
  assert.equal(await page.locator(".findings > li").count(), 0);
  assert.match(await page.textContent("p.others"), /^4 findings without estimated benefit: /);
});

test("the avoidable time is the lower of estimate and replay", async t => {
  const path = profile(t, "sync");
  const page = await open(t, pageOf(path));
  // 6 ms and 4 ms by replay; the estimates are 6.02 ms and 33.98 ms.
  const note = await page.locator(".metrics > div", {hasText: "Time"}).locator(".note").textContent();
  assert.equal(note, "40 ms waiting for the GPU, 10 ms (2 %) avoidable");
  assert.match(gmreport(path), /10 ms \(2 %\) avoidable at 2 call sites/);
});

test("without an analysis of waits, no part of them is called avoidable", async t => {
  const file = report(t, "sync", {change: summary => {
    Object.assign(summary.config, {profiles: ["objects", "sync"], sync_stage: "baseline"});
  }});
  let page = await open(t, file);
  assert.equal(await page.locator(".metrics > div", {hasText: "Time"}).locator(".note").textContent(),
               "40 ms waiting for the GPU (avoidable part: not analysed)");
  page = await open(t, file, "#/timeline");
  assert.match(await page.textContent("h2 + p"), /^500 ms, 40 ms waiting for the GPU \(avoidable part: not analysed\)\.$/);
  assert.deepEqual(await texts(page, "[aria-label='Call sites'] th"), ["Call", "At", "Calls", "Wait time", "Copies", "Copied"]);
});

test("kernels are listed by time, with their share of the kernel time", async t => {
  const path = profile(t, "heat", {change: summary => {
    const first = summary.kernels[0];
    first.seconds = {measured_launches: 2, mean: 0.001, total: 0.003, instrumented: false, share: 0.25};
    summary.kernels.push({...first, id: summary.kernels.length, demangled: "slow(int)",
                          seconds: {measured_launches: 1, mean: 0.009, total: 0.009, instrumented: true, share: 0.75}});
  }});
  let page = await open(t, pageOf(path), "#/kernels");
  assert.deepEqual((await page.locator("[aria-label=Kernels] tbody tr").evaluateAll(all => all.map(
    row => [0, 2, 3].map(i => row.children[i].textContent)))).slice(0, 2),
    [["slow", "\u22649 ms", "\u226475 %"], ["gemm", "3 ms", "25 %"]]);
  page = await open(t, pageOf(path), "#/kernels/0");
  assert.deepEqual(await page.locator(".metrics > div").first().evaluate(e => [...e.children].map(c => c.textContent)),
                   ["Time", "3 ms", "25 % of the kernel time, 1 ms per launch"]);
});

test("numbers are those of the text report, ties included", async t => {
  // 12.5 KiB and 6.25 KiB: std::format rounds ties to even.
  const path = profile(t, "objects", {change: summary => {
    summary.memory.devices[0].peak_bytes = 12800;
    summary.memory.devices[0].peak_bytes_after = 6400;
  }});
  const page = await open(t, pageOf(path));
  assert.deepEqual(await texts(page, ".metrics .value"), ["12 KiB \u2192 6.2 KiB"]);
  assert.match(gmreport(path), /Peak memory +12 KiB in 3 allocations, achievable peak 6\.2 KiB \(-50 %\)/);
});

test("evidence has the units and the words of gmreport explain", async t => {
  for (const [name, count] of [["mixed", 2], ["heat", 5], ["objects", 5], ["sync", 1]]) {
    const path = profile(t, name);
    const page = await open(t, pageOf(path), "#/findings");
    for (let id = 1; id <= count; ++id) {
      await page.evaluate(to => { location.hash = to; }, `#/findings/${id}`);
      await page.waitForSelector(`.details[aria-label='Finding ${id}']`);
      const facts = page.locator(".details h4:has-text('Evidence') + .facts > div");
      const evidence = await facts.evaluateAll(all => all.map(each => [...each.children].map(c => c.textContent).join(" ")));
      const measured = gmreport("explain", String(id), path, "--width", "10000").match(/^ +Measured +(.*)$/m)[1];
      assert.equal(evidence.join("; "), measured);
      assert.doesNotMatch(measured, /\d{4,} %/);
    }
  }
  // The kernel has 16,640 bytes of shared memory.
  const page = await open(t, report(t, "mixed"), "#/findings/1");
  assert.equal(await page.textContent(".details .facts div:has(dt:text-is('shared bytes per block')) dd"), "16 KiB");
});

test("the fix has the colour of text", async t => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(t, report(t, "objects"), "", {colorScheme});
    const colors = await page.evaluate(() => [document.body, ...document.querySelectorAll(".advice dd")].map(e => getComputedStyle(e).color));
    assert.equal(new Set(colors).size, 1);
    assert.ok(colors.length > 2);
  }
});

test("checks that were not made have their commands", async t => {
  const path = profile(t, "heat", {change: summary => {
    summary.findings = [];
    summary.run.command = ["./app", "a file", "it's"];
  }});
  for (const view of ["#/overview", "#/findings"]) {
    const page = await open(t, pageOf(path), view);
    assert.deepEqual(await texts(page, ".next code"), ["objects", "elements", "sync", "cache", "shared", "global"].map(
      name => `gmprof run --profile ${name} -- ./app 'a file' 'it'\\''s'`));
  }
  const page = await open(t, pageOf(path), "#/findings");
  assert.match(await page.textContent(".empty"), /^No findings\. Checked: coalescing, false sharing and bank conflicts\.$/);
});

test("a kernel's page begins with its metrics, beside the ideal", async t => {
  const page = await open(t, report(t, "heat"), "#/kernels/0");
  const metrics = Object.fromEntries(await page.locator(".metrics > div").evaluateAll(all => all.map(each =>
    [each.querySelector("dt").textContent, [...each.querySelectorAll(".value, .note")].map(e => e.textContent)])));
  // test/report/heat-summary.test has the same sums.
  assert.deepEqual(metrics["Launches"], ["3", "2 analysed, 1 not selected"]);
  assert.match(metrics["Global memory"].join(), /^[\d.]+ sectors\/request,ideal [\d.]+; [\d,]+ requests in 2 of 32 blocks$/);
  assert.match(metrics["Shared memory"].join(), /^[\d.]+ wavefronts\/request,ideal [\d.]+; (no|[\d,]+) bank conflicts? in 2 of 32 blocks$/);
  assert.deepEqual(await page.locator("main > *").evaluateAll(all => all.slice(0, 5).map(e => e.className || e.tagName)),
                   ["back", "mono", "P", "metrics", "SECTION"]);
});

test("findings are below their lines, readable on a phone", async t => {
  const file = report(t, "heat", {sources: {"/src/gemm.cu": `${"x".repeat(150)}\n`.repeat(60)}});
  const page = await open(t, file, "#/source", {viewport: {width: 390, height: 844}});
  assert.match(await page.textContent("tr.marked + .notes"), /Bank conflict2 wavefronts\/request \(ideal 1\): lanes.*Fix Let the lanes.*2 wavefronts\/request \(ideal 1\), 16 requests$/);
  const {clientWidth, scrollWidth} = await page.locator(".source").evaluate(({clientWidth, scrollWidth}) => ({clientWidth, scrollWidth}));
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
  await follow(page, "[role=status] a >> nth=0");
  await page.waitForSelector("tr.here + .notes .finding");
  assert.ok(await page.locator("tr.here").isVisible());
});

test("the list of findings says on a phone what is wrong where, and shows the details", async t => {
  const page = await open(t, report(t, "objects"), "#/findings", {viewport: {width: 390, height: 500}});
  const cell = page.locator("tbody tr >> nth=0").locator(".pattern");
  assert.equal(await cell.evaluate(e => getComputedStyle(e, "::before").content + e.textContent), '"Unused allocation: "c');
  assert.ok(await page.locator("[role=region][aria-label=Findings]").evaluate(e => e.scrollWidth <= e.clientWidth));
  await page.locator("tbody tr").nth(1).click();
  await page.waitForFunction(() => document.querySelector(".details h3").getBoundingClientRect().bottom < innerHeight);
});

test("a call path lists the calls with lines, and counts the others", async t => {
  const page = await open(t, report(t, "objects", {change: summary => {
    summary.findings[0].call_path = [["lib.cpp", 0], ["model.py", 7], ["lib.cpp", 0], ["train.py", 3]].map(([file, line]) => ({file, line}));
  }}), "#/findings");
  assert.deepEqual(await texts(page, ".details .callpath li"), ["model.py:7", "train.py:3"]);
  assert.match(await page.textContent(".details"), /2 calls of functions without line information are not listed\./);
});

test("the source opens at the first finding", async t => {
  const page = await open(t, report(t, "heat", {sources: {"/src/gemm.cu": numbered(60)}}), "#/source");
  assert.ok(await page.locator("tr.here + .notes .finding >> nth=0").isVisible());
});

test("findings are filtered, and the filter is part of the address", async t => {
  const page = await open(t, report(t, "objects"), "#/findings");
  const all = await page.locator("tbody tr").count();
  assert.ok(all > 2);
  await page.selectOption("label:has-text('Pattern') select", "unused_allocation");
  assert.deepEqual(await texts(page, "tbody tr td:nth-child(4)"), ["c"]);
  assert.equal(await page.textContent("[role=status]"), `1 of ${all}`);
  assert.match(page.url(), /pattern=unused_allocation/);
  await page.reload();
  await page.waitForSelector("tbody tr");
  assert.equal(await page.locator("tbody tr").count(), 1);
  await follow(page, "text=Clear");
  assert.equal(await page.locator("tbody tr").count(), all);
  await page.fill("input[type=search]", "NO KERNEL, COPY");
  assert.deepEqual(await texts(page, "tbody tr td:nth-child(4)"), ["c"]);
  await page.fill("input[type=search]", "no such text");
  assert.equal(await page.textContent("[role=status]"), `0 of ${all}`);
});

test("a finding leads to its line, and the line to its finding", async t => {
  const file = report(t, "heat", {sources: {"/src/gemm.cu": numbered(60)}});
  const page = await open(t, file, "#/findings");
  const row = page.locator("tbody tr", {hasText: ".cu:8"}).first();
  await row.click();
  assert.match(await page.textContent(".excerpt .here"), /^8\/\/ line 8/);
  await page.click(".excerpt figcaption a");
  await page.waitForSelector(".source tr.here");
  assert.equal(await page.textContent(".source tr.here td:nth-child(2)"), "// line 8");
  assert.equal(await page.textContent(".source tbody tr:nth-child(4) .note"), "gemm: 3 launches");
  const id = (await page.getAttribute(".source tr.here + .notes .finding a >> nth=0", "href")).split("/").pop();
  await page.click(".source tr.here + .notes .finding a >> nth=0");
  await page.waitForSelector(".details");
  assert.ok((await page.textContent(".details h3")).startsWith(`${id}. `));
});

test("a finding says by which calls its line was inlined", async t => {
  const call = (name, file, line) => ({function: name, source: {file, line}, column: 1});
  const page = await open(t, report(t, "heat", {change: summary => {
    summary.findings[0].inlined_at = [[call("load", "/src/tile.h", 12), call("tile", "/src/gemm.cu", 30)],
                                      [call("load", "/src/gemm.cu", 40)]];
    summary.findings[0].inlined_omitted = 3;
  }}), "#/findings/1");
  assert.equal(await page.locator(".inlined ol").count(), 2);
  assert.deepEqual(await texts(page, ".inlined li"), ["load at tile.h:12", "tile at gemm.cu:30", "load at gemm.cu:40"]);
  assert.equal(await page.textContent(".inlined p"), "and at 3 more call paths");
});

test("tables sort by a column, both ways and not at all", async t => {
  const page = await open(t, report(t, "objects"), "#/memory");
  const names = () => texts(page, "tbody tr td:first-child");
  assert.deepEqual(await names(), ["a", "b", "c"]);
  await page.click("th button:has-text('Size')");
  assert.deepEqual(await names(), ["c", "b", "a"]);
  assert.equal(await page.getAttribute("th:has-text('Size')", "aria-sort"), "descending");
  await page.click("th button:has-text('Size')");
  assert.deepEqual(await names(), ["a", "b", "c"]);
  await page.click("th button:has-text('Size')");
  assert.equal(await page.getAttribute("th:has-text('Size')", "aria-sort"), null);
});

test("ten thousand findings take as many rows as are in sight", async t => {
  const file = report(t, "objects", {change: summary => {
    const first = summary.findings[0];
    summary.findings = Array.from({length: 10000}, (_, i) => ({...first, id: i + 1, message: `number ${i + 1}`}));
  }});
  const page = await open(t, file, "#/findings");
  assert.ok(await page.locator("tbody tr").count() < 100);
  await page.locator("tbody tr").nth(3).focus();
  await page.keyboard.press("End");
  assert.match(await page.textContent(".details"), /number 10000/);
  assert.equal(await page.locator("tr[aria-selected=true] td").first().textContent(), "10000");
  await page.keyboard.press("ArrowUp");
  assert.match(await page.textContent(".details"), /number 9999/);
});

test("names of the program are text, never markup", async t => {
  const hostile = "</script><script>document.title='bad'</script><img src=x onerror=\"document.title='bad'\"><b>";
  const file = report(t, "objects", {change: summary => {
    summary.run.command = [hostile];
    summary.findings[0].message = summary.findings[0].object.name = summary.objects[2].name = hostile;
    summary.kernels[0].demangled = hostile;
  }});
  for (const view of ["", "#/findings", "#/memory/2", "#/kernels", "#/kernels/0", "#/run"]) {
    const page = await open(t, file, view);
    assert.ok((await page.textContent("body")).includes(hostile), view);
    assert.equal(await page.locator("main img, main b, main script").count(), 0);
    assert.ok((await page.title()).includes(hostile));
  }
});

test("the page can reach nothing", async t => {
  const page = await open(t, report(t, "empty"), "", {expected: /Content Security Policy/});
  const refused = page.evaluate(() => new Promise(resolve => {
    document.addEventListener("securitypolicyviolation", event => resolve(event.effectiveDirective));
    new Image().src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
  }));
  assert.equal(await refused, "img-src");
});

test("a summary without anything is shown", async t => {
  const page = await open(t, report(t, "empty"));
  assert.match(await page.textContent("main"), /No problem was found by the checks that this profile makes\./);
  await follow(page, "nav a:has-text('Kernels')");
  assert.match(await page.textContent("main"), /The program launches no kernel\./);
});
