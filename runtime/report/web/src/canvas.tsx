// A canvas of the available width, drawn again when its content changes.
import {useEffect, useLayoutEffect, useRef, useState} from "preact/hooks";
import {usePrinting} from "./printing";
import {useTheme} from "./theme";

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => void;

/** Width that fits on A4 and letter paper, and pixels per CSS pixel there. */
const paperWidth = 700, paperRatio = 3;

/** Returns the width in CSS pixels within the element's border, scroll bar included. */
export function useWidth<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const printing = usePrinting();
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element)
      return;
    const measure = () => setWidth(element.offsetWidth - 2 * element.clientLeft);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref.current]);
  return [ref, printing ? paperWidth : width] as const;
}

export function Canvas({draw, width, height}: {draw: Draw; width: number; height: number}) {
  const ref = useRef<HTMLCanvasElement>(null);
  const [, dark] = useTheme();
  const latest = useRef(draw);
  latest.current = draw;
  const printing = usePrinting();
  const paint = () => {
    const canvas = ref.current;
    if (!canvas || width <= 0)
      return;
    const ratio = printing ? paperRatio : devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px ui-monospace, Menlo, Consolas, monospace";
    context.textBaseline = "middle";
    latest.current(context, width, height);
  };
  // No frame is drawn between the event and the print.
  useLayoutEffect(() => {
    if (printing)
      paint();
  }, [draw, width, height, dark, printing]);
  useEffect(() => {
    if (printing)
      return;
    const frame = requestAnimationFrame(paint);
    return () => cancelAnimationFrame(frame);
  }, [draw, width, height, dark, printing]);
  return <canvas ref={ref} aria-hidden="true" style={{width: `${width}px`, height: `${height}px`}} />;
}

/** Returns the text, shortened with an ellipsis to the room. */
export function fitText(context: CanvasRenderingContext2D, text: string, room: number): string {
  const wide = context.measureText("m").width;
  const most = Math.floor(room / wide);
  return text.length <= most ? text : most < 2 ? "" : text.slice(0, most - 1) + "\u2026";
}
