// Heat maps (cuThermo, 2025, Figures 4 and 5): how many warps access each sector and word. A map of the
// whole allocation is drawn to scale; below it, a column for each run of equal sectors, in bands. Only
// bands in sight are drawn.
import {useCallback, useMemo, useRef, useState} from "preact/hooks";
import {Canvas, useWidth, type Draw} from "./canvas";
import {baseName, bytes, exactBytes, grouped, plural, shortName} from "./format";
import {exists, kinds, missingOf, offset, readHeat, rowAt, rowsOf, temperature,
        type HeatLaunch, type Rows, type View} from "./heatdata";
import {useSection} from "./lazy";
import {margin} from "./memorychart";
import {Position} from "./parts";
import type {Kernel} from "./summary";
import {color, isDark, useTheme} from "./theme";
import {Tip, type TipAt} from "./tooltip";

// From cold to hot.
const ramps = {
  light: ["#fff7c9", "#fee391", "#fec44f", "#fb8d29", "#e4570f", "#b8260f", "#7a0510"],
  dark: ["#33204f", "#5d2370", "#8f2a79", "#c43d6e", "#ee6a50", "#fca63b", "#fcf0a4"],
};

const channels = (of: string): number[] => [1, 3, 5].map(i => parseInt(of.slice(i, i + 2), 16));

/** Returns the colour of a temperature, and of text on it. */
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
  const said = [`${hex(from)} to ${hex(to)}: ${plural(lines, what)} at address ${address}`];
  const counts = kinds.map((name, kind) => {
    const of = rowsOf(view, kind);
    return {name, t: of.count ? temperature(view, of.pattern[rowAt(of, line)]!, cell) : 0};
  });
  const one = cell === 0 ? what : `${view.shared ? "bank" : "word"} ${cell - 1}`;
  const present = counts.slice(1).filter(c => c.t).map(c => `${c.name} ${c.t}`);
  said.push(`${one}: ${counts[0]!.t ? plural(counts[0]!.t, "warp") : "not accessed"}${present.length ? ` (${present.join(", ")})` : ""}`);
  if (cell && pattern.s[cell - 1] === "T")
    said.push("accessed by one thread");
  if (pattern.b)
    said.push("accessed by several blocks: warps with the same number count once");
  if (pattern.m)
    said.push("merges unequal sectors: each number is the highest of them");
  if (rows.accesses[row])
    said.push(plural(rows.accesses[row]!, "access") + (lines > 1 ? ` of all ${grouped(lines)} ${what}s` : ""));
  for (const number of pattern.p) {
    const place = launch.places[number];
    said.push(place ? `${baseName(place.file)}:${place.line}  ${place.text}` : "unknown line");
  }
  return said.join("\n");
}

const left = 64, top = 18, gap = 4, inSight = 430;

const scaleTop = 6, axisHeight = 20;

/** The highest temperature of each cell in each column of pixels; 0: not accessed, -1: outside of the allocation. */
function columnsOf(view: View, rows: Rows, width: number): Int16Array {
  const cells = view.lineBytes / 4 + 1, columns = new Int16Array(Math.max(0, width) * cells).fill(-1);
  for (let row = 0; row < rows.count; ++row) {
    const from = Math.floor(offset(view, rows.first[row]!) / view.bytes * width);
    const to = Math.max(from + 1, Math.floor(offset(view, rows.first[row + 1]!) / view.bytes * width));
    for (let cell = 0; cell < cells; ++cell) {
      if (!exists(view, rows, row, cell))
        continue;
      const t = temperature(view, rows.pattern[row]!, cell);
      for (let x = from; x < Math.min(to, width); ++x)
        if (t > columns[x * cells + cell]!)
          columns[x * cells + cell] = t;
    }
  }
  return columns;
}

/** The whole allocation, to scale: bytes across, words of a sector down. */
function ScaleMap({launch, view, rows, onSelect}: {launch: HeatLaunch; view: View; rows: Rows; onSelect: (cell: Cell) => void}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [hover, setHover] = useState<TipAt & {cell: Cell} | null>(null);
  const words = view.lineBytes / 4, size = words > 8 ? 6 : 13;
  const plot = Math.floor(width - left - margin), height = scaleTop + (words + 1) * size + gap + axisHeight;
  const cellTop = (cell: number) => scaleTop + cell * size + (cell ? gap : 0);
  const columns = useMemo(() => columnsOf(view, rows, plot), [view, rows, plot]);

  const draw: Draw = useCallback(context => {
    const faint = color("faint"), nothing = color("none"), ink = color("ink");
    context.textAlign = "right";
    context.fillStyle = faint;
    context.fillText(view.shared ? "row" : "sector", left - 8, cellTop(0) + size / 2);
    for (let word = 0; word < words; word += words > 8 ? 8 : 1)
      context.fillText(`${view.shared ? "bank" : "word"} ${word}`, left - 8, cellTop(word + 1) + size / 2);
    for (let cell = 0; cell <= words; ++cell)
      for (let x = 0; x < plot;) {
        const from = x, t = columns[x * (words + 1) + cell]!;
        while (x < plot && columns[x * (words + 1) + cell] === t)
          ++x;
        if (t < 0)
          continue;
        context.fillStyle = t ? paintOf(t, launch.hottest)[0] : nothing;
        context.fillRect(left + from, cellTop(cell), x - from, size - (words > 8 ? 0 : 1));
      }
    const step = 2 ** Math.max(2, Math.ceil(Math.log2(view.bytes / Math.max(1, plot / 90))));
    context.textAlign = "center";
    for (let at = 0; at <= view.bytes; at += step) {
      const x = left + at / view.bytes * plot;
      context.fillStyle = ink;
      context.fillRect(Math.round(x), height - axisHeight, 1, 4);
      context.fillStyle = faint;
      context.fillText(bytes(at), Math.min(x, left + plot - 20), height - 8);
    }
  }, [launch, view, columns, plot]);

  function under(event: MouseEvent): TipAt & {cell: Cell} | null {
    const bounds = box.current!.getBoundingClientRect(), x = event.clientX - bounds.left, y = event.clientY - bounds.top;
    const line = Math.floor(((x - left) / plot * view.bytes + view.lead) / view.lineBytes);
    let cell = 0;
    while (cell < words && y >= cellTop(cell + 1))
      ++cell;
    if (x < left || x >= left + plot || y >= height - axisHeight || rows.count === 0)
      return null;
    const row = Math.min(rowAt(rows, line), rows.count - 1);
    return exists(view, rows, row, cell) ? {x, y, cell: {row, cell}} : null;
  }

  return (
    <div class="hovered scalemap" ref={box} role="img"
         aria-label={`Heat map of ${view.name} to scale, ${bytes(view.bytes)}. The map below has the same values for the keyboard.`}
         onMouseMove={event => setHover(under(event))} onMouseLeave={() => setHover(null)}
         onClick={event => { const at = under(event); if (at) onSelect(at.cell); }}>
      <Canvas draw={draw} width={width} height={height} />
      {hover && <Tip at={hover}><pre>{describe(launch, view, rows, hover.cell)}</pre></Tip>}
    </div>
  );
}

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
      context.fillText("No access of this kind.", 16, 24);
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

  function select(to: Cell): void {
    setCursor(to);
    box.current!.scrollTop = Math.floor(to.row / columns) * band;
  }

  const shown = hover ?? cursor;
  return (
    <>
      {rows.count !== 0 && <ScaleMap launch={launch} view={view} rows={rows} onSelect={select} />}
      <h4>{view.shared ? "Rows" : "Sectors"}</h4>
      <p class="faint">A column stands for one {view.shared ? "row" : "sector"}, or for {"\u00d7"}N consecutive ones with equal accesses.</p>
      <div class="heat" ref={box} tabIndex={0} role="application" aria-roledescription="heat map"
           aria-label={`Heat map of ${view.name}: arrow keys move from cell to cell`} aria-describedby="heatcell"
           style={{height: `${height}px`}} onKeyDown={key}
           onScroll={event => setScrolled(event.currentTarget.scrollTop)}
           onMouseMove={event => setHover(under(event))} onMouseLeave={() => setHover(null)}
           onClick={event => setCursor(under(event))}>
        <div style={{height: `${bands * band}px`}}>
          <div class="sticky"><Canvas draw={draw} width={width} height={height} /></div>
        </div>
      </div>
      <pre id="heatcell" class="cell" aria-live="polite">{shown ? describe(launch, view, rows, shown) : "Point at a cell, or move to it with the arrow keys, for its values."}</pre>
    </>
  );
}

function Legend({launch, view, kind}: {launch: HeatLaunch; view: View; kind: number}) {
  useTheme();
  const steps = Math.min(launch.hottest, 16);
  const verb = ["access", "read", "write", "atomically update"][kind];
  return (
    <p class="legend heatlegend">
      <span>Warps of a block that {verb} a {view.shared ? "row or bank word" : "sector or word"}: </span>
      <b class="none" title="not accessed">0</b>
      {Array.from({length: steps}, (_, i) => {
        const t = steps > 1 ? Math.round(1 + i * (launch.hottest - 1) / (steps - 1)) : 1;
        const [background, ink] = paintOf(t, launch.hottest);
        return <b style={{background, color: ink}} title={plural(t, "warp")}>{t}</b>;
      })}
      <span>{view.shared && " T: one thread"}{view.patterns.some(p => p.b) && " *: several blocks"}{view.patterns.some(p => p.m) && " ~: unequal sectors, the highest of each"}</span>
    </p>
  );
}

/** The heat maps of a kernel; nothing if the page has none. */
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
        <label>Allocation{" "}
          <select value={view.name} onChange={event => setName(event.currentTarget.value)}>
            {launch.views.map(v => <option value={v.name}>{v.name}{v.shared ? " (shared)" : ""}</option>)}
          </select>
        </label>
        <label>Launch{" "}
          <select value={launches.indexOf(launch)} onChange={event => setLaunch(Number(event.currentTarget.value))}>
            {launches.map((l, i) => <option value={i}>{l.id}{l.launches > 1 ? ` and ${l.launches - 1} equal` : ""}</option>)}
          </select>
        </label>
        <label>Accesses{" "}
          <select value={kind} onChange={event => setKind(Number(event.currentTarget.value))}>
            {kinds.map((k, i) => <option value={i}>{k}</option>)}
          </select>
        </label>
      </form>
      <p class="faint"><span title={exactBytes(view.bytes)}>{bytes(view.bytes)}</span>{view.shared ? " of shared memory" : ""}{view.what && `, ${view.what}`}{view.source && ` at ${baseName(view.source)}`}.{" "}
        {shortName(launch.kernel)} with grid {launch.grid}, block {launch.block}; {launch.sampled} sampled ({plural(launch.warps, "warp")}).
        {missing > 0 && ` ${plural(missing, "run")} of sectors omitted from the page: gmreport heat shows them.`}
        {launch.outside > 0 && ` ${plural(launch.outside, "access")} outside of known allocations, not shown.`}
        {launch.lost > 0 && ` ${plural(launch.lost, "access")} not recorded: the recording memory was full.`}</p>
      <Legend launch={launch} view={view} kind={kind} />
      <Map key={`${launch.id} ${view.name} ${kind}`} launch={launch} view={view} kind={kind} />
      {places.length !== 0 && <p class="faint">Accessed at {places.map((p, i) => <>{i > 0 && ", "}{launch.places[p] ? <Position of={launch.places[p]} /> : "?"}</>)}</p>}
    </section>
  );
}
