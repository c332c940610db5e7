// The section calls: CUDA API calls by thread, and GPU operations by stream.
import {readColumns, type Numbers} from "./columns";
import type {Source} from "./summary";

/** The calls of a thread or the operations of a stream, in order. */
export interface Lane {
  name: string;
  gpu: boolean;
  /** Indexes of calls. */
  calls: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
}

export interface CallsData {
  count: number;
  end: number;
  kinds: string[];
  names: string[];
  places: Source[];
  begin: Numbers;
  length: Numbers;
  kind: Numbers;
  name: Numbers;
  /** One more than the index in places; 0: unknown. */
  place: Numbers;
  lanes: Lane[];
  laneOf: Numbers;
  /** Empty but in the sync profile. */
  wait: Numbers;
  site: Numbers;
  problem: Numbers;
  /** Per call, one more than the index in gpuBegin; 0: none. */
  gpuOf: Uint32Array;
  gpuBegin: Numbers;
  gpuLength: Numbers;
  /** Accessed allocations, as rows of the section memory. */
  firstAccess: Uint32Array;
  accessed: Numbers;
  access: Numbers;
}

export const problems = ["", "redundant synchronization", "misplaced synchronization", "redundant transfer"];

interface Head {
  kinds: string[];
  names: string[];
  lanes: {name: string; gpu: boolean}[];
  places: Source[];
}

function lanesOf(head: Head, laneOf: Numbers, begin: Numbers, length: Numbers, gpuLane: Numbers,
                 gpuBegin: Numbers, gpuLength: Numbers, gpuCall: Numbers): Lane[] {
  const members: number[][] = head.lanes.map(() => []);
  head.lanes.forEach(({gpu}, lane) => {
    const of = gpu ? gpuLane : laneOf;
    for (let i = 0; i < of.length; ++i)
      if (of[i] === lane)
        members[lane]!.push(i);
  });
  return head.lanes.map(({name, gpu}, lane) => {
    const from = gpu ? gpuBegin : begin, lasts = gpu ? gpuLength : length;
    const rows = members[lane]!;
    let ordered = true;
    for (let i = 1; ordered && i < rows.length; ++i)
      ordered = from[rows[i - 1]!]! <= from[rows[i]!]!;
    if (!ordered)
      rows.sort((a, b) => from[a]! - from[b]! || a - b);
    return {name, gpu, calls: Uint32Array.from(rows, row => gpu ? gpuCall[row]! : row),
            begin: Float64Array.from(rows, row => from[row]!),
            end: Float64Array.from(rows, row => from[row]! + lasts[row]!)};
  }).filter(lane => lane.calls.length !== 0).sort((a, b) => Number(a.gpu) - Number(b.gpu));
}

export function readCalls(content: ArrayBuffer): CallsData {
  const {head, column} = readColumns<Head>(content);
  const begin = column("begin"), length = column("length"), count = begin.length;
  const gpuBegin = column("gpu_begin"), gpuLength = column("gpu_length"), gpuCall = column("gpu_call");
  const gpuOf = new Uint32Array(count), firstAccess = new Uint32Array(count + 1);
  gpuCall.forEach((call: number, i: number) => { gpuOf[call] = i + 1; });
  const accesses = column("accesses");
  for (let i = 0; i < count; ++i)
    firstAccess[i + 1] = firstAccess[i]! + (accesses[i] ?? 0);
  const lanes = lanesOf(head, column("lane"), begin, length, column("gpu_lane"), gpuBegin, gpuLength, gpuCall);
  let end = 1;
  for (const lane of lanes)
    for (let i = 0; i < lane.end.length; ++i)
      end = Math.max(end, lane.end[i]!);
  return {
    count, end, kinds: head.kinds, names: head.names, places: head.places, begin, length,
    kind: column("kind"), name: column("name"), place: column("place"), lanes, laneOf: column("lane"),
    wait: column("wait"), site: column("site"), problem: column("problem"), gpuOf, gpuBegin, gpuLength,
    firstAccess, accessed: column("accessed"), access: column("access"),
  };
}

export const placeOf = (data: CallsData, call: number): Source | null =>
    data.places[data.place[call]! - 1] ?? null;
