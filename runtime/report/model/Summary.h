//===- Summary.h - The contents of summary.json -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from docs/summary.schema.json by scripts/summary-reference.py: change the schema.
// Names, order and nesting are those of the JSON. An optional is null in the JSON, never absent.
// gmreport and other readers see only this of a run.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARY_H
#define GMPROF_REPORT_MODEL_SUMMARY_H

#include "report/model/JsonValues.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// clang-format off
namespace gmprof::summary {

inline constexpr char SchemaPrefix[] = "gmprof.summary/";
inline constexpr int SchemaVersion = 3;

/// The program that wrote the summary.
struct Tool {
  std::string name; ///< gmprof, the program.
  std::string version; ///< Its version.
};

/// The profiled run.
struct Run {
  std::vector<std::string> command; ///< The command line, word by word.
  std::string host; ///< Host name.
  int64_t pid = 0; ///< Process id.
  int64_t ppid = 0; ///< Process id of its parent.
  std::optional<int> rank; ///< Rank in an MPI job; null: in none.
  std::string start; ///< When it began: UTC, ISO 8601 with milliseconds.
  /// Time from the first recorded CUDA call to the end; null: the program died.
  std::optional<double> wall_seconds;
  std::optional<int> exit_status; ///< 128 + signal if it was killed by one; null: unknown.
  bool complete = false; ///< False: the program died before everything was recorded.
  std::string device; ///< The device kind of the run: a GPU, or GMProf's CPU device.
};

/// A process.
struct MergedProcess {
  std::optional<int> rank; ///< Rank in the MPI job; null: in none.
  std::string host; ///< Host on which it ran.
  int64_t pid = 0; ///< Process id on that host.
  std::string path; ///< Its summary; relative to this one if it is in its folder.
  std::vector<std::string> command; ///< Its command line, word by word.
  std::optional<double> wall_seconds; ///< Run time; null: it died.
  std::optional<int> exit_status; ///< Exit status; null: unknown.
  bool complete = false; ///< True: it ran to its end.
  bool whole = false; ///< True: everything was profiled.
  uint64_t findings = 0; ///< Number of its findings.
};

/// A number of the processes.
struct Spread {
  std::string name; ///< Name of the number, as in gmreport diff.
  std::string of; ///< Kernel, kernel.object or device; empty: the whole run.
  std::string unit; ///< bytes, seconds or empty.
  uint64_t processes = 0; ///< Number of processes that have it.
  double min = 0; ///< Least value.
  uint32_t min_process = 0; ///< The first process with the least value: index in list.
  double mean = 0; ///< Mean of the processes that have it.
  double max = 0; ///< Greatest value.
  uint32_t max_process = 0; ///< The first process with the greatest value: index in list.
  double deviation = 0; ///< Standard deviation of the processes that have it.
  /// Outliers, as indexes in list: at least 4 processes have the number, and these are further from
  /// the median than 3.5 times the usual distance, by the modified z-score (Iglewicz and Hoaglin,
  /// How to Detect and Handle Outliers, 1993), and than 1 %.
  std::vector<uint32_t> outliers;
  /// The number of each process of list, for gmreport merge; null: the process does not have it.
  std::vector<std::optional<double>> values;
};

/// The processes that have a finding.
struct MergedFinding {
  std::string fingerprint; ///< Fingerprint of a finding.
  std::vector<uint32_t> processes; ///< Indexes in list.
};

/// The processes that a merged summary is of.
struct Processes {
  std::vector<MergedProcess> list; ///< Processes, by rank, then host and process id.
  /// Numbers of the processes, as gmreport diff has them; and memory: the bytes at the peak, added
  /// up over the devices, of an owner (memory_row.owner, or a library's name).
  std::vector<Spread> measures;
  std::vector<MergedFinding> findings; ///< The processes that have each finding.
};

/// A device that was used.
struct Device {
  uint32_t id = 0; ///< CUDA device number.
  std::string name; ///< Its name.
  std::string compute_capability; ///< Such as 9.0.
  RawJson attributes; ///< All that was recorded of it; the device's own names.
};

/// A kernel that cannot be profiled.
struct NotInstrumented {
  uint32_t kernel = 0; ///< kernels[].id.
  std::string name; ///< Demangled.
  std::string reason; ///< Why.
};

/// Kernels of the program that were loaded.
struct KernelCoverage {
  uint64_t seen = 0; ///< All kernels of the modules that were loaded.
  /// Kernels that can be profiled: they have the clone that the profile needs, or it needs none.
  uint64_t instrumented = 0;
  /// Kernels without accesses that the profile records: of shared memory, of device memory, or of
  /// cached memory.
  uint64_t nothing_to_profile = 0;
  std::vector<NotInstrumented> not_instrumented; ///< The other kernels, and why.
};

/// Launches of a kernel that were not profiled for one reason.
struct ReasonCount {
  std::string kernel; ///< Demangled; `graphs`: replayed by graphs, of whichever kernel.
  std::string reason; ///< Why.
  uint64_t count = 0; ///< Launches.
};

/// Kernel launches; a graph's replay launches each of its kernels.
struct LaunchCoverage {
  uint64_t seen = 0; ///< All launches.
  uint64_t profiled = 0; ///< Launches whose accesses were counted, recorded or computed.
  uint64_t nothing_to_profile = 0; ///< Launches of kernels with nothing to profile.
  /// Launches that the options did not select: the kernel filter, or samples.
  uint64_t not_selected = 0;
  uint64_t refused = 0; ///< Launches that could not be profiled.
  /// Profiled launches whose counts were not read before the program ended.
  uint64_t without_counts = 0;
  /// Reasons for launches that were not selected or refused, if there is one.
  std::vector<ReasonCount> reasons;
};

/// How many launches a profile measured.
struct ProfileCoverage {
  std::string profile; ///< Its name, as in config.profiles.
  /// Launches that it measured: counted, recorded, traced or computed; of objects: launches whose
  /// accesses are known exactly.
  uint64_t launches = 0;
  uint64_t of = 0; ///< Launches of kernels that have something for it.
  /// Kernels that have something for it, none of whose launches it measured.
  std::vector<ReasonCount> never_counted;
};

/// Thread blocks of kernels with counts.
struct BlockCoverage {
  uint64_t launched = 0; ///< Blocks of all launches of these kernels, profiled or not.
  uint64_t selected = 0; ///< Blocks that should have been counted.
  uint64_t counted = 0; ///< Blocks that were: a block counts when its last thread leaves.
};

/// A place in the source.
struct Source {
  std::string file; ///< Absolute where the compiler knew the folder.
  uint32_t line = 0; ///< 0: unknown.
};

/// An instruction that could not be counted.
struct SkippedSite {
  std::string kernel; ///< Demangled.
  std::string access; ///< How it accesses memory, as in site.
  std::optional<Source> source; ///< Its place in the source.
  std::string reason; ///< Why.
};

/// Accesses of shared memory, and those of global memory that are no known object's.
struct AccessCoverage {
  uint64_t counted = 0; ///< Accesses of all arrays.
  uint64_t lost = 0; ///< Accesses outside of the counted words.
  uint64_t unattributed = 0; ///< Accesses of words of no known variable.
  uint64_t outside = 0; ///< Accesses of global memory that is no known object.
  std::vector<SkippedSite> skipped; ///< Instructions that could not be counted; at most 64.
};

/// An object that can have unobserved accesses has no finding that rests on the absence of
/// accesses.
struct ObjectCoverage {
  uint64_t launches_inferred = 0; ///< Launches whose accesses are inferred from their parameters.
  /// Objects that a launch with unknown accesses can have accessed: they have no finding that rests
  /// on the absence of accesses.
  uint64_t objects_uncertain = 0;
  /// Managed and pinned memory, which the host can access unobserved.
  uint64_t objects_of_host = 0;
};

/// Something skipped, capped or lost.
struct Gap {
  std::string what; ///< The missing things; a plural noun.
  std::string reason; ///< Why.
  uint64_t count = 0; ///< Their number.
};

/// Everything that was not profiled, and why.
struct Coverage {
  bool whole = false; ///< True: nothing is missing.
  KernelCoverage kernels; ///< Kernels of the program that were loaded.
  LaunchCoverage launches; ///< Kernel launches; a graph's replay launches each of its kernels.
  /// The profiles of the run that measure launches: all but sync.
  std::vector<ProfileCoverage> profiles;
  BlockCoverage blocks; ///< Thread blocks of kernels with counts.
  /// Accesses of shared memory, and those of global memory that are no known object's.
  AccessCoverage accesses;
  /// How accesses to objects are known; null unless objects were profiled.
  std::optional<ObjectCoverage> objects;
  uint64_t records_dropped = 0; ///< Records of the event log that were lost or damaged.
  std::vector<Gap> gaps; ///< Everything else that is missing.
};

/// A call of the program that made or released an object.
struct ObjectEvent {
  std::string api; ///< The CUDA function; empty: the object was seen to be gone.
  /// Since the run's start: the end of a call that made an object, the begin of one that released
  /// it.
  double seconds = 0;
  /// The call's round in the dependency graph of all GPU APIs (DrGPUM, Section 5.3): the length of
  /// the longest chain of calls that it depends on.
  std::optional<uint32_t> topological_time;
  uint64_t thread = 0; ///< The host's thread id.
  /// The stream's handle in a call that is ordered by one; null: not so, or the default stream.
  std::optional<uint64_t> stream;
  std::optional<uint32_t> call_path; ///< Index in call_paths[]; null: not recorded.
  /// The innermost place on the call path whose line is known, CUDA's headers left out; null: none.
  std::optional<Source> source;
};

/// A call that accessed an object.
struct Access {
  std::string kind; ///< Its kind.
  std::string api; ///< The CUDA function, or the kernel's name without return type and parameters.
  double seconds = 0; ///< The call's begin, since the run's start.
  uint32_t topological_time = 0; ///< See object_event.
  std::optional<uint32_t> call_path; ///< Index in call_paths[]; null: not recorded.
  /// The innermost place on the call path whose line is known, CUDA's headers left out; null: none.
  std::optional<Source> source;
};

/// Elements first to last, both included.
struct ElementRange {
  uint64_t first = 0; ///< Index.
  uint64_t last = 0; ///< Index.
};

/// A number that can be a lower bound, because a counter reached its threshold.
struct Number {
  double value = 0; ///< The number, or its lower bound.
  bool at_least = false; ///< value is a lower bound: show it as "≥ value", never as a count.
};

/// Accesses per element of a launch of a kernel, over the elements that it accesses; of the
/// launches looked at, those with the highest variation.
struct ElementFrequencies {
  uint32_t kernel = 0; ///< id in kernels[].
  uint64_t launches = 0; ///< Launches with the same arguments, counted together.
  uint64_t elements = 0; ///< Elements that these launches access.
  double min = 0; ///< Accesses of an element, in one launch.
  Number mean; ///< Mean over these elements.
  Number max; ///< Accesses of the most accessed element.
  /// Coefficient of variation: standard deviation over mean (DrGPUM, Definition 3.9).
  Number variation;
};

/// Elements of an object that kernels, and copies that read, access in its life.
struct Elements {
  uint32_t element_bytes = 0; ///< Size of an element of the accesses.
  uint64_t elements = 0; ///< Elements of the object.
  uint64_t accessed = 0; ///< Elements that are accessed at all.
  double accessed_share = 0; ///< accessed over elements.
  /// Share of the unaccessed elements outside their largest run (DrGPUM, Formula 1); 0 if all are
  /// accessed.
  double fragmentation = 0;
  uint64_t gaps = 0; ///< Runs of elements that are not accessed.
  std::optional<ElementRange> largest_gap; ///< The first of the longest ones.
  uint64_t launches = 0; ///< Launches that may access it through pointers that they are passed.
  uint64_t launches_profiled = 0; ///< Launches, of these, that were profiled.
  bool sampled = false; ///< Launches or blocks were left out: more may be accessed.
  /// Why more may be accessed, other than by what a sample leaves out; empty: it is not.
  std::string unseen_reason;
  /// Parts that APIs access one after the other, without ever coming back to one; null: not known.
  std::optional<uint64_t> slices;
  std::optional<uint64_t> largest_slice; ///< Elements of the largest, where there are several.
  /// Access frequencies of the kernels for which they are known.
  std::vector<ElementFrequencies> frequencies;
};

/// A memory object.
struct Object {
  uint32_t id = 0; ///< Index in objects[].
  std::string name; ///< The variable; several names, separated by ", ", where extern arrays alias.
  std::string kind; ///< Kind of memory.
  std::string type; ///< C++ type as in the source; empty: unknown.
  uint64_t bytes = 0; ///< Size.
  std::optional<uint32_t> element_bytes; ///< Size of the innermost array element; null: unknown.
  /// Elements by dimension, width first, of an array for textures or surfaces (kind array), or of
  /// its largest mipmap level; null for other objects.
  std::optional<std::vector<uint32_t>> extent;
  /// On the device; null for shared memory and for CUDA arrays, which have none.
  std::optional<uint64_t> address;
  /// On which it was made (devices[].id, if a kernel ran there); null for shared memory.
  std::optional<uint32_t> device;
  /// Index in objects[] of the slab that a part of a pool (kind pool) was cut from; null for all
  /// others.
  std::optional<uint32_t> parent;
  /// kernels[].id of the kernel that a shared variable belongs to; null for other memory.
  std::optional<uint32_t> kernel;
  std::optional<Source> source; ///< Its declaration, or where it was allocated; null: unknown.
  /// The call that allocated it; null for shared memory and variables.
  std::optional<ObjectEvent> alloc;
  std::optional<ObjectEvent> free; ///< The call that released it; null: none did.
  std::optional<bool> released; ///< False: it was still there at the program's end.
  /// The first GPU API that accessed it, in topological time; null: none did, or objects were not
  /// profiled.
  std::optional<Access> first_access;
  std::optional<Access> last_access; ///< The last one.
  /// Its accessed elements; null: unknown, or elements were not profiled.
  std::optional<Elements> elements;
};

/// Launches by what became of them.
struct LaunchCounts {
  uint64_t seen = 0; ///< All launches.
  uint64_t profiled = 0; ///< Their accesses were counted.
  uint64_t not_selected = 0; ///< The options did not select them.
  uint64_t refused = 0; ///< They could not be profiled.
};

/// Execution time of a kernel on the GPU, from events around some of its launches.
struct KernelSeconds {
  uint64_t measured_launches = 0; ///< Launches that the mean is of.
  double mean = 0; ///< Seconds per launch.
  double total = 0; ///< The mean times the number of launches.
  /// True: only launches that ran a clone were measured, so the times are upper bounds.
  bool instrumented = false;
  /// Share of the time of all kernels, an upper bound: other kernels of which only clones were
  /// measured count as 0.
  double share = 0;
};

/// Launches that are alike.
struct LaunchGroup {
  /// id of the device; null: of several processes, each of which numbers devices on its own.
  std::optional<uint32_t> device;
  std::array<uint32_t, 3> grid = {1, 1, 1}; ///< x, y, z.
  std::array<uint32_t, 3> block = {1, 1, 1}; ///< x, y, z.
  uint32_t dynamic_shared_bytes = 0; ///< Dynamic shared memory that the program requested.
  std::string mode; ///< The kernel that ran.
  std::string reason; ///< Why it was refused; may be empty.
  uint64_t count = 0; ///< Number of launches; each replay of a graph counts.
};

/// Elements with from ≤ accesses per block, or per launch of global memory, < to.
struct Bucket {
  double from = 0; ///< Inclusive.
  std::optional<double> to; ///< Exclusive; null: no limit.
  uint64_t elements = 0; ///< Number of elements.
  bool at_threshold = false; ///< Elements that reached the threshold in some block or launch.
};

/// Accesses per element, and per block (shared memory) or launch (global memory).
struct PerBlock {
  Number min; ///< Smallest of the elements.
  Number mean; ///< Mean over the elements.
  Number max; ///< Largest of the elements.
  /// Elements by accesses per block or launch: 0, (0,1), then powers of two; contiguous.
  std::vector<Bucket> histogram;
};

/// Counting of an element stops here, in each block.
struct Threshold {
  uint32_t value = 0; ///< The threshold.
  uint64_t reached = 0; ///< Elements that reached it in some block.
};

/// The part that no counted block accessed, except padding.
struct NeverTouched {
  uint64_t elements = 0; ///< Elements or words, see counts_of.
  uint64_t bytes = 0; ///< The same in bytes.
  /// The same in words, such as "columns 32-63 of every row"; empty if there is nothing.
  std::string description;
  std::vector<ElementRange> ranges; ///< At most 64; range_count says how many there are.
  uint64_t range_count = 0; ///< Number of ranges.
  /// Elements at the end of every row that are never accessed and only keep rows on different
  /// banks, as in tile[32][33].
  uint64_t padding_elements = 0;
};

///
struct PerRange {
  uint64_t min = 0; ///< Fewest.
  double mean = 0; ///< Mean over the ranges.
  uint64_t max = 0; ///< Most.
};

///
struct RangeBucket {
  uint64_t from = 0; ///< Fewest accesses.
  std::optional<uint64_t> to; ///< One more than the most; null: any number.
  uint64_t ranges = 0; ///< Number of such ranges.
};

/// A call of a device function that the compiler inlined, and where it is.
struct InlinedCall {
  std::string function; ///< The function that is called.
  std::optional<Source> source; ///< null: unknown.
  uint32_t column = 0; ///< 0: unknown.
};

/// A statement that moves data between shared and device memory.
struct Move {
  std::string device_array; ///< The array in device memory; empty: unknown, or several.
  std::optional<Source> source; ///< null: unknown.
  uint32_t column = 0; ///< 0: unknown.
  std::string function; ///< The function the statement is in.
  /// The inlined calls, from that of the function outwards; the last one is in the kernel, or in a
  /// function that is not inlined.
  std::vector<InlinedCall> inlined_at;
  uint32_t bytes = 0; ///< Bytes moved by each thread; 0: known only at run time.
};

///
struct RangeRecord {
  /// Logical time of the block, which advances with each move that its first thread executes.
  uint64_t begin = 0;
  uint64_t end = 0; ///< Logical time of the end.
  uint64_t accesses = 0; ///< Accesses in this range.
  bool moved_in = false; ///< True: a move began it.
};

/// Live ranges of data in an object's 4-byte words: from the move that brings it to shared memory,
/// or the first store after the last range, to the next move.
struct LiveRanges {
  bool counted = false; ///< True: live ranges were counted.
  std::string not_counted_reason; ///< Why they were not counted; empty: they were.
  uint64_t ranges = 0; ///< Live ranges in the blocks counted, without those at_threshold.
  uint64_t at_threshold = 0; ///< Live ranges in which the word's counter had reached the threshold.
  /// Accesses in a live range: loads, stores and atomics, except the store that moved the data in;
  /// null: no ranges.
  std::optional<PerRange> accesses_per_range;
  /// Ranges by accesses: 0 to 7, then powers of two; contiguous.
  std::vector<RangeBucket> histogram;
  std::vector<Move> begins; ///< Moves from device memory, which begin live ranges.
  std::vector<Move> ends; ///< Moves to device memory, which end them.
  /// First byte in the object of the word whose ranges `records` lists; null: none.
  std::optional<uint64_t> records_of_byte;
  /// The first live ranges of the word that the first thread of the grid moves first.
  std::vector<RangeRecord> records;
};

/// An instruction of the optimised kernel that accesses memory.
struct Site {
  std::string access; ///< How it accesses memory; the two ends of a copy are two sites.
  std::optional<Source> source; ///< Null without debug information.
  uint32_t column = 0; ///< 0: unknown.
  std::string function; ///< The function that the line is in, inlined ones too; mangled.
  /// The inlined calls, from that of the function outwards; the last one is in the kernel, or in a
  /// function that is not inlined.
  std::vector<InlinedCall> inlined_at;
  /// Memory space by static analysis; generic, and the block of shared_cluster, are resolved at run
  /// time.
  std::string space;
  uint32_t bytes = 0; ///< Bytes per thread and execution; 0: known only at run time.
  std::string rule; ///< How accesses are counted.
  std::string reason; ///< Why no better rule applies, or why it is skipped.
};

/// Accesses of one kernel to one memory object, merged over its profiled launches.
struct ObjectUse {
  uint32_t object = 0; ///< objects[].id.
  std::string space; ///< shared: of fixed size.
  std::string counts_of; ///< Unit of the counts.
  uint64_t count_elements = 0; ///< Number of counts: elements or words, padding included.
  uint64_t uncounted_bytes = 0; ///< Bytes at the end, beyond the counters of the launch.
  uint64_t blocks_counted = 0; ///< Thread blocks whose accesses were counted.
  uint64_t blocks_launched = 0; ///< Thread blocks of all launches of the kernel with this object.
  std::optional<Number> reads; ///< Accesses that read; null: not told apart.
  std::optional<Number> writes; ///< Accesses that write; null: not told apart.
  Number accesses; ///< Accesses in the blocks counted.
  Number accesses_estimated; ///< accesses × blocks_launched / blocks_counted.
  double standard_error = 0; ///< Standard error of accesses_estimated; 0: nothing was sampled.
  /// Accesses per element and block: the element's accesses over all blocks counted, divided by
  /// their number.
  PerBlock per_block;
  std::optional<Threshold> threshold; ///< Null: counters have none.
  NeverTouched never_touched; ///< The part that no counted block accessed, except padding.
  /// Accesses between moves of data to and from this object; null: the kernel has no such moves.
  std::optional<LiveRanges> live_ranges;
  std::vector<Site> sites; ///< The instructions that access it.
  /// Why not all its accesses were counted, which makes all counts lower bounds; empty if they
  /// were.
  std::string uncounted_reason;
};

/// Number of a kernel's launches that access an object (DrGPUM, ASPLOS 2023, Section 5.1).
struct ObjectAccess {
  uint32_t object = 0; ///< id of the object.
  uint64_t launches = 0; ///< Launches that access it.
  uint64_t reads = 0; ///< Launches that read it.
  uint64_t writes = 0; ///< Launches that write it.
  std::string known; ///< exact: each of these launches accesses it.
};

/// Accesses of one kind by one kernel to one object of global memory.
struct GlobalAccesses {
  uint64_t launches = 0; ///< Profiled launches that can access the object so.
  /// Accesses in the profiled launches, one for each element that an access touches; estimated if
  /// blocks were sampled.
  Number accesses;
  /// Accesses in all launches of the kernel: accesses × launches seen / launches profiled.
  Number accesses_estimated;
  double standard_error = 0; ///< Standard error of accesses_estimated; 0: nothing was sampled.
  double by_closed_forms = 0; ///< Accesses that were computed, not counted; they are exact.
  uint64_t touched = 0; ///< Elements accessed so; of sampled blocks a lower bound.
  uint64_t threshold_reached = 0; ///< Elements that reached the threshold in some launch.
  /// Accesses per element and launch: the element's accesses in all profiled launches, divided by
  /// `launches`.
  PerBlock per_launch;
};

/// Accesses of one kernel to one object of global memory that it can reach.
struct GlobalObjectUse {
  uint32_t object = 0; ///< objects[].id.
  /// The kernel's parameters and variables that point to it; empty: only reached through other
  /// pointers.
  std::vector<std::string> names;
  uint32_t element_bytes = 0; ///< Size of an element, the smallest that the kernel accesses it by.
  uint64_t elements = 0; ///< Elements of the object.
  uint64_t touched = 0; ///< Elements that were accessed; of sampled blocks a lower bound.
  std::optional<GlobalAccesses> reads; ///< Loads and sources of copies; null: it has none.
  std::optional<GlobalAccesses> writes; ///< Stores and destinations of copies; null: it has none.
  std::optional<GlobalAccesses> atomics; ///< Atomic operations; null: it has none.
  bool counts_complete = true; ///< True: global_counts.csv has all its elements.
  std::vector<Site> sites; ///< The instructions that access it.
  /// Why not all its accesses were counted, which makes all counts lower bounds; empty if they
  /// were.
  std::string uncounted_reason;
};

/// Accesses of one kernel to global memory.
struct GlobalUse {
  std::string level; ///< How its accesses of global memory are counted.
  uint32_t counter_bits = 0; ///< Width of a counter: 8, 16 or 32.
  /// Counting of an element stops here in each launch; null: nowhere.
  std::optional<uint32_t> threshold;
  uint64_t launches_profiled = 0; ///< Launches whose accesses were counted or computed.
  /// Profiled launches in which all closed forms held; in the others all accesses were counted.
  uint64_t launches_by_closed_forms = 0;
  uint32_t block_sample = 1; ///< One block in so many was counted; 1: all.
  uint64_t blocks_counted = 0; ///< Thread blocks whose accesses were counted.
  uint64_t blocks_launched = 0; ///< Thread blocks of the launches that had something to count.
  uint64_t outside = 0; ///< Accesses of global memory that is no known object.
  /// Device memory that GMProf used for counters, in the launch that took most.
  uint64_t counter_bytes = 0;
  uint64_t object_bytes = 0; ///< Size of the objects counted in that launch.
  /// Instructions whose accesses a closed form describes: they cost nothing while the kernel runs.
  uint64_t sites_by_closed_forms = 0;
  uint64_t sites_counted = 0; ///< Instructions that are counted while it runs.
  uint64_t sites_skipped = 0; ///< Instructions that could not be counted.
  std::vector<GlobalObjectUse> objects; ///< Objects, in the order of their allocation.
  /// Instructions that access global memory, of an object that only the run tells.
  std::vector<Site> other_sites;
};

/// Requests of global memory of an access, where its function was inlined by these calls.
struct InlinedHeat {
  std::vector<InlinedCall> inlined_at; ///< The calls, from that of the line's function outwards.
  uint64_t requests = 0; ///< Executions by a warp.
  uint64_t lanes = 0; ///< Threads that took part, added up over the requests.
  uint64_t sectors = 0; ///< Distinct 32-byte sectors of each request, summed.
  /// The fewest sectors that could hold the distinct bytes of each request, summed.
  uint64_t ideal_sectors = 0;
  uint64_t bytes_used = 0; ///< Different ones of each request, added up: of 32 for each sector.
};

/// An access of global memory in the source, and what its requests come to.
struct HeatAccess {
  std::string access; ///< How it accesses memory; the two ends of a copy are two sites.
  std::optional<Source> source; ///< Null without debug information.
  uint32_t column = 0; ///< 0: unknown.
  std::string function; ///< The function that the line is in, inlined ones too; mangled.
  uint32_t bytes = 0; ///< Bytes accessed by a thread; 0: it differs.
  /// Instructions of the optimised kernel that are this access; several in an unrolled loop.
  uint64_t instructions = 0;
  uint64_t requests = 0; ///< Executions by a warp.
  uint64_t lanes = 0; ///< Threads that took part, added up over the requests.
  uint64_t sectors = 0; ///< Distinct 32-byte sectors of each request, added up.
  uint64_t ideal_sectors = 0; ///< As many as the different bytes of each request need at least.
  uint64_t bytes_used = 0; ///< Different ones of each request, added up: of 32 for each sector.
  /// Requests for consecutive bytes that begin within a sector and so need one more.
  uint64_t misaligned = 0;
  uint64_t strided = 0; ///< Requests whose lanes are all equally far apart, and not side by side.
  /// Bytes from one lane to the next, of the strided requests on average; null: there are none.
  std::optional<double> stride;
  /// The same requests by the call path through which the function was inlined, the busiest first,
  /// at most 8.
  std::vector<InlinedHeat> inlined;
  uint64_t inlined_omitted = 0; ///< Number of further call paths.
};

/// Accesses of the sampled blocks to an object of global memory, over all sampled launches.
struct HeatObject {
  uint32_t object = 0; ///< id of the object.
  std::string name; ///< Its name in the kernel, or its own; can be empty.
  uint64_t launches = 0; ///< Sampled launches that accessed it.
  uint64_t sectors = 0; ///< Accessed sectors, summed over the launches like all numbers below.
  uint64_t words = 0; ///< Accessed words.
  uint64_t accesses = 0; ///< Accesses of words by threads.
  double mean_word = 0; ///< Temperature of a word.
  double mean_sector = 0; ///< Temperature of a sector.
  uint32_t max_word = 0; ///< The highest temperature of a word.
  uint32_t max_sector = 0; ///< The highest temperature of a sector.
  /// Sectors that are hot, whether or not that is worth a finding; docs/patterns.md has the rule.
  uint64_t hot_sectors = 0;
  uint64_t falsely_shared_sectors = 0; ///< Sectors whose words belong to many warps.
  uint64_t sparse_sectors = 0; ///< Sectors of which at most half of the words are used.
  /// Sectors of which only the highest temperatures of several are known.
  uint64_t merged_sectors = 0;
  /// Accesses in the source that are known to be of the object, those with the most sectors first.
  std::vector<HeatAccess> lines;
  uint64_t lines_omitted = 0; ///< Number of further lines.
};

/// Requests of shared memory of an access, where its function was inlined by these calls.
struct InlinedBanks {
  std::vector<InlinedCall> inlined_at; ///< The calls, from that of the line's function outwards.
  uint64_t requests = 0; ///< Executions by a warp.
  uint64_t lanes = 0; ///< Threads that took part, added up over the requests.
  uint64_t wavefronts = 0; ///< Passes over the 32 banks that the requests need.
  uint64_t ideal_wavefronts = 0; ///< As many as the different bytes of each request need at least.
};

/// An access of shared memory in the source, and what its requests come to.
struct BankAccess {
  std::string access; ///< How it accesses memory; the two ends of a copy are two sites.
  std::optional<Source> source; ///< Null without debug information.
  uint32_t column = 0; ///< 0: unknown.
  std::string function; ///< The function that the line is in, inlined ones too; mangled.
  uint32_t bytes = 0; ///< Bytes that one thread accesses; 0: they differ.
  /// Instructions of the optimised kernel that are this access; several in an unrolled loop.
  uint64_t instructions = 0;
  uint64_t requests = 0; ///< Executions by a warp.
  uint64_t lanes = 0; ///< Threads that took part, added up over the requests.
  uint64_t wavefronts = 0; ///< Passes over the 32 banks that the requests need.
  uint64_t ideal_wavefronts = 0; ///< As many as the different bytes of each request need at least.
  /// The same requests by the calls by which the function was inlined, the busiest first, at most
  /// 8.
  std::vector<InlinedBanks> inlined;
  uint64_t inlined_omitted = 0; ///< How many of these are left out.
};

/// Accesses of the first sampled block to an array in shared memory, in the launch that accessed
/// most of it; lines are of all sampled blocks and launches.
struct HeatArray {
  uint32_t object = 0; ///< id of the object.
  uint64_t launches = 0; ///< Sampled launches that accessed it.
  uint64_t words_of_thread = 0; ///< Words that one thread alone accessed.
  uint64_t words_of_warp = 0; ///< Words that several threads of one warp accessed.
  uint64_t words_of_warps = 0; ///< Words that several warps accessed.
  std::vector<BankAccess> lines; ///< Accesses in the source, those with the most wavefronts first.
  uint64_t lines_omitted = 0; ///< How many more there are.
};

/// A sampled launch, or several that were recorded together.
struct HeatLaunch {
  uint64_t launch = 0; ///< The first of them: its number among all launches, from 1.
  uint64_t launches = 0; ///< How many.
  uint64_t blocks_sampled = 0; ///< Thread blocks whose accesses were recorded.
  uint64_t blocks_launched = 0; ///< Blocks of its grids.
  uint64_t requests = 0; ///< Requests of global memory.
  uint64_t sectors = 0; ///< Sectors of these requests.
  uint64_t ideal_sectors = 0; ///< Fewest sectors that these requests could need.
  uint64_t shared_requests = 0; ///< Requests of shared memory.
  uint64_t wavefronts = 0; ///< Wavefronts of the requests to shared memory.
  uint64_t ideal_wavefronts = 0; ///< Wavefronts of these requests without bank conflicts.
};

/// Accesses of a kernel's sampled blocks to memory (cuThermo, 2025, Section IV).
struct HeatUse {
  uint64_t launches_sampled = 0; ///< Launches whose accesses were recorded, of some or all blocks.
  uint64_t blocks_sampled = 0; ///< Over these launches.
  uint64_t blocks_launched = 0; ///< Blocks of these launches.
  uint64_t warps_per_block = 0; ///< Warps in the largest block.
  uint64_t requests = 0; ///< Requests of global memory: executions of an access by a warp.
  uint64_t sectors = 0; ///< Distinct 32-byte sectors of each request, added up.
  uint64_t ideal_sectors = 0; ///< The fewest sectors that could hold the requests' bytes.
  uint64_t bytes_used = 0; ///< Different ones of each request, added up.
  uint64_t shared_requests = 0; ///< Requests to shared memory.
  uint64_t wavefronts = 0; ///< Passes over the banks that they need.
  uint64_t ideal_wavefronts = 0; ///< The fewest wavefronts for their bytes.
  /// Requests to global memory whose width is that of the kernel's PTX: the machine code is not
  /// known, or has other instructions at their lines.
  uint64_t requests_of_ptx = 0;
  uint64_t shared_requests_of_ptx = 0; ///< The same of requests to shared memory.
  uint64_t outside = 0; ///< Accesses by threads of memory that is in no known object.
  /// Accesses by threads that were not recorded, because the recording memory was full.
  uint64_t lost = 0;
  /// Requests of functions that are not inlined, by unknown instructions and of either memory; in
  /// none of the numbers above.
  uint64_t not_inlined_requests = 0;
  uint64_t instructions = 0; ///< Instructions that made requests in the sampled blocks.
  /// Instructions, of all, whose requests follow from each launch; they cost nothing while the
  /// kernel runs.
  uint64_t instructions_by_closed_forms = 0;
  std::vector<HeatObject> objects; ///< Objects, by number of sectors.
  uint64_t objects_omitted = 0; ///< How many more there are.
  /// Accesses of global memory of which it is not known which object they are of.
  std::vector<HeatAccess> other_lines;
  uint64_t other_lines_omitted = 0; ///< How many more there are.
  std::vector<HeatArray> arrays; ///< Arrays in shared memory.
  /// Accesses of shared memory of which the array is not known.
  std::vector<BankAccess> other_shared_lines;
  uint64_t other_shared_lines_omitted = 0; ///< How many more there are.
  std::vector<HeatLaunch> launches; ///< Launches, in order.
  uint64_t launches_omitted = 0; ///< How many more there are.
};

/// Instructions of a kernel's machine code that do the same at one place.
struct CodeInstruction {
  /// constant_load: of an address that may differ by lane, so that a request can take several
  /// passes.
  std::string instruction;
  std::optional<Source> source; ///< Null without debug information.
  std::string function; ///< The function that the line is in, inlined ones too; mangled.
  /// The inlined calls that the line is in, from that of its function outwards.
  std::vector<InlinedCall> inlined_at;
  std::string variable; ///< Array, constant or texture that they access.
  std::string type; ///< Its C++ type.
  uint64_t variable_bytes = 0; ///< Its size, per thread in local memory; 0: unknown.
  uint32_t bytes = 0; ///< Per lane; 0: the instruction does not state them.
  uint64_t count = 0; ///< Number of the instructions.
  std::string index; ///< How the source computes the address.
};

/// Instructions of a kernel's machine code that access local memory, textures, and constants whose
/// address may differ by lane.
struct MachineMemory {
  uint32_t architecture = 0; ///< Architecture of the machine code: 90 for sm_90.
  uint64_t frame_bytes = 0; ///< Local memory of a thread: arrays and spilled registers.
  /// Local loads and stores first, and of equal instructions the most frequent.
  std::vector<CodeInstruction> instructions;
  uint64_t instructions_omitted = 0; ///< How many of these are left out.
};

/// A kernel, with what it did to each memory object that was profiled.
struct Kernel {
  uint32_t id = 0; ///< Index in kernels[].
  std::string name; ///< Mangled.
  std::string demangled; ///< Demangled.
  std::optional<Source> source; ///< Its definition; null without debug information.
  std::vector<uint32_t> devices; ///< Devices on which it was loaded.
  /// It can be profiled: the pass made a clone that the profile needs, or the profile needs none.
  bool instrumented = false;
  std::string reason; ///< Why it is not; empty if it is.
  std::optional<std::string> level; ///< How the clone counts.
  std::optional<uint32_t> counter_bits; ///< Width of a counter.
  std::optional<uint32_t> threshold; ///< Counting stops here; null: nowhere.
  /// False: counters are updated without atomics, so lanes that access one word at the same time
  /// can count once.
  std::optional<bool> counts_exact;
  /// True: all blocks provably access shared memory alike, so the first one counted for all.
  std::optional<bool> blocks_alike;
  std::optional<std::string> counters_in; ///< Memory of the counters; null: nothing was counted.
  uint32_t block_sample = 1; ///< One block in so many was counted; 1: all.
  uint32_t registers = 0; ///< Registers of the kernel, per thread; 0: unknown.
  /// Registers of a compiled clone, per thread; 0: unknown, as of clones on demand.
  uint32_t clone_registers = 0;
  uint32_t static_shared_bytes = 0; ///< Static shared memory of the kernel, per block.
  LaunchCounts launch_counts; ///< Its launches.
  /// Its execution time on the GPU; null: not measured, or the run was not on a GPU.
  std::optional<KernelSeconds> seconds;
  /// Groups of equal launches, the most frequent first; at most 64.
  std::vector<LaunchGroup> launches;
  uint64_t launch_groups_omitted = 0; ///< Number of further groups.
  uint64_t accesses_lost = 0; ///< Accesses outside of the counted words.
  /// Accesses of shared words that belong to no known variable.
  uint64_t accesses_unattributed = 0;
  std::vector<ObjectUse> objects; ///< Per array of shared memory.
  /// Instructions that may access shared memory, of a variable that is not known.
  std::vector<Site> other_sites;
  /// Objects of global memory that its launches access, with numbers of launches; the most accessed
  /// first.
  std::vector<ObjectAccess> object_accesses;
  uint64_t object_accesses_omitted = 0; ///< Objects that object_accesses has no room for.
  /// Its accesses of global memory; null: they were not profiled.
  std::optional<GlobalUse> global_memory;
  std::optional<HeatUse> heat; ///< Warps that accessed each word; null: no launch was sampled.
  /// Local memory, constants and textures in its machine code.
  std::optional<MachineMemory> machine_memory;
};

/// A function on a call path, and where in it the next one is called.
struct Frame {
  std::string function; ///< Demangled; empty: unknown.
  std::optional<Source> source; ///< The calling line; null: unknown.
  bool inlined = false; ///< Into the next frame's function.
  /// Path of the executable or library; empty for a Python function, or if none was known.
  std::string image;
  uint64_t address = 0; ///< Address in the image's file.
};

/// A time at which more memory was in use than before and after it (DrGPUM, Lin et al., ASPLOS
/// 2023, Section 4).
struct MemoryPeak {
  uint64_t bytes = 0; ///< Bytes in use.
  double seconds = 0; ///< When the last of it was allocated, since the run's start.
  /// The call that did: its number in the order of calls, as in memory_over_time.csv.
  uint32_t api = 0;
  /// Topological time of that call, see object_event; meaningful only if objects were profiled.
  uint32_t topological_time = 0;
  uint64_t objects = 0; ///< Objects alive then.
  std::vector<uint32_t> largest; ///< The largest of them, the largest first.
};

/// An owner of a device's memory.
struct MemoryRow {
  std::string owner; ///< program: the program's allocations.
  /// The library; small blocks (slabs of 2 MiB) or large blocks of PyTorch; and other processes, if
  /// the context may contain these because NVML is missing; else empty.
  std::string name;
  uint64_t bytes = 0; ///< Its memory.
  uint64_t objects = 0; ///< Number of its objects; 0 if it has none.
};

/// A call site whose objects are in memory.
struct MemorySite {
  /// The innermost line of the program on the call path, of Python code if there is any; null:
  /// unknown.
  std::optional<Source> source;
  std::string function; ///< The function of this line; empty: unknown.
  /// The library that allocates for itself, such as cuBLAS; empty: the program.
  std::string library;
  std::string api; ///< The function that allocates.
  uint64_t bytes = 0; ///< Memory of its objects.
  uint64_t objects = 0; ///< Number of its objects.
};

/// An object in memory.
struct MemoryObject {
  /// The variable that holds it, or a name that the program gave; empty: unknown.
  std::string name;
  std::string library; ///< As in memory_site.
  std::string api; ///< The function that allocated it.
  uint64_t bytes = 0; ///< Its size.
  double seconds = 0; ///< Time of the allocation, since the run's start.
  std::optional<Source> source; ///< As in memory_site.
};

/// An allocation for which the device had no memory.
struct FailedAllocation {
  std::string api; ///< The function that failed.
  std::string function; ///< The function of the program that called it; empty: unknown.
  std::string library; ///< As in memory_site.
  uint64_t bytes = 0; ///< The requested size.
  std::optional<Source> source; ///< As in memory_site.
  std::vector<Source> call_path; ///< Known lines on the call path, the innermost first.
};

/// Owners of a device's memory at one time.
struct MemoryAccount {
  /// The time: the peak, the last failed allocation, the end, or one that gmreport memory --at
  /// names.
  std::string moment;
  double seconds = 0; ///< Since the run's start.
  /// Memory in use as the driver counts it (cuMemGetInfo), by all processes.
  std::optional<uint64_t> in_use_bytes;
  std::optional<uint64_t> total_bytes; ///< Memory of the device, as the driver counts it.
  bool read = false; ///< True: the driver was asked while these objects were alive.
  uint64_t reduced_bytes = 0; ///< Bytes by which the recorded memory exceeds in_use_bytes.
  /// The owners, the largest first and unattributed last; owners without memory are left out.
  std::vector<MemoryRow> rows;
  /// The largest free block in PyTorch's slabs; null: there are no slabs.
  std::optional<uint64_t> largest_free_block_bytes;
  std::vector<MemorySite> sites; ///< Call sites of the objects in memory, the most bytes first.
  uint64_t sites_omitted = 0; ///< Number of further call sites.
  /// The largest objects in memory; tensors in place of PyTorch's slabs.
  std::vector<MemoryObject> objects;
  uint64_t objects_omitted = 0; ///< Number of further objects.
  std::optional<FailedAllocation> failure; ///< The allocation that failed; null: none did then.
};

/// The program's memory on a device.
struct DeviceMemory {
  uint32_t device = 0; ///< The device.
  uint64_t peak_bytes = 0; ///< The most that was alive at a time.
  /// The peak with all findings about objects followed, recomputed from all calls, since single
  /// savings do not add up.
  std::optional<uint64_t> peak_bytes_after;
  uint64_t bytes_at_end = 0; ///< Alive at the program's end, or when it died.
  /// The highest peaks, the highest first; as many as the option peaks says (2).
  std::vector<MemoryPeak> peaks;
  uint64_t failed_allocations = 0; ///< Number of allocations for which the device had no memory.
  /// Owners of the memory at the highest peak of the program's memory, after the last failed
  /// allocation (if any failed), and at the end.
  std::vector<MemoryAccount> accounts;
};

/// Memory that the program cuts from an allocation by itself, as it told with gmprof/gmprof.h.
struct PoolMemory {
  uint32_t object = 0; ///< The allocation, the slab: index in objects[].
  uint64_t bytes = 0; ///< Its size.
  uint64_t parts = 0; ///< Objects that were cut from it.
  uint64_t peak_bytes = 0; ///< The most of it that was handed out at a time.
  uint64_t wasted_bytes = 0; ///< The rest, that never was.
  /// The peak with all findings about the parts followed.
  std::optional<uint64_t> peak_bytes_after;
};

/// Objects of global memory over time.
struct Memory {
  uint64_t objects = 0; ///< Number of objects.
  /// Number of objects that are not in objects[], which holds the largest 4096 and those that
  /// findings and kernels refer to.
  uint64_t objects_omitted = 0;
  std::vector<DeviceMemory> devices; ///< Memory of each device.
  std::vector<PoolMemory> pools; ///< Pools of the program.
};

/// A run of the program.
struct SyncStage {
  /// Its purpose: the run time (baseline); waits and the GPU's work (trace); uses by the host and
  /// copied data (memory); times of uses (use).
  std::string name;
  std::optional<double> seconds; ///< Run time of the program.
  std::optional<int> exit_status; ///< Exit status, as in run.
  uint64_t calls = 0; ///< GPU API calls.
  bool same_calls = true; ///< True: it made the same calls as the traced run, in the same order.
  /// Calls of the traced run that this one did not make: waits among them are not judged.
  uint64_t missing_calls = 0;
  uint64_t additional_calls = 0; ///< Calls of this run that the traced one did not make.
  std::string first_difference; ///< The first call that differs; empty: none.
};

/// All calls of a GPU API from one place, with one call path.
struct SyncSite {
  std::string api; ///< The function.
  std::optional<uint32_t> call_path; ///< Index in call_paths[].
  std::optional<Source> source; ///< The innermost line of the program on it.
  bool explicit_wait = false; ///< Waiting is what the function is for.
  uint64_t calls = 0; ///< Number of calls.
  /// Calls that waited for work of the GPU, or would have if there had been any.
  uint64_t waits = 0;
  /// Waits for which work was outstanding at the start of the call, and finished at its return.
  uint64_t blocked = 0;
  double call_seconds = 0; ///< Time in all calls.
  /// The part of that in which the GPU still worked on what was waited for.
  double wait_seconds = 0;
  uint64_t migrated_bytes = 0; ///< Managed memory that began to move while these calls waited.
  /// The share of their wait time, in the run that watched memory, in which managed memory
  /// migrated.
  double migration_share = 0;
  uint64_t unnecessary = 0; ///< Waits that protect nothing that the host uses before the next one.
  uint64_t misplaced = 0; ///< Waits that come at least 20 µs before the first use.
  uint64_t needed = 0; ///< Waits before a use that was seen.
  uint64_t assumed_needed = 0; ///< Waits before memory that could not be watched.
  uint64_t orders_streams = 0; ///< Waits that put operations of two streams in order.
  uint64_t not_seen = 0; ///< Waits that the run which watched memory did not have.
  /// Unnecessary waits that rest on reports of code compiled with --gmprof-host-accesses, because
  /// pages could not be protected.
  uint64_t unnecessary_instrumented = 0;
  std::optional<double> first_use_seconds; ///< Mean time from the wait to the first use.
  std::optional<Source> first_use; ///< Place of that use.
  /// How the use at first_use was seen: by code compiled with --gmprof-host-accesses, by page
  /// protection, or as an argument of a function.
  std::string first_use_seen;
  /// Expected benefit of leaving out the unnecessary waits (Figure 5).
  double unnecessary_benefit_seconds = 0;
  double misplaced_benefit_seconds = 0; ///< Expected benefit of moving the misplaced ones.
  /// Saving of both by replaying the run; null: the GPU's times are unknown, or other places matter
  /// more.
  std::optional<double> replay_seconds;
  uint64_t copies = 0; ///< Copies whose content was looked at.
  uint64_t copied_bytes = 0; ///< Bytes of these copies.
  uint64_t duplicates = 0; ///< Copies of bytes that had been copied to the same place before.
  uint64_t duplicate_bytes = 0; ///< Bytes of these copies.
  uint64_t destination_unchanged = 0; ///< Repeated copies whose destination still held the bytes.
  double duplicate_benefit_seconds = 0; ///< Expected benefit of leaving them out.
  std::optional<double> duplicate_replay_seconds; ///< The same by replaying the run.
  std::optional<Source> first_copy; ///< Place that copied the bytes first.
};

/// Calls whose paths have the same functions, but for template arguments.
struct SyncFold {
  std::string function; ///< The calling function.
  std::string api; ///< The called function.
  std::vector<uint32_t> sites; ///< Indices in sites[].
  double benefit_seconds = 0; ///< Expected benefit of all of them.
};

/// The calls of a call site.
struct SyncEntry {
  uint32_t site = 0; ///< Index in sites[].
  uint64_t waits = 0; ///< Waits with problems.
  uint64_t copies = 0; ///< Repeated copies.
};

/// Consecutive calls with problems, without a needed wait in between.
struct SyncSequence {
  std::vector<SyncEntry> entries; ///< Call sites, in the order of the calls.
  uint64_t count = 0; ///< Number of such sequences.
  /// Expected benefit of solving all problems together: what one wait cannot save is carried
  /// forward to the next.
  double benefit_seconds = 0;
};

/// An object of managed memory that migrated, by CUPTI.
struct SyncMigration {
  std::optional<uint32_t> object; ///< objects[].id; null: memory that is not known.
  uint64_t to_device_bytes = 0; ///< Bytes of all migrations to devices.
  uint64_t to_host_bytes = 0; ///< Bytes of all migrations to the host.
  double to_device_seconds = 0; ///< Time of all migrations to devices, which can overlap.
  double to_host_seconds = 0; ///< Time of all migrations to the host, which can overlap.
};

/// Waits for the GPU and copies made again.
struct Sync {
  std::optional<double> wall_seconds; ///< The program's time without profiling, if known.
  /// Runs of the program; empty: a single one, whose times profiling disturbed.
  std::vector<SyncStage> stages;
  uint64_t calls = 0; ///< GPU API calls of the traced run.
  bool gpu_times_known = false; ///< True: the GPU's times are known.
  uint64_t uses_seen = 0; ///< First uses by the host of what the GPU wrote.
  uint64_t uses_page = 0; ///< Uses, of these, seen by page protection.
  /// Uses, of these, reported by the program's code, compiled with --gmprof-host-accesses.
  uint64_t uses_instrumented = 0;
  /// Uses, of these, of memory that could not be watched, taken to happen when the wait ends.
  uint64_t uses_assumed = 0;
  std::vector<SyncSite> sites; ///< Call sites, by benefit.
  uint64_t sites_omitted = 0; ///< Number of further call sites.
  std::vector<SyncFold> functions; ///< Functions, by benefit; at most 64.
  std::vector<SyncSequence> sequences; ///< Sequences, by benefit; at most 64.
  /// Managed memory that migrated between host and devices, by object, most bytes first; at most
  /// 64.
  std::optional<std::vector<SyncMigration>> migrations;
};

/// The GPU whose caches are simulated.
struct CacheGpu {
  std::string architecture; ///< sm_90; a file of share/gmprof/architectures.
  std::string name; ///< The GPU that its figures describe.
  uint32_t sms = 0; ///< SMs, each with an L1.
  uint32_t unified_kb = 0; ///< KB of L1 and shared memory together.
  /// Replacement policy of L1: tree_plru, grouped_plru, lru, nru, fifo or random.
  std::string l1_replacement;
  uint32_t l2_kb = 0; ///< KB of L2.
  uint32_t l2_ways = 0; ///< Ways of L2.
  uint32_t l2_line_bytes = 0; ///< Bytes of a line of L2.
  std::string l2_replacement; ///< Replacement policy of L2.
};

/// Traffic of some accesses in the simulated caches (docs/cache-model.md).
struct CacheTraffic {
  /// Memory requests of warps, of all lines; they belong to the object that the first active lane
  /// accesses.
  uint64_t requests = 0;
  uint64_t sectors = 0; ///< 32-byte L1 transactions, of all lines.
  uint64_t bytes_used = 0; ///< Bytes of these sectors that lanes requested.
  /// bytes_used over the bytes of these sectors; 0 without sectors.
  double coalescing_efficiency = 0;
  double traffic_share = 0; ///< Share of the sectors of the whole program (profiner, Equation 4).
  uint64_t l1_lookups = 0; ///< Sectors looked up in L1, of the simulated lines (one in `sampled`).
  uint64_t l1_hits = 0; ///< Lookups that hit.
  /// L1 misses of loads to sectors that L1 had until a fence, or an operation with acquire
  /// semantics, emptied it; of the simulated lines.
  uint64_t lost_to_fences = 0;
  /// l1_hits / l1_lookups (profiner, Equation 3); null: no lookups.
  std::optional<double> l1_hit_rate;
  /// Its standard error; null: all lines are simulated, or no lookups.
  std::optional<double> l1_hit_rate_error;
  uint64_t l2_reads = 0; ///< Sectors that L1 reads from L2, of the simulated lines.
  uint64_t l2_writes = 0; ///< Sectors that L1 writes to L2, of the simulated lines.
  /// Sectors of atomics and reductions, which L2 executes, of the simulated lines.
  uint64_t l2_atomics = 0;
  uint64_t l2_hits = 0; ///< L2 lookups of these three kinds that hit.
  std::optional<double> l2_hit_rate; ///< l2_hits over these three together; null: no lookups.
  std::optional<double> l2_hit_rate_error; ///< Its standard error, as l1_hit_rate_error.
  /// L1 misses of sectors that the same SM had fetched before in the launch, and lost.
  uint64_t fetched_again = 0;
  /// Sectors, of these, fetched for the block that had fetched them before.
  uint64_t fetched_again_by_block = 0;
  /// Sectors read from DRAM, 64 bytes at a time if the GPU does so; of the simulated lines.
  uint64_t dram_reads = 0;
  uint64_t dram_writes = 0; ///< Sectors written back to DRAM, at any time; of the simulated lines.
  uint64_t dram_reads_again = 0; ///< DRAM reads of sectors that were read before in the launch.
  uint64_t l2_bytes = 0; ///< Bytes between L1 and L2: 32 per sector, times `sampled`.
  /// Bytes between L2 and DRAM, read and written: 32 per sector, times `sampled`.
  uint64_t dram_bytes = 0;
};

/// An object, and its traffic.
struct CacheObject {
  /// Index in objects; null: local memory, memory of no known object, or an object that the summary
  /// leaves out.
  std::optional<uint32_t> object;
  std::string name; ///< Its name or kind.
  CacheTraffic traffic; ///< Its traffic.
};

/// Requests of a line whose function was inlined by these calls.
struct InlinedTraffic {
  std::vector<InlinedCall> inlined_at; ///< The calls, from that of the line's function outwards.
  CacheTraffic traffic; ///< Their traffic.
};

/// Accesses of one kind in a source line.
struct CacheLine {
  std::optional<Source> source; ///< The line; null: unknown, and the entry is one instruction.
  std::string function; ///< The function of the line, also if inlined.
  std::string access; ///< reduction: an atomic whose result is not used.
  CacheTraffic traffic; ///< Their traffic.
  /// The same requests by the call path through which the function was inlined, the busiest first,
  /// at most 8.
  std::vector<InlinedTraffic> inlined;
  uint64_t inlined_omitted = 0; ///< Number of further call paths.
};

/// All traced launches of a kernel.
struct CacheKernel {
  std::optional<uint32_t> kernel; ///< Index in kernels; null: the log does not have it.
  std::string name; ///< Demangled.
  uint64_t launches = 0; ///< Launches in the trace.
  CacheTraffic traffic; ///< Their traffic.
  std::vector<CacheObject> objects; ///< Objects, by sectors.
  uint64_t objects_omitted = 0; ///< Number of further objects; cache_accesses.csv has them.
  std::vector<CacheLine> lines; ///< Lines, by sectors.
  uint64_t lines_omitted = 0; ///< Number of further lines.
};

/// A launch in the trace.
struct CacheLaunch {
  uint64_t launch = 0; ///< Its number among the program's launches, from 1; 0: unknown.
  std::optional<uint32_t> kernel; ///< Index in kernels; null: the log does not have it.
  std::string name; ///< Name of the kernel, demangled.
  std::array<uint32_t, 3> grid = {1, 1, 1}; ///< Blocks of the grid.
  std::array<uint32_t, 3> block = {1, 1, 1}; ///< Threads of a block.
  uint32_t shared_kb = 0; ///< KB of an SM that are shared memory for it.
  uint32_t l1_kb = 0; ///< KB that are L1.
  uint32_t block_sample = 1; ///< One of so many blocks is in the trace.
  uint32_t sm_sample = 1; ///< One of so many SMs is in the trace.
  uint64_t lost = 0; ///< Requests that are missing in the trace.
  uint64_t late = 0; ///< Requests in the trace, but not at the place where the SM made them.
  uint64_t blocks_traced = 0; ///< Blocks with requests in the trace; 0 in traces before version 5.
  /// Blocks that began after the limit, and are not in the trace.
  uint64_t blocks_beyond_limit = 0;
  uint64_t requests_beyond_limit = 0; ///< Requests of traced blocks after the limit.
  /// Sectors written to DRAM during the launch, of any object.
  uint64_t dram_written_meanwhile = 0;
  CacheTraffic traffic; ///< Its traffic.
};

/// L1, L2 and DRAM, simulated from the trace that `files` names memory_trace.
struct Cache {
  CacheGpu gpu; ///< The simulated GPU.
  uint32_t sampled = 1; ///< One of so many 128-byte lines is simulated; 1: all.
  bool complete = false; ///< The trace has its end.
  uint64_t lost = 0; ///< Requests of all launches that are missing in the trace.
  uint64_t late = 0; ///< Requests in the trace, but not at the place where the SM made them.
  /// Launches that are only partly in the trace, because of a limit (launch-requests,
  /// run-requests).
  uint64_t limited_launches = 0;
  uint64_t blocks_traced = 0; ///< Blocks of all launches with requests in the trace.
  /// Blocks that began after the limit, and are not in the trace.
  uint64_t blocks_beyond_limit = 0;
  uint64_t requests_beyond_limit = 0; ///< Requests of traced blocks after the limit.
  CacheTraffic total; ///< Traffic of the whole program.
  std::vector<CacheObject> objects; ///< Objects, by sectors.
  uint64_t objects_omitted = 0; ///< Number of further objects; cache_accesses.csv has them.
  std::vector<CacheLine> lines; ///< Lines, by sectors.
  uint64_t lines_omitted = 0; ///< Number of further lines; cache_accesses.csv has them.
  std::vector<CacheKernel> kernels; ///< Kernels, by sectors.
  uint64_t kernels_omitted = 0; ///< Number of further kernels.
  std::vector<CacheLaunch> launches; ///< The first launches, in order.
  uint64_t launches_omitted = 0; ///< Number of further launches.
  uint64_t dirty_sectors = 0; ///< Dirty sectors in L2 at the end, of the simulated lines.
};

/// Reference to objects[].
struct ObjectRef {
  uint32_t id = 0; ///< objects[].id.
  std::string name; ///< Its name.
  std::string kind; ///< Its kind.
};

/// Reference to kernels[].
struct KernelRef {
  uint32_t id = 0; ///< kernels[].id.
  std::string name; ///< Demangled.
  std::optional<Source> source; ///< Its definition; null: without debug information.
};

/// Something worth a change.
struct Finding {
  /// Its number in this summary, from 1, as reports show it and gmprof whatif --finding takes it.
  uint64_t id = 0;
  std::string pattern; ///< Its pattern.
  std::string kind; ///< The pattern's variety, as its page says; empty: it has none.
  /// Further patterns of the same object and cause, which are not findings of their own:
  /// memory_leak of an unused allocation that is never freed, hot_spot of a
  /// shared_memory_candidate.
  std::vector<std::string> also;
  std::string origin; ///< The method that found it.
  /// info: true, but possibly as intended; low, medium, high: worth acting on.
  std::string severity;
  std::optional<ObjectRef> object; ///< The memory object; null: none.
  std::optional<KernelRef> kernel; ///< The kernel; null: none.
  /// Index in sync.sites[] of findings about synchronisation and copies; null: of another kind, or
  /// the site was omitted.
  std::optional<uint32_t> site;
  std::optional<Source> source; ///< The line to look at; null: unknown.
  /// Call paths through which the function of the source line was inlined into the kernel, at most
  /// eight.
  std::vector<std::vector<InlinedCall>> inlined_at;
  uint64_t inlined_omitted = 0; ///< Paths of calls that are not among these.
  std::vector<Source> call_path; ///< Innermost first; empty if it does not apply.
  /// The numbers it rests on, by name; the pattern's page in docs/patterns/ lists them.
  Evidence evidence;
  uint64_t bytes_saved = 0; ///< Saving of the fix.
  std::optional<double> seconds_saved; ///< Saving of the fix; null: not estimated.
  std::string message; ///< The problem, with numbers.
  std::string suggestion; ///< The fix.
  /// Identifies the finding across rebuilds and runs: a hash of pattern, kind, kernel, object or
  /// GPU API, source file name and, for calls, the calling function.
  std::string fingerprint;
};

/// A file with data too large for this one.
struct File {
  std::string name; ///< Its kind, such as shared_counts.
  std::string path; ///< Relative to the folder of this file.
  std::string format; ///< Its format, such as csv.
  std::string description; ///< Its contents.
};

/// The results of GMProf for one run of a program.
struct Summary {
  std::string schema; ///< Name and version of this format.
  Tool tool; ///< The program that wrote the summary.
  Run run; ///< The profiled run.
  /// The processes of a summary that gmreport merge wrote; null: the summary is of one process.
  std::optional<Processes> processes;
  std::vector<Device> devices; ///< Devices used.
  RawJson config; ///< The options in effect; docs/running.md describes them.
  Coverage coverage; ///< Everything that was not profiled, and why.
  /// Memory objects: those of global memory, then variables in shared memory, one for each kernel,
  /// and for each size if dynamic.
  std::vector<Object> objects;
  std::vector<Kernel> kernels; ///< Kernels of the program.
  std::vector<Frame> frames; ///< Functions on call paths, each once.
  /// Call paths, to which other members refer by index: indices in frames[], innermost function
  /// first, up to main or as far as was recorded.
  std::vector<std::vector<uint32_t>> call_paths;
  std::optional<Memory> memory; ///< Objects of global memory over time; null: there were none.
  std::optional<Sync> sync; ///< Waits for the GPU and copies made again (Diogenes, SC 2019).
  /// Cache behaviour, of gmprof run --profile cache; null in other profiles.
  std::optional<Cache> cache;
  std::vector<Finding> findings; ///< Findings, by severity, then by saving.
  std::vector<File> files; ///< Other files of the profile; docs/report.md describes them.
};

/// Inlined calls from the innermost outwards; empty if not inlined.
using InlineChain = std::vector<InlinedCall>;

} // namespace gmprof::summary
// clang-format on

#endif // GMPROF_REPORT_MODEL_SUMMARY_H
