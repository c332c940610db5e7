// Formats numbers as the text report does (runtime/analysis/Wording.cpp), so that a number is the same
// on the page, in the text and in messages.
import type {Num, Source} from "./summary";

const grouping = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

export const grouped = (n: number): string => grouping.format(n);

/** Returns a number with as many decimals, ties rounded to even as by C++'s std::format; toFixed rounds them up. */
function fixed(x: number, decimals: number): string {
  const up = x.toFixed(decimals);
  const tie = /^50*$/.test(x.toFixed(decimals + 40).slice(-40));
  return tie && Number(up.at(-1)) % 2 ? (x * (1 - Number.EPSILON)).toFixed(decimals) : up;
}

const withoutZero = (text: string): string => text.replace(/\.0$/, "");

const twoDigits = (x: number): string => Math.abs(x) >= 9.95 ? fixed(x, 0) : withoutZero(fixed(x, 1));

/** Ratios such as sectors/request: 0.04, 2.5, 16.6, 1,234. */
export function ratio(x: number): string {
  const size = Math.abs(x);
  if (x !== 0 && size < 0.1)
    return String(Number(x.toPrecision(2)));
  return size >= 99.95 ? grouped(Math.round(x)) : withoutZero(fixed(x, 1));
}

export function bytes(n: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  if (Math.abs(n) < 1024)
    return n === 1 ? "1 byte" : `${fixed(n, 0)} bytes`;
  let unit = 0, size = n / 1024;
  // A size that rounds to 1024 is 1 of the next unit.
  for (; Math.abs(size) >= 1023.5 && unit + 1 < units.length; ++unit)
    size /= 1024;
  return `${twoDigits(size)} ${units[unit]}`;
}

export const exactBytes = (n: number): string => plural(n, "byte");

export function seconds(s: number): string {
  const size = Math.abs(s);
  if (size < 0.5e-9)
    return "0 s";
  if (size < 0.9995e-6)
    return `${twoDigits(s * 1e9)} ns`;
  if (size < 0.9995e-3)
    return `${twoDigits(s * 1e6)} us`;
  return size < 0.9995 ? `${twoDigits(s * 1e3)} ms` : `${twoDigits(s)} s`;
}

function timeUnit(size: number): [number, string] {
  return size < 1e-6 ? [1e9, "ns"] : size < 1e-3 ? [1e6, "us"] : size < 1 ? [1e3, "ms"] : [1, "s"];
}

/** A time on an axis whose ticks are step seconds apart. */
export function moment(s: number, step: number): string {
  const [scale, unit] = timeUnit(Math.max(Math.abs(s), step));
  const decimals = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
  return `${(s * scale).toLocaleString("en-US", {minimumFractionDigits: decimals,
                                                 maximumFractionDigits: decimals})} ${unit}`;
}

/** A time since the start of the run, to three decimals. */
export function instant(s: number): string {
  if (s === 0)
    return "0 s";
  const [scale, unit] = timeUnit(Math.abs(s));
  return `${(s * scale).toLocaleString("en-US", {maximumFractionDigits: 3})} ${unit}`;
}

export function percent(share: number): string {
  const value = 100 * share;
  if (value !== 0 && Math.abs(value) < 0.1)
    return `${Number(value.toPrecision(1))} %`;
  // Less than all is not 100 %.
  if (value >= 99.5 && share < 1)
    return `${Math.min(value, 99.9).toFixed(1)} %`;
  return `${twoDigits(value)} %`;
}

/** A hit rate or a share of traffic, with a decimal: rates near 100 % differ in it. */
export const rate = (share: number | null): string => share === null ? "-" : `${fixed(100 * share, 1)} %`;

export const share = (part: number, whole: number): string => whole > 0 ? percent(part / whole) : "-";

export function plural(n: number, what: string): string {
  const many = what.endsWith("py") ? what.slice(0, -1) + "ies" : what + (/(s|ch)$/.test(what) ? "es" : "s");
  return `${grouped(n)} ${n === 1 ? what : many}`;
}

export const number = (n: Num): string => (n.at_least ? "\u2265" : "") + ratio(n.value);

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const position = (s: Source): string =>
    s.line ? `${baseName(s.file)}:${s.line}` : baseName(s.file);

export const dim3 = (d: number[]): string =>
    d[2] !== 1 ? d.join("\u00d7") : d[1] !== 1 ? d.slice(0, 2).join("\u00d7") : String(d[0]);

/** A command as a shell reads it. */
export const shellCommand = (all: string[]): string =>
    all.map(word => /^[\w./,:=+%@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(" ");

/** snake_case as words. */
export const words = (name: string): string => name.replace(/_/g, " ");

/** Returns a demangled name without return type and parameters: reduce<float, 256>. */
export function shortName(demangled: string): string {
  // Compilers mark their clones of functions: f(int) (.isra.0).
  demangled = demangled.replace(/( \(\.[\w.]+\))+$/, "");
  const close = demangled.lastIndexOf(")");
  if (close < 0)
    return demangled;
  let depth = 0, open = close;
  for (; open >= 0; --open) {
    depth += demangled[open] === ")" ? 1 : demangled[open] === "(" ? -1 : 0;
    if (depth === 0)
      break;
  }
  if (depth !== 0 || open <= 0)
    return demangled;
  let begin = open;
  for (depth = 0; begin > 0; --begin) {
    const c = demangled[begin - 1];
    depth += c === ")" || c === ">" ? 1 : c === "(" || c === "<" ? -1 : 0;
    if (depth === 0 && c === " ")
      break;
  }
  return demangled.slice(begin, open);
}
