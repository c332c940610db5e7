// The section memory: lifetimes of allocations, and the bytes in use over time.
import {lowerBound, readColumns, type Numbers} from "./columns";
import type {Source} from "./summary";

export interface InUse {
  device: number;
  time: Numbers;
  bytes: Numbers;
}

/** Bytes of each owner of a device's memory at each change. */
export interface Owners {
  time: Numbers;
  names: string[];
  bytes: Numbers[];
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
  /** One more than the index in places; 0: unknown, or the bytes count elsewhere (slabs, parts of pools). */
  place: Numbers;
  places: Source[];
  inUse: InUse[];
  /** In the order of inUse. */
  owners: Owners[];
}

interface Head { end: number; names: string[]; kinds: string[]; places: Source[]; devices: number[]; owners: string[][] }

export function readMemory(content: ArrayBuffer): MemoryData {
  const {head, column} = readColumns<Head>(content);
  return {
    end: head.end, names: head.names, kinds: head.kinds, count: column("begin").length,
    begin: column("begin"), length: column("length"), usedAfter: column("used_after"),
    usedFor: column("used_for"), bytes: column("bytes"), name: column("name"),
    kind: column("kind"), device: column("device"), released: column("released"),
    object: column("object"), place: column("place"), places: head.places,
    inUse: head.devices.map(device => ({device, time: column(`time_${device}`), bytes: column(`in_use_${device}`)})),
    owners: head.devices.map((device, i) => ({time: column(`owners_time_${device}`), names: head.owners[i]!,
                                              bytes: head.owners[i]!.map((_, n) => column(`owner_${device}_${n}`))})),
  };
}

/** Who holds what the program does not, as the page's writer names it. */
const elsewhere = "CUDA, other processes, unattributed";

const holdsMemory = ({names, bytes}: Owners, i: number): boolean => names[i] !== "" && bytes[i]!.some((n: number) => n !== 0);

/** Returns whether memory is in use that the program does not hold. */
export const hasOthers = (of: Owners): boolean => of.names.some((name, i) => name === elsewhere && holdsMemory(of, i));

/** Returns the owners that hold memory, null if none does; others: also what the program does not hold. */
export function ownersShown(of: Owners, others: boolean): Owners | null {
  const shown = of.names.map((_, i) => i).filter(i => holdsMemory(of, i) && (others || of.names[i] !== elsewhere));
  return shown.length === 0 ? null : {time: of.time, names: shown.map(i => of.names[i]!), bytes: shown.map(i => of.bytes[i]!)};
}

/** Returns the sums of the first owner, of the first two, and so on, the largest sum first. */
export function stacked({time, bytes}: Owners, device: number): InUse[] {
  const sums: InUse[] = [];
  let below: Numbers = new Float64Array(time.length);
  for (const each of bytes) {
    below = Float64Array.from(each, (here, i) => here + below[i]!);
    sums.unshift({device, time, bytes: below});
  }
  return sums;
}

/** Returns the lines whose allocations have the most bytes at a time, the most first. */
export function linesAt(data: MemoryData, ns: number, most: number): [Source, number][] {
  const sums = new Map<number, number>();
  for (let row = 0; row < data.count; ++row)
    if (data.place[row] && data.begin[row]! <= ns && ns < data.begin[row]! + data.length[row]!)
      sums.set(data.place[row]!, (sums.get(data.place[row]!) ?? 0) + data.bytes[row]!);
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, most).map(([place, sum]) => [data.places[place - 1]!, sum]);
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
