//===- Summary.h - The contents of summary.json -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public contract: names, order and nesting are those of the JSON; docs/summary.schema.json
// defines the members. An optional is null in the JSON, never absent. gmreport and other readers
// see only this of a run.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARY_H
#define GMPROF_REPORT_MODEL_SUMMARY_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gmprof::summary {

inline constexpr char SchemaPrefix[] = "gmprof.summary/";
inline constexpr int SchemaVersion = 2;

/// JSON text that is passed on verbatim.
struct RawJson {
  std::string text = "null";
};

struct Source {
  std::string file;
  unsigned line = 0;
};

struct Tool {
  std::string name, version;
};

struct Run {
  std::vector<std::string> command;
  std::string host;
  int64_t pid = 0, ppid = 0;
  std::optional<int> rank;
  std::string start;
  std::optional<double> wall_seconds;
  std::optional<int> exit_status;
  bool complete = false;
  std::string device;
};

/// A process whose summary was merged.
struct MergedProcess {
  std::optional<int> rank;
  std::string host;
  int64_t pid = 0;
  std::string path;
  std::optional<double> wall_seconds;
  std::optional<int> exit_status;
  bool complete = false, whole = false;
  uint64_t findings = 0;
};

/// Statistics of a measure over processes, which are given as indices in Processes::list.
struct Spread {
  std::string name, of, unit;
  uint64_t processes = 0; ///< number of processes that have it
  double min = 0;
  uint32_t min_process = 0;
  double mean = 0, max = 0;
  uint32_t max_process = 0;
  double deviation = 0;
  std::vector<uint32_t> outliers;
};

/// The processes that have a finding.
struct MergedFinding {
  std::string fingerprint;
  std::vector<uint32_t> processes;
};

/// The processes of a merged summary.
struct Processes {
  std::vector<MergedProcess> list;
  std::vector<Spread> measures;
  std::vector<MergedFinding> findings;
};

struct Device {
  uint32_t id = 0;
  std::string name, compute_capability;
  RawJson attributes;
};

struct NotInstrumented {
  uint32_t kernel = 0;
  std::string name, reason;
};

struct KernelCoverage {
  uint64_t seen = 0, instrumented = 0, nothing_to_profile = 0;
  std::vector<NotInstrumented> not_instrumented;
};

struct ReasonCount {
  std::string kernel, reason;
  uint64_t count = 0;
};

struct LaunchCoverage {
  uint64_t seen = 0, profiled = 0, nothing_to_profile = 0, not_selected = 0, refused = 0;
  uint64_t without_counts = 0;
  std::vector<ReasonCount> reasons;
};

struct BlockCoverage {
  uint64_t launched = 0, selected = 0, counted = 0;
};

struct SkippedSite {
  std::string kernel, access;
  std::optional<Source> source;
  std::string reason;
};

struct AccessCoverage {
  uint64_t counted = 0, lost = 0, unattributed = 0, outside = 0;
  std::vector<SkippedSite> skipped;
};

struct Gap {
  std::string what, reason;
  uint64_t count = 0;
};

/// Reliability of the accesses to objects, for the findings about them.
struct ObjectCoverage {
  uint64_t launches_inferred = 0, objects_uncertain = 0, objects_of_host = 0;
};

/// Launches that a profile of the run measured.
struct ProfileCoverage {
  std::string profile;
  uint64_t launches = 0, of = 0;
  std::vector<ReasonCount> never_counted; ///< kernels of which no launch was
};

struct Coverage {
  bool whole = false;
  KernelCoverage kernels;
  LaunchCoverage launches;
  std::vector<ProfileCoverage> profiles;
  BlockCoverage blocks;
  AccessCoverage accesses;
  std::optional<ObjectCoverage> objects;
  uint64_t records_dropped = 0;
  std::vector<Gap> gaps;
};

/// A function on a call path, and the line in it that calls the next one.
struct Frame {
  std::string function;
  std::optional<Source> source;
  bool inlined = false;
  std::string image;
  uint64_t address = 0;
};

/// A call that allocated or released an object.
struct ObjectEvent {
  std::string api;
  double seconds = 0;
  std::optional<uint32_t> topological_time;
  uint64_t thread = 0;
  std::optional<uint64_t> stream;
  std::optional<uint32_t> call_path;
  std::optional<Source> source;
};

/// A call that accessed an object.
struct Access {
  std::string kind, api;
  double seconds = 0;
  uint32_t topological_time = 0;
  std::optional<uint32_t> call_path;
  std::optional<Source> source;
};

/// A number, or a lower bound of it.
struct Number {
  double value = 0;
  bool at_least = false;
};

struct ElementRange {
  uint64_t first = 0, last = 0;
};

/// Access counts per element in the launches of a kernel.
struct ElementFrequencies {
  uint32_t kernel = 0;
  uint64_t launches = 0, elements = 0;
  double min = 0;
  Number mean, max, variation;
};

/// Accessed elements of an object.
struct Elements {
  unsigned element_bytes = 0;
  uint64_t elements = 0, accessed = 0;
  double accessed_share = 0, fragmentation = 0;
  uint64_t gaps = 0;
  std::optional<ElementRange> largest_gap;
  uint64_t launches = 0, launches_profiled = 0;
  bool sampled = false;
  std::string unseen_reason;
  std::optional<uint64_t> slices, largest_slice;
  std::vector<ElementFrequencies> frequencies;
};

struct Object {
  uint32_t id = 0;
  std::string name, kind, type;
  uint64_t bytes = 0;
  std::optional<unsigned> element_bytes;
  std::optional<std::vector<uint32_t>> extent;
  std::optional<uint64_t> address;
  std::optional<uint32_t> device;
  std::optional<uint32_t> parent;
  std::optional<uint32_t> kernel;
  std::optional<Source> source;
  std::optional<ObjectEvent> alloc, free;
  std::optional<bool> released;
  std::optional<Access> first_access, last_access;
  std::optional<Elements> elements;
};

struct Bucket {
  double from = 0;
  std::optional<double> to;
  uint64_t elements = 0;
  bool at_threshold = false;
};

struct PerBlock {
  Number min, mean, max;
  std::vector<Bucket> histogram;
};

struct Threshold {
  unsigned value = 0;
  uint64_t reached = 0;
};

struct NeverTouched {
  uint64_t elements = 0, bytes = 0;
  std::string description;
  std::vector<ElementRange> ranges;
  uint64_t range_count = 0;
  uint64_t padding_elements = 0;
};

/// An inlined call.
struct InlinedCall {
  std::string function; ///< the callee
  std::optional<Source> source;
  unsigned column = 0;
};

/// Inlined calls from the innermost outwards; empty if not inlined.
using InlineChain = std::vector<InlinedCall>;

struct Site {
  std::string access;
  std::optional<Source> source;
  unsigned column = 0;
  std::string function;
  InlineChain inlined_at;
  std::string space;
  unsigned bytes = 0;
  std::string rule, reason;
};

/// A statement that moves data between shared and device memory.
struct Move {
  std::string device_array;
  std::optional<Source> source;
  unsigned column = 0;
  std::string function;
  InlineChain inlined_at;
  unsigned bytes = 0;
};

struct PerRange {
  uint64_t min = 0;
  double mean = 0;
  uint64_t max = 0;
};

struct RangeBucket {
  uint64_t from = 0;
  std::optional<uint64_t> to;
  uint64_t ranges = 0;
};

struct RangeRecord {
  uint64_t begin = 0, end = 0, accesses = 0;
  bool moved_in = false;
};

struct LiveRanges {
  bool counted = false;
  std::string not_counted_reason;
  uint64_t ranges = 0, at_threshold = 0;
  std::optional<PerRange> accesses_per_range;
  std::vector<RangeBucket> histogram;
  std::vector<Move> begins, ends;
  std::optional<uint64_t> records_of_byte;
  std::vector<RangeRecord> records;
};

/// Accesses of one kernel to one shared array.
struct ObjectUse {
  uint32_t object = 0;
  std::string space;
  std::string counts_of;
  uint64_t count_elements = 0, uncounted_bytes = 0;
  uint64_t blocks_counted = 0, blocks_launched = 0;
  std::optional<Number> reads, writes;
  Number accesses, accesses_estimated;
  double standard_error = 0;
  PerBlock per_block;
  std::optional<Threshold> threshold;
  NeverTouched never_touched;
  std::optional<LiveRanges> live_ranges;
  std::vector<Site> sites;
  std::string uncounted_reason;
};

/// Accesses of one kind to an object of global memory.
struct GlobalAccesses {
  uint64_t launches = 0;
  Number accesses, accesses_estimated;
  double standard_error = 0, by_closed_forms = 0;
  uint64_t touched = 0, threshold_reached = 0;
  PerBlock per_launch;
};

/// Accesses of one kernel to one object of global memory.
struct GlobalObjectUse {
  uint32_t object = 0;
  std::vector<std::string> names;
  unsigned element_bytes = 0;
  uint64_t elements = 0, touched = 0;
  std::optional<GlobalAccesses> reads, writes, atomics;
  bool counts_complete = true;
  std::vector<Site> sites;
  std::string uncounted_reason;
};

struct GlobalUse {
  std::string level;
  unsigned counter_bits = 0;
  std::optional<unsigned> threshold;
  uint64_t launches_profiled = 0, launches_by_closed_forms = 0;
  unsigned block_sample = 1;
  uint64_t blocks_counted = 0, blocks_launched = 0;
  uint64_t outside = 0;
  uint64_t counter_bytes = 0, object_bytes = 0;
  uint64_t sites_by_closed_forms = 0, sites_counted = 0, sites_skipped = 0;
  std::vector<GlobalObjectUse> objects;
  std::vector<Site> other_sites;
};

/// Accesses of a line to global memory in one inlined copy of its function.
struct InlinedHeat {
  InlineChain inlined_at;
  uint64_t requests = 0, lanes = 0, sectors = 0, ideal_sectors = 0, bytes_used = 0;
};

/// An access to global memory in the source, in a heat profile.
struct HeatAccess {
  std::string access;
  std::optional<Source> source;
  unsigned column = 0;
  std::string function;
  unsigned bytes = 0;
  uint64_t instructions = 0, requests = 0, lanes = 0, sectors = 0, ideal_sectors = 0;
  uint64_t bytes_used = 0, misaligned = 0, strided = 0;
  std::optional<double> stride;
  std::vector<InlinedHeat> inlined;
  uint64_t inlined_omitted = 0;
};

/// Accesses of a kernel's sampled blocks to an object of global memory, over all sampled
/// launches.
struct HeatObject {
  uint32_t object = 0;
  std::string name;
  uint64_t launches = 0, sectors = 0, words = 0, accesses = 0;
  double mean_word = 0, mean_sector = 0;
  unsigned max_word = 0, max_sector = 0;
  uint64_t hot_sectors = 0, falsely_shared_sectors = 0, sparse_sectors = 0, merged_sectors = 0;
  std::vector<HeatAccess> lines;
  uint64_t lines_omitted = 0;
};

/// Accesses of a line to shared memory in one inlined copy of its function.
struct InlinedBanks {
  InlineChain inlined_at;
  uint64_t requests = 0, lanes = 0, wavefronts = 0, ideal_wavefronts = 0;
};

/// An access to shared memory in the source.
struct BankAccess {
  std::string access;
  std::optional<Source> source;
  unsigned column = 0;
  std::string function;
  unsigned bytes = 0;
  uint64_t instructions = 0, requests = 0, lanes = 0, wavefronts = 0, ideal_wavefronts = 0;
  std::vector<InlinedBanks> inlined;
  uint64_t inlined_omitted = 0;
};

/// Accesses to an array in shared memory. Words are those of the first sampled block, lines those
/// of all.
struct HeatArray {
  uint32_t object = 0;
  uint64_t launches = 0, words_of_thread = 0, words_of_warp = 0, words_of_warps = 0;
  std::vector<BankAccess> lines;
  uint64_t lines_omitted = 0;
};

/// A sampled launch, or several that were recorded together.
struct HeatLaunch {
  uint64_t launch = 0, launches = 0, blocks_sampled = 0, blocks_launched = 0;
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0;
  uint64_t shared_requests = 0, wavefronts = 0, ideal_wavefronts = 0;
};

struct HeatUse {
  uint64_t launches_sampled = 0, blocks_sampled = 0, blocks_launched = 0, warps_per_block = 0;
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0, bytes_used = 0;
  uint64_t shared_requests = 0, wavefronts = 0, ideal_wavefronts = 0;
  uint64_t requests_of_ptx = 0, shared_requests_of_ptx = 0;
  uint64_t outside = 0, lost = 0, not_inlined_requests = 0;
  uint64_t instructions = 0, instructions_by_closed_forms = 0;
  std::vector<HeatObject> objects;
  uint64_t objects_omitted = 0;
  std::vector<HeatAccess> other_lines;
  uint64_t other_lines_omitted = 0;
  std::vector<HeatArray> arrays;
  std::vector<BankAccess> other_shared_lines;
  uint64_t other_shared_lines_omitted = 0;
  std::vector<HeatLaunch> launches;
  uint64_t launches_omitted = 0;
};

/// Instructions of machine code at one place that access local or constant memory or textures.
struct CodeInstruction {
  std::string instruction; ///< local_load, local_store, constant_load or texture_fetch
  std::optional<Source> source;
  std::string function;
  InlineChain inlined_at;
  std::string variable, type; ///< empty: unknown
  uint64_t variable_bytes = 0;
  unsigned bytes = 0;
  uint64_t count = 0;
  std::string index; ///< constant, loop, run_time or unknown
};

/// What a kernel's machine code accesses besides the memory that profiles record.
struct MachineMemory {
  unsigned architecture = 0;
  uint64_t frame_bytes = 0;
  std::vector<CodeInstruction> instructions;
  uint64_t instructions_omitted = 0;
};

struct LaunchGroup {
  std::optional<uint32_t> device; ///< none if processes were merged
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  std::string mode;
  std::string reason;
  uint64_t count = 0;
};

struct LaunchCounts {
  uint64_t seen = 0, profiled = 0, not_selected = 0, refused = 0;
};

/// Number of a kernel's launches that access an object.
struct ObjectAccess {
  uint32_t object = 0;
  uint64_t launches = 0, reads = 0, writes = 0;
  std::string known; ///< exact, possible or inferred
};

/// Measured execution times of a kernel on the GPU.
struct KernelSeconds {
  uint64_t measured_launches = 0;
  double mean = 0, total = 0;
  bool instrumented = false;
  double share = 0;
};

struct Kernel {
  uint32_t id = 0;
  std::string name, demangled;
  std::optional<Source> source;
  std::vector<uint32_t> devices;
  bool instrumented = false;
  std::string reason;
  std::optional<std::string> level;
  std::optional<unsigned> counter_bits, threshold;
  std::optional<bool> counts_exact, blocks_alike;
  std::optional<std::string> counters_in;
  unsigned block_sample = 1;
  uint32_t registers = 0, clone_registers = 0, static_shared_bytes = 0;
  LaunchCounts launch_counts;
  std::optional<KernelSeconds> seconds;
  std::vector<LaunchGroup> launches;
  uint64_t launch_groups_omitted = 0;
  uint64_t accesses_lost = 0, accesses_unattributed = 0;
  std::vector<ObjectUse> objects;
  std::vector<Site> other_sites;
  std::vector<ObjectAccess> object_accesses;
  uint64_t object_accesses_omitted = 0;
  std::optional<GlobalUse> global_memory;
  std::optional<HeatUse> heat;
  std::optional<MachineMemory> machine_memory;
};

struct MemoryPeak {
  uint64_t bytes = 0;
  double seconds = 0;
  uint32_t api = 0, topological_time = 0;
  uint64_t objects = 0;
  std::vector<uint32_t> largest;
};

/// Part of a device's memory.
struct MemoryRow {
  std::string owner, name;
  uint64_t bytes = 0, objects = 0;
};

/// A call site whose objects are in memory.
struct MemorySite {
  std::optional<Source> source;
  std::string function, library, api;
  uint64_t bytes = 0, objects = 0;
};

/// An object in memory.
struct MemoryObject {
  std::string name, library, api;
  uint64_t bytes = 0;
  double seconds = 0;
  std::optional<Source> source;
};

/// An allocation for which there was no memory.
struct FailedAllocation {
  std::string api, function, library;
  uint64_t bytes = 0;
  std::optional<Source> source;
  std::vector<Source> call_path;
};

/// Owners of a device's memory at one time.
struct MemoryAccount {
  std::string moment;
  double seconds = 0;
  std::optional<uint64_t> in_use_bytes, total_bytes;
  bool read = false;
  uint64_t reduced_bytes = 0;
  std::vector<MemoryRow> rows;
  std::optional<uint64_t> largest_free_block_bytes;
  std::vector<MemorySite> sites;
  uint64_t sites_omitted = 0;
  std::vector<MemoryObject> objects;
  uint64_t objects_omitted = 0;
  std::optional<FailedAllocation> failure;
};

/// Memory of the program on a device.
struct DeviceMemory {
  uint32_t device = 0;
  uint64_t peak_bytes = 0;
  std::optional<uint64_t> peak_bytes_after;
  uint64_t bytes_at_end = 0;
  std::vector<MemoryPeak> peaks;
  uint64_t failed_allocations = 0;
  std::vector<MemoryAccount> accounts;
};

/// Memory that the program suballocates from an object.
struct PoolMemory {
  uint32_t object = 0;
  uint64_t bytes = 0, parts = 0, peak_bytes = 0, wasted_bytes = 0;
  std::optional<uint64_t> peak_bytes_after;
};

struct Memory {
  uint64_t objects = 0, objects_omitted = 0;
  std::vector<DeviceMemory> devices;
  std::vector<PoolMemory> pools;
};

/// A run of the program for a synchronisation profile.
struct SyncStage {
  std::string name;
  std::optional<double> seconds;
  std::optional<int> exit_status;
  uint64_t calls = 0;
  bool same_calls = true;
  /// Relative to the traced run.
  uint64_t missing_calls = 0, additional_calls = 0;
  std::string first_difference;
};

/// All calls of a GPU API from one call site.
struct SyncSite {
  std::string api;
  std::optional<uint32_t> call_path;
  std::optional<Source> source;
  bool explicit_wait = false;
  uint64_t calls = 0, waits = 0, blocked = 0;
  double call_seconds = 0, wait_seconds = 0;
  uint64_t migrated_bytes = 0;
  double migration_share = 0;
  uint64_t unnecessary = 0, misplaced = 0, needed = 0, assumed_needed = 0, orders_streams = 0;
  uint64_t not_seen = 0;
  /// Unnecessary ones found by instrumented host code, where pages could not be protected.
  uint64_t unnecessary_instrumented = 0;
  std::optional<double> first_use_seconds;
  std::optional<Source> first_use;
  std::string first_use_seen; ///< instrumented, page or call; empty: no use
  double unnecessary_benefit_seconds = 0, misplaced_benefit_seconds = 0;
  std::optional<double> replay_seconds;
  uint64_t copies = 0, copied_bytes = 0, duplicates = 0, duplicate_bytes = 0;
  uint64_t destination_unchanged = 0;
  double duplicate_benefit_seconds = 0;
  std::optional<double> duplicate_replay_seconds;
  std::optional<Source> first_copy;

  /// Returns the estimated saving of the fixes (Diogenes, SC 2019, Section 3.5), in seconds.
  double estimatedBenefit() const {
    return unnecessary_benefit_seconds + misplaced_benefit_seconds + duplicate_benefit_seconds;
  }
  /// Returns the saving by which findings are ranked, in seconds: the lower of the estimate and the
  /// replay of the run.
  double benefit() const {
    const auto Least = [](double Estimate, const std::optional<double> &Replay) {
      return Replay ? std::max(std::min(Estimate, *Replay), 0.0) : Estimate;
    };
    return Least(unnecessary_benefit_seconds + misplaced_benefit_seconds, replay_seconds) +
           Least(duplicate_benefit_seconds, duplicate_replay_seconds);
  }
};

struct SyncFold {
  std::string function, api;
  std::vector<uint32_t> sites;
  double benefit_seconds = 0;
};

struct SyncEntry {
  uint32_t site = 0;
  uint64_t waits = 0, copies = 0;
};

struct SyncSequence {
  std::vector<SyncEntry> entries;
  uint64_t count = 0;
  double benefit_seconds = 0;
};

/// Migrations of managed memory between host and devices.
struct SyncMigration {
  std::optional<uint32_t> object;
  uint64_t to_device_bytes = 0, to_host_bytes = 0;
  double to_device_seconds = 0, to_host_seconds = 0;
};

/// Waits for the GPU, and duplicate copies.
struct Sync {
  std::optional<double> wall_seconds;
  std::vector<SyncStage> stages;
  uint64_t calls = 0;
  bool gpu_times_known = false;
  uint64_t uses_seen = 0, uses_page = 0, uses_instrumented = 0, uses_assumed = 0;
  std::vector<SyncSite> sites;
  uint64_t sites_omitted = 0;
  std::vector<SyncFold> functions;
  std::vector<SyncSequence> sequences;
  std::optional<std::vector<SyncMigration>> migrations;
};

/// Simulated cache traffic of a set of accesses.
struct CacheTraffic {
  uint64_t requests = 0, sectors = 0, bytes_used = 0;
  double coalescing_efficiency = 0, traffic_share = 0;
  uint64_t l1_lookups = 0, l1_hits = 0, lost_to_fences = 0;
  std::optional<double> l1_hit_rate, l1_hit_rate_error;
  uint64_t l2_reads = 0, l2_writes = 0, l2_atomics = 0, l2_hits = 0;
  std::optional<double> l2_hit_rate, l2_hit_rate_error;
  uint64_t fetched_again = 0, fetched_again_by_block = 0;
  uint64_t dram_reads = 0, dram_writes = 0, dram_reads_again = 0;
  uint64_t l2_bytes = 0, dram_bytes = 0;
};

struct CacheGpu {
  std::string architecture, name;
  uint32_t sms = 0, unified_kb = 0;
  std::string l1_replacement;
  uint32_t l2_kb = 0, l2_ways = 0, l2_line_bytes = 0;
  std::string l2_replacement;
};

struct CacheObject {
  std::optional<uint32_t> object;
  std::string name;
  CacheTraffic traffic;
};

/// Traffic of a line in one inlined copy of its function.
struct InlinedTraffic {
  InlineChain inlined_at;
  CacheTraffic traffic;
};

struct CacheLine {
  std::optional<Source> source;
  std::string function, access;
  CacheTraffic traffic;
  std::vector<InlinedTraffic> inlined;
  uint64_t inlined_omitted = 0;
};

struct CacheKernel {
  std::optional<uint32_t> kernel;
  std::string name;
  uint64_t launches = 0;
  CacheTraffic traffic;
  std::vector<CacheObject> objects;
  uint64_t objects_omitted = 0;
  std::vector<CacheLine> lines;
  uint64_t lines_omitted = 0;
};

struct CacheLaunch {
  uint64_t launch = 0;
  std::optional<uint32_t> kernel;
  std::string name;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t shared_kb = 0, l1_kb = 0, block_sample = 1, sm_sample = 1;
  uint64_t lost = 0, late = 0;
  uint64_t blocks_traced = 0, blocks_beyond_limit = 0, requests_beyond_limit = 0;
  uint64_t dram_written_meanwhile = 0;
  CacheTraffic traffic;
};

/// Simulation results of caches from a trace of memory accesses.
struct Cache {
  CacheGpu gpu;
  uint32_t sampled = 1;
  bool complete = false;
  uint64_t lost = 0, late = 0;
  uint64_t limited_launches = 0, blocks_traced = 0;
  uint64_t blocks_beyond_limit = 0, requests_beyond_limit = 0;
  CacheTraffic total;
  std::vector<CacheObject> objects;
  uint64_t objects_omitted = 0;
  std::vector<CacheLine> lines;
  uint64_t lines_omitted = 0;
  std::vector<CacheKernel> kernels;
  uint64_t kernels_omitted = 0;
  std::vector<CacheLaunch> launches;
  uint64_t launches_omitted = 0;
  uint64_t dirty_sectors = 0;
};

struct ObjectRef {
  uint32_t id = 0;
  std::string name, kind;
};

struct KernelRef {
  uint32_t id = 0;
  std::string name;
  std::optional<Source> source;
};

using EvidenceValue = std::variant<uint64_t, double, bool, std::string>;

struct Finding {
  uint64_t id = 0; ///< one-based, in the order of the summary
  std::string pattern, kind;
  std::vector<std::string> also; ///< further patterns of the same object and cause
  std::string origin, severity;
  std::optional<ObjectRef> object;
  std::optional<KernelRef> kernel;
  std::optional<uint32_t> site; ///< index in Sync::sites
  std::optional<Source> source;
  std::vector<InlineChain> inlined_at;
  uint64_t inlined_omitted = 0;
  std::vector<Source> call_path;
  std::vector<std::pair<std::string, EvidenceValue>> evidence;
  uint64_t bytes_saved = 0;
  std::optional<double> seconds_saved;
  std::string message, suggestion, fingerprint;
};

struct File {
  std::string name, path, format, description;
};

struct Summary {
  std::string schema;
  Tool tool;
  Run run;
  std::optional<Processes> processes;
  std::vector<Device> devices;
  RawJson config;
  Coverage coverage;
  std::vector<Object> objects;
  std::vector<Kernel> kernels;
  std::vector<std::vector<Frame>> call_paths;
  std::optional<Memory> memory;
  std::optional<Sync> sync;
  std::optional<Cache> cache;
  std::vector<Finding> findings;
  std::vector<File> files;
};

} // namespace gmprof::summary

#endif // GMPROF_REPORT_MODEL_SUMMARY_H
