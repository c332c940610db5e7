// Simulated caches by allocation, line and launch, with the rates as bars.
import type {ComponentChildren} from "preact";
import {bytes, dim3, exactBytes, grouped, rate, share} from "./format";
import {ObjectLink, Position, useReport} from "./parts";
import type {Cache, CacheLaunch, CacheTraffic, Kernel, Source} from "./summary";
import {Table, type Column} from "./table";

/** A share as a bar and as a number. */
function Rate({of, error}: {of: number | null; error?: number | null}) {
  if (of === null)
    return <>-</>;
  return (
    <span class="rate">
      <i aria-hidden="true"><b style={{width: `${100 * Math.min(1, Math.max(0, of))}%`}} /></i>
      {rate(of)}{error != null && ` \u00b1 ${(100 * error).toFixed(1)}`}
    </span>
  );
}

/** Sectors that miss in L1. */
const misses = (t: CacheTraffic): number => Math.max(0, t.l1_lookups - t.l1_hits);

/** Fences: whether a fence emptied L1 before a reuse. */
function traffic<Row>(of: (row: Row) => CacheTraffic, fences: boolean): Column<Row>[] {
  return [
    {title: "Traffic", cell: r => <Rate of={of(r).traffic_share} />, by: r => of(r).traffic_share, help: "Share of the sectors of the whole program"},
    {title: "L1 hit rate", cell: r => <Rate of={of(r).l1_hit_rate} error={of(r).l1_hit_rate_error} />, by: r => of(r).l1_hit_rate ?? -1},
    {title: "L2 hit rate", cell: r => <Rate of={of(r).l2_hit_rate} error={of(r).l2_hit_rate_error} />, by: r => of(r).l2_hit_rate ?? -1},
    {title: "Bytes used", cell: r => <Rate of={of(r).coalescing_efficiency} />, by: r => of(r).coalescing_efficiency, help: "Share of the bytes of the sectors"},
    {title: "Requests", cell: r => grouped(of(r).requests), by: r => of(r).requests},
    {title: "Refetched", cell: r => share(of(r).fetched_again, misses(of(r))), by: r => of(r).fetched_again / Math.max(1, misses(of(r))),
     help: "Share of the sectors that miss in L1 and that the same SM fetched before in the launch"},
    ...(fences ? [{title: "Lost to fences", cell: (r: Row) => share(of(r).lost_to_fences, misses(of(r))), by: (r: Row) => of(r).lost_to_fences / Math.max(1, misses(of(r))),
     help: "Share of the sectors that miss in L1 since a fence emptied it"}] : []),
    {title: "L1\u2013L2 traffic", cell: r => <span title={exactBytes(of(r).l2_bytes)}>{bytes(of(r).l2_bytes)}</span>, by: r => of(r).l2_bytes},
    {title: "L2\u2013DRAM traffic", cell: r => <span title={exactBytes(of(r).dram_bytes)}>{bytes(of(r).dram_bytes)}</span>, by: r => of(r).dram_bytes},
  ];
}

const lineKey = (s: Source | null): string => s ? `${s.file}:${String(s.line).padStart(7, "0")}` : "";

const hasFences = (cache: Cache): boolean => cache.total.lost_to_fences !== 0;

function Tables({cache, of}: {cache: Cache; of: Pick<Cache, "objects" | "lines">}) {
  return (
    <>
      <p class="faint">{cache.gpu.name} ({cache.gpu.architecture}), simulated: {grouped(cache.gpu.sms)} SMs with {bytes(1024 * cache.gpu.unified_kb)} of L1 and shared memory, {bytes(1024 * cache.gpu.l2_kb)} of L2
        {cache.sampled > 1 && `; one of ${grouped(cache.sampled)} cache lines`}.
        {!cache.complete && " The trace is not complete."}</p>
      <Table label="Caches by allocation" rows={of.objects} height={12} columns={[
        {title: "Allocation", left: true, wide: true, cell: o => o.object === null ? <span class="mono">{o.name}</span> : <ObjectLink id={o.object} />, by: o => o.name},
        ...traffic<Cache["objects"][number]>(o => o.traffic, hasFences(cache)),
      ]} />
      {of.lines.length !== 0 && <>
        <h4>By line</h4>
        <Table label="Caches by line" rows={of.lines} height={12} columns={[
          {title: "At", left: true, cell: l => <Position of={l.source} />, by: l => lineKey(l.source)},
          {title: "Access", left: true, wide: true, cell: l => l.access},
          ...traffic<Cache["lines"][number]>(l => l.traffic, hasFences(cache)),
        ]} />
      </>}
    </>
  );
}

const Section = ({children}: {children: ComponentChildren}) => <section><h3>Caches</h3>{children}</section>;

/** Caches of one kernel. */
export function KernelCaches({of}: {of: Kernel}) {
  const {cache} = useReport().summary;
  const kernel = cache?.kernels.find(k => k.kernel === of.id);
  if (!cache || !kernel)
    return null;
  const launches = cache.launches.filter(l => l.kernel === of.id);
  return (
    <Section>
      <Tables cache={cache} of={kernel} />
      {launches.length !== 0 && <>
        <h4>By launch</h4>
        <Table label="Caches by launch" rows={launches} height={10} columns={[
          {title: "Launch", cell: l => l.launch, by: l => -l.launch},
          {title: "Grid", cell: l => dim3(l.grid)},
          {title: "Block", cell: l => dim3(l.block)},
          {title: "L1", cell: l => bytes(1024 * l.l1_kb), by: l => l.l1_kb},
          ...traffic<CacheLaunch>(l => l.traffic, hasFences(cache)),
        ]} />
      </>}
    </Section>
  );
}

/** Caches of the whole program. */
export function ProgramCaches() {
  const {cache} = useReport().summary;
  return cache && <Section><Tables cache={cache} of={cache} /></Section>;
}
