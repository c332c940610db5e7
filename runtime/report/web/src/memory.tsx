// Objects of memory: how large they are, when they live, and who uses them.
import {useMemo} from "preact/hooks";
import {useSection} from "./lazy";
import {Lifetimes} from "./lifetimes";
import {MemoryChart, type Peak} from "./memorychart";
import {readMemory, type MemoryData} from "./memorydata";
import {useTimeWindow, WindowButtons} from "./window";
import {placeOf, readCalls} from "./callsdata";
import {bytes, exactBytes, grouped, instant, plural, seconds, share, words} from "./format";
import {CallPath, Empty, Facts, KernelLink, Position, objectName, useReport} from "./parts";
import {KernelFindings} from "./kernels";
import {link, replaceWith, type Route} from "./route";
import type {MemoryObject, ObjectEvent, Source} from "./summary";
import {Table} from "./table";

function Event({of}: {of: ObjectEvent}) {
  return <><span class="mono">{of.api}</span> after {seconds(of.seconds)} <Position of={of.source} /></>;
}

/** The lines of kernels that access it. */
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

const kindOf = (o: MemoryObject): string => words(o.kind) + (o.extent ? ` ${o.extent.join(" x ")}` : "");

function ObjectDetails({of, data, row}: {of: MemoryObject; data: MemoryData | null | undefined; row: number}) {
  const {summary} = useReport();
  const kernels = summary.kernels.flatMap(k => k.object_accesses.filter(a => a.object === of.id).map(a => ({k, a})));
  const lines = useAccessLines(of.id);
  const path = of.alloc?.call_path ?? null;
  return (
    <article class="details" aria-label={`Object ${objectName(of)}`}>
      <h3 class="mono">{objectName(of)}</h3>
      <Facts of={[
        ["bytes", `${bytes(of.bytes)} (${exactBytes(of.bytes)})`],
        ["kind", kindOf(of) + (of.device === null ? "" : `, device ${of.device}`)],
        ...(of.address === null ? [] : [["address", <code>0x{of.address.toString(16)}</code>] as const]),
        ["allocated", of.alloc ? <Event of={of.alloc} /> : "with its module"],
        ...(of.first_access ? [["first use", <><span class="mono">{of.first_access.api}</span> after {seconds(of.first_access.seconds)} <Position of={of.first_access.source} /></>] as const] : []),
        ...(of.last_access ? [["last use", <><span class="mono">{of.last_access.api}</span> after {seconds(of.last_access.seconds)} <Position of={of.last_access.source} /></>] as const] : []),
        ["released", of.free ? <Event of={of.free} /> : of.released === false ? "never" : "-"],
        ...(of.elements ? [
          ["elements accessed", `${grouped(of.elements.accessed)} of ${grouped(of.elements.elements)} (${share(of.elements.accessed, of.elements.elements)}), fragmentation ${share(of.elements.fragmentation, 1)}`] as const,
        ] : []),
      ].map(([a, b]) => [a, b])} />
      <KernelFindings of={f => f.object?.id === of.id} />
      {kernels.length !== 0 && <>
        <h4>Kernels</h4>
        <Table label="Kernels that access it" rows={kernels} height={8} columns={[
          {title: "Kernel", left: true, wide: true, cell: ({k}) => <KernelLink id={k.id} />},
          {title: "Launches", cell: ({a}) => grouped(a.launches), by: ({a}) => a.launches},
          {title: "read", cell: ({a}) => grouped(a.reads)},
          {title: "write", cell: ({a}) => grouped(a.writes)},
          {title: "Known", left: true, cell: ({a}) => a.known},
        ]} />
      </>}
      {lines.length !== 0 && <>
        <h4>Lines</h4>
        <ul class="plain">{lines.map(([source, what]) => <li><Position of={source} /> <span class="faint">{what}</span></li>)}</ul>
      </>}
      {data && row >= 0 && <ObjectCalls data={data} row={row} />}
      {path !== null && summary.call_paths[path] && <><h4>Allocated from</h4><CallPath of={summary.call_paths[path]} /></>}
    </article>
  );
}

/** The calls that access a row's object, by name and place. */
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
        {title: "first", cell: g => instant(calls!.begin[g.call]! / 1e9), by: g => -calls!.begin[g.call]!},
        {title: "read", cell: g => grouped(g.reads), by: g => g.reads},
        {title: "write", cell: g => grouped(g.writes), by: g => g.writes},
      ]} />
    </>
  );
}

/** An object that the summary has no room for. */
function RowDetails({data, row}: {data: MemoryData; row: number}) {
  return (
    <article class="details">
      <h3 class="mono">{data.names[data.name[row]!] || "unnamed"}</h3>
      <Facts of={[
        ["bytes", `${bytes(data.bytes[row]!)} (${exactBytes(data.bytes[row]!)})`],
        ["kind", `${words(data.kinds[data.kind[row]!]!)}, device ${data.device[row]}`],
        ["allocated", `after ${seconds(data.begin[row]! / 1e9)}`],
        ["used", data.usedAfter[row] ? `from ${seconds((data.begin[row]! + data.usedAfter[row]! - 1) / 1e9)} on, for ${seconds(data.usedFor[row]! / 1e9)}` : "not known to be"],
        ["released", data.released[row] ? `after ${seconds((data.begin[row]! + data.length[row]!) / 1e9)}` : "never"],
      ]} />
      <ObjectCalls data={data} row={row} />
      <p class="faint">The summary says more of the largest objects only.</p>
    </article>
  );
}

function Timeline({data, row, onSelect}: {data: MemoryData; row: number; onSelect: (row: number) => void}) {
  const {summary} = useReport();
  const window = useTimeWindow(data.end);
  const peaks = useMemo(() => (summary.memory?.devices ?? []).flatMap(d => d.peaks.map((p): Peak & {objects: number} => ({
    device: d.device, bytes: p.bytes, after: d.peak_bytes_after, ns: p.seconds * 1e9, objects: p.objects,
  }))), [summary]);
  return (
    <>
      <div class="filters">
        <WindowButtons of={window} />
        {peaks.map((p, i) => (
          <button type="button" onClick={() => window.show(p.ns - data.end / 40, p.ns + data.end / 40)}>
            peak {i + 1}: {bytes(p.bytes)} in {plural(p.objects, "object")} after {seconds(p.ns / 1e9)}
          </button>
        ))}
      </div>
      {data.inUse.length !== 0 && <MemoryChart data={data} window={window} peaks={peaks} />}
      <Lifetimes data={data} window={window} selected={row} onSelect={onSelect} />
    </>
  );
}

export function MemoryView({route}: {route: Route}) {
  const {summary} = useReport();
  const objects = useMemo(() => summary.objects.filter(o => o.kernel === null), [summary]);
  const data = useSection("memory", readMemory);
  const selected = objects.find(o => String(o.id) === route.item);
  // Rows of the timeline, of which the summary need not know.
  const row = useMemo(() => {
    if (!data)
      return -1;
    if (route.item.startsWith("row-"))
      return Number(route.item.slice(4));
    return selected ? data.object.indexOf(selected.id + 1) : -1;
  }, [data, route.item]);
  const select = (to: number) => {
    const known = data!.object[to]!;
    replaceWith(link("memory", known ? known - 1 : `row-${to}`));
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
      {objects.length === 0 ? <Empty>No object of device memory was seen.</Empty> : <>
        {data === undefined && <p class="faint">Unpacking {"\u2026"}</p>}
        {data && <Timeline data={data} row={row} onSelect={select} />}
        <h3>Objects</h3>
        {memory && memory.objects_omitted > 0 &&
          <p class="faint">Of {plural(memory.objects, "object")} the largest {grouped(memory.objects - memory.objects_omitted)} are listed.</p>}
        <div class="split">
          <Table label="Objects" rows={objects} height={20} selected={selected}
                 onSelect={o => replaceWith(link("memory", o.id))} columns={[
            {title: "Object", left: true, wide: true, cell: o => <span class="mono">{objectName(o)}</span>, by: o => objectName(o)},
            {title: "Bytes", cell: o => <span title={exactBytes(o.bytes)}>{bytes(o.bytes)}</span>, by: o => o.bytes},
            {title: "Kind", left: true, cell: o => kindOf(o), by: o => o.kind},
            {title: "Allocated", left: true, cell: o => <Position of={o.alloc?.source ?? o.source} />},
            {title: "after", cell: o => o.alloc ? seconds(o.alloc.seconds) : "-", by: o => -(o.alloc?.seconds ?? 0)},
            {title: "Released", cell: o => o.free ? seconds(o.free.seconds) : o.released === false ? "never" : "-",
             by: o => -(o.free?.seconds ?? Infinity)},
            {title: "Findings", cell: o => findings.get(o.id) ?? "-", by: o => findings.get(o.id) ?? 0},
          ]} />
          {selected ? <ObjectDetails of={selected} data={data} row={row} /> : data && row >= 0 && row < data.count && <RowDetails data={data} row={row} />}
        </div>
      </>}
    </>
  );
}
