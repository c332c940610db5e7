// The section heat: which warps access which words, as HeatPage.h describes it.
import {lowerBound} from "./columns";
import type {Source} from "./summary";

export interface Pattern {
  /** Digits of base 36: the line of memory, then its words. */
  t: string;
  /** Of shared memory, who shares each word: a thread (T), a warp (W), several (S). */
  s: string;
  /** Lines of the program. */
  p: number[];
  /** Several blocks. */
  b?: number;
  /** Stands for unequal lines of memory. */
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
  noted: string;
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

/** Consecutive lines of memory that are alike. */
export interface Rows {
  count: number;
  /** One more than there are rows. */
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

/** The row that a line of memory is in. */
export const rowAt = (rows: Rows, line: number): number =>
    Math.max(0, lowerBound(rows.first, line + 1, rows.count + 1) - 1);

export const offset = (view: View, line: number): number =>
    line === 0 ? 0 : Math.min(line * view.lineBytes - view.lead, view.bytes);

/** 0 is the line's own cell, then come the words. */
export const temperature = (view: View, pattern: number, cell: number): number =>
    parseInt(view.patterns[pattern]!.t[cell]!, 36);

/** Whether the object has bytes of the cell. */
export function exists(view: View, rows: Rows, row: number, cell: number): boolean {
  const lines = rows.first[row + 1]! - rows.first[row]!;
  const byte = rows.first[row]! * view.lineBytes + 4 * (cell - 1);
  return cell === 0 || lines > 1 || (byte + 4 > view.lead && byte < view.lead + view.bytes);
}
