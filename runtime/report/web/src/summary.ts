// The parts of summary.json (docs/summary.schema.json) and of the other JSON sections that the page uses.

export interface Source { file: string; line: number }
export interface Num { value: number; at_least: boolean }

export interface Run {
  command: string[];
  host: string;
  pid: number;
  ppid: number;
  rank: number | null;
  start: string;
  wall_seconds: number | null;
  exit_status: number | null;
  complete: boolean;
  device: string;
}

export interface Device {
  id: number;
  name: string;
  compute_capability: string;
  attributes: Record<string, unknown>;
}

export interface Coverage {
  whole: boolean;
  kernels: {seen: number; instrumented: number; nothing_to_profile: number;
            not_instrumented: {kernel: number; name: string; reason: string}[]};
  launches: {seen: number; profiled: number; nothing_to_profile: number; not_selected: number;
             refused: number; without_counts: number;
             reasons: {kernel: string; reason: string; count: number}[]};
  blocks: {launched: number; selected: number; counted: number};
  accesses: {counted: number; lost: number; unattributed: number; outside: number;
             skipped: {kernel: string; access: string; source: Source | null; reason: string}[]};
  objects: {launches_inferred: number; objects_uncertain: number; objects_of_host: number} | null;
  records_dropped: number;
  gaps: {what: string; reason: string; count: number}[];
}

export interface Frame {
  function: string;
  source: Source | null;
  inlined: boolean;
  image: string;
  address: number;
}

export interface InlinedCall {
  function: string;
  source: Source | null;
}

export interface ObjectEvent {
  api: string;
  seconds: number;
  call_path: number | null;
  source: Source | null;
}

export interface Access {
  kind: string;
  api: string;
  seconds: number;
  call_path: number | null;
  source: Source | null;
}

export interface Elements {
  element_bytes: number;
  elements: number;
  accessed: number;
  accessed_share: number;
  fragmentation: number;
  sampled: boolean;
  unseen_reason: string;
  slices: number | null;
  frequencies: {kernel: number; launches: number; elements: number; variation: Num}[];
}

export interface MemoryObject {
  id: number;
  name: string;
  kind: string;
  type: string;
  bytes: number;
  element_bytes: number | null;
  extent: number[] | null;
  address: number | null;
  device: number | null;
  kernel: number | null;
  source: Source | null;
  alloc: ObjectEvent | null;
  free: ObjectEvent | null;
  released: boolean | null;
  /** The pool that this allocation is a part of. */
  parent: number | null;
  first_access: Access | null;
  last_access: Access | null;
  elements: Elements | null;
}

export interface Bucket { from: number; to: number | null; elements: number; at_threshold: boolean }
export interface Counts { min: Num; mean: Num; max: Num; histogram: Bucket[] }

export interface Site {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  space: string;
  bytes: number;
  rule: string;
  reason: string;
}

export interface LiveRanges {
  counted: boolean;
  not_counted_reason: string;
  ranges: number;
  accesses_per_range: {min: number; mean: number; max: number} | null;
  histogram: {from: number; to: number | null; ranges: number}[];
  begins: {device_array: string; source: Source | null}[];
  ends: {device_array: string; source: Source | null}[];
}

export interface ObjectUse {
  object: number;
  space: string;
  counts_of: string;
  count_elements: number;
  blocks_counted: number;
  blocks_launched: number;
  reads: Num | null;
  writes: Num | null;
  accesses: Num;
  accesses_estimated: Num;
  standard_error: number;
  per_block: Counts;
  threshold: {value: number; reached: number} | null;
  never_touched: {elements: number; bytes: number; description: string; padding_elements: number};
  live_ranges: LiveRanges | null;
  sites: Site[];
  uncounted_reason: string;
}

export interface GlobalAccesses {
  launches: number;
  accesses: Num;
  accesses_estimated: Num;
  standard_error: number;
  touched: number;
  threshold_reached: number;
  per_launch: Counts;
}

export interface GlobalObjectUse {
  object: number;
  names: string[];
  element_bytes: number;
  elements: number;
  touched: number;
  reads: GlobalAccesses | null;
  writes: GlobalAccesses | null;
  atomics: GlobalAccesses | null;
  sites: Site[];
  uncounted_reason: string;
}

export interface GlobalUse {
  launches_profiled: number;
  block_sample: number;
  sites_by_closed_forms: number;
  sites_counted: number;
  sites_skipped: number;
  objects: GlobalObjectUse[];
  other_sites: Site[];
}

export interface HeatAccess {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  bytes: number;
  requests: number;
  lanes: number;
  sectors: number;
  ideal_sectors: number;
  bytes_used: number;
  misaligned: number;
  strided: number;
  stride: number | null;
}

export interface HeatObject {
  object: number;
  name: string;
  launches: number;
  sectors: number;
  mean_word: number;
  mean_sector: number;
  max_word: number;
  max_sector: number;
  hot_sectors: number;
  falsely_shared_sectors: number;
  sparse_sectors: number;
  lines: HeatAccess[];
}

export interface BankAccess {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  bytes: number;
  requests: number;
  wavefronts: number;
  ideal_wavefronts: number;
}

export interface HeatUse {
  launches_sampled: number;
  blocks_sampled: number;
  blocks_launched: number;
  warps_per_block: number;
  requests: number;
  sectors: number;
  ideal_sectors: number;
  bytes_used: number;
  shared_requests: number;
  wavefronts: number;
  ideal_wavefronts: number;
  outside: number;
  lost: number;
  objects: HeatObject[];
  other_lines: HeatAccess[];
  arrays: {object: number; lines: BankAccess[]}[];
  other_shared_lines: BankAccess[];
}

export interface CodeInstruction {
  instruction: string;
  source: Source | null;
  variable: string;
  type: string;
  bytes: number;
  count: number;
  index: string;
}

export interface MachineMemory {
  architecture: number;
  frame_bytes: number;
  instructions: CodeInstruction[];
}

export interface Kernel {
  id: number;
  name: string;
  demangled: string;
  source: Source | null;
  instrumented: boolean;
  reason: string;
  level: string | null;
  counter_bits: number | null;
  threshold: number | null;
  counts_exact: boolean | null;
  registers: number;
  clone_registers: number;
  static_shared_bytes: number;
  /** Measured on the GPU; instrumented: upper bounds, since only clones were measured. */
  seconds: {measured_launches: number; mean: number; total: number; instrumented: boolean; share: number} | null;
  launch_counts: {seen: number; profiled: number; not_selected: number; refused: number};
  launches: {device: number | null; grid: number[]; block: number[]; dynamic_shared_bytes: number; mode: string;
             reason: string; count: number}[];
  launch_groups_omitted: number;
  objects: ObjectUse[];
  other_sites: Site[];
  object_accesses: {object: number; launches: number; reads: number; writes: number;
                    known: string}[];
  global_memory: GlobalUse | null;
  heat: HeatUse | null;
  machine_memory: MachineMemory | null;
}

export interface MemoryPeak {
  bytes: number;
  seconds: number;
  objects: number;
  largest: number[];
}

export interface DeviceMemory {
  device: number;
  peak_bytes: number;
  peak_bytes_after: number | null;
  bytes_at_end: number;
  peaks: MemoryPeak[];
  failed_allocations: number;
}

export interface Memory {
  objects: number;
  objects_omitted: number;
  devices: DeviceMemory[];
  pools: {object: number; bytes: number; parts: number; peak_bytes: number; wasted_bytes: number;
          peak_bytes_after: number | null}[];
}

export interface SyncSite {
  api: string;
  call_path: number | null;
  source: Source | null;
  explicit_wait: boolean;
  calls: number;
  waits: number;
  blocked: number;
  call_seconds: number;
  wait_seconds: number;
  migrated_bytes: number;
  migration_share: number;
  unnecessary: number;
  misplaced: number;
  needed: number;
  assumed_needed: number;
  orders_streams: number;
  not_seen: number;
  first_use_seconds: number | null;
  first_use: Source | null;
  first_use_seen: string;
  unnecessary_benefit_seconds: number;
  misplaced_benefit_seconds: number;
  replay_seconds: number | null;
  copies: number;
  copied_bytes: number;
  duplicates: number;
  duplicate_bytes: number;
  destination_unchanged: number;
  duplicate_benefit_seconds: number;
  duplicate_replay_seconds: number | null;
  first_copy: Source | null;
}

/** Whether calls were recorded, but not which waits are avoidable. */
export const atFirstSight = ({config}: Summary): boolean =>
    config.sync_stage === "baseline" && Array.isArray(config.profiles) && config.profiles.includes("sync");

/** Returns the time that the fixes at a call site save: the lower of the estimate and the replay. */
export function benefit(s: SyncSite): number {
  const least = (estimate: number, replay: number | null) => replay === null ? estimate : Math.max(0, Math.min(estimate, replay));
  return least(s.unnecessary_benefit_seconds + s.misplaced_benefit_seconds, s.replay_seconds) +
         least(s.duplicate_benefit_seconds, s.duplicate_replay_seconds);
}

export interface Sync {
  wall_seconds: number | null;
  stages: {name: string; seconds: number | null; exit_status: number | null; calls: number;
           same_calls: boolean; missing_calls: number; additional_calls: number;
           first_difference: string}[];
  calls: number;
  gpu_times_known: boolean;
  sites: SyncSite[];
  sites_omitted: number;
  functions: {function: string; api: string; sites: number[]; benefit_seconds: number}[];
  sequences: {entries: {site: number; waits: number; copies: number}[]; count: number;
              benefit_seconds: number}[];
}

export interface CacheTraffic {
  requests: number;
  sectors: number;
  coalescing_efficiency: number;
  traffic_share: number;
  l1_hit_rate: number | null;
  l1_hit_rate_error: number | null;
  l1_lookups: number;
  l1_hits: number;
  lost_to_fences: number;
  l2_hit_rate: number | null;
  l2_hit_rate_error: number | null;
  fetched_again: number;
  l2_bytes: number;
  dram_bytes: number;
}

export interface CacheLaunch {
  launch: number;
  kernel: number | null;
  grid: number[];
  block: number[];
  l1_kb: number;
  traffic: CacheTraffic;
}

export interface Cache {
  gpu: {architecture: string; name: string; sms: number; unified_kb: number; l2_kb: number};
  sampled: number;
  complete: boolean;
  total: CacheTraffic;
  objects: {object: number | null; name: string; traffic: CacheTraffic}[];
  lines: {source: Source | null; access: string; traffic: CacheTraffic}[];
  kernels: (Pick<Cache, "objects" | "lines"> & {kernel: number | null; name: string; traffic: CacheTraffic})[];
  launches: CacheLaunch[];
}

export interface MergedProcess {
  rank: number | null;
  host: string;
  pid: number;
  path: string;
  wall_seconds: number | null;
  exit_status: number | null;
  complete: boolean;
  whole: boolean;
  findings: number;
}

/** A number of several processes. Processes are indexes in Processes.list. */
export interface Spread {
  name: string;
  of: string;
  unit: string;
  min: number;
  min_process: number;
  mean: number;
  max: number;
  max_process: number;
  outliers: number[];
}

export interface Processes {
  list: MergedProcess[];
  measures: Spread[];
  findings: {fingerprint: string; processes: number[]}[];
}

export interface Finding {
  id: number;
  pattern: string;
  kind: string;
  origin: string;
  severity: string;
  object: {id: number; name: string; kind: string} | null;
  kernel: {id: number; name: string} | null;
  site: number | null;
  source: Source | null;
  /** Chains of inlined calls, innermost first. */
  inlined_at: InlinedCall[][];
  inlined_omitted: number;
  call_path: Source[];
  bytes_saved: number;
  seconds_saved: number | null;
  message: string;
  suggestion: string;
  fingerprint: string;
}

export interface Summary {
  schema: string;
  tool: {name: string; version: string};
  run: Run;
  processes: Processes | null;
  devices: Device[];
  config: Record<string, unknown>;
  coverage: Coverage;
  objects: MemoryObject[];
  kernels: Kernel[];
  call_paths: Frame[][];
  memory: Memory | null;
  sync: Sync | null;
  cache: Cache | null;
  findings: Finding[];
  files: {name: string; path: string; format: string; description: string}[];
}

/** Excerpts of the text report, so that the page has the same words and numbers. */
export interface Texts {
  head: string[];
  missing: string[];
  figures: [string, string][];
  /** In the order of the summary. Measured: evidence as names and values with units. */
  findings: {subject: string; cost: string; processes: string; measured: [string, string][]}[];
  /** Indices of the findings that the overview lists, and a line about the others. */
  listed: number[];
  without_benefit: string;
  patterns: Record<string, {title: string; means: string; profile: string; compared: string; method: string}>;
  /** Checks that the run's profile does not make, with the profile that makes them. */
  unchecked: {profile: string; checks: string}[];
  not_shown: string[];
  folder: string;
}

/** The included parts of a file: the number of the first line, and the lines. */
export interface SourceFile {
  path: string;
  parts: [number, string[]][];
}
