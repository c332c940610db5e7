// summary.json. Written from docs/summary.schema.json by scripts/summary-reference.py: change the schema.

/** The program that wrote the summary. */
export interface Tool {
  name: string;
  version: string;
}

/** The profiled run. */
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

/** A process. */
export interface MergedProcess {
  rank: number | null;
  host: string;
  pid: number;
  path: string;
  command: string[];
  wall_seconds: number | null;
  exit_status: number | null;
  complete: boolean;
  whole: boolean;
  findings: number;
}

/** A number of the processes. */
export interface Spread {
  name: string;
  of: string;
  unit: string;
  processes: number;
  min: number;
  min_process: number;
  mean: number;
  max: number;
  max_process: number;
  deviation: number;
  outliers: number[];
  values: (number | null)[];
}

/** The processes that have a finding. */
export interface MergedFinding {
  fingerprint: string;
  processes: number[];
}

/** The processes that a merged summary is of. */
export interface Processes {
  list: MergedProcess[];
  measures: Spread[];
  findings: MergedFinding[];
}

/** A device that was used. */
export interface Device {
  id: number;
  name: string;
  compute_capability: string;
  attributes: Record<string, unknown>;
}

/** A kernel that cannot be profiled. */
export interface NotInstrumented {
  kernel: number;
  name: string;
  reason: string;
}

/** Kernels of the program that were loaded. */
export interface KernelCoverage {
  seen: number;
  instrumented: number;
  nothing_to_profile: number;
  not_instrumented: NotInstrumented[];
}

/** Launches of a kernel that were not profiled for one reason. */
export interface ReasonCount {
  kernel: string;
  reason: string;
  count: number;
}

/** Kernel launches; a graph's replay launches each of its kernels. */
export interface LaunchCoverage {
  seen: number;
  profiled: number;
  nothing_to_profile: number;
  not_selected: number;
  refused: number;
  without_counts: number;
  reasons: ReasonCount[];
}

/** How many launches a profile measured. */
export interface ProfileCoverage {
  profile: string;
  launches: number;
  of: number;
  never_counted: ReasonCount[];
}

/** Thread blocks of kernels with counts. */
export interface BlockCoverage {
  launched: number;
  selected: number;
  counted: number;
}

/** A place in the source. */
export interface Source {
  file: string;
  line: number;
}

/** An instruction that could not be counted. */
export interface SkippedSite {
  kernel: string;
  access: string;
  source: Source | null;
  reason: string;
}

/** Accesses of shared memory, and those of global memory that are no known object's. */
export interface AccessCoverage {
  counted: number;
  lost: number;
  unattributed: number;
  outside: number;
  skipped: SkippedSite[];
}

/** An object that can have unobserved accesses has no finding that rests on the absence of accesses. */
export interface ObjectCoverage {
  launches_inferred: number;
  objects_uncertain: number;
  objects_of_host: number;
}

/** Something skipped, capped or lost. */
export interface Gap {
  what: string;
  reason: string;
  count: number;
}

/** Everything that was not profiled, and why. */
export interface Coverage {
  whole: boolean;
  kernels: KernelCoverage;
  launches: LaunchCoverage;
  profiles: ProfileCoverage[];
  blocks: BlockCoverage;
  accesses: AccessCoverage;
  objects: ObjectCoverage | null;
  records_dropped: number;
  gaps: Gap[];
}

/** A call of the program that made or released an object. */
export interface ObjectEvent {
  api: string;
  seconds: number;
  topological_time: number | null;
  thread: number;
  stream: number | null;
  call_path: number | null;
  source: Source | null;
}

/** A call that accessed an object. */
export interface Access {
  kind: string;
  api: string;
  seconds: number;
  topological_time: number;
  call_path: number | null;
  source: Source | null;
}

/** Elements first to last, both included. */
export interface ElementRange {
  first: number;
  last: number;
}

/** A number that can be a lower bound, because a counter reached its threshold. */
export interface Num {
  value: number;
  at_least: boolean;
}

/** Accesses per element of a launch of a kernel, over the elements that it accesses; of the launches looked at, those
 * with the highest variation. */
export interface ElementFrequencies {
  kernel: number;
  launches: number;
  elements: number;
  min: number;
  mean: Num;
  max: Num;
  variation: Num;
}

/** Elements of an object that kernels, and copies that read, access in its life. */
export interface Elements {
  element_bytes: number;
  elements: number;
  accessed: number;
  accessed_share: number;
  fragmentation: number;
  gaps: number;
  largest_gap: ElementRange | null;
  launches: number;
  launches_profiled: number;
  sampled: boolean;
  unseen_reason: string;
  slices: number | null;
  largest_slice: number | null;
  frequencies: ElementFrequencies[];
}

/** A memory object. */
export interface ProfiledObject {
  id: number;
  name: string;
  kind: string;
  type: string;
  bytes: number;
  element_bytes: number | null;
  extent: number[] | null;
  address: number | null;
  device: number | null;
  parent: number | null;
  kernel: number | null;
  source: Source | null;
  alloc: ObjectEvent | null;
  free: ObjectEvent | null;
  released: boolean | null;
  first_access: Access | null;
  last_access: Access | null;
  elements: Elements | null;
}

/** Launches by what became of them. */
export interface LaunchCounts {
  seen: number;
  profiled: number;
  not_selected: number;
  refused: number;
}

/** Execution time of a kernel on the GPU, from events around some of its launches. */
export interface KernelSeconds {
  measured_launches: number;
  mean: number;
  total: number;
  instrumented: boolean;
  share: number;
}

/** Launches that are alike. */
export interface LaunchGroup {
  device: number | null;
  grid: number[];
  block: number[];
  dynamic_shared_bytes: number;
  mode: string;
  reason: string;
  count: number;
}

/** Elements with from ≤ accesses per block, or per launch of global memory, < to. */
export interface Bucket {
  from: number;
  to: number | null;
  elements: number;
  at_threshold: boolean;
}

/** Accesses per element, and per block (shared memory) or launch (global memory). */
export interface PerBlock {
  min: Num;
  mean: Num;
  max: Num;
  histogram: Bucket[];
}

/** Counting of an element stops here, in each block. */
export interface Threshold {
  value: number;
  reached: number;
}

/** The part that no counted block accessed, except padding. */
export interface NeverTouched {
  elements: number;
  bytes: number;
  description: string;
  ranges: ElementRange[];
  range_count: number;
  padding_elements: number;
}

/** */
export interface PerRange {
  min: number;
  mean: number;
  max: number;
}

/** */
export interface RangeBucket {
  from: number;
  to: number | null;
  ranges: number;
}

/** A call of a device function that the compiler inlined, and where it is. */
export interface InlinedCall {
  function: string;
  source: Source | null;
  column: number;
}

/** A statement that moves data between shared and device memory. */
export interface Move {
  device_array: string;
  source: Source | null;
  column: number;
  function: string;
  inlined_at: InlinedCall[];
  bytes: number;
}

/** */
export interface RangeRecord {
  begin: number;
  end: number;
  accesses: number;
  moved_in: boolean;
}

/** Live ranges of data in an object's 4-byte words: from the move that brings it to shared memory, or the first store
 * after the last range, to the next move. */
export interface LiveRanges {
  counted: boolean;
  not_counted_reason: string;
  ranges: number;
  at_threshold: number;
  accesses_per_range: PerRange | null;
  histogram: RangeBucket[];
  begins: Move[];
  ends: Move[];
  records_of_byte: number | null;
  records: RangeRecord[];
}

/** An instruction of the optimised kernel that accesses memory. */
export interface Site {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  inlined_at: InlinedCall[];
  space: string;
  bytes: number;
  rule: string;
  reason: string;
}

/** Accesses of one kernel to one memory object, merged over its profiled launches. */
export interface ObjectUse {
  object: number;
  space: string;
  counts_of: string;
  count_elements: number;
  uncounted_bytes: number;
  blocks_counted: number;
  blocks_launched: number;
  reads: Num | null;
  writes: Num | null;
  accesses: Num;
  accesses_estimated: Num;
  standard_error: number;
  per_block: PerBlock;
  threshold: Threshold | null;
  never_touched: NeverTouched;
  live_ranges: LiveRanges | null;
  sites: Site[];
  uncounted_reason: string;
}

/** Number of a kernel's launches that access an object (DrGPUM, ASPLOS 2023, Section 5.1). */
export interface ObjectAccess {
  object: number;
  launches: number;
  reads: number;
  writes: number;
  known: string;
}

/** Accesses of one kind by one kernel to one object of global memory. */
export interface GlobalAccesses {
  launches: number;
  accesses: Num;
  accesses_estimated: Num;
  standard_error: number;
  by_closed_forms: number;
  touched: number;
  threshold_reached: number;
  per_launch: PerBlock;
}

/** Accesses of one kernel to one object of global memory that it can reach. */
export interface GlobalObjectUse {
  object: number;
  names: string[];
  element_bytes: number;
  elements: number;
  touched: number;
  reads: GlobalAccesses | null;
  writes: GlobalAccesses | null;
  atomics: GlobalAccesses | null;
  counts_complete: boolean;
  sites: Site[];
  uncounted_reason: string;
}

/** Accesses of one kernel to global memory. */
export interface GlobalUse {
  level: string;
  counter_bits: number;
  threshold: number | null;
  launches_profiled: number;
  launches_by_closed_forms: number;
  block_sample: number;
  blocks_counted: number;
  blocks_launched: number;
  outside: number;
  counter_bytes: number;
  object_bytes: number;
  sites_by_closed_forms: number;
  sites_counted: number;
  sites_skipped: number;
  objects: GlobalObjectUse[];
  other_sites: Site[];
}

/** Requests of global memory of an access, where its function was inlined by these calls. */
export interface InlinedHeat {
  inlined_at: InlinedCall[];
  requests: number;
  lanes: number;
  sectors: number;
  ideal_sectors: number;
  bytes_used: number;
}

/** An access of global memory in the source, and what its requests come to. */
export interface HeatAccess {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  bytes: number;
  instructions: number;
  requests: number;
  lanes: number;
  sectors: number;
  ideal_sectors: number;
  bytes_used: number;
  misaligned: number;
  strided: number;
  stride: number | null;
  inlined: InlinedHeat[];
  inlined_omitted: number;
}

/** Accesses of the sampled blocks to an object of global memory, over all sampled launches. */
export interface HeatObject {
  object: number;
  name: string;
  launches: number;
  sectors: number;
  words: number;
  accesses: number;
  mean_word: number;
  mean_sector: number;
  max_word: number;
  max_sector: number;
  hot_sectors: number;
  falsely_shared_sectors: number;
  sparse_sectors: number;
  merged_sectors: number;
  lines: HeatAccess[];
  lines_omitted: number;
}

/** Requests of shared memory of an access, where its function was inlined by these calls. */
export interface InlinedBanks {
  inlined_at: InlinedCall[];
  requests: number;
  lanes: number;
  wavefronts: number;
  ideal_wavefronts: number;
}

/** An access of shared memory in the source, and what its requests come to. */
export interface BankAccess {
  access: string;
  source: Source | null;
  column: number;
  function: string;
  bytes: number;
  instructions: number;
  requests: number;
  lanes: number;
  wavefronts: number;
  ideal_wavefronts: number;
  inlined: InlinedBanks[];
  inlined_omitted: number;
}

/** Accesses of the first sampled block to an array in shared memory, in the launch that accessed most of it; lines are
 * of all sampled blocks and launches. */
export interface HeatArray {
  object: number;
  launches: number;
  words_of_thread: number;
  words_of_warp: number;
  words_of_warps: number;
  lines: BankAccess[];
  lines_omitted: number;
}

/** A sampled launch, or several that were recorded together. */
export interface HeatLaunch {
  launch: number;
  launches: number;
  blocks_sampled: number;
  blocks_launched: number;
  requests: number;
  sectors: number;
  ideal_sectors: number;
  shared_requests: number;
  wavefronts: number;
  ideal_wavefronts: number;
}

/** Accesses of a kernel's sampled blocks to memory (cuThermo, 2025, Section IV). */
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
  requests_of_ptx: number;
  shared_requests_of_ptx: number;
  outside: number;
  lost: number;
  not_inlined_requests: number;
  instructions: number;
  instructions_by_closed_forms: number;
  objects: HeatObject[];
  objects_omitted: number;
  other_lines: HeatAccess[];
  other_lines_omitted: number;
  arrays: HeatArray[];
  other_shared_lines: BankAccess[];
  other_shared_lines_omitted: number;
  launches: HeatLaunch[];
  launches_omitted: number;
}

/** Instructions of a kernel's machine code that do the same at one place. */
export interface CodeInstruction {
  instruction: string;
  source: Source | null;
  function: string;
  inlined_at: InlinedCall[];
  variable: string;
  type: string;
  variable_bytes: number;
  bytes: number;
  count: number;
  index: string;
}

/** Instructions of a kernel's machine code that access local memory, textures, and constants whose address may differ
 * by lane. */
export interface MachineMemory {
  architecture: number;
  frame_bytes: number;
  instructions: CodeInstruction[];
  instructions_omitted: number;
}

/** A kernel, with what it did to each memory object that was profiled. */
export interface Kernel {
  id: number;
  name: string;
  demangled: string;
  source: Source | null;
  devices: number[];
  instrumented: boolean;
  reason: string;
  level: string | null;
  counter_bits: number | null;
  threshold: number | null;
  counts_exact: boolean | null;
  blocks_alike: boolean | null;
  counters_in: string | null;
  block_sample: number;
  registers: number;
  clone_registers: number;
  static_shared_bytes: number;
  launch_counts: LaunchCounts;
  seconds: KernelSeconds | null;
  launches: LaunchGroup[];
  launch_groups_omitted: number;
  accesses_lost: number;
  accesses_unattributed: number;
  objects: ObjectUse[];
  other_sites: Site[];
  object_accesses: ObjectAccess[];
  object_accesses_omitted: number;
  global_memory: GlobalUse | null;
  heat: HeatUse | null;
  machine_memory: MachineMemory | null;
}

/** A function on a call path, and where in it the next one is called. */
export interface Frame {
  function: string;
  source: Source | null;
  inlined: boolean;
  image: string;
  address: number;
}

/** A time at which more memory was in use than before and after it (DrGPUM, Lin et al., ASPLOS 2023, Section 4). */
export interface MemoryPeak {
  bytes: number;
  seconds: number;
  api: number;
  topological_time: number;
  objects: number;
  largest: number[];
}

/** An owner of a device's memory. */
export interface MemoryRow {
  owner: string;
  name: string;
  bytes: number;
  objects: number;
}

/** A call site whose objects are in memory. */
export interface MemorySite {
  source: Source | null;
  function: string;
  library: string;
  api: string;
  bytes: number;
  objects: number;
}

/** An object in memory. */
export interface MemoryObject {
  name: string;
  library: string;
  api: string;
  bytes: number;
  seconds: number;
  source: Source | null;
}

/** An allocation for which the device had no memory. */
export interface FailedAllocation {
  api: string;
  function: string;
  library: string;
  bytes: number;
  source: Source | null;
  call_path: Source[];
}

/** Owners of a device's memory at one time. */
export interface MemoryAccount {
  moment: string;
  seconds: number;
  in_use_bytes: number | null;
  total_bytes: number | null;
  read: boolean;
  reduced_bytes: number;
  rows: MemoryRow[];
  largest_free_block_bytes: number | null;
  sites: MemorySite[];
  sites_omitted: number;
  objects: MemoryObject[];
  objects_omitted: number;
  failure: FailedAllocation | null;
}

/** The program's memory on a device. */
export interface DeviceMemory {
  device: number;
  peak_bytes: number;
  peak_bytes_after: number | null;
  bytes_at_end: number;
  peaks: MemoryPeak[];
  failed_allocations: number;
  accounts: MemoryAccount[];
}

/** Memory that the program cuts from an allocation by itself, as it told with gmprof/gmprof.h. */
export interface PoolMemory {
  object: number;
  bytes: number;
  parts: number;
  peak_bytes: number;
  wasted_bytes: number;
  peak_bytes_after: number | null;
}

/** Objects of global memory over time. */
export interface Memory {
  objects: number;
  objects_omitted: number;
  devices: DeviceMemory[];
  pools: PoolMemory[];
}

/** A run of the program. */
export interface SyncStage {
  name: string;
  seconds: number | null;
  exit_status: number | null;
  calls: number;
  same_calls: boolean;
  missing_calls: number;
  additional_calls: number;
  first_difference: string;
}

/** All calls of a GPU API from one place, with one call path. */
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
  unnecessary_instrumented: number;
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

/** Calls whose paths have the same functions, but for template arguments. */
export interface SyncFold {
  function: string;
  api: string;
  sites: number[];
  benefit_seconds: number;
}

/** The calls of a call site. */
export interface SyncEntry {
  site: number;
  waits: number;
  copies: number;
}

/** Consecutive calls with problems, without a needed wait in between. */
export interface SyncSequence {
  entries: SyncEntry[];
  count: number;
  benefit_seconds: number;
}

/** An object of managed memory that migrated, by CUPTI. */
export interface SyncMigration {
  object: number | null;
  to_device_bytes: number;
  to_host_bytes: number;
  to_device_seconds: number;
  to_host_seconds: number;
}

/** Waits for the GPU and copies made again. */
export interface Sync {
  wall_seconds: number | null;
  stages: SyncStage[];
  calls: number;
  gpu_times_known: boolean;
  uses_seen: number;
  uses_page: number;
  uses_instrumented: number;
  uses_assumed: number;
  sites: SyncSite[];
  sites_omitted: number;
  functions: SyncFold[];
  sequences: SyncSequence[];
  migrations: SyncMigration[] | null;
}

/** The GPU whose caches are simulated. */
export interface CacheGpu {
  architecture: string;
  name: string;
  sms: number;
  unified_kb: number;
  l1_replacement: string;
  l2_kb: number;
  l2_ways: number;
  l2_line_bytes: number;
  l2_replacement: string;
}

/** Traffic of some accesses in the simulated caches (docs/cache-model.md). */
export interface CacheTraffic {
  requests: number;
  sectors: number;
  bytes_used: number;
  coalescing_efficiency: number;
  traffic_share: number;
  l1_lookups: number;
  l1_hits: number;
  lost_to_fences: number;
  l1_hit_rate: number | null;
  l1_hit_rate_error: number | null;
  l2_reads: number;
  l2_writes: number;
  l2_atomics: number;
  l2_hits: number;
  l2_hit_rate: number | null;
  l2_hit_rate_error: number | null;
  fetched_again: number;
  fetched_again_by_block: number;
  dram_reads: number;
  dram_writes: number;
  dram_reads_again: number;
  l2_bytes: number;
  dram_bytes: number;
}

/** An object, and its traffic. */
export interface CacheObject {
  object: number | null;
  name: string;
  traffic: CacheTraffic;
}

/** Requests of a line whose function was inlined by these calls. */
export interface InlinedTraffic {
  inlined_at: InlinedCall[];
  traffic: CacheTraffic;
}

/** Accesses of one kind in a source line. */
export interface CacheLine {
  source: Source | null;
  function: string;
  access: string;
  traffic: CacheTraffic;
  inlined: InlinedTraffic[];
  inlined_omitted: number;
}

/** All traced launches of a kernel. */
export interface CacheKernel {
  kernel: number | null;
  name: string;
  launches: number;
  traffic: CacheTraffic;
  objects: CacheObject[];
  objects_omitted: number;
  lines: CacheLine[];
  lines_omitted: number;
}

/** A launch in the trace. */
export interface CacheLaunch {
  launch: number;
  kernel: number | null;
  name: string;
  grid: number[];
  block: number[];
  shared_kb: number;
  l1_kb: number;
  block_sample: number;
  sm_sample: number;
  lost: number;
  late: number;
  blocks_traced: number;
  blocks_beyond_limit: number;
  requests_beyond_limit: number;
  dram_written_meanwhile: number;
  traffic: CacheTraffic;
}

/** L1, L2 and DRAM, simulated from the trace that `files` names memory_trace. */
export interface Cache {
  gpu: CacheGpu;
  sampled: number;
  complete: boolean;
  lost: number;
  late: number;
  limited_launches: number;
  blocks_traced: number;
  blocks_beyond_limit: number;
  requests_beyond_limit: number;
  total: CacheTraffic;
  objects: CacheObject[];
  objects_omitted: number;
  lines: CacheLine[];
  lines_omitted: number;
  kernels: CacheKernel[];
  kernels_omitted: number;
  launches: CacheLaunch[];
  launches_omitted: number;
  dirty_sectors: number;
}

/** Reference to objects[]. */
export interface ObjectRef {
  id: number;
  name: string;
  kind: string;
}

/** Reference to kernels[]. */
export interface KernelRef {
  id: number;
  name: string;
  source: Source | null;
}

/** Something worth a change. */
export interface Finding {
  id: number;
  pattern: string;
  kind: string;
  also: string[];
  origin: string;
  severity: string;
  object: ObjectRef | null;
  kernel: KernelRef | null;
  site: number | null;
  source: Source | null;
  inlined_at: InlinedCall[][];
  inlined_omitted: number;
  call_path: Source[];
  evidence: Record<string, number | boolean | string>;
  bytes_saved: number;
  seconds_saved: number | null;
  message: string;
  suggestion: string;
  fingerprint: string;
}

/** A file with data too large for this one. */
export interface ResultFile {
  name: string;
  path: string;
  format: string;
  description: string;
}

/** The results of GMProf for one run of a program. */
export interface Summary {
  schema: string;
  tool: Tool;
  run: Run;
  processes: Processes | null;
  devices: Device[];
  config: Record<string, unknown>;
  coverage: Coverage;
  objects: ProfiledObject[];
  kernels: Kernel[];
  frames: Frame[];
  call_paths: number[][];
  memory: Memory | null;
  sync: Sync | null;
  cache: Cache | null;
  findings: Finding[];
  files: ResultFile[];
}
