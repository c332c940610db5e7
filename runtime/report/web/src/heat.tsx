// Heat maps: sectors across, in as many bands as it takes, words down, a sector's own cell on top
// (cuThermo, 2025, Figures 4 and 5). Only the bands in sight are drawn.
import {useCallback, useMemo, useRef, useState} from "preact/hooks";
import {Canvas, useWidth, type Draw} from "./canvas";
import {baseName, grouped, plural, shortName} from "./format";
import {exists, kinds, missingOf, offset, readHeat, rowAt, rowsOf, temperature,
        type HeatLaunch, type Rows, type View} from "./heatdata";
import {useSection} from "./lazy";
import {Position} from "./parts";
import type {Kernel} from "./summary";
import {color, isDark, useTheme} from "./theme";

// From cold to hot.
const ramps = {
  light: ["#fff7c9", "#fee391", "#fec44f", "#fb8d29", "#e4570f", "#b8260f", "#7a0510"],
  dark: ["#33204f", "#5d2370", "#8f2a79", "#c43d6e", "#ee6a50", "#fca63b", "#fcf0a4"],
};

const channels = (of: string): number[] => [1, 3, 5].map(i => parseInt(of.slice(i, i + 2), 16));

/** A temperature's colour, and that of text on it. */
function paintOf(t: number, hottest: number): [string, string] {
  const ramp = ramps[isDark() ? "dark" : "light"];
  const part = hottest > 1 ? (t - 1) / (hottest - 1) : 0;
  const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
  const low = channels(ramp[Math.floor(at)]!), high = channels(ramp[Math.ceil(at)]!);
  const rgb = low.map((c, i) => Math.round(c + (high[i]! - c) * (at % 1)));
  const light = 0.299 * rgb[0]! + 0.587 * rgb[1]! + 0.114 * rgb[2]!;
  return [`rgb(${rgb.join()})`, light > 140 ? "#000000" : "#ffffff"];
}

const hex = (n: number): string => "0x" + n.toString(16);

function short(n: number): string {
  for (const [unit, suffix] of [[2 ** 30, "G"], [2 ** 20, "M"], [2 ** 10, "K"]] as const)
    if (n >= 10 * unit)
      return `\u00d7${Math.round(n / unit)}${suffix}`;
  return `\u00d7${n}`;
}

interface Cell { row: number; cell: number }

function describe(launch: HeatLaunch, view: View, rows: Rows, {row, cell}: Cell): string {
  const line = rows.first[row]!, lines = rows.first[row + 1]! - line;
  const from = offset(view, line), to = Math.max(from, offset(view, rows.first[row + 1]!) - 1);
  const pattern = view.patterns[rows.pattern[row]!]!;
  const what = view.shared ? "row" : "sector";
  const address = "0x" + (BigInt(view.address) + BigInt(from)).toString(16);
  const said = [`${hex(from)} to ${hex(to)}: ${plural(lines, what)}, from address ${address} on`];
  const counts = kinds.map((name, kind) => {
    const of = rowsOf(view, kind);
    return {name, t: of.count ? temperature(view, of.pattern[rowAt(of, line)]!, cell) : 0};
  });
  const one = cell === 0 ? what : `${view.shared ? "bank" : "word"} ${cell - 1}`;
  const present = counts.slice(1).filter(c => c.t).map(c => `${c.name} ${c.t}`);
  said.push(`${one}: ${counts[0]!.t ? plural(counts[0]!.t, "warp") : "not accessed"}${present.length ? ` (${present.join(", ")})` : ""}`);
  if (cell && pattern.s[cell - 1] === "T")
    said.push("only one thread accesses it");
  if (pattern.b)
    said.push("accessed by several blocks: warps of different blocks with the same number are one");
  if (pattern.m)
    said.push("stands for unequal lines of memory: of each number the highest");
  if (rows.accesses[row])
    said.push(plural(rows.accesses[row]!, "access") + (lines > 1 ? ` of all ${grouped(lines)}` : ""));
  for (const number of pattern.p) {
    const place = launch.places[number];
    said.push(place ? `${baseName(place.file)}:${place.line}  ${place.text}` : "a line that is not known");
  }
  return said.join("\n");
}

const left = 64, top = 18, gap = 4, inSight = 430;

function Map({launch, view, kind}: {launch: HeatLaunch; view: View; kind: number}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [scrolled, setScrolled] = useState(0);
  const [cursor, setCursor] = useState<Cell | null>(null);
  const [hover, setHover] = useState<Cell | null>(null);
  const moved = useRef(false);
  const rows = useMemo(() => rowsOf(view, kind), [view, kind]);
  const words = view.lineBytes / 4, size = words > 8 ? 15 : 19, wide = words > 8 ? 40 : 32;
  const band = top + (words + 1) * size + gap + 30;
  const columns = Math.max(1, Math.floor((width - left - 22) / wide));
  const bands = Math.max(1, Math.ceil(rows.count / columns));
  const height = Math.min(Math.max(inSight, band), bands * band);
  const cellTop = (cell: number) => top + cell * size + (cell ? gap : 0);

  const draw: Draw = useCallback((context, _wide, high) => {
    const ink = color("ink"), faint = color("faint"), nothing = color("none");
    if (rows.count === 0) {
      context.fillStyle = faint;
      context.fillText("No such access.", 16, 24);
      return;
    }
    const last = Math.min(bands - 1, Math.floor((scrolled + high) / band));
    for (let at = Math.floor(scrolled / band); at <= last; ++at) {
      const y = at * band - scrolled;
      context.textAlign = "right";
      context.fillStyle = faint;
      context.fillText(view.shared ? "row" : "sector", left - 8, y + top + size / 2);
      for (let word = 0; word < words; ++word)
        context.fillText(`${view.shared ? "bank" : "word"} ${word}`, left - 8, y + cellTop(word + 1) + size / 2);
      let free = 0; // where the next label can begin
      for (let row = at * columns; row < Math.min(rows.count, (at + 1) * columns); ++row) {
        const x = left + (row % columns) * wide;
        const lines = rows.first[row + 1]! - rows.first[row]!;
        const pattern = view.patterns[rows.pattern[row]!]!;
        context.textAlign = "center";
        context.fillStyle = ink;
        context.fillText((lines > 1 ? short(lines) : "") + (pattern.b ? "*" : "") + (pattern.m ? "~" : ""), x + wide / 2, y + top - 7);
        for (let cell = 0; cell <= words; ++cell) {
          if (!exists(view, rows, row, cell))
            continue;
          const t = temperature(view, rows.pattern[row]!, cell), cy = y + cellTop(cell);
          const [paint, text] = t ? paintOf(t, launch.hottest) : [nothing, faint];
          context.fillStyle = paint;
          context.fillRect(x, cy, wide - 1, size - 1);
          context.fillStyle = text;
          context.fillText(cell && pattern.s[cell - 1] === "T" ? "T" : t ? String(t) : "\u00b7", x + wide / 2 - 0.5, cy + size / 2);
        }
        const accessed = temperature(view, rows.pattern[row]!, 0) !== 0;
        if (x >= free && (accessed || row === at * columns)) {
          const label = hex(offset(view, rows.first[row]!));
          context.textAlign = "left";
          context.fillStyle = faint;
          context.fillText(label, x, y + band - 20);
          free = x + context.measureText(label).width + 12;
        }
      }
    }
    if (cursor) {
      context.strokeStyle = color("focus");
      context.lineWidth = 2;
      context.strokeRect(left + (cursor.row % columns) * wide - 1,
                         Math.floor(cursor.row / columns) * band - scrolled + cellTop(cursor.cell) - 1, wide + 1, size + 1);
    }
  }, [launch, view, rows, scrolled, cursor, columns, band]);

  function under(event: MouseEvent): Cell | null {
    const bounds = box.current!.getBoundingClientRect();
    const x = event.clientX - bounds.left - left, y = event.clientY - bounds.top + box.current!.scrollTop;
    const column = Math.floor(x / wide), at = Math.floor(y / band), row = at * columns + column;
    if (x < 0 || column >= columns || row >= rows.count)
      return null;
    for (let cell = 0; cell <= words; ++cell) {
      const from = cellTop(cell);
      if (y - at * band >= from && y - at * band < from + size)
        return exists(view, rows, row, cell) ? {row, cell} : null;
    }
    return null;
  }

  function key(event: KeyboardEvent): void {
    const page = columns * Math.max(1, Math.floor(height / band));
    const moves: Record<string, [number, number]> = {
      ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1],
      PageDown: [page, 0], PageUp: [-page, 0], Home: [-rows.count, 0], End: [rows.count, 0],
    };
    const move = moves[event.key];
    if (!move || rows.count === 0 || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    const from = cursor ?? {row: Math.floor(scrolled / band) * columns - (move[0] === 1 ? 1 : 0), cell: move[1] === 1 ? -1 : 0};
    const to = {row: Math.min(Math.max(from.row + move[0], 0), rows.count - 1),
                cell: Math.min(Math.max(from.cell + move[1], 0), words)};
    moved.current = true;
    setCursor(to);
    const y = Math.floor(to.row / columns) * band, scroll = box.current!;
    if (y < scroll.scrollTop || band > height)
      scroll.scrollTop = y;
    else if (y + band > scroll.scrollTop + height)
      scroll.scrollTop = y + band - height;
  }

  const shown = hover ?? cursor;
  return (
    <>
      <div class="heat" ref={box} tabIndex={0} role="application" aria-roledescription="heat map"
           aria-label={`Heat map of ${view.name}: arrow keys go from cell to cell`} aria-describedby="heatcell"
           style={{height: `${height}px`}} onKeyDown={key}
           onScroll={event => setScrolled(event.currentTarget.scrollTop)}
           onMouseMove={event => setHover(under(event))} onMouseLeave={() => setHover(null)}
           onClick={event => setCursor(under(event))}>
        <div style={{height: `${bands * band}px`}}>
          <div class="sticky"><Canvas draw={draw} width={width} height={height} /></div>
        </div>
      </div>
      <pre id="heatcell" class="cell" aria-live="polite">{shown ? describe(launch, view, rows, shown) : "Point at a cell, or go to one with the arrow keys."}</pre>
    </>
  );
}

function Legend({launch, view, kind}: {launch: HeatLaunch; view: View; kind: number}) {
  useTheme();
  const steps = Math.min(launch.hottest, 16);
  const doing = ["access", "read", "write", "atomically update"][kind];
  return (
    <p class="legend heatlegend">
      <span class="faint">Warps of a block that {doing} it: </span>
      {Array.from({length: steps}, (_, i) => {
        const t = steps > 1 ? Math.round(1 + i * (launch.hottest - 1) / (steps - 1)) : 1;
        const [background, ink] = paintOf(t, launch.hottest);
        return <b style={{background, color: ink}}>{t}</b>;
      })}
      <span class="faint"> {"\u00b7"} none{view.shared && ", T one thread"}; {"\u00d7"}N as many alike in a row
        {view.patterns.some(p => p.b) && "; * several blocks"}{view.patterns.some(p => p.m) && "; ~ unequal lines, the highest of each"}</span>
    </p>
  );
}

/** The maps of a kernel, if the page has any. */
export function HeatMaps({of}: {of: Kernel}) {
  const all = useSection("heat", readHeat);
  const launches = useMemo(() => all?.filter(l => l.kernel === of.demangled) ?? [], [all, of]);
  const [launchIndex, setLaunch] = useState(0);
  const [name, setName] = useState("");
  const [kind, setKind] = useState(0);
  const launch = launches[launchIndex] ?? launches[0];
  if (!launch)
    return null;
  const view = launch.views.find(v => v.name === name) ?? launch.views[0];
  if (!view)
    return null;
  const missing = missingOf(view, kind);
  const places = [...new Set(view.patterns.flatMap(p => p.p))].sort((a, b) => a - b);
  return (
    <section>
      <h3>Heat map</h3>
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <label>Memory{" "}
          <select value={view.name} onChange={event => setName(event.currentTarget.value)}>
            {launch.views.map(v => <option value={v.name}>{v.name}{v.shared ? " (shared)" : ""}</option>)}
          </select>
        </label>
        <label>Launch{" "}
          <select value={launches.indexOf(launch)} onChange={event => setLaunch(Number(event.currentTarget.value))}>
            {launches.map((l, i) => <option value={i}>{l.id}{l.launches > 1 ? ` and ${l.launches - 1} like it` : ""}</option>)}
          </select>
        </label>
        <label>Accesses{" "}
          <select value={kind} onChange={event => setKind(Number(event.currentTarget.value))}>
            {kinds.map((k, i) => <option value={i}>{k}</option>)}
          </select>
        </label>
      </form>
      <p class="faint">{plural(view.bytes, "byte")}{view.shared ? " of shared memory" : ""}{view.what && `, ${view.what}`}{view.source && ` at ${baseName(view.source)}`}.{" "}
        {shortName(launch.kernel)} with grid {launch.grid}, block {launch.block}; {launch.noted} noted ({plural(launch.warps, "warp")}).
        {missing > 0 && ` ${plural(missing, "row")} of this map are left out of the page: gmreport heat shows them.`}
        {launch.outside > 0 && ` ${plural(launch.outside, "access")} to memory of no known object, not shown.`}
        {launch.lost > 0 && ` ${plural(launch.lost, "access")} not noted: there was no room.`}</p>
      <Legend launch={launch} view={view} kind={kind} />
      <Map key={`${launch.id} ${view.name} ${kind}`} launch={launch} view={view} kind={kind} />
      {places.length !== 0 && <p class="faint">Accessed at {places.map((p, i) => <>{i > 0 && ", "}{launch.places[p] ? <Position of={launch.places[p]} /> : "?"}</>)}</p>}
    </section>
  );
}
