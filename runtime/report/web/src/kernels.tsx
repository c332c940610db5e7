// All kernels, and a page for each.
import {KernelCaches, ProgramCaches} from "./cache";
import {bytes, dim3, digits, grouped, number, plural, share, shortName, words} from "./format";
import {Bytes, Empty, Facts, ObjectLink, Position, Severity, objectName, useReport} from "./parts";
import {goTo, link, type Route} from "./route";
import {HeatMaps} from "./heat";
import {SourceExcerpt} from "./source";
import type {Bucket, GlobalObjectUse, HeatAccess, Kernel, ObjectUse, Site} from "./summary";
import {Table, type Column} from "./table";

/** Elements by number of accesses. */
function Histogram({of, what}: {of: Bucket[]; what: string}) {
  const most = Math.max(1, ...of.map(b => b.elements));
  const label = (b: Bucket) => b.at_threshold ? `\u2265${digits(b.from)}`
      : b.to === null || b.to <= b.from + 1 && b.from === 0 ? digits(b.from)
      : b.to - b.from <= 1 ? digits(b.from) : `${digits(b.from)}\u2013${digits(b.to)}`;
  return (
    <table class="histogram" aria-label={what}>
      <thead class="sr"><tr><th scope="col">Accesses</th><th scope="col">Elements</th></tr></thead>
      <tbody>
        {of.filter(b => b.elements).map(b => (
          <tr>
            <th scope="row">{label(b)}</th>
            <td>
              <i style={{width: `${Math.max(0.5, 100 * b.elements / most)}%`}} aria-hidden="true" />
              <span>{grouped(b.elements)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sites({of, label}: {of: Site[]; label: string}) {
  return of.length === 0 ? null : (
    <Table label={label} rows={of} height={10} columns={[
      {title: "At", left: true, cell: s => <Position of={s.source} />,
       by: s => `${s.source?.file}:${String(s.source?.line ?? 0).padStart(7, "0")}`},
      {title: "Access", left: true, cell: s => s.access},
      {title: "Bytes", cell: s => s.bytes || "-"},
      {title: "Function", left: true, cell: s => <span class="mono">{s.function}</span>},
      {title: "Counted", left: true, wide: true, cell: s => words(s.rule) + (s.reason ? `: ${s.reason}` : "")},
    ]} />
  );
}

function SharedArray({of}: {of: ObjectUse}) {
  const {summary} = useReport();
  const object = summary.objects[of.object];
  const ranges = of.live_ranges;
  return (
    <article class="array">
      <h4><span class="mono">{objectName(object)}</span> <span class="faint mono">{object?.type}</span> <Position of={object?.source} /></h4>
      {of.uncounted_reason && <p class="warning">{of.uncounted_reason}</p>}
      <div class="columns">
        <Facts of={[
          ["bytes", <Bytes of={object?.bytes ?? 0} />],
          [of.counts_of === "words" ? "words" : "elements", grouped(of.count_elements)],
          ["accesses", number(of.accesses_estimated)],
          ["per element and block", <>{number(of.per_block.min)} to {number(of.per_block.max)}, mean {number(of.per_block.mean)}</>],
          ["never touched", of.never_touched.elements
            ? `${grouped(of.never_touched.elements)} (${share(of.never_touched.elements, of.count_elements)})${of.never_touched.description ? `: ${of.never_touched.description}` : ""}` : "-"],
          ["blocks counted", `${grouped(of.blocks_counted)} of ${grouped(of.blocks_launched)}`],
          ...(ranges?.accesses_per_range ? [["live ranges", `${grouped(ranges.ranges)}, ${digits(ranges.accesses_per_range.mean)} accesses each (${grouped(ranges.accesses_per_range.min)} to ${grouped(ranges.accesses_per_range.max)})`] as [string, string]] : []),
        ]} />
        <figure>
          <figcaption>Elements by accesses per block</figcaption>
          <Histogram of={of.per_block.histogram} what={`Elements of ${objectName(object)} by accesses per block`} />
        </figure>
      </div>
      <Sites of={of.sites} label={`Accesses to ${objectName(object)}`} />
    </article>
  );
}

const kinds = ["reads", "writes", "atomics"] as const;

function GlobalObject({of}: {of: GlobalObjectUse}) {
  const name = of.names.join(", ");
  const used = kinds.filter(kind => of[kind]);
  return (
    <article class="array">
      <h4><ObjectLink id={of.object} name={name} /></h4>
      {of.uncounted_reason && <p class="warning">{of.uncounted_reason}</p>}
      <div class="columns">
        {used.map(kind => (
          <figure>
            <figcaption>Elements by {kind} per launch: mean {number(of[kind]!.per_launch.mean)}, max {number(of[kind]!.per_launch.max)}</figcaption>
            <Histogram of={of[kind]!.per_launch.histogram} what={`Elements of ${name} by ${kind} per launch`} />
          </figure>
        ))}
      </div>
      <Sites of={of.sites} label={`Accesses to ${name}`} />
    </article>
  );
}

function GlobalTable({of}: {of: GlobalObjectUse[]}) {
  const kindColumns = kinds.filter(kind => of.some(o => o[kind])).map((kind): Column<GlobalObjectUse> => ({
    title: kind, help: "Accesses, and the mean and the most of an element and launch",
    cell: o => o[kind] ? `${number(o[kind]!.accesses_estimated)}  (${number(o[kind]!.per_launch.mean)}, ${number(o[kind]!.per_launch.max)})` : "-",
    by: o => o[kind]?.accesses_estimated.value ?? 0,
  }));
  return (
    <Table label="Objects of device memory" rows={of} height={12} columns={[
      {title: "Object", left: true, wide: true, cell: o => <ObjectLink id={o.object} name={o.names.join(", ")} />, by: o => o.names.join()},
      {title: "Element", cell: o => bytes(o.element_bytes)},
      {title: "Elements", cell: o => grouped(o.elements), by: o => o.elements},
      {title: "Touched", cell: o => share(o.touched, o.elements), by: o => o.touched / Math.max(1, o.elements)},
      ...kindColumns,
    ]} />
  );
}

function remarks(l: HeatAccess): string {
  const found = [];
  if (l.misaligned)
    found.push(`misaligned ${share(l.misaligned, l.requests)}`);
  if (l.stride !== null)
    found.push(`stride ${grouped(l.stride)}`);
  return found.join(", ");
}

function Coalescing({of}: {of: Kernel}) {
  const heat = of.heat!;
  const rows = [...heat.objects.flatMap(o => o.lines.map(line => ({...line, of: o.name, id: o.object}))),
                ...heat.other_lines.map(line => ({...line, of: "?", id: -1}))];
  if (rows.length === 0)
    return null;
  return (
    <section>
      <h3>Coalescing</h3>
      <p class="faint">{grouped(heat.requests)} requests of warps, {digits(heat.sectors / Math.max(1, heat.requests))} sectors of 32 bytes each
        ({digits(heat.ideal_sectors / Math.max(1, heat.requests))} would do); {share(heat.bytes_used, 32 * heat.sectors)} of the bytes are used.</p>
      <Table label="Coalescing" rows={rows} height={14} columns={[
        {title: "At", left: true, cell: l => <Position of={l.source} />, by: l => `${l.source?.file}:${String(l.source?.line).padStart(7, "0")}`},
        {title: "Access", left: true, cell: l => l.access},
        {title: "Object", left: true, wide: true, cell: l => <ObjectLink id={l.id} name={l.of} />, by: l => l.of},
        {title: "Requests", cell: l => grouped(l.requests), by: l => l.requests},
        {title: "Sectors", cell: l => digits(l.sectors / Math.max(1, l.requests)), by: l => l.sectors / Math.max(1, l.requests), help: "Per request"},
        {title: "Ideal", cell: l => digits(l.ideal_sectors / Math.max(1, l.requests)), help: "Sectors per request that would do"},
        {title: "In excess", cell: l => grouped(l.sectors - l.ideal_sectors), by: l => l.sectors - l.ideal_sectors, help: "Sectors"},
        {title: "Bytes used", cell: l => share(l.bytes_used, 32 * l.sectors), by: l => l.sectors ? l.bytes_used / l.sectors : 0},
        {title: "Remarks", left: true, cell: remarks},
      ]} />
      <h3>Temperatures</h3>
      <p class="faint">Distinct warps of a block that access a word, a sector.</p>
      <Table label="Temperatures" rows={heat.objects} height={12} columns={[
        {title: "Object", left: true, wide: true, cell: o => <ObjectLink id={o.object} name={o.name} />, by: o => o.name},
        {title: "Sectors", cell: o => grouped(o.sectors), by: o => o.sectors},
        {title: "Word, mean", cell: o => digits(o.mean_word), by: o => o.mean_word},
        {title: "max", cell: o => o.max_word, by: o => o.max_word},
        {title: "Sector, mean", cell: o => digits(o.mean_sector), by: o => o.mean_sector},
        {title: "max", cell: o => o.max_sector, by: o => o.max_sector},
        {title: "Hot", cell: o => share(o.hot_sectors, o.sectors), by: o => o.hot_sectors / Math.max(1, o.sectors)},
        {title: "Falsely shared", cell: o => share(o.falsely_shared_sectors, o.sectors), by: o => o.falsely_shared_sectors / Math.max(1, o.sectors)},
        {title: "Sparse", cell: o => share(o.sparse_sectors, o.sectors), by: o => o.sparse_sectors / Math.max(1, o.sectors)},
      ]} />
    </section>
  );
}

function BankConflicts({of}: {of: Kernel}) {
  const {summary} = useReport();
  const heat = of.heat!;
  const rows = [...heat.arrays.flatMap(a => a.lines.map(line => ({...line, of: objectName(summary.objects[a.object])}))),
                ...heat.other_shared_lines.map(line => ({...line, of: "?"}))];
  if (rows.length === 0)
    return null;
  const excess = (l: {wavefronts: number; ideal_wavefronts: number}) => l.wavefronts - l.ideal_wavefronts;
  return (
    <section>
      <h3>Bank conflicts</h3>
      <Table label="Bank conflicts" rows={rows} height={14} columns={[
        {title: "At", left: true, cell: l => <Position of={l.source} />},
        {title: "Access", left: true, cell: l => l.access},
        {title: "Array", left: true, wide: true, cell: l => <span class="mono">{l.of}</span>, by: l => l.of},
        {title: "Requests", cell: l => grouped(l.requests), by: l => l.requests},
        {title: "Wavefronts", cell: l => digits(l.wavefronts / Math.max(1, l.requests)), by: l => l.wavefronts / Math.max(1, l.requests), help: "Per request"},
        {title: "Ideal", cell: l => digits(l.ideal_wavefronts / Math.max(1, l.requests))},
        {title: "In excess", cell: l => share(excess(l), l.wavefronts), by: excess},
      ]} />
    </section>
  );
}

export function KernelFindings({of}: {of: (f: import("./summary").Finding) => boolean}) {
  const {summary, texts} = useReport();
  const found = summary.findings.map((f, i) => ({f, text: texts.findings[i]})).filter(({f}) => of(f));
  if (found.length === 0)
    return null;
  return (
    <section>
      <h3>Findings</h3>
      <ul class="findings short">
        {found.map(({f, text}) => (
          <li class="line">
            <Severity of={f.severity} />
            <a class="subject" href={link("findings", f.id)}>{words(f.pattern)}</a>
            <span class="mono">{text?.subject}</span>
            <Position of={f.source} />
            {text?.cost && <span class={f.bytes_saved || f.seconds_saved ? "saves" : "faint"}>{text.cost}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function KernelPage({of}: {of: Kernel}) {
  const {summary, sources} = useReport();
  const l = of.launch_counts;
  return (
    <>
      <h2 tabIndex={-1} class="mono">{shortName(of.demangled)}</h2>
      <p class="mono faint">{of.demangled}</p>
      {of.reason && <p class="warning">Not profiled: {of.reason}</p>}
      <div class="columns">
        <Facts of={[
          ["at", <Position of={of.source} />],
          ["launches", `${grouped(l.seen)}, ${grouped(l.profiled)} profiled${l.not_selected ? `, ${grouped(l.not_selected)} not selected` : ""}${l.refused ? `, ${grouped(l.refused)} refused` : ""}`],
          ["registers", of.registers || "-"],
          ["static shared memory", <Bytes of={of.static_shared_bytes} />],
          ...(of.level ? [["counters", `${of.level}, ${of.counter_bits} bits${of.threshold ? `, up to ${grouped(of.threshold)}` : ""}`] as [string, string]] : []),
        ]} />
        <Table label="Launches" rows={of.launches} height={6} columns={[
          {title: "Launches", cell: g => grouped(g.count), by: g => g.count},
          ...(summary.devices.length > 1 ? [{title: "Device", cell: (g: typeof of.launches[0]) => g.device ?? "-"}] : []),
          {title: "Grid", cell: g => dim3(g.grid)},
          {title: "Block", cell: g => dim3(g.block)},
          {title: "Dynamic shared", cell: g => bytes(g.dynamic_shared_bytes)},
          {title: "Ran as", left: true, wide: true, cell: g => words(g.mode) + (g.reason ? `: ${g.reason}` : "")},
        ]} />
      </div>
      <KernelFindings of={f => f.kernel?.id === of.id} />
      {of.source && sources.has(of.source.file) && <section><h3>Source</h3><SourceExcerpt of={of.source} around={12} /></section>}
      {of.objects.length !== 0 && <section>
        <h3>Shared memory</h3>
        {of.objects.map(use => <SharedArray of={use} />)}
      </section>}
      {of.global_memory && of.global_memory.objects.length !== 0 && <section>
        <h3>Device memory</h3>
        <p class="faint">Accesses of all launches; in brackets per element and launch: mean, max. {grouped(of.global_memory.sites_by_closed_forms)} of {plural(of.global_memory.sites_by_closed_forms + of.global_memory.sites_counted + of.global_memory.sites_skipped, "instruction")} described by closed forms.</p>
        <GlobalTable of={of.global_memory.objects} />
        {of.global_memory.objects.map(use => <GlobalObject of={use} />)}
      </section>}
      {of.heat && <Coalescing of={of} />}
      {of.heat && <BankConflicts of={of} />}
      {of.heat && <HeatMaps of={of} />}
      <KernelCaches of={of} />
      {of.object_accesses.length !== 0 && <section>
        <h3>Objects that it accesses</h3>
        <Table label="Objects that it accesses" rows={of.object_accesses} height={12} columns={[
          {title: "Object", left: true, wide: true, cell: a => <ObjectLink id={a.object} />, by: a => objectName(summary.objects[a.object])},
          {title: "Bytes", cell: a => <Bytes of={summary.objects[a.object]?.bytes ?? 0} />, by: a => summary.objects[a.object]?.bytes ?? 0},
          {title: "Launches", cell: a => grouped(a.launches), by: a => a.launches},
          {title: "that read", cell: a => grouped(a.reads), by: a => a.reads},
          {title: "that write", cell: a => grouped(a.writes), by: a => a.writes},
          {title: "Known", left: true, cell: a => a.known},
        ]} />
      </section>}
    </>
  );
}

export function KernelsView({route}: {route: Route}) {
  const {summary} = useReport();
  const kernel = route.item === "" ? undefined : summary.kernels[Number(route.item)];
  if (kernel)
    return <><p class="back"><a href={link("kernels")}>All kernels</a></p><KernelPage of={kernel} /></>;
  const findings = (k: Kernel) => summary.findings.filter(f => f.kernel?.id === k.id).length;
  return (
    <>
      <h2 tabIndex={-1}>Kernels</h2>
      {summary.kernels.length === 0 ? <Empty>No kernel was launched.</Empty> :
        <Table label="Kernels" rows={summary.kernels} height={28}
               onSelect={k => goTo(link("kernels", k.id))} columns={[
          {title: "Kernel", left: true, wide: true, by: k => shortName(k.demangled),
           cell: k => <a class="mono" href={link("kernels", k.id)} title={k.demangled}>{shortName(k.demangled)}</a>},
          {title: "At", left: true, cell: k => <Position of={k.source} />},
          {title: "Launches", cell: k => grouped(k.launch_counts.seen), by: k => k.launch_counts.seen},
          {title: "Profiled", cell: k => grouped(k.launch_counts.profiled), by: k => k.launch_counts.profiled},
          {title: "Findings", cell: k => findings(k) || "-", by: findings},
          {title: "Arrays", cell: k => k.objects.length || "-", by: k => k.objects.length, help: "In shared memory"},
          {title: "Objects", cell: k => k.object_accesses.length || "-", by: k => k.object_accesses.length, help: "Of device memory"},
          {title: "Sectors per request", cell: k => k.heat?.requests ? digits(k.heat.sectors / k.heat.requests) : "-",
           by: k => k.heat?.requests ? k.heat.sectors / k.heat.requests : 0},
          {title: "Not profiled", left: true, cell: k => k.reason || "-"},
        ]} />}
      <ProgramCaches />
    </>
  );
}
