// The section heat: which warps access which words (runtime/report/HeatPage.h).
import {lowerBound} from "./columns";
import type {Source} from "./summary";

export interface Pattern {
  /** Temperatures as base-36 digits: the sector, then its words. */
  t: string;
  /** In shared memory, the sharers of each word: a thread (T), a warp (W) or several warps (S). */
  s: string;
  /** Source lines, as indexes in HeatLaunch.places. */
  p: number[];
  /** 1 if several blocks access it. */
  b?: number;
  /** 1 if it merges unequal sectors. */
  m?: number;
}

export interface View {
  name: string;
  what: string;
  source: string;
  address: string;
  bytes: number;
  shared: boolean;
  lineBytes: number;
  lead: number;
  lines: number;
  patterns: Pattern[];
  rows: (number[] | "same" | null)[];
  missing: number[];
}

export interface HeatLaunch {
  id: number;
  launches: number;
  kernel: string;
  grid: string;
  block: string;
  sampled: string;
  warps: number;
  hottest: number;
  outside: number;
  lost: number;
  places: (Source & {text: string} | null)[];
  views: View[];
}

export const kinds = ["all", "reads", "writes", "atomics"];

export const readHeat = (content: ArrayBuffer): HeatLaunch[] =>
    (JSON.parse(new TextDecoder().decode(content)) as {launches: HeatLaunch[]}).launches;

/** Runs of consecutive sectors (or rows of banks) with equal accesses. */
export interface Rows {
  count: number;
  /** The first sector of each run, and the end. */
  first: Float64Array;
  pattern: Uint32Array;
  accesses: Float64Array;
}

const decoded = new WeakMap<number[], Rows>();
const none: number[] = [];

export function rowsOf(view: View, kind: number): Rows {
  const of = view.rows[kind], flat = (of === "same" ? view.rows[0] as number[] | null : of) ?? none;
  let rows = decoded.get(flat);
  if (!rows) {
    const count = flat.length / 3;
    rows = {count, first: new Float64Array(count + 1), pattern: new Uint32Array(count), accesses: new Float64Array(count)};
    for (let i = 0; i < count; ++i) {
      rows.first[i + 1] = rows.first[i]! + flat[3 * i]!;
      rows.pattern[i] = flat[3 * i + 1]!;
      rows.accesses[i] = flat[3 * i + 2]!;
    }
    decoded.set(flat, rows);
  }
  return rows;
}

export const missingOf = (view: View, kind: number): number =>
    view.missing[view.rows[kind] === "same" ? 0 : kind] ?? 0;

/** Returns the run that a sector is in. */
export const rowAt = (rows: Rows, line: number): number =>
    Math.max(0, lowerBound(rows.first, line + 1, rows.count + 1) - 1);

export const offset = (view: View, line: number): number =>
    line === 0 ? 0 : Math.min(line * view.lineBytes - view.lead, view.bytes);

/** Cell 0 is the sector, the following are its words. */
export const temperature = (view: View, pattern: number, cell: number): number =>
    parseInt(view.patterns[pattern]!.t[cell]!, 36);

/** Returns whether the allocation has bytes in the cell. */
export function exists(view: View, rows: Rows, row: number, cell: number): boolean {
  const lines = rows.first[row + 1]! - rows.first[row]!;
  const byte = rows.first[row]! * view.lineBytes + 4 * (cell - 1);
  return cell === 0 || lines > 1 || (byte + 4 > view.lead && byte < view.lead + view.bytes);
}
