// Objects of memory: how large they are, when they live, and who uses them.
import {useMemo} from "preact/hooks";
import {bytes, exactBytes, grouped, plural, seconds, share, words} from "./format";
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

function ObjectDetails({of}: {of: MemoryObject}) {
  const {summary} = useReport();
  const kernels = summary.kernels.flatMap(k => k.object_accesses.filter(a => a.object === of.id).map(a => ({k, a})));
  const lines = useAccessLines(of.id);
  const path = of.alloc?.call_path ?? null;
  return (
    <article class="details" aria-label={`Object ${objectName(of)}`}>
      <h3 class="mono">{objectName(of)}</h3>
      <Facts of={[
        ["bytes", `${bytes(of.bytes)} (${exactBytes(of.bytes)})`],
        ["kind", words(of.kind) + (of.device === null ? "" : `, device ${of.device}`)],
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
      {path !== null && summary.call_paths[path] && <><h4>Allocated from</h4><CallPath of={summary.call_paths[path]} /></>}
    </article>
  );
}

export function MemoryView({route}: {route: Route}) {
  const {summary} = useReport();
  const objects = useMemo(() => summary.objects.filter(o => o.kernel === null), [summary]);
  const selected = objects.find(o => String(o.id) === route.item);
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
        {memory && memory.objects_omitted > 0 &&
          <p class="faint">Of {plural(memory.objects, "object")} the largest {grouped(memory.objects - memory.objects_omitted)} are listed.</p>}
        <div class="split">
          <Table label="Objects" rows={objects} height={20} selected={selected}
                 onSelect={o => replaceWith(link("memory", o.id))} columns={[
            {title: "Object", left: true, wide: true, cell: o => <span class="mono">{objectName(o)}</span>, by: o => objectName(o)},
            {title: "Bytes", cell: o => <span title={exactBytes(o.bytes)}>{bytes(o.bytes)}</span>, by: o => o.bytes},
            {title: "Kind", left: true, cell: o => words(o.kind), by: o => o.kind},
            {title: "Allocated", left: true, cell: o => <Position of={o.alloc?.source ?? o.source} />},
            {title: "after", cell: o => o.alloc ? seconds(o.alloc.seconds) : "-", by: o => -(o.alloc?.seconds ?? 0)},
            {title: "Released", cell: o => o.free ? seconds(o.free.seconds) : o.released === false ? "never" : "-",
             by: o => -(o.free?.seconds ?? Infinity)},
            {title: "Findings", cell: o => findings.get(o.id) ?? "-", by: o => findings.get(o.id) ?? 0},
          ]} />
          {selected && <ObjectDetails of={selected} />}
        </div>
      </>}
    </>
  );
}
