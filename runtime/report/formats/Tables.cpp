//===- Tables.cpp - A summary as tables -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/Tables.h"
#include "report/model/Measures.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <string_view>

namespace gmprof {

using namespace summary;

static constexpr ColumnType Int = ColumnType::Integer, Real = ColumnType::Real,
                            Text = ColumnType::Text;

static Cell fileOf(const std::optional<Source> &S) { return S ? Cell(S->file) : Cell(); }
static Cell lineOf(const std::optional<Source> &S) { return S && S->line ? Cell(S->line) : Cell(); }

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static DataTable runTable(const Summary &S) {
  const Run &R = S.run;
  return {"run",
          "The profiled run: one row.",
          {{"command", Text, "program and arguments"},
           {"host", Text, "where"},
           {"pid", Int, "process id"},
           {"rank", Int, "in an MPI job"},
           {"start", Text, "UTC"},
           {"wall_seconds", Real, "run time"},
           {"exit_status", Int, "128 + signal if one killed it"},
           {"complete", Int, "1: it ran to its end"},
           {"device", Text, "gpu or cpu"},
           {"version", Text, "of GMProf"},
           {"config", Text, "the options in effect, JSON"},
           {"whole", Int, "1: everything was profiled"}},
          {{fmt::format("{}", fmt::join(R.command, " ")), R.host, R.pid, R.rank, R.start,
            R.wall_seconds, R.exit_status, R.complete, R.device, S.tool.version, S.config.text,
            S.coverage.whole}}};
}

static DataTable processesTable(const Summary &S) {
  DataTable T = {"processes",
                 "Processes of a merged summary.",
                 {{"id", Int, "index, as in spreads and finding_processes"},
                  {"rank", Int, "in the MPI job"},
                  {"host", Text, "where"},
                  {"pid", Int, "process id"},
                  {"path", Text, "its summary"},
                  {"wall_seconds", Real, "run time"},
                  {"exit_status", Int, ""},
                  {"complete", Int, "1: it ran to its end"},
                  {"whole", Int, "1: everything was profiled"},
                  {"findings", Int, "number of findings"}},
                 {}};
  if (S.processes)
    for (const MergedProcess &P : S.processes->list)
      T.Rows.push_back({T.Rows.size(), P.rank, P.host, P.pid, P.path, P.wall_seconds, P.exit_status,
                        P.complete, P.whole, P.findings});
  return T;
}

static DataTable spreadsTable(const Summary &S) {
  DataTable T = {"spreads",
                 "Numbers over the processes of a merged summary.",
                 {{"name", Text, "as in measures"},
                  {"of", Text, "kernel, kernel.object or device; empty: the whole run"},
                  {"unit", Text, "bytes, seconds or empty"},
                  {"processes", Int, "number of processes that have it"},
                  {"min", Real, ""},
                  {"min_process", Int, "processes.id"},
                  {"mean", Real, ""},
                  {"max", Real, ""},
                  {"max_process", Int, "processes.id"},
                  {"deviation", Real, "standard deviation"},
                  {"outliers", Int, "number of outliers"}},
                 {}};
  if (S.processes)
    for (const Spread &Each : S.processes->measures)
      T.Rows.push_back({Each.name, Each.of, Each.unit, Each.processes, Each.min, Each.min_process,
                        Each.mean, Each.max, Each.max_process, Each.deviation,
                        Each.outliers.size()});
  return T;
}

static DataTable devicesTable(const Summary &S) {
  DataTable T = {"devices",
                 "Devices that the program used.",
                 {{"id", Int, ""},
                  {"name", Text, ""},
                  {"compute_capability", Text, ""},
                  {"attributes", Text, "JSON"}},
                 {}};
  for (const Device &D : S.devices)
    T.Rows.push_back({D.id, D.name, D.compute_capability, D.attributes.text});
  return T;
}

static DataTable gapsTable(const Summary &S) {
  DataTable T = {"gaps",
                 "Everything that was not profiled.",
                 {{"what", Text, "kernels, launches, accesses, records and so on"},
                  {"kernel", Text, "if of a single kernel"},
                  {"reason", Text, ""},
                  {"count", Int, "number"}},
                 {}};
  for (const NotInstrumented &N : S.coverage.kernels.not_instrumented)
    T.Rows.push_back({"kernels", N.name, N.reason, 1});
  for (const ReasonCount &R : S.coverage.launches.reasons)
    T.Rows.push_back({"launches", R.kernel, R.reason, R.count});
  for (const SkippedSite &Site : S.coverage.accesses.skipped)
    T.Rows.push_back({"accesses", Site.kernel, Site.reason, 1});
  for (const Gap &G : S.coverage.gaps)
    T.Rows.push_back({G.what, Cell(), G.reason, G.count});
  return T;
}

static DataTable measuresTable(const Summary &S) {
  DataTable T = {"measures",
                 "Numbers that gmreport diff and check use.",
                 {{"name", Text, ""},
                  {"of", Text, "kernel, kernel.object or device; empty: the whole run"},
                  {"value", Real, "bytes, seconds or a count"}},
                 {}};
  for (const Measure &M : measuresOf(S))
    T.Rows.push_back({M.Name, M.Of, M.Value});
  return T;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static DataTable findingsTable(const Summary &S) {
  DataTable T = {"findings",
                 "Findings: problems and fixes.",
                 {{"id", Int, "as reports number it"},
                  {"severity", Text, "high, medium, low or info"},
                  {"pattern", Text, "as in docs/patterns.md"},
                  {"kind", Text, "of the pattern, if it has several"},
                  {"object", Int, "objects.id"},
                  {"object_name", Text, ""},
                  {"kernel", Int, "kernels.id"},
                  {"kernel_name", Text, ""},
                  {"site", Int, "sync_sites.id"},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"bytes_saved", Int, ""},
                  {"seconds_saved", Real, ""},
                  {"message", Text, ""},
                  {"suggestion", Text, ""},
                  {"fingerprint", Text, "identifies it across rebuilds"}},
                 {}};
  for (const Finding &F : S.findings)
    T.Rows.push_back(
        {F.id, F.severity, F.pattern, F.kind, F.object ? Cell(F.object->id) : Cell(),
         F.object ? Cell(F.object->name) : Cell(), F.kernel ? Cell(F.kernel->id) : Cell(),
         F.kernel ? Cell(F.kernel->name) : Cell(), F.site, fileOf(F.source), lineOf(F.source),
         F.bytes_saved, F.seconds_saved, F.message, F.suggestion, F.fingerprint});
  return T;
}

static DataTable evidenceTable(const Summary &S) {
  DataTable T = {"evidence",
                 "Evidence of the findings.",
                 {{"finding", Int, "findings.id"},
                  {"name", Text, ""},
                  {"number", Real, "null: it is a text"},
                  {"text", Text, "null: it is a number"}},
                 {}};
  for (const Finding &F : S.findings)
    for (const auto &[Name, Value] : F.evidence) {
      Cell Number, Words;
      if (const auto *N = std::get_if<uint64_t>(&Value))
        Number = *N;
      else if (const auto *X = std::get_if<double>(&Value))
        Number = *X;
      else if (const auto *B = std::get_if<bool>(&Value))
        Number = *B;
      else
        Words = std::get<std::string>(Value);
      T.Rows.push_back({F.id, Name, Number, Words});
    }
  return T;
}

static DataTable findingProcessesTable(const Summary &S) {
  DataTable T = {"finding_processes",
                 "Processes of a merged summary that have a finding.",
                 {{"fingerprint", Text, "of findings"}, {"process", Int, "processes.id"}},
                 {}};
  if (S.processes)
    for (const MergedFinding &F : S.processes->findings)
      for (uint32_t P : F.processes)
        T.Rows.push_back({F.fingerprint, P});
  return T;
}

//===----------------------------------------------------------------------===//
// Objects and memory
//===----------------------------------------------------------------------===//

static DataTable objectsTable(const Summary &S) {
  DataTable T = {"objects",
                 "Allocations, variables of modules and arrays in shared memory.",
                 {{"id", Int, ""},
                  {"name", Text, "of the variable, if it is known"},
                  {"kind", Text, "device, managed, pinned, shared_static and so on"},
                  {"type", Text, "C++"},
                  {"bytes", Int, ""},
                  {"element_bytes", Int, ""},
                  {"extent", Text, "of arrays for textures: 64 x 32"},
                  {"address", Int, ""},
                  {"device", Int, "devices.id"},
                  {"parent", Int, "objects.id of the slab that it was cut from"},
                  {"kernel", Int, "kernels.id, of shared memory"},
                  {"file", Text, "of the allocation, or of the declaration"},
                  {"line", Int, ""},
                  {"alloc_api", Text, "cudaMalloc and the like"},
                  {"alloc_seconds", Real, "since the run's start"},
                  {"alloc_call_path", Int, "frames.call_path"},
                  {"free_api", Text, ""},
                  {"free_seconds", Real, ""},
                  {"released", Int, "null: unknown, as in a run that died"},
                  {"first_access", Text, "kernel or API"},
                  {"first_access_seconds", Real, ""},
                  {"last_access", Text, ""},
                  {"last_access_seconds", Real, ""},
                  {"elements", Int, "of --profile elements"},
                  {"elements_accessed", Int, ""},
                  {"fragmentation", Real,
                   "of what is not accessed, the share outside of its "
                   "largest piece"}},
                 {}};
  for (const Object &O : S.objects) {
    const std::optional<Source> &Where = O.source ? O.source : O.alloc ? O.alloc->source : O.source;
    std::vector<Cell> Row = {O.id,
                             O.name,
                             O.kind,
                             O.type,
                             O.bytes,
                             O.element_bytes,
                             O.extent ? Cell(extentText(*O.extent)) : Cell(),
                             O.address,
                             O.device,
                             O.parent,
                             O.kernel,
                             fileOf(Where),
                             lineOf(Where)};
    auto Push = [&](std::initializer_list<Cell> Cells) {
      Row.insert(Row.end(), Cells.begin(), Cells.end());
    };
    if (O.alloc)
      Push({O.alloc->api, O.alloc->seconds, O.alloc->call_path});
    else
      Push({{}, {}, {}});
    if (O.free)
      Push({O.free->api, O.free->seconds});
    else
      Push({{}, {}});
    Push({O.released});
    for (const std::optional<Access> &A : {O.first_access, O.last_access})
      if (A)
        Push({A->api, A->seconds});
      else
        Push({{}, {}});
    if (O.elements)
      Push({O.elements->elements, O.elements->accessed, O.elements->fragmentation});
    else
      Push({{}, {}, {}});
    T.Rows.push_back(std::move(Row));
  }
  return T;
}

static DataTable framesTable(const Summary &S) {
  DataTable T = {"frames",
                 "Call paths of allocations and of calls that wait.",
                 {{"call_path", Int, "which path"},
                  {"depth", Int, "0: the innermost"},
                  {"function", Text, ""},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"inlined", Int, "1: into the next one"},
                  {"image", Text, "executable or library"},
                  {"address", Int, "in it"}},
                 {}};
  for (size_t Path = 0; Path < S.call_paths.size(); ++Path)
    for (size_t Depth = 0; Depth < S.call_paths[Path].size(); ++Depth) {
      const Frame &F = S.call_paths[Path][Depth];
      T.Rows.push_back({Path, Depth, F.function, fileOf(F.source), lineOf(F.source), F.inlined,
                        F.image, F.address});
    }
  return T;
}

static DataTable peaksTable(const Summary &S) {
  DataTable T = {"memory_peaks",
                 "Peaks of device memory in use.",
                 {{"device", Int, "devices.id"},
                  {"number", Int, "0: the highest"},
                  {"bytes", Int, ""},
                  {"bytes_after", Int, "the highest peak with all findings followed"},
                  {"seconds", Real, "since the run's start"},
                  {"objects", Int, "alive then"}},
                 {}};
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      for (size_t I = 0; I < D.peaks.size(); ++I)
        T.Rows.push_back({D.device, I, D.peaks[I].bytes, I ? Cell() : Cell(D.peak_bytes_after),
                          D.peaks[I].seconds, D.peaks[I].objects});
  return T;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static DataTable kernelsTable(const Summary &S) {
  DataTable T = {"kernels",
                 "Kernels of the loaded modules, launched or not.",
                 {{"id", Int, ""},
                  {"name", Text, "mangled"},
                  {"demangled", Text, ""},
                  {"short_name", Text, "without return type and parameters"},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"instrumented", Int, "1: it has a clone"},
                  {"reason", Text, "why it has no clone"},
                  {"registers", Int, "per thread"},
                  {"static_shared_bytes", Int, "per block"},
                  {"launches", Int, ""},
                  {"launches_profiled", Int, ""},
                  {"launches_measured", Int, "by events on the GPU; null: none"},
                  {"mean_seconds", Real, "of the measured launches"},
                  {"total_seconds", Real, "of all launches, from the mean"},
                  {"kernel_time_share", Real, "of the time of all kernels, 0 to 1"},
                  {"seconds_at_most", Int, "1: only clones were measured; times are upper bounds"}},
                 {}};
  for (const Kernel &K : S.kernels) {
    const auto Time = [&](auto KernelSeconds::*Of) {
      return K.seconds ? Cell((*K.seconds).*Of) : Cell();
    };
    T.Rows.push_back({K.id, K.name, K.demangled, shortName(K.demangled), fileOf(K.source),
                      lineOf(K.source), K.instrumented, K.reason, K.registers,
                      K.static_shared_bytes, K.launch_counts.seen, K.launch_counts.profiled,
                      Time(&KernelSeconds::measured_launches), Time(&KernelSeconds::mean),
                      Time(&KernelSeconds::total), Time(&KernelSeconds::share),
                      Time(&KernelSeconds::instrumented)});
  }
  return T;
}

static DataTable launchesTable(const Summary &S) {
  DataTable T = {"launches",
                 "Groups of equal launches of a kernel.",
                 {{"kernel", Int, "kernels.id"},
                  {"device", Int, "devices.id"},
                  {"grid", Text, ""},
                  {"block", Text, ""},
                  {"dynamic_shared_bytes", Int, ""},
                  {"mode", Text, "mode of profiling"},
                  {"reason", Text, "why it was not profiled"},
                  {"count", Int, "launches"}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const LaunchGroup &G : K.launches)
      T.Rows.push_back({K.id, G.device, text::dim3(G.grid), text::dim3(G.block),
                        G.dynamic_shared_bytes, G.mode, G.reason, G.count});
  return T;
}

static DataTable sharedTable(const Summary &S) {
  DataTable T = {"shared_arrays",
                 "Accesses of kernels to arrays in shared memory (--profile shared).",
                 {{"kernel", Int, "kernels.id"},
                  {"object", Int, "objects.id"},
                  {"elements", Int, "that were counted"},
                  {"accesses", Real, "in all launches, estimated where blocks were sampled"},
                  {"standard_error", Real, "standard error of accesses"},
                  {"min_per_block", Real, "accesses of an element"},
                  {"mean_per_block", Real, ""},
                  {"max_per_block", Real, ""},
                  {"never_touched_elements", Int, ""},
                  {"never_touched_bytes", Int, ""}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const ObjectUse &U : K.objects)
      T.Rows.push_back({K.id, U.object, U.count_elements, U.accesses_estimated.value,
                        U.standard_error, U.per_block.min.value, U.per_block.mean.value,
                        U.per_block.max.value, U.never_touched.elements, U.never_touched.bytes});
  return T;
}

static DataTable globalTable(const Summary &S) {
  DataTable T = {"global_accesses",
                 "Accesses of kernels to objects in device memory (--profile global, elements).",
                 {{"kernel", Int, "kernels.id"},
                  {"object", Int, "objects.id"},
                  {"parameters", Text, "that point to it"},
                  {"kind", Text, "reads, writes or atomics"},
                  {"element_bytes", Int, ""},
                  {"elements", Int, ""},
                  {"touched", Int, "elements accessed so"},
                  {"launches", Int, "profiled, that can access it so"},
                  {"accesses", Real, "in all launches, estimated where some were sampled"},
                  {"standard_error", Real, "standard error of accesses"},
                  {"mean_per_launch", Real, "accesses of an element"},
                  {"max_per_launch", Real, ""}},
                 {}};
  for (const Kernel &K : S.kernels) {
    if (!K.global_memory)
      continue;
    for (const GlobalObjectUse &U : K.global_memory->objects) {
      const std::pair<const char *, const std::optional<GlobalAccesses> &> Kinds[] = {
          {"reads", U.reads}, {"writes", U.writes}, {"atomics", U.atomics}};
      for (const auto &[Kind, A] : Kinds)
        if (A)
          T.Rows.push_back({K.id, U.object, fmt::format("{}", fmt::join(U.names, ", ")), Kind,
                            U.element_bytes, U.elements, A->touched, A->launches,
                            A->accesses_estimated.value, A->standard_error,
                            A->per_launch.mean.value, A->per_launch.max.value});
    }
  }
  return T;
}

static DataTable objectAccessesTable(const Summary &S) {
  DataTable T = {"object_accesses",
                 "Launches of kernels that access objects.",
                 {{"kernel", Int, "kernels.id"},
                  {"object", Int, "objects.id"},
                  {"launches", Int, ""},
                  {"reads", Int, "launches that read it"},
                  {"writes", Int, "launches that write it"},
                  {"known", Text, "exact, possible or inferred"}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const ObjectAccess &A : K.object_accesses)
      T.Rows.push_back({K.id, A.object, A.launches, A.reads, A.writes, A.known});
  return T;
}

static DataTable sitesTable(const Summary &S) {
  DataTable T = {
      "sites",
      "Accesses by source line, and how they are counted (--profile shared, global, elements).",
      {{"kernel", Int, "kernels.id"},
       {"object", Int, "objects.id; null: not known"},
       {"space", Text, "shared, global or generic"},
       {"access", Text, "load, store, atomic and so on"},
       {"file", Text, ""},
       {"line", Int, ""},
       {"column", Int, ""},
       {"function", Text, "function of the line"},
       {"bytes", Int, "by a thread"},
       {"rule", Text, "how it is counted"},
       {"reason", Text, "why not at a lower cost"}},
      {}};
  for (const Kernel &K : S.kernels) {
    auto Add = [&](const std::vector<Site> &Sites, const Cell &Object) {
      for (const Site &Each : Sites)
        T.Rows.push_back({K.id, Object, Each.space, Each.access, fileOf(Each.source),
                          lineOf(Each.source), Each.column, Each.function, Each.bytes, Each.rule,
                          Each.reason});
    };
    for (const ObjectUse &U : K.objects)
      Add(U.sites, U.object);
    Add(K.other_sites, {});
    if (K.global_memory) {
      for (const GlobalObjectUse &U : K.global_memory->objects)
        Add(U.sites, U.object);
      Add(K.global_memory->other_sites, {});
    }
  }
  return T;
}

static DataTable heatLinesTable(const Summary &S) {
  DataTable T = {"heat_lines",
                 "Requests of the sampled blocks by source line (--profile heat).",
                 {{"kernel", Int, "kernels.id"},
                  {"object", Int, "objects.id; null: not known"},
                  {"space", Text, "global or shared"},
                  {"access", Text, "load, store, atomic and so on"},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"column", Int, ""},
                  {"function", Text, "function of the line"},
                  {"bytes", Int, "by a thread"},
                  {"accesses", Int, "by threads"},
                  {"requests", Int, "by warps"},
                  {"sectors", Int, "of 32 bytes; of shared memory wavefronts"},
                  {"ideal", Int, "fewest possible"},
                  {"bytes_used", Int, "of the sectors; null of shared memory"},
                  {"misaligned", Int, "requests; null of shared memory"}},
                 {}};
  for (const Kernel &K : S.kernels) {
    if (!K.heat)
      continue;
    auto Global = [&](const std::vector<HeatAccess> &Lines, const Cell &Object) {
      for (const HeatAccess &A : Lines)
        T.Rows.push_back({K.id, Object, "global", A.access, fileOf(A.source), lineOf(A.source),
                          A.column, A.function, A.bytes, A.lanes, A.requests, A.sectors,
                          A.ideal_sectors, A.bytes_used, A.misaligned});
    };
    auto Shared = [&](const std::vector<BankAccess> &Lines, const Cell &Object) {
      for (const BankAccess &A : Lines)
        T.Rows.push_back({K.id,
                          Object,
                          "shared",
                          A.access,
                          fileOf(A.source),
                          lineOf(A.source),
                          A.column,
                          A.function,
                          A.bytes,
                          A.lanes,
                          A.requests,
                          A.wavefronts,
                          A.ideal_wavefronts,
                          {},
                          {}});
    };
    for (const HeatObject &O : K.heat->objects)
      Global(O.lines, O.object);
    Global(K.heat->other_lines, {});
    for (const HeatArray &A : K.heat->arrays)
      Shared(A.lines, A.object);
    Shared(K.heat->other_shared_lines, {});
  }
  return T;
}

static DataTable inlinedLinesTable(const Summary &S) {
  DataTable T = {"inlined_lines",
                 "Requests of inlined functions by call path (--profile heat, cache).",
                 {{"kernel", Int, "kernels.id"},
                  {"space", Text, "global or shared; of profiles of caches null"},
                  {"access", Text, "load, store, atomic and so on"},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"function", Text, "function of the line"},
                  {"inlined_at", Text, "from the kernel inwards; empty: not inlined"},
                  {"requests", Int, "by warps"},
                  {"sectors", Int, "of 32 bytes; of shared memory wavefronts"}},
                 {}};
  const auto Add = [&](const Cell &Kernel, const Cell &Space, const auto &Line, const auto &Part,
                       uint64_t Requests, uint64_t Sectors) {
    T.Rows.push_back({Kernel, Space, Line.access, fileOf(Line.source), lineOf(Line.source),
                      Line.function, text::inlinePath(Part.inlined_at), Requests, Sectors});
  };
  for (const Kernel &K : S.kernels) {
    if (!K.heat)
      continue;
    const auto Global = [&](const std::vector<HeatAccess> &Lines) {
      for (const HeatAccess &A : Lines)
        for (const InlinedHeat &Part : A.inlined)
          Add(K.id, "global", A, Part, Part.requests, Part.sectors);
    };
    const auto Shared = [&](const std::vector<BankAccess> &Lines) {
      for (const BankAccess &A : Lines)
        for (const InlinedBanks &Part : A.inlined)
          Add(K.id, "shared", A, Part, Part.requests, Part.wavefronts);
    };
    for (const HeatObject &O : K.heat->objects)
      Global(O.lines);
    Global(K.heat->other_lines);
    for (const HeatArray &A : K.heat->arrays)
      Shared(A.lines);
    Shared(K.heat->other_shared_lines);
  }
  if (S.cache)
    for (const CacheKernel &K : S.cache->kernels)
      for (const CacheLine &L : K.lines)
        for (const InlinedTraffic &Part : L.inlined)
          Add(K.kernel, {}, L, Part, Part.traffic.requests, Part.traffic.sectors);
  return T;
}

static DataTable heatObjectsTable(const Summary &S) {
  DataTable T = {"heat_objects",
                 "Temperatures: distinct warps that access a word or a sector (--profile heat).",
                 {{"kernel", Int, "kernels.id"},
                  {"object", Int, "objects.id"},
                  {"sectors", Int, "accessed"},
                  {"words", Int, "accessed"},
                  {"accesses", Int, "by threads"},
                  {"mean_word", Real, "temperature"},
                  {"max_word", Int, ""},
                  {"mean_sector", Real, ""},
                  {"max_sector", Int, ""},
                  {"hot_sectors", Int, ""},
                  {"falsely_shared_sectors", Int, ""},
                  {"sparse_sectors", Int, "used by half at most"}},
                 {}};
  for (const Kernel &K : S.kernels)
    if (K.heat)
      for (const HeatObject &O : K.heat->objects)
        T.Rows.push_back({K.id, O.object, O.sectors, O.words, O.accesses, O.mean_word, O.max_word,
                          O.mean_sector, O.max_sector, O.hot_sectors, O.falsely_shared_sectors,
                          O.sparse_sectors});
  return T;
}

/// Row: cells before the numbers.
static std::vector<Cell> cacheRow(std::vector<Cell> Row, const CacheTraffic &C) {
  for (const Cell &Each :
       {Cell(C.requests), Cell(C.sectors), Cell(C.bytes_used), Cell(C.traffic_share),
        Cell(C.l1_lookups), Cell(C.l1_hits), Cell(C.lost_to_fences), Cell(C.l1_hit_rate),
        Cell(C.l2_reads), Cell(C.l2_writes), Cell(C.l2_atomics), Cell(C.l2_hits),
        Cell(C.l2_hit_rate), Cell(C.fetched_again), Cell(C.l2_bytes), Cell(C.dram_bytes)})
    Row.push_back(Each);
  return Row;
}

static std::vector<TableColumn> cacheColumns(std::vector<TableColumn> Columns) {
  for (const TableColumn &Each : std::initializer_list<TableColumn>{
           {"requests", Int, "by warps"},
           {"sectors", Int, "of 32 bytes"},
           {"bytes_used", Int, "of these"},
           {"traffic_share", Real, "of the sectors of the whole program"},
           {"l1_lookups", Int, "of simulated lines"},
           {"l1_hits", Int, ""},
           {"lost_to_fences", Int, "lookups of loads that fences keep from being hits"},
           {"l1_hit_rate", Real, ""},
           {"l2_reads", Int, "sectors, of simulated lines"},
           {"l2_writes", Int, ""},
           {"l2_atomics", Int, ""},
           {"l2_hits", Int, "of these three"},
           {"l2_hit_rate", Real, ""},
           {"fetched_again", Int, "of what L1 lacks: that it had and lost"},
           {"l2_bytes", Int, "between L1 and L2"},
           {"dram_bytes", Int, "between L2 and DRAM"}})
    Columns.push_back(Each);
  return Columns;
}

static DataTable cacheObjectsTable(const Summary &S) {
  DataTable T = {"cache_objects",
                 "Traffic of kernels and objects in the simulated caches (--profile cache).",
                 cacheColumns({{"kernel", Int, "kernels.id"},
                               {"object", Int, "objects.id; null: not known"},
                               {"name", Text, "of the object"}}),
                 {}};
  if (S.cache)
    for (const CacheKernel &K : S.cache->kernels)
      for (const CacheObject &O : K.objects)
        T.Rows.push_back(cacheRow({K.kernel, O.object, O.name}, O.traffic));
  return T;
}

static DataTable cacheLinesTable(const Summary &S) {
  DataTable T = {"cache_lines",
                 "Traffic by source line in the simulated caches (--profile cache).",
                 cacheColumns({{"kernel", Int, "kernels.id"},
                               {"access", Text, ""},
                               {"file", Text, ""},
                               {"line", Int, ""},
                               {"function", Text, "function of the line"}}),
                 {}};
  if (S.cache)
    for (const CacheKernel &K : S.cache->kernels)
      for (const CacheLine &L : K.lines)
        T.Rows.push_back(cacheRow(
            {K.kernel, L.access, fileOf(L.source), lineOf(L.source), L.function}, L.traffic));
  return T;
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

static DataTable syncSitesTable(const Summary &S) {
  DataTable T = {"sync_sites",
                 "Call sites of GPU APIs (--profile sync).",
                 {{"id", Int, "index in the summary's sync.sites"},
                  {"api", Text, ""},
                  {"file", Text, ""},
                  {"line", Int, ""},
                  {"call_path", Int, "frames.call_path"},
                  {"calls", Int, ""},
                  {"waits", Int, "calls that can wait for the GPU"},
                  {"blocked", Int, "that had to"},
                  {"call_seconds", Real, "in the calls"},
                  {"wait_seconds", Real, "waiting"},
                  {"unnecessary", Int, "waits that nothing needs"},
                  {"misplaced", Int, "that come early"},
                  {"needed", Int, ""},
                  {"copies", Int, ""},
                  {"copied_bytes", Int, ""},
                  {"duplicates", Int, "copies of what was copied before"},
                  {"duplicate_bytes", Int, ""},
                  {"benefit_seconds", Real, "avoidable: the lower of estimate and replay"}},
                 {}};
  if (S.sync)
    for (const SyncSite &Site : S.sync->sites)
      T.Rows.push_back({T.Rows.size(), Site.api, fileOf(Site.source), lineOf(Site.source),
                        Site.call_path, Site.calls, Site.waits, Site.blocked, Site.call_seconds,
                        Site.wait_seconds, Site.unnecessary, Site.misplaced, Site.needed,
                        Site.copies, Site.copied_bytes, Site.duplicates, Site.duplicate_bytes,
                        Site.benefit()});
  return T;
}

static DataTable syncStagesTable(const Summary &S) {
  DataTable T = {"sync_stages",
                 "Runs of the program (--profile sync).",
                 {{"name", Text, "baseline, trace, memory or use"},
                  {"seconds", Real, ""},
                  {"exit_status", Int, ""},
                  {"calls", Int, "of GPU APIs"},
                  {"missing_calls", Int, "that the traced run has"},
                  {"additional_calls", Int, "that it does not have"}},
                 {}};
  if (S.sync)
    for (const SyncStage &Stage : S.sync->stages)
      T.Rows.push_back({Stage.name, Stage.seconds, Stage.exit_status, Stage.calls,
                        Stage.missing_calls, Stage.additional_calls});
  return T;
}

//===----------------------------------------------------------------------===//
// Files beside the summary
//===----------------------------------------------------------------------===//

/// Reads the CSV file with T's columns, all numeric, into T; leaves T empty if there is no file.
static Result<bool> readCsv(const Summary &S, const std::string &Folder, DataTable &T) {
  const auto Named = std::find_if(S.files.begin(), S.files.end(), [&](const File &F) {
    return std::filesystem::path(F.path).filename().string() == std::string(T.Name) + ".csv";
  });
  if (Named == S.files.end())
    return true;
  const std::string Path = (std::filesystem::path(Folder) / Named->path).string();
  std::ifstream In(Path);
  std::string Line;
  if (!In || !std::getline(In, Line))
    return true; // the large files may have been deleted
  std::vector<std::string_view> Names;
  for (const TableColumn &C : T.Columns)
    Names.emplace_back(C.Name);
  if (Line != fmt::format("{}", fmt::join(Names, ",")))
    return Error{"'" + Path + "' is not what the summary says: its columns are " + Line};
  while (std::getline(In, Line)) {
    std::vector<Cell> Row;
    const char *At = Line.data(), *End = At + Line.size();
    for (const TableColumn &C : T.Columns) {
      int64_t Whole = 0;
      double Number = 0;
      const bool IsReal = C.Type == Real;
      const auto [Stop, Bad] =
          IsReal ? std::from_chars(At, End, Number) : std::from_chars(At, End, Whole);
      const bool Last = &C == &T.Columns.back();
      if (Bad != std::errc() || (Last ? Stop != End : Stop == End || *Stop != ','))
        return Error{fmt::format("'{}' is damaged: line {}", Path, T.Rows.size() + 2)};
      Row.emplace_back(IsReal ? Cell(Number) : Cell(Whole));
      At = Stop + 1;
    }
    T.Rows.push_back(std::move(Row));
  }
  return true;
}

static std::vector<DataTable> fileTables() {
  return {{"memory_over_time",
           "Device memory in use after each call that changes it (memory_over_time.csv).",
           {{"device", Int, "devices.id"},
            {"api", Int, "number of the call among all GPU APIs"},
            {"seconds", Real, "since the run's start"},
            {"bytes", Int, "in use from then on"}},
           {}},
          {"shared_counts",
           "Accesses of each element of shared memory (shared_counts.csv).",
           {{"kernel", Int, "kernels.id"},
            {"object", Int, "objects.id"},
            {"index", Int, "element, or word"},
            {"accesses", Int, "sum over the blocks counted"},
            {"blocks_at_threshold", Int, "blocks in which it reached the threshold"}},
           {}},
          {"global_counts",
           "Accesses of elements of device memory (global_counts.csv).",
           {{"kernel", Int, "kernels.id"},
            {"object", Int, "objects.id"},
            {"first", Int, "element"},
            {"last", Int, "element, included"},
            {"reads", Int, "of each of them"},
            {"writes", Int, ""},
            {"atomics", Int, ""},
            {"at_threshold", Int, "1: lower bounds"}},
           {}}};
}

Result<std::vector<DataTable>> tablesOf(const Summary &S, const std::string &Folder) {
  std::vector<DataTable> All;
  for (auto *Make : {runTable,          processesTable,      devicesTable,
                     gapsTable,         measuresTable,       spreadsTable,
                     findingsTable,     evidenceTable,       findingProcessesTable,
                     objectsTable,      framesTable,         peaksTable,
                     kernelsTable,      launchesTable,       sharedTable,
                     globalTable,       objectAccessesTable, sitesTable,
                     heatLinesTable,    inlinedLinesTable,   heatObjectsTable,
                     cacheObjectsTable, cacheLinesTable,     syncSitesTable,
                     syncStagesTable})
    All.push_back(Make(S));
  for (DataTable &T : fileTables()) {
    if (Result<bool> Read = readCsv(S, Folder, T); !Read)
      return Error{Read.error()};
    All.push_back(std::move(T));
  }
  return All;
}

std::string describeTables(const std::vector<DataTable> &Tables) {
  static constexpr const char *Types[] = {"integer", "real", "text"};
  std::string To;
  for (const DataTable &T : Tables) {
    To +=
        fmt::format("### {}\n{}\n\n| column | type | |\n| --- | --- | --- |\n", T.Name, T.Meaning);
    for (const TableColumn &C : T.Columns)
      To += fmt::format("| `{}` | {} | {}{}|\n", C.Name, Types[static_cast<size_t>(C.Type)],
                        C.Meaning, *C.Meaning ? " " : "");
    To += '\n';
  }
  return To;
}

std::string cellText(const Cell &C) {
  if (const auto *N = std::get_if<int64_t>(&C.Value))
    return std::to_string(*N);
  if (const auto *X = std::get_if<double>(&C.Value))
    return fmt::format("{}", *X);
  if (const auto *Words = std::get_if<std::string>(&C.Value))
    return *Words;
  return {};
}

/// Quotes text, so that names from the program cannot become formulas or begin lines.
static std::string csvText(const std::string &Words) {
  std::string Value = text::printable(Words);
  if (!Value.empty() && std::string_view("=+-@").find(Value[0]) != std::string_view::npos)
    Value.insert(0, "'");
  if (Value.find_first_of(",\"") == std::string::npos)
    return Value;
  std::string Quoted = "\"";
  for (char C : Value)
    Quoted += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Quoted + "\"";
}

std::string tableCsv(const std::vector<std::string> &Columns,
                     const std::vector<std::vector<Cell>> &Rows) {
  std::string To;
  for (const std::string &Name : Columns)
    To += (To.empty() ? "" : ",") + csvText(Name);
  To += '\n';
  for (const std::vector<Cell> &Row : Rows) {
    for (const Cell &C : Row)
      To += (&C == &Row.front() ? "" : ",") + (std::holds_alternative<std::string>(C.Value)
                                                   ? csvText(std::get<std::string>(C.Value))
                                                   : cellText(C));
    To += '\n';
  }
  return To;
}

} // namespace gmprof
