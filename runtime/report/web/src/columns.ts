// Reads columns (runtime/report/PageColumns.h): a line of JSON, then numbers as LEB128.

export type Numbers = Float64Array | Uint32Array | Uint8Array;

export interface Columns<Head> {
  head: Head;
  column: (name: string) => Numbers;
}

interface Described {
  name: string;
  code: "numbers" | "differences";
  rows: number;
  bytes: number;
}

// Numbers beyond 2^53 lose precision.
function decode(bytes: Uint8Array, rows: number, differences: boolean): Numbers {
  const values = new Float64Array(rows);
  let at = 0, last = 0, most = 0;
  for (let row = 0; row < rows; ++row) {
    let byte = bytes[at++]!, value = byte & 0x7f, factor = 128;
    while (byte & 0x80) {
      byte = bytes[at++]!;
      value += (byte & 0x7f) * factor;
      factor *= 128;
    }
    if (differences)
      value = last += value % 2 ? -(value + 1) / 2 : value / 2;
    values[row] = value;
    if (value > most)
      most = value;
  }
  return most < 2 ** 8 ? Uint8Array.from(values) : most < 2 ** 32 ? Uint32Array.from(values) : values;
}

export function readColumns<Head>(content: ArrayBuffer): Columns<Head> {
  const all = new Uint8Array(content);
  const end = all.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(all.subarray(0, end))) as Head & {columns: Described[]};
  const places = new Map<string, {at: number} & Described>();
  let at = end + 1;
  for (const column of head.columns) {
    places.set(column.name, {at, ...column});
    at += column.bytes;
  }
  const decoded = new Map<string, Numbers>();
  return {head, column: name => {
    let values = decoded.get(name);
    if (!values) {
      const place = places.get(name);
      values = place ? decode(all.subarray(place.at, place.at + place.bytes), place.rows, place.code === "differences")
                     : new Uint8Array(0);
      decoded.set(name, values);
    }
    return values;
  }};
}

/** Returns the first index whose value is not below the given one. Values ascend. */
export function lowerBound(values: ArrayLike<number>, value: number, count = values.length): number {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
