// Names of allocations.
import {position} from "./format";
import type {MemoryData} from "./memorydata";

/** A kernel's name, followed by the allocation's own name if they differ. */
export const nameIn = (kernel: string, own: string): string =>
    !kernel || !own || kernel === own ? kernel || own : `${kernel} (${own})`;

/** Returns the name of an allocation of the event log, which the summary can lack. */
export function rowName(data: MemoryData, names: string[], row: number): string {
  const object = data.object[row]!, place = data.places[data.place[row]! - 1];
  return (object && names[object - 1]) || data.names[data.name[row]!] || (place ? position(place) : "unnamed");
}
