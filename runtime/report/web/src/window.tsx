// The part of the time that is shown, in nanoseconds, and how it is changed: by keys, wheel,
// pointer and buttons, everywhere the same.
import {useMemo, useRef, useState} from "preact/hooks";

export interface TimeWindow {
  from: number;
  to: number;
  end: number;
  show: (from: number, to: number) => void;
  all: () => void;
  /** Factor below 1: closer. At: what stays where it is. */
  zoom: (factor: number, at?: number) => void;
  /** By shares of what is shown. */
  pan: (by: number) => void;
}

const least = 10; // ns

export function useTimeWindow(end: number): TimeWindow {
  const [[from, to], set] = useState<[number, number]>([0, Math.max(end, least)]);
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

/** Returns whether the key was one for the window. */
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

/** Handlers of a box that is dragged through time; width: of what is shown of it, in pixels.
    Click: where it was pressed without being dragged. */
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
    <button type="button" onClick={of.all}>All</button>
  </span>
);

/** Distance of marks on an axis, in ns: 1, 2 or 5 times a power of ten. */
export function niceStep(length: number, marks: number): number {
  const rough = length / Math.max(1, marks), power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
}
