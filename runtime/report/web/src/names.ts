// Names that tell the allocations of a summary apart.
import {position} from "./format";
import type {MemoryData} from "./memorydata";
import type {ProfiledObject, Source, Summary} from "./summary";

const ownName = (o: ProfiledObject): string =>
    o.name || (o.source ? position(o.source) : `allocation ${o.id}`);

/** Returns the first caller outside of the file that allocates: where a wrapper is used. */
function callerOf({alloc}: ProfiledObject, {call_paths}: Summary): Source | null {
  const lines = (alloc?.call_path == null ? [] : call_paths[alloc.call_path] ?? []).map(f => f.source);
  const at = lines.findIndex(s => s && s.file === alloc?.source?.file && s.line === alloc.source.line);
  return at < 0 ? null : lines.slice(at).find(s => s && s.line && s.file !== alloc?.source?.file) ?? null;
}

/** Returns the first kernel's name of each allocation. */
function parametersOf({kernels}: Summary): Map<number, string> {
  const names = new Map<number, string>();
  const add = (id: number, name: string) => {
    if (name && !names.has(id))
      names.set(id, name);
  };
  for (const k of kernels) {
    for (const o of k.heat?.objects ?? [])
      add(o.object, o.name);
    for (const o of k.global_memory?.objects ?? [])
      add(o.object, o.names.join(", "));
  }
  return names;
}

/** A kernel's name, followed by the allocation's own name if they differ. */
export const nameIn = (kernel: string, own: string): string =>
    !kernel || !own || kernel === own ? kernel || own : `${kernel} (${own})`;

/**
 * Returns the names of all objects. Allocations of one name, as a member of a wrapper has it, also have the
 * kernel's name for them, or the caller's line.
 */
export function objectNames(summary: Summary): string[] {
  const {objects} = summary;
  const counts = new Map<string, number>();
  for (const o of objects)
    if (o.kernel === null)
      counts.set(ownName(o), (counts.get(ownName(o)) ?? 0) + 1);
  const parameters = parametersOf(summary);
  return objects.map(o => {
    const own = ownName(o);
    if (o.kernel !== null || counts.get(own) === 1)
      return own;
    const named = nameIn(parameters.get(o.id) ?? "", own);
    const caller = named === own && callerOf(o, summary);
    return caller ? `${own} (${position(caller)})` : named;
  });
}

/** Returns the name of an allocation of the event log, which the summary can lack. */
export function rowName(data: MemoryData, names: string[], row: number): string {
  const object = data.object[row]!, place = data.places[data.place[row]! - 1];
  return (object && names[object - 1]) || data.names[data.name[row]!] || (place ? position(place) : "unnamed");
}
