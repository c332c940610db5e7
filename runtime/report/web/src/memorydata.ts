// The section memory: lifetimes of allocations, and the bytes in use over time.
import {lowerBound, readColumns, type Numbers} from "./columns";

export interface InUse {
  device: number;
  time: Numbers;
  bytes: Numbers;
}

export interface MemoryData {
  end: number;
  count: number;
  names: string[];
  kinds: string[];
  begin: Numbers;
  length: Numbers;
  usedAfter: Numbers;
  usedFor: Numbers;
  bytes: Numbers;
  name: Numbers;
  kind: Numbers;
  device: Numbers;
  released: Numbers;
  /** One more than the index in the summary's objects; 0: not in the summary. */
  object: Numbers;
  inUse: InUse[];
}

interface Head { end: number; names: string[]; kinds: string[]; devices: number[] }

export function readMemory(content: ArrayBuffer): MemoryData {
  const {head, column} = readColumns<Head>(content);
  return {
    end: head.end, names: head.names, kinds: head.kinds, count: column("begin").length,
    begin: column("begin"), length: column("length"), usedAfter: column("used_after"),
    usedFor: column("used_for"), bytes: column("bytes"), name: column("name"),
    kind: column("kind"), device: column("device"), released: column("released"),
    object: column("object"),
    inUse: head.devices.map(device => ({device, time: column(`time_${device}`), bytes: column(`in_use_${device}`)})),
  };
}

/** Returns the bytes in use at points in time; several changes between two points become their maximum. */
export function inUseBetween(all: InUse[], from: number, to: number, points: number): [number[], ...number[][]] {
  const ranges = all.map(({time}) => [Math.max(0, lowerBound(time, from) - 1), lowerBound(time, to)] as const);
  const changes = ranges.reduce((sum, [first, last]) => sum + last - first, 0);
  const times = new Set<number>([from, to]);
  if (changes <= points)
    all.forEach(({time}, i) => {
      for (let at = ranges[i]![0]; at < ranges[i]![1]; ++at)
        if (time[at]! > from)
          times.add(time[at]!);
    });
  else
    for (let i = 1; i < points; ++i)
      times.add(from + i * (to - from) / points);
  const x = [...times].sort((a, b) => a - b);
  const y = all.map(({time, bytes}) => x.map((begin, i) => {
    let at = lowerBound(time, begin + 1e-9) - 1;
    let most = at >= 0 ? bytes[at]! : 0;
    for (const end = x[i + 1] ?? begin; ++at < time.length && time[at]! < end;)
      most = Math.max(most, bytes[at]!);
    return most;
  }));
  return [x, ...y];
}
