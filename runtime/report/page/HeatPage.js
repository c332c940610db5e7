// Draws the heat maps of gmreport heat --format html: sectors across, in as many bands as it
// takes, words down, a sector's own cell on top (cuThermo, 2025, Figures 4 and 5). Only the bands
// that are in sight are drawn. Text of the program is never markup: it is set as textContent.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const kinds = ["all", "reads", "writes", "atomics"];
const doing = ["access", "read", "write", "atomically update"];

// From cold to hot.
const ramps = {
  light: ["#fff7c9", "#fee391", "#fec44f", "#fb8d29", "#e4570f", "#b8260f", "#7a0510"],
  dark: ["#33204f", "#5d2370", "#8f2a79", "#c43d6e", "#ee6a50", "#fca63b", "#fcf0a4"],
};
const darkness = matchMedia("(prefers-color-scheme: dark)");

let launch, view, kind = 0;
let rows; // of the view and kind: of each the first line, and the sums of lines and accesses
let columns = 1, layout, cursor = null;

const channels = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));

// Returns the colour of a temperature, and the colour of text on it.
function colors(temperature) {
  const ramp = ramps[darkness.matches ? "dark" : "light"];
  const part = launch.hottest > 1 ? (temperature - 1) / (launch.hottest - 1) : 0;
  const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
  const low = channels(ramp[Math.floor(at)]), high = channels(ramp[Math.ceil(at)]);
  const rgb = low.map((c, i) => Math.round(c + (high[i] - c) * (at % 1)));
  const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return [`rgb(${rgb.join()})`, light > 140 ? "#000000" : "#ffffff"];
}

const grouped = n => n.toLocaleString("en-US");
const plural = (n, what) => grouped(n) + " " + what + (n === 1 ? "" : what.endsWith("s") ? "es" : "s");
const hex = n => "0x" + n.toString(16);
// Formats a 64-bit address from a string of decimal digits.
const address = offset => "0x" + (BigInt(view.address) + BigInt(offset)).toString(16);
const offset = line => line === 0 ? 0 : Math.min(line * view.lineBytes - view.lead, view.bytes);

function short(n) {
  for (const [unit, suffix] of [[2 ** 30, "G"], [2 ** 20, "M"], [2 ** 10, "K"]])
    if (n >= 10 * unit)
      return "\u00d7" + Math.round(n / unit) + suffix;
  return "\u00d7" + n;
}

// The three numbers of each row: lines, pattern, accesses.
function decode(flat) {
  const count = flat ? flat.length / 3 : 0;
  const to = {count, first: new Float64Array(count + 1), pattern: new Uint32Array(count),
              accesses: new Float64Array(count)};
  for (let i = 0; i < count; ++i) {
    to.first[i + 1] = to.first[i] + flat[3 * i];
    to.pattern[i] = flat[3 * i + 1];
    to.accesses[i] = flat[3 * i + 2];
  }
  return to;
}

const decoded = new Map();
function rowsOf(kind) {
  const flat = view.rows[kind] === "same" ? view.rows[0] : view.rows[kind];
  if (!decoded.has(flat))
    decoded.set(flat, decode(flat));
  return decoded.get(flat);
}

function rowAt(of, line) {
  let low = 0, high = of.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of.first[middle + 1] <= line)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// 0 is the line's own cell, then come the words.
const temperature = (pattern, cell) => parseInt(view.patterns[pattern].t[cell], 36);

// Returns whether the object has bytes of the cell.
function exists(row, cell) {
  const lines = rows.first[row + 1] - rows.first[row];
  const byte = rows.first[row] * view.lineBytes + 4 * (cell - 1);
  return cell === 0 || lines > 1 || (byte + 4 > view.lead && byte < view.lead + view.bytes);
}

//--- Drawing ------------------------------------------------------------------------------------

function measure() {
  const words = view.lineBytes / 4;
  const cell = words > 8 ? 15 : 19;
  layout = {left: 64, width: words > 8 ? 40 : 32, cell, words, top: 18, gap: 4};
  layout.band = layout.top + (words + 1) * cell + layout.gap + 30;
  columns = Math.max(1, Math.floor((element("scroll").clientWidth - layout.left - 8) / layout.width));
  element("space").style.height =
      Math.max(1, Math.ceil(rows.count / columns)) * layout.band + 8 + "px";
}

const cellTop = cell => layout.top + cell * layout.cell + (cell ? layout.gap : 0);

function drawColumn(context, row, x, y, theme) {
  const lines = rows.first[row + 1] - rows.first[row];
  const pattern = view.patterns[rows.pattern[row]];
  context.textAlign = "center";
  context.fillStyle = theme.ink;
  const label = (lines > 1 ? short(lines) : "") + (pattern.b ? "*" : "") + (pattern.m ? "~" : "");
  context.fillText(label, x + layout.width / 2, y + layout.top - 7);
  for (let cell = 0; cell <= layout.words; ++cell) {
    if (!exists(row, cell))
      continue;
    const t = temperature(rows.pattern[row], cell), top = y + cellTop(cell);
    const [paint, text] = t ? colors(t) : [theme.none, theme.faint];
    context.fillStyle = paint;
    context.fillRect(x, top, layout.width - 1, layout.cell - 1);
    context.fillStyle = text;
    const sharer = cell ? pattern.s[cell - 1] : undefined;
    context.fillText(sharer === "T" ? "T" : t || "\u00b7", x + layout.width / 2 - 0.5,
                     top + layout.cell / 2);
  }
}

function drawBand(context, band, y, theme) {
  context.textAlign = "right";
  context.fillStyle = theme.faint;
  context.fillText(view.shared ? "row" : "sector", layout.left - 8, y + layout.top + layout.cell / 2);
  for (let word = 0; word < layout.words; ++word)
    context.fillText((view.shared ? "bank " : "word ") + word, layout.left - 8,
                     y + cellTop(word + 1) + layout.cell / 2);
  const end = Math.min(rows.count, (band + 1) * columns);
  let free = 0; // where the next label can begin
  for (let row = band * columns; row < end; ++row) {
    const x = layout.left + (row % columns) * layout.width;
    drawColumn(context, row, x, y, theme);
    const accessed = temperature(rows.pattern[row], 0) !== 0;
    if (x < free || (!accessed && row !== band * columns))
      continue;
    const label = hex(offset(rows.first[row]));
    context.textAlign = "left";
    context.fillStyle = theme.faint;
    context.fillText(label, x, y + layout.band - 20);
    free = x + context.measureText(label).width + 12;
  }
}

function drawCursor(context, scrolled, theme) {
  if (!cursor)
    return;
  const x = layout.left + (cursor.row % columns) * layout.width;
  const y = Math.floor(cursor.row / columns) * layout.band - scrolled + cellTop(cursor.cell);
  context.strokeStyle = theme.focus;
  context.lineWidth = 2;
  context.strokeRect(x - 1, y - 1, layout.width + 1, layout.cell + 1);
}

function draw() {
  const scroll = element("scroll"), canvas = element("map"), ratio = devicePixelRatio || 1;
  const style = getComputedStyle(document.documentElement);
  const theme = {};
  for (const name of ["ink", "faint", "none", "focus"])
    theme[name] = style.getPropertyValue("--" + name).trim();
  const width = scroll.clientWidth, height = scroll.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = "11px ui-monospace, monospace";
  if (rows.count === 0) {
    context.fillStyle = theme.faint;
    context.fillText("No such access.", 16, 24);
    return;
  }
  const first = Math.floor(scroll.scrollTop / layout.band);
  const last = Math.min(Math.ceil(rows.count / columns) - 1,
                        Math.floor((scroll.scrollTop + height) / layout.band));
  for (let band = first; band <= last; ++band)
    drawBand(context, band, band * layout.band - scroll.scrollTop, theme);
  drawCursor(context, scroll.scrollTop, theme);
}

let asked = false;
function redraw() {
  if (asked)
    return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

//--- What is under the pointer or the cursor ----------------------------------------------------

function placeText(number) {
  const place = launch.places[number];
  return place ? place.file + ":" + place.line + (place.text ? "  " + place.text : "")
               : "not known: code without a line, one of more than 63 lines, or a function of more than 8 translation units";
}

function describe(row, cell) {
  const line = rows.first[row], lines = rows.first[row + 1] - line;
  const from = offset(line), to = Math.max(from, offset(rows.first[row + 1]) - 1);
  const pattern = view.patterns[rows.pattern[row]];
  const what = view.shared ? "row" : "sector";
  const said = [`${hex(from)} to ${hex(to)}: ${plural(lines, what)}, from address ${address(from)} on`];
  const counts = kinds.map((name, k) => {
    const of = rowsOf(k), at = rowAt(of, line);
    return {name, t: of.count ? temperature(of.pattern[at], cell) : 0};
  });
  const one = cell === 0 ? what : view.shared ? "bank " + (cell - 1) : "word " + (cell - 1);
  const present = counts.slice(1).filter(c => c.t).map(c => `${c.name} ${c.t}`);
  said.push(`${one}: ${counts[0].t ? plural(counts[0].t, "warp") : "not accessed"}` + (present.length ? ` (${present.join(", ")})` : ""));
  if (cell && pattern.s[cell - 1] === "T")
    said.push("only one thread accesses it");
  if (pattern.b)
    said.push("accessed by several blocks: warps of different blocks with the same number are one");
  if (pattern.m)
    said.push("stands for unequal lines of memory: of each number the highest");
  if (rows.accesses[row])
    said.push(plural(rows.accesses[row], "access") + (lines > 1 ? ` of all ${grouped(lines)}` : ""));
  for (const place of pattern.p)
    said.push(placeText(place));
  return said.join("\n");
}

function showTip(row, cell, x, y) {
  const tip = element("tip");
  tip.textContent = describe(row, cell);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 4)) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
}

function cellUnder(event) {
  const scroll = element("scroll"), box = scroll.getBoundingClientRect();
  const x = event.clientX - box.left - layout.left, y = event.clientY - box.top + scroll.scrollTop;
  const column = Math.floor(x / layout.width), band = Math.floor(y / layout.band);
  const row = band * columns + column;
  if (x < 0 || column >= columns || row >= rows.count)
    return null;
  const inBand = y - band * layout.band;
  for (let cell = 0; cell <= layout.words; ++cell)
    if (inBand >= cellTop(cell) && inBand < cellTop(cell) + layout.cell)
      return exists(row, cell) ? {row, cell} : null;
  return null;
}

function goTo(row, cell) {
  if (rows.count === 0)
    return;
  cursor = {row: Math.min(Math.max(row, 0), rows.count - 1),
            cell: Math.min(Math.max(cell, 0), layout.words)};
  const scroll = element("scroll");
  const top = Math.floor(cursor.row / columns) * layout.band;
  if (top < scroll.scrollTop || layout.band > scroll.clientHeight)
    scroll.scrollTop = top;
  else if (top + layout.band > scroll.scrollTop + scroll.clientHeight)
    scroll.scrollTop = top + layout.band - scroll.clientHeight;
  draw();
  const box = scroll.getBoundingClientRect();
  showTip(cursor.row, cursor.cell,
          box.left + layout.left + (cursor.row % columns) * layout.width + layout.width / 2,
          box.top + top - scroll.scrollTop + cellTop(cursor.cell) + layout.cell / 2);
}

element("scroll").addEventListener("keydown", event => {
  const {row, cell} = cursor || {row: -1, cell: 0};
  const page = columns * Math.max(1, Math.floor(element("scroll").clientHeight / layout.band));
  const moves = {
    ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1],
    PageDown: [page, 0], PageUp: [-page, 0], Home: [-Infinity, 0], End: [Infinity, 0],
  };
  const move = moves[event.key];
  if (event.key === "Escape") {
    cursor = null;
    element("tip").hidden = true;
    redraw();
  }
  if (!move || event.ctrlKey || event.metaKey || event.altKey)
    return;
  event.preventDefault();
  if (!cursor)
    goTo(move[0] === Infinity ? Infinity : Math.floor(element("scroll").scrollTop / layout.band) * columns, 0);
  else
    goTo(row + move[0], cell + move[1]);
});
element("scroll").addEventListener("mousemove", event => {
  const at = cellUnder(event);
  if (at)
    showTip(at.row, at.cell, event.clientX, event.clientY);
  else
    element("tip").hidden = true;
});
element("scroll").addEventListener("click", event => {
  cursor = cellUnder(event);
  redraw();
});
for (const leaving of ["mouseleave", "blur"])
  element("scroll").addEventListener(leaving, () => element("tip").hidden = true);
element("scroll").addEventListener("scroll", redraw);
addEventListener("resize", () => {
  measure();
  redraw();
});
darkness.addEventListener("change", () => {
  showLegend();
  redraw();
});

//--- Picking ------------------------------------------------------------------------------------

function fill(select, texts, selected) {
  select.replaceChildren(...texts.map((text, i) => {
    const option = document.createElement("option");
    option.value = i;
    option.textContent = text;
    option.selected = i === selected;
    return option;
  }));
}

function showLegend() {
  const item = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const legend = [item("span", `Temperature: warps of a block that ${doing[kind]} it`)];
  const steps = Math.min(launch.hottest, 16);
  for (let i = 0; i < steps; ++i) {
    const t = steps > 1 ? Math.round(1 + i * (launch.hottest - 1) / (steps - 1)) : 1;
    const step = item("i", t);
    [step.style.background, step.style.color] = colors(t);
    legend.push(step);
  }
  const none = item("i", "\u00b7");
  none.style.background = "var(--none)";
  legend.push(none, item("span", "\u00a0none"));
  if (view.shared)
    legend.push(item("i", "T"), item("span", "one thread"));
  legend.push(item("span", "\u00d7N: as many alike in a row"));
  element("legend").replaceChildren(...legend);
}

function showView() {
  decoded.clear();
  rows = rowsOf(kind);
  cursor = null;
  element("tip").hidden = true;
  element("about").textContent =
      `${view.name}: ${plural(view.bytes, "byte")}${view.shared ? " of shared memory" : ""}` +
      (view.what ? `, ${view.what}` : "") + (view.source ? ` at ${view.source}` : "") +
      `. Launch ${launch.id}${launch.launches > 1 ? ` and ${grouped(launch.launches - 1)} like it` : ""}` +
      `: grid ${launch.grid}, block ${launch.block}; ${launch.sampled} sampled (${plural(launch.warps, "warp")}).`;
  const notes = [];
  const missing = view.missing[view.rows[kind] === "same" ? 0 : kind];
  if (missing)
    notes.push(`${plural(missing, "row")} of this map, from ${hex(offset(rows.first[rows.count]))} on, ` +
               "are left out of this page: choose with --kernel, --launch and --object, or use --format csv.");
  if (launch.outside)
    notes.push(`${plural(launch.outside, "access")} to memory of no known object, not shown.`);
  if (launch.lost)
    notes.push(`${plural(launch.lost, "access")} not recorded: the recording memory was full.`);
  if (view.patterns.some(p => p.b))
    notes.push("* accessed by several of the blocks: warps of different blocks with the same number are one.");
  if (view.patterns.some(p => p.m))
    notes.push("~ stands for lines of memory that differ, with the highest of each number.");
  element("notes").textContent = notes.join(" ");
  const places = [...new Set(view.patterns.flatMap(p => p.p))].sort((a, b) => a - b);
  element("lineCount").textContent = `Accessed in ${plural(places.length, "line")} of the program`;
  element("lines").replaceChildren(...places.map(place => {
    const line = document.createElement("li");
    line.textContent = placeText(place);
    return line;
  }));
  showLegend();
  element("scroll").scrollTop = 0;
  measure();
  redraw();
}

function pickView(index) {
  view = launch.views[index];
  fill(element("view"), launch.views.map(v => v.name + (v.shared ? " (shared)" : "")), index);
  showView();
}

function pickLaunch(index) {
  const same = data.launches.filter(l => l.kernel === launch.kernel);
  launch = same[index];
  fill(element("launch"), same.map(l => String(l.id)), index);
  pickView(0);
}

const kernels = [...new Set(data.launches.map(l => l.kernel))];
function pickKernel(index) {
  launch = data.launches.find(l => l.kernel === kernels[index]);
  fill(element("kernel"), kernels, index);
  pickLaunch(0);
}

element("kernel").addEventListener("change", event => pickKernel(Number(event.target.value)));
element("launch").addEventListener("change", event => pickLaunch(Number(event.target.value)));
element("view").addEventListener("change", event => pickView(Number(event.target.value)));
element("kind").addEventListener("change", event => {
  kind = Number(event.target.value);
  showView();
});
element("pick").addEventListener("submit", event => event.preventDefault());

element("command").textContent = data.command;
kind = data.kind;
fill(element("kind"), kinds, kind);
pickKernel(0);
