// The time range in sight, in nanoseconds: keys, wheel, pointer and buttons change it, and the URL keeps it.
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {changed, replaceWith, type Route} from "./route";

export interface TimeWindow {
  from: number;
  to: number;
  end: number;
  show: (from: number, to: number) => void;
  all: () => void;
  /** A factor below 1 zooms in. At: the time that stays in place. */
  zoom: (factor: number, at?: number) => void;
  /** By: shares of the range. */
  pan: (by: number) => void;
}

const least = 10; // ns
/** Quiet time before the URL gets the range: browsers limit how often it changes. */
const settleMs = 200;

function rangeOf({query}: Route, end: number): [number, number] {
  const from = Number(query.get("from") ?? NaN), to = Number(query.get("to") ?? NaN);
  return from >= 0 && to - from >= least && to <= end ? [from, to] : [0, Math.max(end, least)];
}

export function useTimeWindow(end: number, route: Route): TimeWindow {
  const [[from, to], set] = useState(() => rangeOf(route, end));
  const latest = useRef(route), kept = useRef([from, to].join());
  latest.current = route;
  useEffect(() => {
    const asked = rangeOf(route, end);
    if (asked.map(Math.round).join() !== kept.current) {
      kept.current = asked.map(Math.round).join();
      set(asked);
    }
  }, [route]);
  useEffect(() => {
    const range = [Math.round(from), Math.round(to)];
    if (range.join() === kept.current)
      return;
    const timer = setTimeout(() => {
      kept.current = range.join();
      const isAll = from <= 0 && to >= end;
      replaceWith(changed(latest.current, {from: isAll ? null : String(range[0]), to: isAll ? null : String(range[1])}));
    }, settleMs);
    return () => clearTimeout(timer);
  }, [from, to, end]);
  return useMemo(() => {
    const show = (a: number, b: number) => {
      const length = Math.min(Math.max(b - a, least), Math.max(end, least));
      const begin = Math.min(Math.max(0, (a + b - length) / 2), Math.max(0, end - length));
      set([begin, begin + length]);
    };
    return {
      from, to, end, show,
      all: () => show(0, end),
      zoom: (factor, at = (from + to) / 2) => show(at - (at - from) * factor, at + (to - at) * factor),
      pan: by => show(from + by * (to - from), to + by * (to - from)),
    };
  }, [from, to, end]);
}

/** Returns whether the key changed the window. */
export function windowKey(event: KeyboardEvent, w: TimeWindow, arrows: boolean): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey)
    return false;
  switch (event.key) {
  case "+": case "=": w.zoom(0.5); break;
  case "-": case "_": w.zoom(2); break;
  case "0": w.all(); break;
  case "ArrowLeft": if (!arrows && !event.shiftKey) return false; w.pan(-0.2); break;
  case "ArrowRight": if (!arrows && !event.shiftKey) return false; w.pan(0.2); break;
  default: return false;
  }
  event.preventDefault();
  return true;
}

/** Ctrl and wheel zoom, shift and wheel or a sideways wheel pan. At: the time under the pointer. */
export function windowWheel(event: WheelEvent, w: TimeWindow, at: number): void {
  if (event.ctrlKey || event.metaKey)
    w.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), at);
  else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
    w.pan((event.deltaX || event.deltaY) / 1000);
  else
    return;
  event.preventDefault();
}

/** Handlers of a box that is dragged through time. Width: of the range, in pixels. Click: called with the
    position of a press without a drag. */
export function useDrag(w: TimeWindow, width: number, click: (x: number, y: number) => void) {
  const drag = useRef<{x: number; from: number; to: number; moved: boolean} | null>(null);
  type BoxEvent = PointerEvent & {currentTarget: HTMLDivElement};
  return {
    onPointerDown: (event: BoxEvent) => {
      drag.current = {x: event.clientX, from: w.from, to: w.to, moved: false};
    },
    onPointerMove: (event: BoxEvent) => {
      const d = drag.current;
      if (!d || (!d.moved && Math.abs(event.clientX - d.x) < 4))
        return;
      if (!d.moved)
        event.currentTarget.setPointerCapture(event.pointerId);
      d.moved = true;
      const by = (d.x - event.clientX) / width * (d.to - d.from);
      w.show(d.from + by, d.to + by);
    },
    onPointerUp: (event: BoxEvent) => {
      const moved = drag.current?.moved;
      drag.current = null;
      const bounds = event.currentTarget.getBoundingClientRect();
      if (!moved)
        click(event.clientX - bounds.left, event.clientY - bounds.top);
    },
  };
}

export const WindowButtons = ({of}: {of: TimeWindow}) => (
  <span class="buttons" role="group" aria-label="Time shown">
    <button type="button" onClick={() => of.zoom(0.5)} aria-label="Zoom in">+</button>
    <button type="button" onClick={() => of.zoom(2)} aria-label="Zoom out">{"\u2212"}</button>
    <button type="button" onClick={() => of.pan(-0.5)} aria-label="Earlier">{"\u2190"}</button>
    <button type="button" onClick={() => of.pan(0.5)} aria-label="Later">{"\u2192"}</button>
    <button type="button" onClick={of.all} title="Show the whole run">All</button>
  </span>
);

/** Distance of ticks on an axis: 1, 2 or 5 times a power of ten. */
export function niceStep(length: number, marks: number): number {
  const rough = length / Math.max(1, marks), power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
}
