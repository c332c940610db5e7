// The list of kernels, and a page for each kernel that begins with its metrics.
import {useMemo} from "preact/hooks";
import {KernelCaches, ProgramCaches} from "./cache";
import {FindingsOf} from "./findings";
import {bytes, dim3, exactBytes, grouped, number, percent, plural, rate, ratio, seconds, share, shortName, words} from "./format";
import {HeatMaps} from "./heat";
import {Bytes, Empty, Facts, Metrics, ObjectLink, Position, Seconds, useReport, type Metric} from "./parts";
import {goTo, link, type Route} from "./route";
import {KernelSource} from "./source";
import type {Bucket, Cache, GlobalObjectUse, HeatAccess, HeatUse, Kernel, MachineMemory, ObjectUse, Site} from "./summary";
import {Table, type Column} from "./table";

/** The number of elements by their number of accesses. */
function Histogram({of, what}: {of: Bucket[]; what: string}) {
  const most = Math.max(1, ...of.map(b => b.elements));
  const label = (b: Bucket) => b.at_threshold ? `\u2265${ratio(b.from)}`
      : b.to === null || b.to <= b.from + 1 && b.from === 0 ? ratio(b.from)
      : b.to - b.from <= 1 ? ratio(b.from) : `${ratio(b.from)}\u2013${ratio(b.to - 1)}`;
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

/** Instructions that access an array, equal ones in one row. */
function Sites({of, label}: {of: Site[]; label: string}) {
  const rows = useMemo(() => {
    const found = new Map<string, {site: Site; count: number}>();
    for (const site of of) {
      const key = JSON.stringify([site.source, site.access, site.bytes, site.function, site.rule, site.reason]);
      const row = found.get(key) ?? {site, count: 0};
      ++row.count;
      found.set(key, row);
    }
    return [...found.values()];
  }, [of]);
  return rows.length === 0 ? null : (
    <Table label={label} rows={rows} height={10} columns={[
      {title: "At", left: true, cell: ({site: s}) => <Position of={s.source} />,
       by: ({site: s}) => `${s.source?.file}:${String(s.source?.line ?? 0).padStart(7, "0")}`},
      {title: "Access", left: true, cell: ({site: s}) => s.access},
      {title: "Instructions", minor: true, cell: ({count}) => grouped(count), by: ({count}) => count},
      {title: "Width", cell: ({site: s}) => s.bytes ? bytes(s.bytes) : "-", help: "Bytes per thread"},
      {title: "Function", left: true, minor: true, cell: ({site: s}) => <span class="mono">{s.function}</span>},
      {title: "Counted by", left: true, wide: true, cell: ({site: s}) => words(s.rule) + (s.reason ? `: ${s.reason}` : "")},
    ]} />
  );
}

/** Least, greatest and mean number of accesses of an element in a block. */
const extent = ({per_block: {min, max, mean}}: ObjectUse): string =>
    number(min) === number(max) ? number(mean) : `${number(min)} to ${number(max)}, mean ${number(mean)}`;

function SharedArray({of}: {of: ObjectUse}) {
  const {summary, names} = useReport();
  const object = summary.objects[of.object], name = names[of.object]!;
  const ranges = of.live_ranges;
  return (
    <article class="array">
      <h4><span class="mono">{name}</span> <span class="faint mono">{object?.type}</span> <Position of={object?.source} /></h4>
      {of.uncounted_reason && <p class="warning">{of.uncounted_reason}</p>}
      <div class="columns">
        <Facts of={[
          ["size", <Bytes of={object?.bytes ?? 0} />],
          [of.counts_of === "words" ? "words" : "elements", grouped(of.count_elements)],
          ["accesses", number(of.accesses_estimated)],
          ["accesses per element and block", extent(of)],
          ["never accessed elements", of.never_touched.elements
            ? `${grouped(of.never_touched.elements)} (${share(of.never_touched.elements, of.count_elements)})${of.never_touched.description ? `: ${of.never_touched.description}` : ""}` : "none"],
          ["blocks counted", `${grouped(of.blocks_counted)} of ${grouped(of.blocks_launched)}`],
          ...(ranges?.accesses_per_range ? [["live ranges", `${grouped(ranges.ranges)}, ${ratio(ranges.accesses_per_range.mean)} accesses each (${grouped(ranges.accesses_per_range.min)} to ${grouped(ranges.accesses_per_range.max)})`] as [string, string]] : []),
        ]} />
        <figure>
          <figcaption>Elements by accesses per block</figcaption>
          <Histogram of={of.per_block.histogram} what={`Elements of ${name} by accesses per block`} />
        </figure>
      </div>
      <Sites of={of.sites} label={`Accesses to ${name}`} />
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
    title: kind[0]!.toUpperCase() + kind.slice(1), help: "Accesses; mean and maximum per element and launch",
    cell: o => o[kind] ? `${number(o[kind]!.accesses_estimated)}  (${number(o[kind]!.per_launch.mean)}, ${number(o[kind]!.per_launch.max)})` : "-",
    by: o => o[kind]?.accesses_estimated.value ?? 0,
  }));
  return (
    <Table label="Accesses to global memory" rows={of} height={12} columns={[
      {title: "Allocation", left: true, wide: true, cell: o => <ObjectLink id={o.object} name={o.names.join(", ")} />, by: o => o.names.join()},
      {title: "Element size", cell: o => bytes(o.element_bytes)},
      {title: "Elements", cell: o => grouped(o.elements), by: o => o.elements},
      {title: "Accessed", cell: o => <span title={`${grouped(o.touched)} of ${plural(o.elements, "element")}`}>{share(o.touched, o.elements)}</span>, help: "Share of the elements", by: o => o.touched / Math.max(1, o.elements)},
      ...kindColumns,
    ]} />
  );
}

function cause(l: HeatAccess): string {
  const found = [];
  if (l.misaligned)
    found.push(`misaligned ${share(l.misaligned, l.requests)}`);
  if (l.stride !== null && l.sectors > l.ideal_sectors)
    found.push(`stride ${plural(l.stride, "byte")}`);
  return found.join(", ");
}

const perRequest = (n: number, {requests}: {requests: number}): number => n / Math.max(1, requests);

/** The blocks that counts of requests come from. */
const sampled = ({blocks_sampled: some, blocks_launched: all}: HeatUse): string =>
    some === all ? `all ${plural(all, "block")}` : `${grouped(some)} of ${plural(all, "block")}`;

function Coalescing({of}: {of: Kernel}) {
  const heat = of.heat!;
  const rows = [...heat.objects.flatMap(o => o.lines.map(line => ({...line, of: o.name, id: o.object}))),
                ...heat.other_lines.map(line => ({...line, of: "?", id: -1}))];
  return rows.length === 0 ? null : (
    <section>
      <h3>Coalescing</h3>
      <p class="faint">Counted in {sampled(heat)}.</p>
      <Table label="Coalescing" rows={rows} height={14} columns={[
        {title: "At", left: true, cell: l => <Position of={l.source} />, by: l => `${l.source?.file}:${String(l.source?.line).padStart(7, "0")}`},
        {title: "Access", left: true, cell: l => l.access},
        {title: "Allocation", left: true, wide: true, cell: l => <ObjectLink id={l.id} name={l.of} />, by: l => l.of},
        {title: "Requests", minor: true, cell: l => grouped(l.requests), by: l => l.requests, help: "Memory instructions of a warp"},
        {title: "Sectors/request", cell: l => <span title={plural(l.sectors, "sector")}>{ratio(perRequest(l.sectors, l))}</span>,
         by: l => perRequest(l.sectors, l), help: "Sectors of 32 bytes per request"},
        {title: "Ideal", cell: l => <span title={plural(l.ideal_sectors, "sector")}>{ratio(perRequest(l.ideal_sectors, l))}</span>,
         by: l => perRequest(l.ideal_sectors, l), help: "Fewest sectors per request that hold the accessed bytes"},
        {title: "Needless sectors", minor: true, cell: l => <span title={exactBytes(32 * (l.sectors - l.ideal_sectors))}>{grouped(l.sectors - l.ideal_sectors)}</span>,
         by: l => l.sectors - l.ideal_sectors, help: "Sectors beyond the ideal, in the sampled blocks"},
        {title: "Bytes used", minor: true, cell: l => share(l.bytes_used, 32 * l.sectors), by: l => l.sectors ? l.bytes_used / l.sectors : 0, help: "Share of the transferred bytes"},
        {title: "Cause", left: true, minor: true, cell: cause},
      ]} />
    </section>
  );
}

/** How many warps of a block access each word and sector (cuThermo, 2025). */
function Temperatures({of}: {of: Kernel}) {
  const heat = of.heat!;
  return heat.objects.length === 0 ? null : (
    <section>
      <h3>Temperatures</h3>
      <p class="faint">Number of warps of a block ({grouped(heat.warps_per_block)}) that access a word or a sector.</p>
      <Table label="Temperatures" rows={heat.objects} height={12} columns={[
        {title: "Allocation", left: true, wide: true, cell: o => <ObjectLink id={o.object} name={o.name} />, by: o => o.name},
        {title: "Sectors", minor: true, cell: o => <span title={exactBytes(32 * o.sectors)}>{grouped(o.sectors)}</span>, by: o => o.sectors, help: "Accessed sectors of 32 bytes"},
        {title: "Warps/word", cell: o => ratio(o.mean_word), by: o => o.mean_word, help: "Mean"},
        {title: "max", minor: true, cell: o => o.max_word, by: o => o.max_word},
        {title: "Warps/sector", cell: o => ratio(o.mean_sector), by: o => o.mean_sector, help: "Mean"},
        {title: "max", minor: true, cell: o => o.max_sector, by: o => o.max_sector},
        {title: "Hot", cell: o => share(o.hot_sectors, o.sectors), by: o => o.hot_sectors / Math.max(1, o.sectors), help: "Share of the sectors that many warps of a block access"},
        {title: "Falsely shared", cell: o => share(o.falsely_shared_sectors, o.sectors), by: o => o.falsely_shared_sectors / Math.max(1, o.sectors),
         help: "Share of the sectors whose words belong to many warps"},
        {title: "Sparse", cell: o => share(o.sparse_sectors, o.sectors), by: o => o.sparse_sectors / Math.max(1, o.sectors), help: "Share of the sectors of which at most half of the words are used"},
      ]} />
    </section>
  );
}

function BankConflicts({of}: {of: Kernel}) {
  const {names} = useReport();
  const heat = of.heat!;
  const rows = [...heat.arrays.flatMap(a => a.lines.map(line => ({...line, of: names[a.object]!}))),
                ...heat.other_shared_lines.map(line => ({...line, of: "?"}))];
  return rows.length === 0 ? null : (
    <section>
      <h3>Bank conflicts</h3>
      <p class="faint">Counted in {sampled(heat)}.</p>
      <Table label="Bank conflicts" rows={rows} height={14} columns={[
        {title: "At", left: true, cell: l => <Position of={l.source} />, by: l => `${l.source?.file}:${String(l.source?.line).padStart(7, "0")}`},
        {title: "Access", left: true, cell: l => l.access},
        {title: "Array", left: true, wide: true, cell: l => <span class="mono">{l.of}</span>, by: l => l.of},
        {title: "Requests", minor: true, cell: l => grouped(l.requests), by: l => l.requests, help: "Shared memory instructions of a warp"},
        {title: "Wavefronts/request", cell: l => <span title={plural(l.wavefronts, "wavefront")}>{ratio(perRequest(l.wavefronts, l))}</span>,
         by: l => perRequest(l.wavefronts, l)},
        {title: "Ideal", cell: l => <span title={plural(l.ideal_wavefronts, "wavefront")}>{ratio(perRequest(l.ideal_wavefronts, l))}</span>,
         by: l => perRequest(l.ideal_wavefronts, l), help: "Fewest wavefronts per request that hold the accessed words"},
        {title: "Needless", cell: l => share(l.wavefronts - l.ideal_wavefronts, l.wavefronts), by: l => l.wavefronts - l.ideal_wavefronts,
         help: "Share of the wavefronts beyond the ideal"},
      ]} />
    </section>
  );
}

/** Instructions of the machine code that no profile counts. */
function MachineCode({of}: {of: MachineMemory}) {
  return (
    <section>
      <h3>Local memory, constants and textures</h3>
      <p class="faint">Instructions of the machine code (sm_{of.architecture}); how often they are executed is not counted.
        {of.frame_bytes !== 0 && ` Each thread has ${bytes(of.frame_bytes)} of local memory.`}</p>
      <Table label="Local memory, constants and textures" rows={of.instructions} height={14} columns={[
        {title: "At", left: true, cell: i => <Position of={i.source} />, by: i => `${i.source?.file}:${String(i.source?.line).padStart(7, "0")}`},
        {title: "Instruction", left: true, cell: i => words(i.instruction), by: i => i.instruction},
        {title: "Variable", left: true, wide: true, cell: i => <span class="mono">{i.variable || "-"}{i.type && ` (${i.type})`}</span>, by: i => i.variable},
        {title: "Width", cell: i => i.bytes ? bytes(i.bytes) : "-", by: i => i.bytes, help: "Bytes per lane"},
        {title: "Instructions", cell: i => grouped(i.count), by: i => i.count, help: "In the machine code"},
        {title: "Index", left: true, minor: true, cell: i => i.index === "unknown" ? "" : words(i.index), help: "How the address is computed"},
      ]} />
    </section>
  );
}

/** Marks times of clones, which are upper bounds. */
const atMost = ({seconds: s}: Kernel): string => s?.instrumented ? "\u2264" : "";

/** Wavefronts beyond the ideal are bank conflicts. */
const conflicts = ({wavefronts, ideal_wavefronts: ideal}: {wavefronts: number; ideal_wavefronts: number}): string =>
    wavefronts > ideal ? plural(wavefronts - ideal, "bank conflict") : "no bank conflicts";

/** Kernels with the most time, or the most launches, first. */
const byTime = (a: Kernel, b: Kernel): number =>
    (b.seconds?.total ?? 0) - (a.seconds?.total ?? 0) || b.launch_counts.seen - a.launch_counts.seen || a.id - b.id;

function metricsOf(of: Kernel, cache: Cache | null): Metric[] {
  const l = of.launch_counts, launch = of.launches[0], heat = of.heat;
  const traffic = cache?.kernels.find(k => k.kernel === of.id)?.traffic;
  const shared = of.static_shared_bytes + (launch?.dynamic_shared_bytes ?? 0);
  const unused = of.objects.reduce((sum, use) => sum + use.never_touched.bytes, 0);
  const left = [[l.not_selected, "not selected"], [l.refused, "refused"]].filter(([n]) => n).map(([n, what]) => `, ${grouped(n as number)} ${what}`).join("");
  return [
    ...(of.seconds ? [{title: "Time", value: `${atMost(of)}${seconds(of.seconds.total)}`,
                       note: `${atMost(of)}${percent(of.seconds.share)} of the kernel time, ${seconds(of.seconds.mean)} per launch`,
                       help: `${plural(of.seconds.measured_launches, "launch")} measured${of.seconds.instrumented ? ", all instrumented: upper bounds" : ""}`}] : []),
    {title: "Launches", value: grouped(l.seen), note: `${grouped(l.profiled)} analysed${left}`},
    ...(launch ? [{title: "Grid and block", value: <>{dim3(launch.grid)} <small>blocks of</small> {dim3(launch.block)} <small>threads</small></>,
                   note: of.launches.length > 1 ? `in ${plural(launch.count, "launch")}; ${plural(of.launches.length - 1 + of.launch_groups_omitted, "other configuration")}` : "in all launches"}] : []),
    ...(heat?.requests ? [
      {title: "Global memory", value: <>{ratio(heat.sectors / heat.requests)} <small>sectors/request</small></>,
       note: `ideal ${ratio(heat.ideal_sectors / heat.requests)}; ${plural(heat.requests, "request")} in ${sampled(heat)}`, share: heat.sectors ? heat.ideal_sectors / heat.sectors : 1,
       help: `${plural(heat.sectors, "sector")}, ideal ${grouped(heat.ideal_sectors)}, in the sampled blocks`},
      {title: "Bytes used", value: share(heat.bytes_used, 32 * heat.sectors), note: "of the transferred bytes",
       share: heat.sectors ? heat.bytes_used / (32 * heat.sectors) : 1,
       help: `${exactBytes(heat.bytes_used)} of ${exactBytes(32 * heat.sectors)}`},
    ] : []),
    ...(heat?.shared_requests ? [
      {title: "Shared memory", value: <>{ratio(heat.wavefronts / heat.shared_requests)} <small>wavefronts/request</small></>,
       note: `ideal ${ratio(heat.ideal_wavefronts / heat.shared_requests)}; ${conflicts(heat)} in ${sampled(heat)}`, share: heat.wavefronts ? heat.ideal_wavefronts / heat.wavefronts : 1,
       help: `${plural(heat.shared_requests, "request")}, ${plural(heat.wavefronts, "wavefront")}, ideal ${grouped(heat.ideal_wavefronts)}, in the sampled blocks`},
    ] : []),
    ...(traffic ? [
      {title: "L1 hit rate", value: rate(traffic.l1_hit_rate), note: `${bytes(traffic.l2_bytes)} between L1 and L2`,
       share: traffic.l1_hit_rate ?? undefined, help: exactBytes(traffic.l2_bytes)},
      {title: "L2 hit rate", value: rate(traffic.l2_hit_rate), note: `${bytes(traffic.dram_bytes)} between L2 and DRAM`,
       share: traffic.l2_hit_rate ?? undefined, help: exactBytes(traffic.dram_bytes)},
    ] : []),
    ...(shared ? [{title: "Shared memory per block", value: bytes(shared), help: exactBytes(shared),
                   note: of.objects.length === 0 ? "" : unused ? `${bytes(unused)} never accessed` : "all accessed",
                   share: of.objects.length ? (shared - unused) / shared : undefined}] : []),
    ...(of.registers ? [{title: "Registers", value: grouped(of.registers), note: "per thread"}] : []),
  ];
}

function Launches({of}: {of: Kernel}) {
  const {summary} = useReport();
  return of.launches.length === 0 ? null : (
    <section>
      <h3>Launches</h3>
      <Table label="Launches" rows={of.launches} height={6} columns={[
        {title: "Launches", cell: g => grouped(g.count), by: g => g.count},
        ...(summary.devices.length > 1 ? [{title: "Device", cell: (g: typeof of.launches[0]) => g.device ?? "-"}] : []),
        {title: "Grid", cell: g => dim3(g.grid), help: "Blocks"},
        {title: "Block", cell: g => dim3(g.block), help: "Threads"},
        {title: "Dynamic shared memory", minor: true, cell: g => <Bytes of={g.dynamic_shared_bytes} />, help: "Per block"},
        {title: "Instrumentation", left: true, wide: true, cell: g => words(g.mode) + (g.reason ? `: ${g.reason}` : "")},
      ]} />
      {of.launch_groups_omitted !== 0 && <p>{plural(of.launch_groups_omitted, "other configuration")} not listed.</p>}
    </section>
  );
}

function KernelPage({of}: {of: Kernel}) {
  const {summary, names} = useReport();
  const global = of.global_memory;
  return (
    <>
      <h2 tabIndex={-1} class="mono">{shortName(of.demangled)}</h2>
      <p><span class="mono">{of.demangled}</span> <Position of={of.source} /></p>
      {of.reason && <p class="warning">Not analysed: {of.reason}</p>}
      <Metrics of={metricsOf(of, summary.cache)} />
      <FindingsOf of={f => f.kernel?.id === of.id} />
      {of.heat && <Coalescing of={of} />}
      {of.heat && <BankConflicts of={of} />}
      {of.machine_memory && <MachineCode of={of.machine_memory} />}
      {of.objects.length !== 0 && <section>
        <h3>Shared memory</h3>
        {of.level && <p class="faint">Counters: {of.level}, {of.counter_bits} bits{of.threshold ? `, up to ${grouped(of.threshold)}` : ""}.</p>}
        {of.objects.map(use => <SharedArray of={use} />)}
      </section>}
      {global && global.objects.length !== 0 && <section>
        <h3>Global memory</h3>
        <p class="faint">Accesses in all launches, and in brackets their mean and maximum per element and launch. {grouped(global.sites_by_closed_forms)} of {plural(global.sites_by_closed_forms + global.sites_counted + global.sites_skipped, "instruction")} counted by closed forms.</p>
        <GlobalTable of={global.objects} />
        {global.objects.map(use => <GlobalObject of={use} />)}
      </section>}
      {of.heat && <Temperatures of={of} />}
      {of.heat && <HeatMaps of={of} />}
      <KernelCaches of={of} />
      {of.source && <KernelSource id={of.id} of={of.source} />}
      <Launches of={of} />
      {of.object_accesses.length !== 0 && <section>
        <h3>Accessed allocations</h3>
        <Table label="Accessed allocations" rows={of.object_accesses} height={12} columns={[
          {title: "Allocation", left: true, wide: true, cell: a => <ObjectLink id={a.object} />, by: a => names[a.object]!},
          {title: "Size", cell: a => <Bytes of={summary.objects[a.object]?.bytes ?? 0} />, by: a => summary.objects[a.object]?.bytes ?? 0},
          {title: "Launches", cell: a => grouped(a.launches), by: a => a.launches},
          {title: "Reading", cell: a => grouped(a.reads), by: a => a.reads, help: "Launches that read it"},
          {title: "Writing", cell: a => grouped(a.writes), by: a => a.writes, help: "Launches that write it"},
          {title: "Basis", left: true, minor: true, cell: a => a.known, help: "How the accesses are known"},
        ]} />
      </section>}
    </>
  );
}

export function KernelsView({route}: {route: Route}) {
  const {summary} = useReport();
  const kernels = useMemo(() => [...summary.kernels].sort(byTime), [summary]);
  const kernel = route.item === "" ? undefined : summary.kernels[Number(route.item)];
  if (kernel)
    return <><p class="back"><a href={link("kernels")}>All kernels</a></p><KernelPage of={kernel} /></>;
  const findings = (k: Kernel) => summary.findings.filter(f => f.kernel?.id === k.id).length;
  const sectors = (k: Kernel): number => k.heat?.requests ? k.heat.sectors / k.heat.requests : 0;
  const wavefronts = (k: Kernel): number => k.heat?.shared_requests ? k.heat.wavefronts / k.heat.shared_requests : 0;
  const hitRate = (k: Kernel, which: "l1_hit_rate" | "l2_hit_rate"): number | null =>
      summary.cache?.kernels.find(each => each.kernel === k.id)?.traffic[which] ?? null;
  const any = (of: (k: Kernel) => number): boolean => summary.kernels.some(k => of(k) !== 0);
  return (
    <>
      <h2 tabIndex={-1}>Kernels</h2>
      {summary.kernels.length === 0 ? <Empty>The program launches no kernel. GMProf sees kernels of programs that <code>gmprof-clang++</code> compiled; <code>gmprof doctor</code> checks the installation.</Empty> :
        <Table label="Kernels" rows={kernels} height={28}
               onSelect={k => goTo(link("kernels", k.id))} columns={[
          {title: "Kernel", left: true, wide: true, by: k => shortName(k.demangled),
           cell: k => <a class="mono" href={link("kernels", k.id)} title={k.demangled}>{shortName(k.demangled)}</a>},
          {title: "At", left: true, minor: true, cell: k => <Position of={k.source} />},
          ...(summary.kernels.some(k => k.seconds) ? ([
            {title: "Time", by: k => k.seconds?.total ?? 0, help: "Time of all launches on the GPU; \u2264: an upper bound, measured with instrumentation",
             cell: k => k.seconds ? <>{atMost(k)}<Seconds of={k.seconds.total} /></> : "-"},
            {title: "Share", by: k => k.seconds?.share ?? 0, help: "Of the time of all kernels",
             cell: k => k.seconds ? `${atMost(k)}${percent(k.seconds.share)}` : "-"},
          ] as Column<Kernel>[]) : []),
          {title: "Launches", cell: k => grouped(k.launch_counts.seen), by: k => k.launch_counts.seen},
          {title: "Analysed", minor: true, cell: k => grouped(k.launch_counts.profiled), by: k => k.launch_counts.profiled, help: "Launches"},
          {title: "Findings", cell: k => findings(k) || "-", by: findings},
          ...(any(sectors) ? [{title: "Sectors/request", by: sectors, help: "Sectors of 32 bytes of global memory per request (ideal)",
            cell: (k: Kernel) => sectors(k) ? `${ratio(sectors(k))} (ideal ${ratio(k.heat!.ideal_sectors / k.heat!.requests)})` : "-"}] : []),
          ...(any(wavefronts) ? [{title: "Wavefronts/request", by: wavefronts, help: "Wavefronts of shared memory per request (ideal)",
            cell: (k: Kernel) => wavefronts(k) ? `${ratio(wavefronts(k))} (ideal ${ratio(k.heat!.ideal_wavefronts / k.heat!.shared_requests)})` : "-"}] : []),
          ...(summary.cache ? ([["L1 hit rate", "l1_hit_rate"], ["L2 hit rate", "l2_hit_rate"]] as const).map(([title, which]): Column<Kernel> => ({
            title, by: k => hitRate(k, which) ?? -1, cell: k => rate(hitRate(k, which)),
          })) : []),
          {title: "Shared arrays", minor: true, cell: k => k.objects.length || "-", by: k => k.objects.length},
          {title: "Allocations", minor: true, cell: k => k.object_accesses.length || "-", by: k => k.object_accesses.length, help: "Allocations in global memory that it accesses"},
          ...(summary.kernels.some(k => k.reason) ? [{title: "Not analysed", left: true, minor: true, cell: (k: Kernel) => k.reason ? <span class="clipped" title={k.reason}>{k.reason}</span> : "-"}] : []),
        ]} />}
      <ProgramCaches />
    </>
  );
}
