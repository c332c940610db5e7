// CUDA API calls and GPU operations, a lane for each thread and stream. A column of pixels that several
// events share has the colour of the most important one.
import {useCallback, useMemo, useState} from "preact/hooks";
import {placeOf, problems, type CallsData, type Lane} from "./callsdata";
import {Canvas, fitText, useWidth, type Draw} from "./canvas";
import {lowerBound} from "./columns";
import {instant, moment, percent, position, seconds, shortName} from "./format";
import {gutterOf, margin} from "./memorychart";
import {useReport} from "./parts";
import {color} from "./theme";
import {Tip, type TipAt} from "./tooltip";
import {niceStep, useDrag, windowKey, windowWheel, type TimeWindow} from "./window";

const laneHeight = 30, axisHeight = 20;
/** Narrow events of a lane that can have a name beside them. */
const mostLabels = 2000;

interface Props {
  data: CallsData;
  window: TimeWindow;
  /** The selected call; -1: none. */
  selected: number;
  /** The call site whose calls stand out; -1: none. */
  site: number;
  onSelect: (call: number) => void;
}

// In ascending importance.
const classes = ["none", "memory", "kernel0", "copy", "wait", "problem", "kernel1", "kernel2", "kernel3"] as const;
const classOfKind: Record<string, number> = {memory: 1, other: 1, launch: 2, copy: 3, set: 3, wait: 4};
const launchClasses = [2, 6, 7, 8];
/** Launches of all kernels are equally important. */
const importance = (is: number): number => is > 5 ? 2 : is;

/** Returns the class of each call; kernels differ in colour, in the order of their first launches. */
function classesOf(data: CallsData): Uint8Array {
  const kinds = data.kinds.map(kind => classOfKind[kind] ?? 1), kernels = new Map<number, number>();
  return Uint8Array.from({length: data.count}, (_, call) => {
    const is = kinds[data.kind[call]!]!, name = data.name[call]!;
    if (is !== classOfKind.launch)
      return is;
    if (!kernels.has(name))
      kernels.set(name, launchClasses[kernels.size % launchClasses.length]!);
    return kernels.get(name)!;
  });
}

/** The first event that ends after a time. Events of a lane may overlap a little. */
function firstInSight(lane: Lane, from: number): number {
  let at = lowerBound(lane.begin, from);
  for (let back = 1; back <= 64 && at - back >= 0; ++back)
    if (lane.end[at - back]! > from) {
      at -= back;
      back = 0;
    }
  return at;
}

function CallValues({data, call}: {data: CallsData; call: number}) {
  const {summary} = useReport();
  const gpu = data.gpuOf[call]! - 1, place = placeOf(data, call), name = data.names[data.name[call]!]!;
  const kernels = data.kinds[data.kind[call]!] === "launch" ? summary.kernels.filter(k => shortName(k.demangled) === name) : [];
  const time = kernels.length === 1 ? kernels[0]!.seconds : null;
  return (
    <>
      <div><b class="mono">{name}</b> {data.kinds[data.kind[call]!]}</div>
      <div>{data.length[call] ? `host: ${seconds(data.length[call]! / 1e9)}, ` : ""}at {instant(data.begin[call]! / 1e9)}</div>
      {data.wait[call] ? <div>waits {seconds(data.wait[call]! / 1e9)}</div> : null}
      {gpu >= 0 && <div>GPU: {seconds(data.gpuLength[gpu]! / 1e9)}, at {instant(data.gpuBegin[gpu]! / 1e9)}</div>}
      {time && <div>kernel: {time.instrumented ? "\u2264" : ""}{percent(time.share)} of the kernel time</div>}
      {data.problem[call] ? <div class="warning">{problems[data.problem[call]!]}</div> : null}
      {place && <div class="mono">{position(place)}</div>}
    </>
  );
}

export function Lanes({data, window: w, selected, site, onSelect}: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const height = axisHeight + data.lanes.length * laneHeight;
  const [hover, setHover] = useState<TipAt & {call: number} | null>(null);
  const gutter = gutterOf(width), plotWidth = width - gutter - margin;
  const timeAt = (x: number) => w.from + (x - gutter) / plotWidth * (w.to - w.from);
  const drag = useDrag(w, plotWidth, (x, y) => {
    const call = callAt(x, y);
    if (call >= 0)
      onSelect(call);
  });

  const ofCall = useMemo(() => classesOf(data), [data]);
  const draw: Draw = useCallback((context, wide, high) => {
    const scale = plotWidth / (w.to - w.from);
    const paint = classes.map(name => color(name)), ink = color("ink"), faint = color("faint"),
          grid = color("grid"), focus = color("focus"), paper = color("paper"), line = color("line");
    const step = niceStep(w.to - w.from, Math.max(2, plotWidth / 150));
    context.textAlign = "center";
    for (let at = Math.ceil(w.from / step) * step; at <= w.to; at += step) {
      const x = gutter + (at - w.from) * scale;
      context.fillStyle = grid;
      context.fillRect(Math.round(x), axisHeight, 1, high - axisHeight);
      context.fillStyle = faint;
      if (x < wide - 30)
        context.fillText(moment(at / 1e9, step / 1e9), x, axisHeight / 2);
    }
    const letter = context.measureText("m").width; // the font is monospaced
    const columns = new Uint8Array(Math.max(0, Math.ceil(plotWidth)) + 1);
    data.lanes.forEach((lane, number) => {
      const top = axisHeight + number * laneHeight;
      context.fillStyle = line;
      context.fillRect(0, top, wide, 1);
      context.fillStyle = ink;
      context.textAlign = "left";
      context.fillText(fitText(context, lane.name, gutter - 16), 8, top + laneHeight / 2);
      context.save();
      context.beginPath();
      context.rect(gutter, top, plotWidth, laneHeight);
      context.clip();
      columns.fill(0);
      const large: number[] = [], small: number[] = [];
      for (let i = firstInSight(lane, w.from); i < lane.calls.length && lane.begin[i]! <= w.to; ++i) {
        const call = lane.calls[i]!;
        const x0 = (lane.begin[i]! - w.from) * scale, x1 = (lane.end[i]! - w.from) * scale;
        if (x1 - x0 >= 3) {
          large.push(i);
          continue;
        }
        if (small.length < mostLabels)
          small.push(i);
        const is = site >= 0 && data.site[call] === site || !lane.gpu && data.problem[call] ? 5
                 : !lane.gpu && data.wait[call] ? 4 : ofCall[call]!;
        const last = Math.min(columns.length - 1, Math.max(x0, x1 - 0.5));
        for (let x = Math.max(0, Math.floor(x0)); x <= last; ++x)
          if (importance(columns[x]!) < importance(is))
            columns[x] = is;
      }
      for (let x = 0; x < columns.length;) {
        const is = columns[x]!, from = x;
        while (x < columns.length && columns[x] === is)
          ++x;
        if (is) {
          context.fillStyle = paint[is]!;
          context.fillRect(gutter + from, top + 5, x - from, laneHeight - 10);
        }
      }
      for (const i of large) {
        const call = lane.calls[i]!;
        const x0 = Math.max(-4, (lane.begin[i]! - w.from) * scale), x1 = Math.min(plotWidth + 4, (lane.end[i]! - w.from) * scale);
        context.fillStyle = paint[ofCall[call]!]!;
        context.fillRect(gutter + x0, top + 5, x1 - x0, laneHeight - 10);
        const wait = lane.gpu ? 0 : data.wait[call] ?? 0;
        if (wait) {
          const from = Math.max(x0, (lane.end[i]! - wait - w.from) * scale);
          context.fillStyle = paint[4]!;
          context.fillRect(gutter + from, top + 5, x1 - from, laneHeight - 10);
        }
        if (!lane.gpu && data.problem[call]) {
          context.fillStyle = paint[5]!;
          context.fillRect(gutter + x0, top + laneHeight - 8, x1 - x0, 3);
        }
        if (x1 - x0 > 40) {
          context.fillStyle = paper;
          context.fillText(fitText(context, data.names[data.name[call]!]!, x1 - x0 - 8), gutter + x0 + 4, top + laneHeight / 2);
        }
        if (site >= 0 && data.site[call] === site) {
          context.strokeStyle = ink;
          context.lineWidth = 1;
          context.strokeRect(gutter + x0 + 0.5, top + 3.5, x1 - x0 - 1, laneHeight - 7);
        }
      }
      // Names beside events that are too narrow to hold them, where no other event follows.
      let free = 0;
      for (const i of small) {
        const x0 = (lane.begin[i]! - w.from) * scale, from = Math.max(x0, (lane.end[i]! - w.from) * scale) + 4;
        const to = i + 1 < lane.calls.length ? Math.min(plotWidth, (lane.begin[i + 1]! - w.from) * scale - 2) : plotWidth;
        const name = data.names[data.name[lane.calls[i]!]!]!, room = name.length * letter;
        if (x0 < free || to - from < room)
          continue;
        context.fillStyle = ink;
        context.fillText(name, gutter + from, top + laneHeight / 2);
        free = from + room;
      }
      const at = selected < 0 ? -1 : lane.gpu ? lane.calls.indexOf(selected) : lowerBound(lane.begin, data.begin[selected]!);
      for (let i = at; i >= 0 && i < lane.calls.length && i < at + 64; ++i)
        if (lane.calls[i] === selected) {
          const x0 = (lane.begin[i]! - w.from) * scale, x1 = Math.max(x0 + 2, (lane.end[i]! - w.from) * scale);
          context.strokeStyle = focus;
          context.lineWidth = 2;
          context.strokeRect(gutter + x0 - 1, top + 3, x1 - x0 + 2, laneHeight - 6);
          break;
        }
      context.restore();
    });
  }, [data, ofCall, selected, site, w.from, w.to, plotWidth, gutter]);

  function callAt(x: number, y: number): number {
    const lane = data.lanes[Math.floor((y - axisHeight) / laneHeight)];
    if (!lane || x < gutter)
      return -1;
    const time = timeAt(x), near = 3 / plotWidth * (w.to - w.from);
    let best = -1, distance = near;
    for (let i = firstInSight(lane, time - near); i < lane.calls.length && lane.begin[i]! <= time + near; ++i) {
      const away = Math.max(0, lane.begin[i]! - time, time - lane.end[i]!);
      if (away < distance || (away === distance && away === 0)) {
        distance = away;
        best = lane.calls[i]!;
      }
    }
    return best;
  }

  /** Returns the call's lane and its index there. */
  function where(call: number): [number, number] {
    for (let number = 0; number < data.lanes.length; ++number) {
      const lane = data.lanes[number]!;
      if (lane.gpu || call < 0)
        continue;
      for (let i = lowerBound(lane.begin, data.begin[call]!); i < lane.calls.length && lane.begin[i] === data.begin[call]; ++i)
        if (lane.calls[i] === call)
          return [number, i];
    }
    return [-1, -1];
  }

  function select(call: number): void {
    const begin = data.begin[call]!, end = begin + data.length[call]!;
    if (begin > w.to || end < w.from) {
      const length = w.to - w.from;
      w.show(begin - length / 2, begin + length / 2);
    }
    onSelect(call);
  }

  function key(event: KeyboardEvent): void {
    if (windowKey(event, w, false) || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const cpu = data.lanes.map((lane, i) => lane.gpu ? -1 : i).filter(i => i >= 0);
    let [lane, at] = where(selected);
    const before = lane;
    if (lane < 0)
      [lane, at] = [cpu[0] ?? -1, -1];
    if (lane < 0)
      return;
    const calls = data.lanes[lane]!.calls;
    switch (event.key) {
    case "ArrowRight": at = before < 0 ? firstInSight(data.lanes[lane]!, w.from) : at + 1; break;
    case "ArrowLeft": at -= 1; break;
    case "Home": at = 0; break;
    case "End": at = calls.length - 1; break;
    case "ArrowDown": case "ArrowUp": {
      const next = cpu[cpu.indexOf(lane) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next === undefined)
        return;
      at = Math.min(lowerBound(data.lanes[next]!.begin, data.begin[Math.max(0, selected)]!), data.lanes[next]!.calls.length - 1);
      lane = next;
      break;
    }
    case "Enter": case " ":
      if (selected >= 0)
        w.show(data.begin[selected]! - data.length[selected]!, data.begin[selected]! + 2 * data.length[selected]!);
      event.preventDefault();
      return;
    default: return;
    }
    event.preventDefault();
    const of = data.lanes[lane]!.calls;
    select(of[Math.min(Math.max(at, 0), of.length - 1)]!);
  }

  const said = selected < 0 ? "" :
      `${data.names[data.name[selected]!]} at ${instant(data.begin[selected]! / 1e9)}, ${seconds(data.length[selected]! / 1e9)}` +
      (data.wait[selected] ? `, waits ${seconds(data.wait[selected]! / 1e9)}` : "") +
      (data.problem[selected] ? `, ${problems[data.problem[selected]!]}` : "");
  return (
    <div class="hovered">
      <div class="lanes" ref={box} tabIndex={0} role="application" aria-roledescription="timeline"
           aria-label="CUDA API calls and GPU operations: left and right select calls, up and down threads, plus and minus zoom, 0 shows all"
           aria-describedby="call" onKeyDown={key}
           onWheel={event => windowWheel(event, w, timeAt(event.clientX - event.currentTarget.getBoundingClientRect().left))}
           onMouseMove={event => {
             const bounds = event.currentTarget.getBoundingClientRect(), x = event.clientX - bounds.left, y = event.clientY - bounds.top;
             const call = callAt(x, y + event.currentTarget.scrollTop);
             setHover(call < 0 ? null : {x, y, call});
           }}
           onMouseLeave={() => setHover(null)} {...drag} onDblClick={w.all}>
        <Canvas draw={draw} width={width} height={height} />
      </div>
      {hover && <Tip at={hover}><CallValues data={data} call={hover.call} /></Tip>}
      <p id="call" class="sr" aria-live="polite">{said}</p>
    </div>
  );
}
