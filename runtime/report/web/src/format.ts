// Numbers as people read them: the same unit for the same thing in every view.
import type {Num, Source} from "./summary";

const grouping = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

export const grouped = (n: number): string => grouping.format(n);

/** Two digits that count, as the text report has them: 1.2, 12, 123. */
function twoDigits(x: number): string {
  return Math.abs(x) >= 9.95 ? x.toFixed(0) : x.toFixed(1).replace(/\.0$/, "");
}

/** Three digits that count: 0.123, 1.23, 12.3, 123. */
export function digits(x: number): string {
  const size = Math.abs(x);
  if (size >= 99.95 || Number.isInteger(x))
    return grouped(x);
  return x.toFixed(size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0, size = n;
  // What rounds to 1024 is 1 of the next unit.
  while (Math.abs(size) >= (unit ? 1023.5 : 1024) && unit + 1 < units.length) {
    size /= 1024;
    ++unit;
  }
  return `${unit ? twoDigits(size) : grouped(size)} ${units[unit]}`;
}

export const exactBytes = (n: number): string => plural(n, "byte");

export function seconds(s: number): string {
  const size = Math.abs(s);
  if (size === 0)
    return "0 s";
  if (size < 0.9995e-6)
    return `${twoDigits(s * 1e9)} ns`;
  if (size < 0.9995e-3)
    return `${twoDigits(s * 1e6)} \u00b5s`;
  if (size < 0.9995)
    return `${twoDigits(s * 1e3)} ms`;
  return `${twoDigits(s)} s`;
}

/** A point in time on an axis whose marks are step seconds apart. */
export function moment(s: number, step: number): string {
  const size = Math.max(Math.abs(s), step);
  const [scale, unit] = size < 1e-6 ? [1e9, "ns"] : size < 1e-3 ? [1e6, "\u00b5s"] :
                        size < 1 ? [1e3, "ms"] : [1, "s"];
  const places = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
  return `${(s * scale).toLocaleString("en-US", {minimumFractionDigits: places,
                                                 maximumFractionDigits: places})} ${unit}`;
}

/** A point in time, by itself. */
export function instant(s: number): string {
  const [scale, unit] = s < 1e-6 ? [1e9, "ns"] : s < 1e-3 ? [1e6, "\u00b5s"] : s < 1 ? [1e3, "ms"] : [1, "s"];
  return `${(s * scale).toLocaleString("en-US", {maximumFractionDigits: 3})} ${unit}`;
}

export function share(part: number, whole: number): string {
  if (whole <= 0)
    return "-";
  const percent = 100 * part / whole;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

export const plural = (n: number, what: string): string =>
    `${grouped(n)} ${what}${n === 1 ? "" : /(s|ch)$/.test(what) ? "es" : "s"}`;

export const number = (n: Num): string => (n.at_least ? "\u2265" : "") + digits(n.value);

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const position = (s: Source): string =>
    s.line ? `${baseName(s.file)}:${s.line}` : baseName(s.file);

export const dim3 = (d: number[]): string =>
    d[2] !== 1 ? d.join("\u00d7") : d[1] !== 1 ? d.slice(0, 2).join("\u00d7") : String(d[0]);

/** snake_case, for readers. */
export const words = (name: string): string => name.replace(/_/g, " ");

/** A demangled name without return type and parameters: reduce<float, 256>. */
export function shortName(demangled: string): string {
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
