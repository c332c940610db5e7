// Allocations as bars from allocation to free, darker between the first and the last use. Only rows in
// sight are drawn.
import {useCallback, useEffect, useMemo, useState} from "preact/hooks";
import {Canvas, fitText, useWidth, type Draw} from "./canvas";
import {bytes, exactBytes, grouped, instant, plural} from "./format";
import {gutterOf, margin} from "./memorychart";
import type {MemoryData} from "./memorydata";
import {rowName} from "./names";
import {useReport} from "./parts";
import {color} from "./theme";
import {Tip, type TipAt} from "./tooltip";
import {niceStep, useDrag, windowKey, windowWheel, type TimeWindow} from "./window";

const rowHeight = 18, inSight = 16;
/** Browsers cannot scroll much further. */
const mostRows = 500_000;

interface Props {
  data: MemoryData;
  window: TimeWindow;
  selected: number;
  onSelect: (row: number) => void;
}

export function Lifetimes({data, window: w, selected, onSelect}: Props) {
  const {names} = useReport();
  const [least, setLeast] = useState(0);
  const [order, setOrder] = useState("begin");
  const [top, setTop] = useState(0);
  const [hover, setHover] = useState<TipAt & {row: number} | null>(null);
  const [box, width] = useWidth<HTMLDivElement>();

  // Sorted once; filtered whenever the range changes.
  const bySize = useMemo(() => Uint32Array.from({length: data.count}, (_, i) => i)
                                   .sort((a, b) => data.bytes[b]! - data.bytes[a]! || a - b), [data]);
  const rows = useMemo(() => {
    const found: number[] = [];
    for (let i = 0; i < data.count; ++i) {
      const row = order === "begin" ? i : bySize[i]!;
      const begin = data.begin[row]!;
      if (data.bytes[row]! >= least && begin <= w.to && begin + data.length[row]! >= w.from)
        found.push(row);
    }
    return found;
  }, [data, least, order, w.from, w.to]);
  const shown = Math.min(rows.length, mostRows);
  const height = Math.min(inSight, Math.max(shown, 3)) * rowHeight;

  useEffect(() => {
    const at = rows.indexOf(selected), scroll = box.current;
    if (at < 0 || !scroll)
      return;
    if (at * rowHeight < scroll.scrollTop)
      scroll.scrollTop = at * rowHeight;
    else if ((at + 1) * rowHeight > scroll.scrollTop + height)
      scroll.scrollTop = (at + 1) * rowHeight - height;
  }, [selected, order]);

  const gutter = gutterOf(width), plotWidth = width - gutter - margin;
  const timeAt = (x: number) => w.from + (x - gutter) / plotWidth * (w.to - w.from);
  const drag = useDrag(w, plotWidth, (_, y) => {
    const row = rows[Math.floor((y + top) / rowHeight)];
    if (row !== undefined)
      onSelect(row);
  });

  const draw: Draw = useCallback((context, wide, high) => {
    const scale = plotWidth / (w.to - w.from);
    const x = (ns: number) => gutter + Math.min(Math.max((ns - w.from) * scale, -2), plotWidth + 2);
    const theme = {bar: color("bar"), used: color("used"), ink: color("ink"), faint: color("faint"),
                   grid: color("grid"), selected: color("selected"), focus: color("focus")};
    const step = niceStep(w.to - w.from, Math.max(2, plotWidth / 150));
    context.fillStyle = theme.grid;
    for (let at = Math.ceil(w.from / step) * step; at <= w.to; at += step)
      context.fillRect(Math.round(x(at)), 0, 1, high);
    const first = Math.floor(top / rowHeight);
    for (let i = first; i < shown && i * rowHeight < top + high; ++i) {
      const row = rows[i]!, y = i * rowHeight - top;
      if (row === selected) {
        context.fillStyle = theme.selected;
        context.fillRect(0, y, wide, rowHeight);
      }
      const begin = data.begin[row]!, end = begin + data.length[row]!;
      const from = x(begin), to = Math.max(from + 1, x(end));
      context.fillStyle = theme.bar;
      context.fillRect(from, y + 4, to - from, rowHeight - 8);
      if (data.usedAfter[row]) {
        const used = begin + data.usedAfter[row]! - 1;
        const left = x(used), right = Math.max(left + 1, x(used + data.usedFor[row]!));
        context.fillStyle = theme.used;
        context.fillRect(left, y + 4, right - left, rowHeight - 8);
      }
      const size = bytes(data.bytes[row]!);
      context.fillStyle = theme.faint;
      context.textAlign = "right";
      context.fillText(size, gutter - 10, y + rowHeight / 2);
      context.fillStyle = row === selected ? theme.focus : theme.ink;
      context.textAlign = "left";
      context.fillText(fitText(context, rowName(data, names, row), gutter - 28 - context.measureText(size).width),
                       8, y + rowHeight / 2);
    }
  }, [data, rows, top, selected, w.from, w.to, plotWidth, gutter, shown]);

  const describe = (row: number) => row < 0 ? "" :
      `${rowName(data, names, row)}: ${bytes(data.bytes[row]!)}, ` +
      `from ${instant(data.begin[row]! / 1e9)}, ` +
      (data.released[row] ? `for ${instant(data.length[row]! / 1e9)}` : "never freed");

  function key(event: KeyboardEvent): void {
    if (windowKey(event, w, true))
      return;
    const at = rows.indexOf(selected);
    const moves: Record<string, number> = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + inSight,
                                           PageUp: at - inSight, Home: 0, End: shown - 1};
    const next = moves[event.key];
    if (next === undefined || shown === 0)
      return;
    event.preventDefault();
    onSelect(rows[Math.min(Math.max(next, 0), shown - 1)]!);
  }

  return (
    <section>
      <div class="filters">
        <h3>Lifetimes</h3>
        <label>At least{" "}
          <select value={least} onChange={event => setLeast(Number(event.currentTarget.value))}>
            {[0, 1024, 65536, 1 << 20, 16 << 20, 2 ** 28, 2 ** 30].map(n => <option value={n}>{n === 0 ? "any size" : bytes(n)}</option>)}
          </select>
        </label>
        <label>By{" "}
          <select value={order} onChange={event => setOrder(event.currentTarget.value)}>
            <option value="begin">allocation</option>
            <option value="size">size</option>
          </select>
        </label>
        <span class="faint" role="status">{plural(rows.length, "allocation")} of {grouped(data.count)}
          {rows.length > shown && `: the first ${grouped(shown)} are shown; zoom or filter for the others`}</span>
        <span class="legend faint"><i class="bar" /> allocated <i class="used" /> first to last use</span>
      </div>
      <div class="hovered">
      <div class="lifetimes" ref={box} tabIndex={0} role="application" aria-roledescription="timeline"
           aria-label="Lifetimes of allocations: up and down select, left and right move through time, plus and minus zoom, 0 shows all"
           aria-describedby="lifetime" style={{height: `${height}px`}}
           onScroll={event => setTop(event.currentTarget.scrollTop)} onKeyDown={key}
           onWheel={event => windowWheel(event, w, timeAt(event.clientX - event.currentTarget.getBoundingClientRect().left))}
           onMouseMove={event => {
             const bounds = event.currentTarget.getBoundingClientRect(), y = event.clientY - bounds.top;
             const row = rows[Math.floor((y + top) / rowHeight)];
             setHover(row === undefined ? null : {x: event.clientX - bounds.left, y, row});
           }}
           onMouseLeave={() => setHover(null)} {...drag} onDblClick={w.all}>
        <div style={{height: `${shown * rowHeight}px`}}>
          <div class="sticky"><Canvas draw={draw} width={width} height={height} /></div>
        </div>
      </div>
      {hover && <Tip at={hover}>
        <div><b class="mono">{rowName(data, names, hover.row)}</b></div>
        <div>{bytes(data.bytes[hover.row]!)} ({exactBytes(data.bytes[hover.row]!)})</div>
        <div>allocated after {instant(data.begin[hover.row]! / 1e9)}, {data.released[hover.row] ? `freed after ${instant((data.begin[hover.row]! + data.length[hover.row]!) / 1e9)}` : "never freed"}</div>
        <div>{data.usedAfter[hover.row] ? `used for ${instant(data.usedFor[hover.row]! / 1e9)} from ${instant((data.begin[hover.row]! + data.usedAfter[hover.row]! - 1) / 1e9)} on` : "no known use"}</div>
      </Tip>}
      </div>
      <p id="lifetime" class="sr" aria-live="polite">{describe(selected)}</p>
    </section>
  );
}
