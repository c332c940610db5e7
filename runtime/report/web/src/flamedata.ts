// Call paths as a tree, for the flame graph. Allocations are selected and merged as by gmreport flamegraph
// (runtime/report/AllocationPaths.h).
import {callPath} from "./callpath";
import {baseName, bytes, exactBytes, percent, plural, position, seconds, shortName} from "./format";
import type {Frame, ProfiledObject, Source, Summary} from "./summary";

export interface FlameNode {
  name: string;
  source: Source | null;
  value: number;
  /** Allocations or calls. */
  count: number;
  children: FlameNode[];
  /** The view of the allocation or the call site; only of leaves. */
  leaf: {view: string; item: number} | null;
}

export interface FlameKind {
  name: string;
  title: string;
  format: (value: number) => string;
  exact: (value: number) => string;
  counted: string;
  root: FlameNode;
}

interface Leaf {
  path: Frame[];
  name: string;
  source: Source | null;
  value: number;
  count: number;
  view: string;
  item: number;
}

const frameName = (f: Frame): string =>
    f.function ? shortName(f.function) : f.image ? `${baseName(f.image)}+0x${f.address.toString(16)}` : "?";

function childOf(node: FlameNode, name: string, source: Source | null, isLeaf: boolean): FlameNode {
  let child = node.children.find(c => c.name === name && c.source?.file === source?.file &&
                                      (!isLeaf || c.source?.line === source?.line) && (c.leaf !== null) === isLeaf);
  if (!child)
    node.children.push(child = {name, source, value: 0, count: 0, children: [], leaf: null});
  return child;
}

function treeOf(leaves: Leaf[]): FlameNode {
  const root: FlameNode = {name: "all", source: null, value: 0, count: 0, children: [], leaf: null};
  for (const {path, name, source, value, count, view, item} of leaves) {
    const nodes = [root];
    for (const frame of [...path].reverse())
      nodes.push(childOf(nodes.at(-1)!, frameName(frame), frame.source && {...frame.source, line: 0}, false));
    if (path.length === 0)
      nodes.push(childOf(root, "unknown call path", null, false));
    const leaf = childOf(nodes.at(-1)!, name, source, true);
    leaf.leaf ??= {view, item};
    for (const node of [...nodes, leaf]) {
      node.value += value;
      node.count += count;
    }
  }
  const sort = (node: FlameNode): void => {
    node.children.sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));
    node.children.forEach(sort);
  };
  sort(root);
  return root;
}

function allocations(summary: Summary, of: (o: ProfiledObject) => boolean): Leaf[] {
  return summary.objects.filter(o => o.alloc && o.parent === null && of(o)).map(o => ({
    path: callPath(summary, o.alloc!.call_path),
    name: o.name || o.alloc!.api, source: o.alloc!.source, value: o.bytes, count: 1, view: "memory", item: o.id,
  }));
}

function isAtPeak(summary: Summary, o: ProfiledObject): boolean {
  const peak = summary.memory?.devices.find(d => d.device === o.device)?.peaks[0];
  return peak !== undefined && !["pinned", "registered", "host"].includes(o.kind) &&
         o.alloc!.seconds <= peak.seconds && (!o.free || o.free.seconds > peak.seconds);
}

const cached = new WeakMap<Summary, FlameKind[]>();

/** Returns the graphs that are not empty. */
export function flameKinds(summary: Summary): FlameKind[] {
  const known = cached.get(summary);
  if (known)
    return known;
  const memory = {format: bytes, exact: exactBytes, counted: "allocation"};
  const time = {format: seconds, exact: (s: number) => `${Number(s.toPrecision(9))} s`, counted: "call"};
  const sites = (value: "wait_seconds" | "call_seconds"): FlameNode => treeOf((summary.sync?.sites ?? []).filter(s => s[value] > 0).map(s => ({
    path: callPath(summary, s.call_path),
    name: s.api, source: s.source, value: s[value], count: s.calls, view: "timeline", item: summary.sync!.sites.indexOf(s),
  })));
  const all: FlameKind[] = [
    {name: "peak", title: "Memory in use at the peak", ...memory, root: treeOf(allocations(summary, o => isAtPeak(summary, o)))},
    {name: "allocated", title: "Allocated memory", ...memory, root: treeOf(allocations(summary, () => true))},
    {name: "leaked", title: "Memory never freed", ...memory, root: treeOf(allocations(summary, o => !o.free && o.released !== null))},
    {name: "wait", title: "Time waiting for the GPU", ...time, root: sites("wait_seconds")},
    {name: "calls", title: "Time in CUDA API calls", ...time, root: sites("call_seconds")},
  ].filter(kind => kind.root.value > 0);
  if (summary.sync)
    all.sort((a, b) => Number(b.counted === "call") - Number(a.counted === "call"));
  cached.set(summary, all);
  return all;
}

/** One line with all values of a node, for hovering and screen readers. */
export function described(node: FlameNode, {root, format, exact, counted}: FlameKind): string {
  const where = node.source ? node.source.line ? ` ${position(node.source)}` : ` ${baseName(node.source.file)}` : "";
  const value = format(node.value) === exact(node.value) ? format(node.value) : `${format(node.value)} (${exact(node.value)})`;
  return `${node.name}${where}: ${value} in ${plural(node.count, counted)}, ${percent(node.value / root.value)}`;
}
