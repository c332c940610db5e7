// Allocations: sizes, lifetimes and uses.
import {useMemo} from "preact/hooks";
import {callPath} from "./callpath";
import {useSection} from "./lazy";
import {Lifetimes} from "./lifetimes";
import {rowName} from "./names";
import {MemoryChart, type Peak} from "./memorychart";
import {readMemory, type MemoryData} from "./memorydata";
import {useTimeWindow, WindowButtons} from "./window";
import {placeOf, readCalls} from "./callsdata";
import {FindingsOf} from "./findings";
import {bytes, exactBytes, grouped, instant, plural, seconds, share, words} from "./format";
import {Bytes, CallPath, Empty, Facts, KernelLink, Position, Seconds, useReport} from "./parts";
import {changed, replaceWith, type Route} from "./route";
import type {ProfiledObject, ObjectEvent, Source} from "./summary";
import {Table} from "./table";

function Event({of}: {of: Pick<ObjectEvent, "api" | "seconds" | "source">}) {
  return <><span class="mono">{of.api}</span> after <Seconds of={of.seconds} />{of.source && <> <Position of={of.source} /></>}</>;
}

/** Returns the lines of kernels that access the allocation. */
function useAccessLines(id: number): [Source, string][] {
  const {summary} = useReport();
  return useMemo(() => {
    const lines = new Map<string, [Source, Set<string>]>();
    const add = (source: Source | null, what: string) => {
      if (!source)
        return;
      const key = `${source.file}:${source.line}`;
      const entry = lines.get(key) ?? [source, new Set()];
      entry[1].add(what);
      lines.set(key, entry);
    };
    for (const kernel of summary.kernels) {
      for (const o of kernel.heat?.objects ?? [])
        if (o.object === id)
          o.lines.forEach(l => add(l.source, l.access));
      for (const o of kernel.global_memory?.objects ?? [])
        if (o.object === id)
          o.sites.forEach(s => add(s.source, s.access));
    }
    return [...lines.values()].map(([source, what]) => [source, [...what].join(", ")]);
  }, [summary, id]);
}

const kindOf = (o: ProfiledObject): string => words(o.kind) + (o.extent ? ` ${o.extent.join(" x ")}` : "");

function ObjectDetails({of, data, row}: {of: ProfiledObject; data: MemoryData | null | undefined; row: number}) {
  const {summary, names} = useReport();
  const kernels = summary.kernels.flatMap(k => k.object_accesses.filter(a => a.object === of.id).map(a => ({k, a})));
  const lines = useAccessLines(of.id);
  const path = callPath(summary, of.alloc?.call_path ?? null);
  return (
    <article class="details" aria-label={`Allocation ${names[of.id]}`}>
      <h3 class="mono">{names[of.id]}</h3>
      <Facts of={[
        ["size", `${bytes(of.bytes)} (${exactBytes(of.bytes)})`],
        ["kind", kindOf(of) + (of.device === null ? "" : `, device ${of.device}`)],
        ...(of.address === null ? [] : [["address", <code>0x{of.address.toString(16)}</code>] as const]),
        ["allocated", of.alloc ? <Event of={of.alloc} /> : "when its module is loaded"],
        ...(of.first_access ? [["first use", <Event of={of.first_access} />] as const] : []),
        ...(of.last_access ? [["last use", <Event of={of.last_access} />] as const] : []),
        ["freed", of.free ? <Event of={of.free} /> : of.released === false ? "never" : "-"],
        ...(of.elements ? [
          ["accessed elements", `${grouped(of.elements.accessed)} of ${grouped(of.elements.elements)} (${share(of.elements.accessed, of.elements.elements)}), fragmentation ${share(of.elements.fragmentation, 1)}`] as const,
        ] : []),
      ].map(([a, b]) => [a, b])} />
      <FindingsOf of={f => f.object?.id === of.id} />
      {kernels.length !== 0 && <>
        <h4>Kernels</h4>
        <Table label="Kernels that access it" rows={kernels} height={8} columns={[
          {title: "Kernel", left: true, wide: true, cell: ({k}) => <KernelLink id={k.id} />},
          {title: "Launches", cell: ({a}) => grouped(a.launches), by: ({a}) => a.launches},
          {title: "Reading", cell: ({a}) => grouped(a.reads), help: "Launches that read it"},
          {title: "Writing", cell: ({a}) => grouped(a.writes), help: "Launches that write it"},
          {title: "Basis", left: true, minor: true, cell: ({a}) => a.known, help: "How the accesses are known"},
        ]} />
      </>}
      {lines.length !== 0 && <>
        <h4>Lines</h4>
        <ul class="plain">{lines.map(([source, what]) => <li><Position of={source} /> <span class="faint">{what}</span></li>)}</ul>
      </>}
      {data && row >= 0 && <ObjectCalls data={data} row={row} />}
      {path.length !== 0 && <><h4>Allocated from</h4><CallPath of={path} /></>}
    </article>
  );
}

/** The calls that access the allocation, by name and call site. */
function ObjectCalls({data, row}: {data: MemoryData; row: number}) {
  const calls = useSection("calls", readCalls);
  const groups = useMemo(() => {
    const found = new Map<number, {call: number; reads: number; writes: number}>();
    for (let call = 0; calls && call < calls.count; ++call)
      for (let i = calls.firstAccess[call]!; i < calls.firstAccess[call + 1]!; ++i)
        if (calls.accessed[i] === row) {
          const key = calls.name[call]! * (calls.places.length + 1) + calls.place[call]!;
          const group = found.get(key) ?? {call, reads: 0, writes: 0};
          group.reads += calls.access[i]! & 1;
          group.writes += calls.access[i]! >> 1;
          found.set(key, group);
        }
    return [...found.values()];
  }, [calls, data, row]);
  return groups.length === 0 ? null : (
    <>
      <h4>Calls that access it</h4>
      <Table label="Calls that access it" rows={groups} height={8} columns={[
        {title: "Call", left: true, wide: true, cell: g => <span class="mono">{calls!.names[calls!.name[g.call]!]}</span>},
        {title: "At", left: true, cell: g => <Position of={placeOf(calls!, g.call)} />},
        {title: "First", cell: g => instant(calls!.begin[g.call]! / 1e9), by: g => -calls!.begin[g.call]!},
        {title: "Reads", cell: g => grouped(g.reads), by: g => g.reads},
        {title: "Writes", cell: g => grouped(g.writes), by: g => g.writes},
      ]} />
    </>
  );
}

/** An allocation that the summary omits. */
function RowDetails({data, row}: {data: MemoryData; row: number}) {
  const {names} = useReport();
  return (
    <article class="details">
      <h3 class="mono">{rowName(data, names, row)}</h3>
      <Facts of={[
        ["size", `${bytes(data.bytes[row]!)} (${exactBytes(data.bytes[row]!)})`],
        ["kind", `${words(data.kinds[data.kind[row]!]!)}, device ${data.device[row]}`],
        ["allocated", `after ${seconds(data.begin[row]! / 1e9)}`],
        ["used", data.usedAfter[row] ? `from ${seconds((data.begin[row]! + data.usedAfter[row]! - 1) / 1e9)} on, for ${seconds(data.usedFor[row]! / 1e9)}` : "no known use"],
        ["freed", data.released[row] ? `after ${seconds((data.begin[row]! + data.length[row]!) / 1e9)}` : "never"],
      ]} />
      <ObjectCalls data={data} row={row} />
      <p>The summary has details of the largest allocations only.</p>
    </article>
  );
}

function Timeline({data, row, route, onSelect}: {data: MemoryData; row: number; route: Route; onSelect: (row: number) => void}) {
  const {summary} = useReport();
  const window = useTimeWindow(data.end, route);
  const peaks = useMemo(() => (summary.memory?.devices ?? []).flatMap(d => d.peaks.map((p): Peak & {objects: number} => ({
    device: d.device, bytes: p.bytes, after: d.peak_bytes_after, ns: p.seconds * 1e9, objects: p.objects,
  }))), [summary]);
  return (
    <>
      <div class="filters">
        <WindowButtons of={window} />
        {peaks.map((p, i) => (
          <button type="button" onClick={() => window.show(p.ns - data.end / 40, p.ns + data.end / 40)}>
            Peak {i + 1}: {bytes(p.bytes)} in {plural(p.objects, "allocation")} after {seconds(p.ns / 1e9)}
          </button>
        ))}
      </div>
      {data.inUse.length !== 0 && <MemoryChart data={data} window={window} peaks={peaks} />}
      <Lifetimes data={data} window={window} selected={row} onSelect={onSelect} />
    </>
  );
}

export function MemoryView({route}: {route: Route}) {
  const {summary, names} = useReport();
  const objects = useMemo(() => summary.objects.filter(o => o.kernel === null), [summary]);
  const data = useSection("memory", readMemory);
  const selected = objects.find(o => String(o.id) === route.item);
  // A row of the timeline; the summary can lack it.
  const row = useMemo(() => {
    if (!data)
      return -1;
    if (route.item.startsWith("row-"))
      return Number(route.item.slice(4));
    return selected ? data.object.indexOf(selected.id + 1) : -1;
  }, [data, route.item]);
  const select = (to: number) => {
    const known = data!.object[to]!;
    replaceWith(changed(route, {}, known ? String(known - 1) : `row-${to}`));
  };
  const findings = useMemo(() => {
    const counts = new Map<number, number>();
    for (const f of summary.findings)
      if (f.object)
        counts.set(f.object.id, (counts.get(f.object.id) ?? 0) + 1);
    return counts;
  }, [summary]);
  const {memory} = summary;
  return (
    <>
      <h2 tabIndex={-1}>Memory</h2>
      {objects.length === 0 ? <Empty>The program allocates no device memory.</Empty> : <>
        {data === undefined && <p>Unpacking {"\u2026"}</p>}
        {data && <Timeline data={data} row={row} route={route} onSelect={select} />}
        <h3>Allocations</h3>
        {memory && memory.objects_omitted > 0 &&
          <p>The largest {grouped(memory.objects - memory.objects_omitted)} of {plural(memory.objects, "allocation")} are listed.</p>}
        <div class="split">
          <Table label="Allocations" rows={objects} height={20} selected={selected}
                 onSelect={o => replaceWith(changed(route, {}, String(o.id)))} columns={[
            {title: "Allocation", left: true, wide: true, cell: o => <span class="mono" title={names[o.id]}>{names[o.id]}</span>, by: o => names[o.id]!},
            {title: "Size", cell: o => <Bytes of={o.bytes} />, by: o => o.bytes},
            {title: "Kind", left: true, minor: true, cell: o => kindOf(o), by: o => o.kind},
            {title: "Allocated at", left: true, minor: true, cell: o => <Position of={o.alloc?.source ?? o.source} />},
            {title: "Allocated", help: "Time since the start of the run", cell: o => o.alloc ? <Seconds of={o.alloc.seconds} /> : "-", by: o => -(o.alloc?.seconds ?? 0)},
            {title: "Freed", help: "Time since the start of the run", cell: o => o.free ? <Seconds of={o.free.seconds} /> : o.released === false ? "never" : "-",
             by: o => -(o.free?.seconds ?? Infinity)},
            {title: "Findings", cell: o => findings.get(o.id) ?? "-", by: o => findings.get(o.id) ?? 0},
          ]} />
          {selected ? <ObjectDetails of={selected} data={data} row={row} /> : data && row >= 0 && row < data.count && <RowDetails data={data} row={row} />}
        </div>
      </>}
    </>
  );
}
