//===- CacheSummary.cpp - Simulated caches in summary.json ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/CacheSummary.h"
#include "analysis/Wording.h"
#include "analysis/cache/CacheUse.h"
#include "profile/Saturating.h"
#include "report/model/SummaryNames.h"
#include "report/views/CacheView.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gmprof {

using namespace cache;
using profile::None;

namespace {

/// An object of the summary, or the name of one that neither the summary nor the log has.
struct ObjectKey {
  uint32_t Index = None;
  std::string Name;
  auto operator<=>(const ObjectKey &) const = default;
};

struct KernelKey {
  uint32_t Index = None;
  std::string Name;
  auto operator<=>(const KernelKey &) const = default;
};

/// A source line, or an instruction without one.
struct LineKey {
  std::string File;
  uint32_t Line = 0, Site = None;
  AccessKind Kind = AccessKind::Load;
  auto operator<=>(const LineKey &) const = default;
};

struct LineRows {
  CacheRow Whole;
  std::string Function;                               ///< function of the first access
  std::map<std::vector<TraceCall>, CacheRow> Inlined; ///< key: chain of inlined calls
};

struct KernelRows {
  CacheRow Whole;
  std::set<uint32_t> Launches;
  std::map<ObjectKey, CacheRow> Objects;
  std::map<LineKey, LineRows> Lines;
};

class Builder {
public:
  Builder(const profile::Profile &P, const SimulationResults &R, const CacheObjectOf &ObjectOf)
      : P(P), R(R), KernelOf(analysis::kernelsOfLaunches(P, R)) {
    findObjects(ObjectOf);
  }
  CacheSummary build();

private:
  using Place = std::tuple<KernelKey, ObjectKey, LineKey>;

  void findObjects(const CacheObjectOf &ObjectOf);
  void add(size_t Index);
  KernelKey kernelOf(uint32_t Launch) const;
  ObjectKey objectOf(int32_t Object) const;
  LineKey lineOf(const Cell &C) const;
  summary::CacheTraffic traffic(CacheRow &Row) const;
  uint64_t objects(std::map<ObjectKey, CacheRow> &From,
                   std::vector<summary::CacheObject> &To) const;
  uint64_t lines(std::map<LineKey, LineRows> &From, std::vector<summary::CacheLine> &To) const;
  void addLine(LineRows &To, size_t Index) const;
  void kernels();
  void launches();
  void places();

  const profile::Profile &P;
  const SimulationResults &R;
  std::vector<uint32_t> KernelOf; ///< key: launch
  std::vector<ObjectKey> Keys;    ///< key: Cell::Object
  CacheRow Whole;
  std::map<ObjectKey, CacheRow> Objects;
  std::map<LineKey, LineRows> Lines;
  std::map<KernelKey, KernelRows> Kernels;
  std::vector<CacheRow> Launches;
  std::map<Place, AccessCounts> Places;
  CacheSummary Made;
};

} // namespace

void Builder::findObjects(const CacheObjectOf &ObjectOf) {
  for (const TraceObject &O : R.Objects) {
    const auto I = static_cast<int32_t>(Keys.size());
    Keys.push_back({None, cacheObjectName(R, I)});
    if (const summary::Object *Known = ObjectOf(O.Id))
      Keys.back() = {Known->id, Known->name.empty() ? Keys.back().Name : Known->name};
  }
}

KernelKey Builder::kernelOf(uint32_t Launch) const {
  const uint32_t Index = KernelOf[Launch];
  return {Index, Index == None ? R.Kernels[R.Launches[Launch].Launch.Kernel].Name
                               : P.Kernels[Index].Demangled};
}

ObjectKey Builder::objectOf(int32_t Object) const {
  return Object < 0 ? ObjectKey{None, cacheObjectName(R, Object)}
                    : Keys[static_cast<size_t>(Object)];
}

LineKey Builder::lineOf(const Cell &C) const {
  if (C.Site < R.Sites.size() && !R.Sites[C.Site].File.empty())
    return {R.Sites[C.Site].File, R.Sites[C.Site].Line, None, C.Kind};
  return {"", 0, C.Site, C.Kind};
}

void Builder::addLine(LineRows &To, size_t Index) const {
  addCell(To.Whole, R, Index);
  const uint32_t Site = R.Cells[Index].Site;
  if (Site >= R.Sites.size())
    return;
  if (To.Function.empty())
    To.Function = R.Sites[Site].Function;
  addCell(To.Inlined[R.Sites[Site].InlinedAt], R, Index);
}

void Builder::add(size_t Index) {
  const Cell &C = R.Cells[Index];
  const KernelKey Kernel = kernelOf(C.Launch);
  const ObjectKey Object = objectOf(C.Object);
  const LineKey Line = lineOf(C);
  KernelRows &OfKernel = Kernels[Kernel];
  OfKernel.Launches.insert(C.Launch);
  for (CacheRow *Row :
       {&Whole, &Objects[Object], &OfKernel.Whole, &OfKernel.Objects[Object], &Launches[C.Launch]})
    addCell(*Row, R, Index);
  for (LineRows *Rows : {&Lines[Line], &OfKernel.Lines[Line]})
    addLine(*Rows, Index);
  Places[{Kernel, Object, Line}] += C.Counts;
}

/// Returns the bytes in all lines, estimated from the sectors in one of Sampled lines.
static uint64_t bytesOf(uint64_t Sectors, uint32_t Sampled) {
  return mulSaturating(mulSaturating<uint64_t>(Sectors, Sampled), uint64_t(SectorBytes));
}

summary::CacheTraffic Builder::traffic(CacheRow &Row) const {
  findErrors(Row, R);
  const AccessCounts &C = Row.Counts;
  summary::CacheTraffic T;
  T.requests = C.Requests;
  T.sectors = C.Sectors;
  T.bytes_used = C.BytesUsed;
  T.coalescing_efficiency = coalescingEfficiency(C);
  T.traffic_share = hitRate(C.Sectors, Whole.Counts.Sectors);
  T.l1_lookups = C.L1Lookups;
  T.l1_hits = C.L1Hits;
  T.lost_to_fences = C.LostToFences;
  T.l2_reads = C.L2Reads;
  T.l2_writes = C.L2Writes;
  T.l2_atomics = C.L2Atomics;
  T.l2_hits = C.L2Hits;
  if (C.L1Lookups != 0) {
    T.l1_hit_rate = hitRate(C.L1Hits, C.L1Lookups);
    T.l1_hit_rate_error = Row.L1Error;
  }
  if (C.l2Lookups() != 0) {
    T.l2_hit_rate = hitRate(C.L2Hits, C.l2Lookups());
    T.l2_hit_rate_error = Row.L2Error;
  }
  T.fetched_again = C.FetchedAgain;
  T.fetched_again_by_block = C.FetchedAgainByBlock;
  T.dram_reads = C.DramReads;
  T.dram_writes = C.DramWrites;
  T.dram_reads_again = C.DramReadsAgain;
  T.l2_bytes = bytesOf(C.l2Lookups(), R.Options.Sampled);
  T.dram_bytes = bytesOf(C.DramReads + C.DramWrites, R.Options.Sampled);
  return T;
}

/// Returns at most Most rows, those with the most sectors first.
template <typename Key, typename Row, typename Sectors>
static std::vector<std::pair<const Key *, Row *>> busiest(std::map<Key, Row> &From, size_t Most,
                                                          const Sectors &SectorsOf) {
  std::vector<std::pair<const Key *, Row *>> Sorted;
  for (auto &[K, R] : From)
    Sorted.emplace_back(&K, &R);
  std::sort(Sorted.begin(), Sorted.end(), [&](const auto &A, const auto &B) {
    const uint64_t Ours = SectorsOf(*A.second), Theirs = SectorsOf(*B.second);
    return Ours != Theirs ? Ours > Theirs : *A.first < *B.first;
  });
  Sorted.resize(std::min(Sorted.size(), Most));
  return Sorted;
}

static uint64_t sectorsOf(const CacheRow &Row) { return Row.Counts.Sectors; }
static uint64_t sectorsOf(const LineRows &Rows) { return Rows.Whole.Counts.Sectors; }
static constexpr auto BySectors = [](const auto &Of) { return sectorsOf(Of); };

static summary::InlineChain inlinedAt(const std::vector<TraceCall> &Calls) {
  summary::InlineChain Chain;
  for (const TraceCall &C : Calls)
    Chain.push_back({C.Function, source({C.File, C.Line, 0}), 0});
  return Chain;
}

static std::optional<uint32_t> known(uint32_t Index) {
  return Index == None ? std::nullopt : std::optional(Index);
}

uint64_t Builder::objects(std::map<ObjectKey, CacheRow> &From,
                          std::vector<summary::CacheObject> &To) const {
  for (const auto &[Key, Row] : busiest(From, MaxInline, BySectors))
    To.push_back({known(Key->Index), Key->Name, traffic(*Row)});
  return From.size() - To.size();
}

uint64_t Builder::lines(std::map<LineKey, LineRows> &From,
                        std::vector<summary::CacheLine> &To) const {
  for (const auto &[Key, Rows] : busiest(From, MaxInline, BySectors)) {
    summary::CacheLine &L = To.emplace_back();
    L.source = source({Key->File, Key->Line, 0});
    L.function = Rows->Function;
    L.access = AccessKindNames[static_cast<size_t>(Key->Kind)];
    L.traffic = traffic(Rows->Whole);
    if (Rows->Inlined.size() == 1 && Rows->Inlined.begin()->first.empty())
      continue; // not inlined
    for (const auto &[Calls, Row] : busiest(Rows->Inlined, MaxInlinedCalls, BySectors))
      L.inlined.push_back({inlinedAt(*Calls), traffic(*Row)});
    L.inlined_omitted = Rows->Inlined.size() - L.inlined.size();
  }
  return From.size() - To.size();
}

void Builder::kernels() {
  summary::Cache &To = Made.Content;
  for (const auto &[Key, Rows] :
       busiest(Kernels, MaxInline, [](const KernelRows &K) { return K.Whole.Counts.Sectors; })) {
    summary::CacheKernel &K = To.kernels.emplace_back();
    K.kernel = known(Key->Index);
    K.name = Key->Name;
    K.launches = Rows->Launches.size();
    K.traffic = traffic(Rows->Whole);
    K.objects_omitted = objects(Rows->Objects, K.objects);
    K.lines_omitted = lines(Rows->Lines, K.lines);
  }
  To.kernels_omitted = Kernels.size() - To.kernels.size();
}

/// Adds the first MaxInline launches.
void Builder::launches() {
  summary::Cache &To = Made.Content;
  TraceLaunchEnd All;
  for (uint32_t L = 0; L < R.Launches.size(); ++L) {
    const LaunchResult &Of = R.Launches[L];
    All += Of.End;
    To.limited_launches += Of.End.reachedLimit();
    if (To.launches.size() == MaxInline) {
      ++To.launches_omitted;
      continue;
    }
    const KernelKey Kernel = kernelOf(L);
    To.launches.push_back({Of.Launch.Number, known(Kernel.Index), Kernel.Name, Of.Launch.Grid,
                           Of.Launch.Block, Of.SharedKb, Of.L1Kb, Of.Launch.BlockSample,
                           Of.Launch.SmSample, Of.End.Lost, Of.End.Late, Of.End.Blocks,
                           Of.End.BlocksBeyond, Of.End.RequestsBeyond, Of.WrittenBack,
                           traffic(Launches[L])});
  }
  To.lost = All.Lost;
  To.late = All.Late;
  To.blocks_traced = All.Blocks;
  To.blocks_beyond_limit = All.BlocksBeyond;
  To.requests_beyond_limit = All.RequestsBeyond;
}

static std::string quoted(const std::string &Text) {
  std::string Quoted = "\"";
  for (char C : Text)
    Quoted += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Quoted + "\"";
}

static std::string number(uint32_t Index) { return Index == None ? "" : std::to_string(Index); }

void Builder::places() {
  for (const auto &[Key, C] :
       busiest(Places, MaxCacheLines, [](const AccessCounts &Of) { return Of.Sectors; })) {
    const auto &[Kernel, Object, Line] = *Key;
    fmt::format_to(std::back_inserter(Made.Lines),
                   "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                   number(Kernel.Index), number(Object.Index), quoted(Line.File), Line.Line,
                   AccessKindNames[static_cast<size_t>(Line.Kind)], C->Requests, C->Sectors,
                   C->BytesUsed, C->L1Lookups, C->L1Hits, C->LostToFences, C->L2Reads, C->L2Writes,
                   C->L2Atomics, C->L2Hits, C->FetchedAgain, C->FetchedAgainByBlock, C->DramReads,
                   C->DramWrites, C->DramReadsAgain);
  }
  Made.LinesOmitted = Places.size() - std::min(Places.size(), MaxCacheLines);
}

CacheSummary Builder::build() {
  Launches.resize(R.Launches.size());
  for (size_t I = 0; I < R.Cells.size(); ++I)
    add(I);
  summary::Cache &To = Made.Content;
  To.gpu = {R.Gpu.Name,
            R.Gpu.Device,
            R.Gpu.Sms,
            R.Gpu.UnifiedKb,
            ReplacementNames[static_cast<size_t>(R.Gpu.L1.Policy)],
            R.Gpu.L2.Kb,
            R.Gpu.L2.Ways,
            R.Gpu.L2.LineBytes,
            ReplacementNames[static_cast<size_t>(R.Gpu.L2.Policy)]};
  To.sampled = R.Options.Sampled;
  To.complete = R.Complete;
  To.dirty_sectors = R.DirtySectors;
  To.total = traffic(Whole);
  To.objects_omitted = objects(Objects, To.objects);
  To.lines_omitted = lines(Lines, To.lines);
  kernels();
  launches();
  places();
  return std::move(Made);
}

CacheSummary cacheSummary(const profile::Profile &P, const SimulationResults &R,
                          const CacheObjectOf &ObjectOf) {
  return Builder(P, R, ObjectOf).build();
}

/// Returns the machine code's instructions of local memory at lines where the trace has none.
static uint64_t untracedLocal(const profile::Descriptor &Desc, const profile::MachineMemory &M) {
  const auto Place = [](const profile::SourcePosition &Of) { return std::pair(Of.File, Of.Line); };
  std::set<std::pair<std::string, unsigned>> Traced;
  for (const profile::Site &S : Desc.Sites)
    if (S.Space == GMPROF_SPACE_LOCAL || S.Space == GMPROF_SPACE_GENERIC)
      Traced.insert(Place(S.Source));
  uint64_t Count = 0;
  for (const profile::CodeInstruction &I : M.Instructions)
    if ((I.Kind == GMPROF_INSTRUCTION_LOCAL_LOAD || I.Kind == GMPROF_INSTRUCTION_LOCAL_STORE) &&
        !Traced.contains(Place(I.Source)))
      Count += I.Count;
  return Count;
}

/// Adds, for each traced kernel, what ptxas puts into local memory on its own.
static void addUntracedLocal(const profile::Profile &P, summary::Coverage &To) {
  std::set<uint32_t> Traced;
  for (const profile::Launch &L : P.Launches)
    if (L.Mode == log::LaunchMode::Cache)
      Traced.insert(L.Kernel);
  for (const uint32_t Kernel : Traced)
    if (const auto M = P.Machine.find(Kernel); M != P.Machine.end() && P.Kernels[Kernel].Desc)
      if (const uint64_t Count = untracedLocal(*P.Kernels[Kernel].Desc, M->second))
        To.gaps.push_back({"instructions",
                           fmt::format("of {} load and store local memory that ptxas added: their "
                                       "requests are not in the trace",
                                       shortName(P.Kernels[Kernel].Demangled)),
                           Count});
}

void addCacheCoverage(const profile::Profile &P, const SimulationResults &R,
                      summary::Coverage &To) {
  addUntracedLocal(P, To);
  TraceLaunchEnd All;
  uint64_t Sampled = 0;
  for (const LaunchResult &L : R.Launches) {
    All += L.End;
    Sampled += L.Launch.BlockSample > 1 || L.Launch.SmSample > 1;
  }
  auto Add = [&](const char *What, const char *Why, uint64_t Count) {
    if (Count != 0)
      To.gaps.push_back({What, Why, Count});
  };
  Add("traces",
      "the trace of memory accesses has no end: the program was killed, or the file is not whole",
      R.Complete ? 0 : 1);
  Add("requests", "of memory are not in the trace: they came faster than they could be taken away",
      All.Lost);
  Add("requests",
      "of memory are in the trace, but not where their multiprocessor made them, so that what "
      "the caches did may have been another",
      All.Late);
  Add("traced launches",
      "have a part of their blocks in the trace, as the options say; the numbers are those of it",
      Sampled);
  Add("blocks",
      "of traced launches began when as many requests were in the trace as may be "
      "(launch-requests, run-requests); the numbers are those of the blocks before",
      All.BlocksBeyond);
  Add("requests",
      "of traced blocks were made when as many were in the trace as may be (launch-requests, "
      "run-requests)",
      All.RequestsBeyond);
}

} // namespace gmprof
