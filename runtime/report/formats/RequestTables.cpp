//===- RequestTables.cpp - Tables of memory requests and cache traffic ----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableGroups.h"
#include "report/text/TextStyle.h"
#include <initializer_list>

namespace gmprof {

using namespace summary;

static DataTable heatLinesTable(const Summary &S) {
  DataTable T = {"heat_lines",
                 "Requests of the sampled blocks by source line (--profile heat).",
                 "kernels[].heat.objects[].lines[], kernels[].heat.other_lines[], "
                 "kernels[].heat.arrays[].lines[], kernels[].heat.other_shared_lines[]",
                 {{"kernel", Int, "kernels.id", "kernels[].id"},
                  {"object", Int, "objects.id; null: not known", "kernels[].heat.objects[].object"},
                  {"space", Text, "global or shared", ""},
                  {"access", Text, "load, store, atomic and so on"},
                  {"file", Text, "", "source.file"},
                  {"line", Int, "", "source.line"},
                  {"column", Int, ""},
                  {"function", Text, "function of the line"},
                  {"bytes", Int, "by a thread"},
                  {"accesses", Int, "by threads", "lanes"},
                  {"requests", Int, "by warps"},
                  {"sectors", Int, "of 32 bytes; null of shared memory"},
                  {"ideal_sectors", Int, "fewest possible"},
                  {"wavefronts", Int, "of shared memory; null of global memory"},
                  {"ideal_wavefronts", Int, "without bank conflicts"},
                  {"bytes_used", Int, "of the sectors; null of shared memory"},
                  {"misaligned", Int, "requests; null of shared memory"}},
                 {}};
  for (const Kernel &K : S.kernels) {
    if (!K.heat)
      continue;
    const auto Add = [&](const char *Space, const Cell &Object, const auto &A,
                         std::initializer_list<Cell> Counts) {
      std::vector<Cell> &Row = T.Rows.emplace_back(
          std::vector<Cell>{K.id, Object, Space, A.access, fileOf(A.source), lineOf(A.source),
                            A.column, A.function, A.bytes, A.lanes, A.requests});
      Row.insert(Row.end(), Counts);
    };
    const auto Global = [&](const std::vector<HeatAccess> &Lines, const Cell &Object) {
      for (const HeatAccess &A : Lines)
        Add("global", Object, A, {A.sectors, A.ideal_sectors, {}, {}, A.bytes_used, A.misaligned});
    };
    const auto Shared = [&](const std::vector<BankAccess> &Lines, const Cell &Object) {
      for (const BankAccess &A : Lines)
        Add("shared", Object, A, {{}, {}, A.wavefronts, A.ideal_wavefronts, {}, {}});
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
  DataTable T = {
      "inlined_lines",
      "Requests of inlined functions by call path (--profile heat, cache).",
      "kernels[].heat.objects[].lines[].inlined[], kernels[].heat.other_lines[].inlined[], "
      "kernels[].heat.arrays[].lines[].inlined[], kernels[].heat.other_shared_lines[].inlined[], "
      "cache.kernels[].lines[].inlined[]",
      {{"kernel", Int, "kernels.id", "kernels[].id"},
       {"space", Text, "global or shared; of profiles of caches null", ""},
       {"access", Text, "load, store, atomic and so on", "kernels[].heat.objects[].lines[].access"},
       {"file", Text, "", "kernels[].heat.objects[].lines[].source.file"},
       {"line", Int, "", "kernels[].heat.objects[].lines[].source.line"},
       {"function", Text, "function of the line", "kernels[].heat.objects[].lines[].function"},
       {"inlined_at", Text, "from the kernel inwards; empty: not inlined"},
       {"requests", Int, "by warps"},
       {"sectors", Int, "of 32 bytes; null of shared memory"},
       {"wavefronts", Int, "of shared memory; null of global memory"}},
      {}};
  const auto Add = [&](const Cell &Kernel, const Cell &Space, const auto &Line, const auto &Part,
                       uint64_t Requests, const Cell &Sectors, const Cell &Wavefronts) {
    T.Rows.push_back({Kernel, Space, Line.access, fileOf(Line.source), lineOf(Line.source),
                      Line.function, text::inlinePath(Part.inlined_at), Requests, Sectors,
                      Wavefronts});
  };
  for (const Kernel &K : S.kernels) {
    if (!K.heat)
      continue;
    const auto Global = [&](const std::vector<HeatAccess> &Lines) {
      for (const HeatAccess &A : Lines)
        for (const InlinedHeat &Part : A.inlined)
          Add(K.id, "global", A, Part, Part.requests, Part.sectors, {});
    };
    const auto Shared = [&](const std::vector<BankAccess> &Lines) {
      for (const BankAccess &A : Lines)
        for (const InlinedBanks &Part : A.inlined)
          Add(K.id, "shared", A, Part, Part.requests, {}, Part.wavefronts);
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
          Add(K.kernel, {}, L, Part, Part.traffic.requests, Part.traffic.sectors, {});
  return T;
}

static DataTable heatObjectsTable(const Summary &S) {
  DataTable T = {"heat_objects",
                 "Temperatures: distinct warps that access a word or a sector (--profile heat).",
                 "kernels[].heat.objects[]",
                 {{"kernel", Int, "kernels.id", "kernels[].id"},
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
           {"requests", Int, "by warps", "traffic.requests"},
           {"sectors", Int, "of 32 bytes", "traffic.sectors"},
           {"bytes_used", Int, "of these", "traffic.bytes_used"},
           {"traffic_share", Real, "of the sectors of the whole program", "traffic.traffic_share"},
           {"l1_lookups", Int, "of simulated lines", "traffic.l1_lookups"},
           {"l1_hits", Int, "", "traffic.l1_hits"},
           {"lost_to_fences", Int, "lookups of loads that fences keep from being hits",
            "traffic.lost_to_fences"},
           {"l1_hit_rate", Real, "", "traffic.l1_hit_rate"},
           {"l2_reads", Int, "sectors, of simulated lines", "traffic.l2_reads"},
           {"l2_writes", Int, "", "traffic.l2_writes"},
           {"l2_atomics", Int, "", "traffic.l2_atomics"},
           {"l2_hits", Int, "of these three", "traffic.l2_hits"},
           {"l2_hit_rate", Real, "", "traffic.l2_hit_rate"},
           {"fetched_again", Int, "of what L1 lacks: that it had and lost",
            "traffic.fetched_again"},
           {"l2_bytes", Int, "between L1 and L2", "traffic.l2_bytes"},
           {"dram_bytes", Int, "between L2 and DRAM", "traffic.dram_bytes"}})
    Columns.push_back(Each);
  return Columns;
}

static DataTable cacheObjectsTable(const Summary &S) {
  DataTable T = {"cache_objects",
                 "Traffic of kernels and objects in the simulated caches (--profile cache).",
                 "cache.kernels[].objects[]",
                 cacheColumns({{"kernel", Int, "kernels.id", "cache.kernels[].kernel"},
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
                 "cache.kernels[].lines[]",
                 cacheColumns({{"kernel", Int, "kernels.id", "cache.kernels[].kernel"},
                               {"access", Text, ""},
                               {"file", Text, "", "source.file"},
                               {"line", Int, "", "source.line"},
                               {"function", Text, "function of the line"}}),
                 {}};
  if (S.cache)
    for (const CacheKernel &K : S.cache->kernels)
      for (const CacheLine &L : K.lines)
        T.Rows.push_back(cacheRow(
            {K.kernel, L.access, fileOf(L.source), lineOf(L.source), L.function}, L.traffic));
  return T;
}

std::vector<DataTable> requestTables(const Summary &S) {
  return {heatLinesTable(S), inlinedLinesTable(S), heatObjectsTable(S), cacheObjectsTable(S),
          cacheLinesTable(S)};
}

} // namespace gmprof
