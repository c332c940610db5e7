// Memory in use over time, with the peaks and the achievable peak.
import {useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import {useWidth} from "./canvas";
import {lowerBound} from "./columns";
import {baseName, bytes, exactBytes, instant, moment} from "./format";
import {hasOthers, inUseBetween, linesAt, ownersShown, stacked, type MemoryData} from "./memorydata";
import {color, useTheme} from "./theme";
import {Tip, type TipAt} from "./tooltip";
import {niceStep, windowWheel, type TimeWindow} from "./window";

/** Width of the labels left of charts that share a time axis. */
export const gutterOf = (width: number): number => width < 600 ? 124 : 190;
export const margin = 14;

export interface Peak {
  device: number;
  bytes: number;
  after: number | null;
  ns: number;
}

function binarySplits(least: number, most: number): number[] {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, (most - least) / 5)));
  return Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
}

interface Label {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Adds the label, moved down until it overlaps no other, and returns its position. */
function freePlace(there: Label[], label: Label): number {
  let {y} = label;
  for (let other: Label | undefined;
       (other = there.find(o => o.x < label.x + label.width && label.x < o.x + o.width && Math.abs(o.y - y) < label.height));)
    y = other.y + label.height;
  there.push({...label, y});
  return y;
}

const strokes = ["--used", "--copy", "--wait", "--high", "--memory"];
const fills = ["used", "copy", "kernel1", "kernel2", "kernel3", "wait", "kernel0", "memory"] as const;
const fillOf = (i: number) => fills[i % fills.length]!;

export function MemoryChart({data, window: w, peaks}: {data: MemoryData; window: TimeWindow; peaks: Peak[]}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const plot = useRef<uPlot | null>(null);
  const [, dark] = useTheme();
  const latest = useRef(w);
  latest.current = w;
  const [hover, setHover] = useState<TipAt & {ns: number} | null>(null);
  // The memory of one device is stacked by owner; of several, each has a line.
  const [others, setOthers] = useState(false);
  const all = data.owners.length === 1 ? data.owners[0]! : null;
  const owners = useMemo(() => all && ownersShown(all, others), [all, others]);
  const lines = useMemo(() => owners ? stacked(owners, data.inUse[0]!.device) : data.inUse, [data, owners]);
  const points = useMemo(() => inUseBetween(lines, w.from, w.to, 1600), [lines, w.from, w.to]);
  const most = useMemo(() => lines.reduce((sum, {bytes: b}) => {
    for (let i = 0; i < b.length; ++i)
      sum = Math.max(sum, b[i]!);
    return sum;
  }, 1), [lines]);

  useLayoutEffect(() => {
    if (!box.current || width === 0)
      return;
    const ink = color("faint"), grid = color("grid");
    const axis = {stroke: ink, font: "11px system-ui, sans-serif", grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}};
    const marks = (u: uPlot) => {
      const {ctx} = u, ratio = devicePixelRatio || 1;
      ctx.save();
      ctx.strokeStyle = color("wait");
      ctx.fillStyle = color("wait");
      ctx.font = `${11 * ratio}px system-ui, sans-serif`;
      ctx.textBaseline = "top";
      ctx.textAlign = "left";
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      const labels: Label[] = [];
      // On a plate, since areas of any colour are below.
      const write = (text: string, x: number, y: number) => {
        const ink = ctx.fillStyle;
        ctx.fillStyle = color("paper");
        ctx.fillRect(x - 2 * ratio, y - ratio, ctx.measureText(text).width + 4 * ratio, 13 * ratio);
        ctx.fillStyle = ink;
        ctx.fillText(text, x, y);
      };
      peaks.forEach((peak, i) => {
        const x = u.valToPos(peak.ns, "x", true), y = u.valToPos(peak.bytes, "y", true);
        ctx.setLineDash([]);
        ctx.beginPath();
        ctx.arc(x, y, 3.5 * ratio, 0, 7);
        ctx.fill();
        const label = `peak ${i + 1}`, room = ctx.measureText(label).width;
        const beside = x + room + 8 * ratio > u.bbox.left + u.bbox.width ? x - room - 8 * ratio : x + 7 * ratio;
        write(label, beside, freePlace(labels, {x: beside, y: y + 2 * ratio, width: room, height: 13 * ratio}));
        if (peak.after !== null && peak.after < peak.bytes && peaks.findIndex(p => p.device === peak.device) === i) {
          const level = u.valToPos(peak.after, "y", true);
          ctx.setLineDash([5 * ratio, 4 * ratio]);
          ctx.strokeStyle = ctx.fillStyle = color("good");
          ctx.beginPath();
          ctx.moveTo(u.bbox.left, level);
          ctx.lineTo(u.bbox.left + u.bbox.width, level);
          ctx.stroke();
          write(`achievable peak ${bytes(peak.after)}`, u.bbox.left + 6 * ratio, level + 3 * ratio);
          ctx.strokeStyle = ctx.fillStyle = color("wait");
        }
      });
      ctx.restore();
    };
    const u = new uPlot({
      width, height: 190, padding: [8, margin, 0, 0],
      legend: {show: false},
      cursor: {y: false, points: {show: false}, drag: {x: true, y: false, setScale: false}},
      scales: {x: {time: false}, y: {range: [0, most * 1.08]}},
      axes: [
        {...axis, size: 26, values: (_, splits) => {
          const step = splits.length > 1 ? splits[1]! - splits[0]! : 1;
          return splits.map(at => moment(at / 1e9, step / 1e9));
        }, splits: (_u, _i, from, to) => {
          const step = niceStep(to - from, Math.max(2, width / 150));
          const first = Math.ceil(from / step);
          return Array.from({length: Math.max(0, Math.floor(to / step) - first + 1)}, (_, i) => (first + i) * step);
        }},
        {...axis, size: gutterOf(width), values: (_, splits) => splits.map(bytes), splits: (_u, _i, from, to) => binarySplits(from, to)},
      ],
      series: [{}, ...lines.map(({device}, i) => ({
        label: owners ? owners.names[lines.length - 1 - i]! : `device ${device}`,
        stroke: color(owners ? fillOf(lines.length - 1 - i) : strokes[i % strokes.length]!.slice(2)), width: owners ? 0 : 1.2,
        fill: owners ? color(fillOf(lines.length - 1 - i)) : i === 0 ? color("bar") + "55" : undefined,
        paths: uPlot.paths.stepped!({align: 1}), points: {show: false},
      }) as uPlot.Series)],
      hooks: {
        draw: [marks],
        setCursor: [chart => {
          const {left = -1, top = 0} = chart.cursor;
          setHover(left < 0 ? null : {x: chart.over.offsetLeft + left, y: chart.over.offsetTop + top, ns: chart.posToVal(left, "x")});
        }],
        setSelect: [chart => {
          const {left, width: wide} = chart.select;
          if (wide > 3)
            latest.current.show(chart.posToVal(left, "x"), chart.posToVal(left + wide, "x"));
          chart.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    }, points as uPlot.AlignedData, box.current);
    u.over.addEventListener("wheel", event => windowWheel(event, latest.current, u.posToVal(event.offsetX, "x")), {passive: false});
    u.over.addEventListener("dblclick", () => latest.current.all());
    plot.current = u;
    return () => u.destroy();
  }, [width, dark, data, owners, peaks]);

  useLayoutEffect(() => {
    plot.current?.setData(points as uPlot.AlignedData, false);
    plot.current?.setScale("x", {min: w.from, max: w.to});
  }, [points, width, dark, owners]);

  return (
    <div class="hovered">
      <div ref={box} class="chart" role="img" aria-label={
          `Memory in use over time; ${peaks.map((p, i) => `peak ${i + 1}: ${bytes(p.bytes)} after ${instant(p.ns / 1e9)}`).join(", ")}`} />
      {hover && <Tip at={hover}>
        {data.inUse.map(({device, time, bytes: inUse}) => {
          const now = inUse[lowerBound(time, hover.ns + 1) - 1] ?? 0;
          return <div>{data.inUse.length > 1 && `device ${device}: `}<b>{bytes(now)}</b> ({exactBytes(now)})</div>;
        })}
        <div>after {instant(Math.round(hover.ns) / 1e9)}</div>
        {owners && owners.names.map((name, i) => {
          const now = owners.bytes[i]![lowerBound(owners.time, hover.ns + 1) - 1] ?? 0;
          return now > 0 && <div><span style={{color: color(fillOf(i))}}>{"\u25a0"}</span> {name}: {bytes(now)}</div>;
        })}
        {linesAt(data, hover.ns, 5).map(([source, sum]) => <div class="mono">{baseName(source.file)}:{source.line}: {bytes(sum)}</div>)}
      </Tip>}
      {owners && <p class="owners">
        <span class="faint" aria-label="Owners of the memory">{owners.names.map((name, i) =>
          <span class="owner"><span style={{color: color(fillOf(i))}}>{"\u25a0"}</span> {name}</span>)}</span>
        {all && hasOthers(all) && <label><input type="checkbox" checked={others} onChange={event => setOthers(event.currentTarget.checked)} /> Also memory of CUDA and of other processes</label>}
      </p>}
    </div>
  );
}
