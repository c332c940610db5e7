//===- SummaryJson.cpp - summary.json as text -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "profile/Progress.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

NLOHMANN_JSON_NAMESPACE_BEGIN
template <typename T> struct adl_serializer<std::optional<T>> {
  template <typename Json> static void to_json(Json &J, const std::optional<T> &Value) {
    if (Value)
      J = *Value;
    else
      J = nullptr;
  }
  template <typename Json> static void from_json(const Json &J, std::optional<T> &Value) {
    if (J.is_null())
      Value.reset();
    else
      Value = J.template get<T>();
  }
};
NLOHMANN_JSON_NAMESPACE_END

namespace gmprof::summary {

using Json = nlohmann::ordered_json;

/// Checks that J is an integer in the range of T; the library converts silently and overflows.
template <typename T> void checkInteger(const Json &) {}
template <std::integral T>
  requires(!std::same_as<T, bool>)
void checkInteger(const Json &J) {
  bool Fits = J.is_number_unsigned() ? std::in_range<T>(J.get<uint64_t>())
                                     : J.is_number_integer() && std::in_range<T>(J.get<int64_t>());
  if (!Fits)
    throw Json::type_error::create(302, "not an integer in range", &J);
}
template <typename T> struct Integers {
  static void check(const Json &J) { checkInteger<T>(J); }
};
template <typename T> struct Integers<std::optional<T>> {
  static void check(const Json &J) {
    if (!J.is_null())
      checkInteger<T>(J);
  }
};
template <typename T> struct Integers<std::vector<T>> {
  static void check(const Json &J) {
    for (const Json &Element : J)
      checkInteger<T>(Element);
  }
};
template <typename T, size_t N> struct Integers<std::array<T, N>> : Integers<std::vector<T>> {};

template <typename T> void member(const Json &J, const char *Name, T &To) {
  const Json &Value = J.at(Name);
  Integers<T>::check(Value);
  Value.get_to(To);
}

/// Like NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, for ordered_json and with checked integers.
#define GMPROF_JSON_FROM(Name) member(nlohmann_json_j, #Name, nlohmann_json_t.Name);
#define GMPROF_JSON(Type, ...)                                                                     \
  static void to_json(Json &nlohmann_json_j, const Type &nlohmann_json_t) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                       \
  }                                                                                                \
  static void from_json(const Json &nlohmann_json_j, Type &nlohmann_json_t) {                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(GMPROF_JSON_FROM, __VA_ARGS__))                       \
  }

static void to_json(Json &J, const RawJson &Value) { J = Json::parse(Value.text); }
static void from_json(const Json &J, RawJson &Value) { Value.text = J.dump(); }

static void to_json(Json &J, const EvidenceValue &Value) {
  std::visit([&](const auto &V) { J = V; }, Value);
}
static void from_json(const Json &J, EvidenceValue &Value) {
  if (J.is_boolean())
    Value = J.get<bool>();
  else if (J.is_number_unsigned())
    Value = J.get<uint64_t>();
  else if (J.is_number())
    Value = J.get<double>();
  else
    Value = J.get<std::string>();
}

GMPROF_JSON(Source, file, line)
GMPROF_JSON(Tool, name, version)
GMPROF_JSON(Run, command, host, pid, ppid, rank, start, wall_seconds, exit_status, complete, device)
GMPROF_JSON(Device, id, name, compute_capability, attributes)
GMPROF_JSON(NotInstrumented, kernel, name, reason)
GMPROF_JSON(KernelCoverage, seen, instrumented, nothing_to_profile, not_instrumented)
GMPROF_JSON(ReasonCount, kernel, reason, count)
GMPROF_JSON(LaunchCoverage, seen, profiled, nothing_to_profile, not_selected, refused,
            without_counts, reasons)
GMPROF_JSON(BlockCoverage, launched, selected, counted)
GMPROF_JSON(SkippedSite, kernel, access, source, reason)
GMPROF_JSON(AccessCoverage, counted, lost, unattributed, outside, skipped)
GMPROF_JSON(Gap, what, reason, count)
GMPROF_JSON(ObjectCoverage, launches_inferred, objects_uncertain, objects_of_host)
GMPROF_JSON(ProfileCoverage, profile, launches, of, never_counted)

GMPROF_JSON(Coverage, whole, kernels, launches, profiles, blocks, accesses, objects,
            records_dropped, gaps)
GMPROF_JSON(Frame, function, source, inlined, image, address)
GMPROF_JSON(ObjectEvent, api, seconds, topological_time, thread, stream, call_path, source)
GMPROF_JSON(Access, kind, api, seconds, topological_time, call_path, source)
GMPROF_JSON(Number, value, at_least)
GMPROF_JSON(ElementRange, first, last)
GMPROF_JSON(ElementFrequencies, kernel, launches, elements, min, mean, max, variation)
GMPROF_JSON(Elements, element_bytes, elements, accessed, accessed_share, fragmentation, gaps,
            largest_gap, launches, launches_profiled, sampled, unseen_reason, slices, largest_slice,
            frequencies)
GMPROF_JSON(Object, id, name, kind, type, bytes, element_bytes, extent, address, device, parent,
            kernel, source, alloc, free, released, first_access, last_access, elements)
GMPROF_JSON(MemoryPeak, bytes, seconds, api, topological_time, objects, largest)
GMPROF_JSON(MemoryRow, owner, name, bytes, objects)
GMPROF_JSON(MemorySite, source, function, library, api, bytes, objects)
GMPROF_JSON(MemoryObject, name, library, api, bytes, seconds, source)
GMPROF_JSON(FailedAllocation, api, function, library, bytes, source, call_path)
GMPROF_JSON(MemoryAccount, moment, seconds, in_use_bytes, total_bytes, read, reduced_bytes, rows,
            largest_free_block_bytes, sites, sites_omitted, objects, objects_omitted, failure)
GMPROF_JSON(DeviceMemory, device, peak_bytes, peak_bytes_after, bytes_at_end, peaks,
            failed_allocations, accounts)
GMPROF_JSON(PoolMemory, object, bytes, parts, peak_bytes, wasted_bytes, peak_bytes_after)
GMPROF_JSON(Memory, objects, objects_omitted, devices, pools)
GMPROF_JSON(Bucket, from, to, elements, at_threshold)
GMPROF_JSON(PerBlock, min, mean, max, histogram)
GMPROF_JSON(Threshold, value, reached)
GMPROF_JSON(NeverTouched, elements, bytes, description, ranges, range_count, padding_elements)
GMPROF_JSON(InlinedCall, function, source, column)
GMPROF_JSON(Site, access, source, column, function, inlined_at, space, bytes, rule, reason)
GMPROF_JSON(Move, device_array, source, column, function, inlined_at, bytes)
GMPROF_JSON(PerRange, min, mean, max)
GMPROF_JSON(RangeBucket, from, to, ranges)
GMPROF_JSON(RangeRecord, begin, end, accesses, moved_in)
GMPROF_JSON(LiveRanges, counted, not_counted_reason, ranges, at_threshold, accesses_per_range,
            histogram, begins, ends, records_of_byte, records)
GMPROF_JSON(ObjectUse, object, space, counts_of, count_elements, uncounted_bytes, blocks_counted,
            blocks_launched, reads, writes, accesses, accesses_estimated, standard_error, per_block,
            threshold, never_touched, live_ranges, sites, uncounted_reason)
GMPROF_JSON(GlobalAccesses, launches, accesses, accesses_estimated, standard_error, by_closed_forms,
            touched, threshold_reached, per_launch)
GMPROF_JSON(GlobalObjectUse, object, names, element_bytes, elements, touched, reads, writes,
            atomics, counts_complete, sites, uncounted_reason)
GMPROF_JSON(GlobalUse, level, counter_bits, threshold, launches_profiled, launches_by_closed_forms,
            block_sample, blocks_counted, blocks_launched, outside, counter_bytes, object_bytes,
            sites_by_closed_forms, sites_counted, sites_skipped, objects, other_sites)
GMPROF_JSON(InlinedHeat, inlined_at, requests, lanes, sectors, ideal_sectors, bytes_used)
GMPROF_JSON(HeatAccess, access, source, column, function, bytes, instructions, requests, lanes,
            sectors, ideal_sectors, bytes_used, misaligned, strided, stride, inlined,
            inlined_omitted)
GMPROF_JSON(HeatObject, object, name, launches, sectors, words, accesses, mean_word, mean_sector,
            max_word, max_sector, hot_sectors, falsely_shared_sectors, sparse_sectors,
            merged_sectors, lines, lines_omitted)
GMPROF_JSON(InlinedBanks, inlined_at, requests, lanes, wavefronts, ideal_wavefronts)
GMPROF_JSON(BankAccess, access, source, column, function, bytes, instructions, requests, lanes,
            wavefronts, ideal_wavefronts, inlined, inlined_omitted)
GMPROF_JSON(HeatArray, object, launches, words_of_thread, words_of_warp, words_of_warps, lines,
            lines_omitted)
GMPROF_JSON(HeatLaunch, launch, launches, blocks_sampled, blocks_launched, requests, sectors,
            ideal_sectors, shared_requests, wavefronts, ideal_wavefronts)
GMPROF_JSON(HeatUse, launches_sampled, blocks_sampled, blocks_launched, warps_per_block, requests,
            sectors, ideal_sectors, bytes_used, shared_requests, wavefronts, ideal_wavefronts,
            requests_of_ptx, shared_requests_of_ptx, outside, lost, not_inlined_requests,
            instructions, instructions_by_closed_forms, objects, objects_omitted, other_lines,
            other_lines_omitted, arrays, other_shared_lines, other_shared_lines_omitted, launches,
            launches_omitted)
GMPROF_JSON(CodeInstruction, instruction, source, function, inlined_at, variable, type,
            variable_bytes, bytes, count, index)
GMPROF_JSON(MachineMemory, architecture, frame_bytes, instructions, instructions_omitted)
GMPROF_JSON(LaunchGroup, device, grid, block, dynamic_shared_bytes, mode, reason, count)
GMPROF_JSON(LaunchCounts, seen, profiled, not_selected, refused)
GMPROF_JSON(ObjectAccess, object, launches, reads, writes, known)
GMPROF_JSON(KernelSeconds, measured_launches, mean, total, instrumented, share)

GMPROF_JSON(Kernel, id, name, demangled, source, devices, instrumented, reason, level, counter_bits,
            threshold, counts_exact, blocks_alike, counters_in, block_sample, registers,
            clone_registers, static_shared_bytes, launch_counts, seconds, launches,
            launch_groups_omitted, accesses_lost, accesses_unattributed, objects, other_sites,
            object_accesses, object_accesses_omitted, global_memory, heat, machine_memory)
GMPROF_JSON(SyncStage, name, seconds, exit_status, calls, same_calls, missing_calls,
            additional_calls, first_difference)
GMPROF_JSON(SyncSite, api, call_path, source, explicit_wait, calls, waits, blocked, call_seconds,
            wait_seconds, migrated_bytes, migration_share, unnecessary, misplaced, needed,
            assumed_needed, orders_streams, not_seen, unnecessary_instrumented, first_use_seconds,
            first_use, first_use_seen, unnecessary_benefit_seconds, misplaced_benefit_seconds,
            replay_seconds, copies, copied_bytes, duplicates, duplicate_bytes,
            destination_unchanged, duplicate_benefit_seconds, duplicate_replay_seconds, first_copy)
GMPROF_JSON(SyncFold, function, api, sites, benefit_seconds)
GMPROF_JSON(SyncEntry, site, waits, copies)
GMPROF_JSON(SyncSequence, entries, count, benefit_seconds)
GMPROF_JSON(SyncMigration, object, to_device_bytes, to_host_bytes, to_device_seconds,
            to_host_seconds)
GMPROF_JSON(Sync, wall_seconds, stages, calls, gpu_times_known, uses_seen, uses_page,
            uses_instrumented, uses_assumed, sites, sites_omitted, functions, sequences, migrations)
GMPROF_JSON(CacheTraffic, requests, sectors, bytes_used, coalescing_efficiency, traffic_share,
            l1_lookups, l1_hits, lost_to_fences, l1_hit_rate, l1_hit_rate_error, l2_reads,
            l2_writes, l2_atomics, l2_hits, l2_hit_rate, l2_hit_rate_error, fetched_again,
            fetched_again_by_block, dram_reads, dram_writes, dram_reads_again, l2_bytes, dram_bytes)
GMPROF_JSON(CacheGpu, architecture, name, sms, unified_kb, l1_replacement, l2_kb, l2_ways,
            l2_line_bytes, l2_replacement)
GMPROF_JSON(CacheObject, object, name, traffic)
GMPROF_JSON(InlinedTraffic, inlined_at, traffic)
GMPROF_JSON(CacheLine, source, function, access, traffic, inlined, inlined_omitted)
GMPROF_JSON(CacheKernel, kernel, name, launches, traffic, objects, objects_omitted, lines,
            lines_omitted)
GMPROF_JSON(CacheLaunch, launch, kernel, name, grid, block, shared_kb, l1_kb, block_sample,
            sm_sample, lost, late, blocks_traced, blocks_beyond_limit, requests_beyond_limit,
            dram_written_meanwhile, traffic)
GMPROF_JSON(Cache, gpu, sampled, complete, lost, late, limited_launches, blocks_traced,
            blocks_beyond_limit, requests_beyond_limit, total, objects, objects_omitted, lines,
            lines_omitted, kernels, kernels_omitted, launches, launches_omitted, dirty_sectors)
GMPROF_JSON(ObjectRef, id, name, kind)
GMPROF_JSON(KernelRef, id, name, source)
GMPROF_JSON(File, name, path, format, description)

static void to_json(Json &J, const Finding &F) {
  J["id"] = F.id;
  J["pattern"] = F.pattern;
  J["kind"] = F.kind;
  J["also"] = F.also;
  J["origin"] = F.origin;
  J["severity"] = F.severity;
  J["object"] = F.object;
  J["kernel"] = F.kernel;
  J["site"] = F.site;
  J["source"] = F.source;
  J["inlined_at"] = F.inlined_at;
  J["inlined_omitted"] = F.inlined_omitted;
  J["call_path"] = F.call_path;
  J["evidence"] = Json::object();
  for (const auto &[Name, Value] : F.evidence)
    to_json(J["evidence"][Name], Value);
  J["bytes_saved"] = F.bytes_saved;
  J["seconds_saved"] = F.seconds_saved;
  J["message"] = F.message;
  J["suggestion"] = F.suggestion;
  J["fingerprint"] = F.fingerprint;
}
static void from_json(const Json &J, Finding &F) {
  member(J, "id", F.id);
  member(J, "pattern", F.pattern);
  member(J, "kind", F.kind);
  member(J, "also", F.also);
  member(J, "origin", F.origin);
  member(J, "severity", F.severity);
  member(J, "object", F.object);
  member(J, "kernel", F.kernel);
  member(J, "site", F.site);
  member(J, "source", F.source);
  member(J, "inlined_at", F.inlined_at);
  member(J, "inlined_omitted", F.inlined_omitted);
  member(J, "call_path", F.call_path);
  for (const auto &[Name, Value] : J.at("evidence").get_ref<const Json::object_t &>())
    from_json(Value, F.evidence.emplace_back(Name, uint64_t(0)).second);
  member(J, "bytes_saved", F.bytes_saved);
  member(J, "seconds_saved", F.seconds_saved);
  member(J, "message", F.message);
  member(J, "suggestion", F.suggestion);
  member(J, "fingerprint", F.fingerprint);
}

GMPROF_JSON(MergedProcess, rank, host, pid, path, wall_seconds, exit_status, complete, whole,
            findings)
GMPROF_JSON(Spread, name, of, unit, processes, min, min_process, mean, max, max_process, deviation,
            outliers)
GMPROF_JSON(MergedFinding, fingerprint, processes)
GMPROF_JSON(Processes, list, measures, findings)

GMPROF_JSON(Summary, schema, tool, run, processes, devices, config, coverage, objects, kernels,
            call_paths, memory, sync, cache, findings, files)

} // namespace gmprof::summary

namespace gmprof {

using summary::Json;

std::string toJson(const summary::Summary &S) {
  // Replaces invalid UTF-8, as file names may be any bytes.
  return Json(S).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Maximum nesting; deeper JSON is no summary, and would exhaust the stack.
static constexpr int MaxDepth = 64;
namespace {
struct TooDeep {};
} // namespace

static std::string notASummary(const std::string &Name) {
  return "'" + Name + "' is not a GMProf summary: give the summary.json that 'gmprof run' wrote";
}

static void makePrintable(Json &J) {
  if (J.is_string())
    J = text::printable(J.get_ref<const std::string &>());
  else if (J.is_structured())
    for (Json &Each : J)
      makePrintable(Each);
}

/// Returns true if all site indices of functions and sequences are valid.
static bool hasPlaces(const summary::Sync &S) {
  const auto IsThere = [&](uint32_t Site) { return Site < S.sites.size(); };
  return std::all_of(S.functions.begin(), S.functions.end(),
                     [&](const summary::SyncFold &F) {
                       return std::all_of(F.sites.begin(), F.sites.end(), IsThere);
                     }) &&
         std::all_of(S.sequences.begin(), S.sequences.end(), [&](const summary::SyncSequence &Q) {
           return std::all_of(Q.entries.begin(), Q.entries.end(),
                              [&](const summary::SyncEntry &E) { return IsThere(E.site); });
         });
}

Result<summary::Summary> parseSummary(const std::string &Text, const std::string &Name,
                                      SummaryText Strings) {
  if (Text.find_first_not_of(" \t\r\n") == std::string::npos)
    return Error{"'" + Name + "' is empty"};
  Json J;
  try {
    J = Json::parse(Text, [](int Depth, Json::parse_event_t, const Json &) {
      if (Depth > MaxDepth)
        throw TooDeep();
      return true;
    });
  } catch (const TooDeep &) {
    return Error{notASummary(Name)};
  } catch (const Json::parse_error &E) {
    if (E.byte > Text.size())
      return Error{"'" + Name + "' is truncated: it ends in the middle of the JSON"};
    return Error{"'" + Name + "' is not JSON (at byte " + std::to_string(E.byte) + ")"};
  } catch (const Json::out_of_range &) { // 406: a number
    return Error{"'" + Name + "' has a number that is too large for a GMProf summary"};
  }
  const std::string Prefix = summary::SchemaPrefix;
  std::string Schema;
  if (J.is_object() && J.contains("schema") && J["schema"].is_string())
    Schema = J["schema"].get<std::string>();
  if (Schema.rfind(Prefix, 0) != 0)
    return Error{notASummary(Name)};
  if (Schema != Prefix + std::to_string(summary::SchemaVersion))
    return Error{"'" + Name + "' is a summary of version " + Schema.substr(Prefix.size()) +
                 ", and this gmreport reads version " + std::to_string(summary::SchemaVersion) +
                 ": use the gmreport of the GMProf that wrote it"};
  if (Strings == SummaryText::Printable)
    makePrintable(J);
  const std::string Damaged =
      "'" + Name + "' is a damaged GMProf summary, or one of an older GMProf: ";
  try {
    auto Read = J.get<summary::Summary>();
    if (Read.sync && !hasPlaces(*Read.sync))
      return Error{Damaged + "it has no place of a number that it names"};
    return Read;
  } catch (const Json::exception &E) {
    // e.g. "[json.exception.out_of_range.403] (/kernels/0) key 'name' not found"
    std::string Why = E.what();
    if (size_t Bracket = Why.find("] "); Bracket != std::string::npos)
      Why = Why.substr(Bracket + 2);
    return Error{Damaged + Why};
  }
}

/// Returns true if the folder contains an event log, which a killed program leaves.
static bool holdsEventLog(const std::string &Folder) {
  std::error_code Failure;
  for (const auto &Entry : std::filesystem::directory_iterator(Folder, Failure)) {
    const std::string Name = Entry.path().filename().string();
    if (Name.starts_with("events") && Name.ends_with(".gmlog"))
      return true;
  }
  return false;
}

Result<summary::Summary> readSummary(const std::string &Path, SummaryText Strings) {
  auto Failed = [&](const char *Why) { return Error{"cannot read '" + Path + "': " + Why}; };
  struct stat Status = {};
  if (::stat(Path.c_str(), &Status) != 0)
    return Failed(std::strerror(errno));
  if (S_ISDIR(Status.st_mode)) {
    const std::string Inside = Path + "/summary.json";
    if (::access(Inside.c_str(), F_OK) != 0 && holdsEventLog(Path))
      return Error{"there is no summary in '" + Path + "', but an event log: 'gmprof recover " +
                   Path + "' makes one of it"};
    return readSummary(Inside, Strings);
  }
  progress("reading " + Path);
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    return Failed(std::strerror(errno));
  std::ostringstream Text;
  // For an empty file, this sets failbit, which is not an error here.
  Text << In.rdbuf();
  if (In.bad())
    return Failed(std::strerror(EIO));
  return parseSummary(Text.str(), Path, Strings);
}

} // namespace gmprof
