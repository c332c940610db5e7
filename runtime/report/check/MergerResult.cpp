//===- MergerResult.cpp - Completes the merged summary --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Merger.h"
#include "report/check/Outliers.h"
#include "report/model/CallPaths.h"
#include "report/model/Findings.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>

namespace gmprof {

using namespace summary;

/// Sets the shares of the time of all kernels, as analysis::kernelTimes does.
static void setShares(std::vector<Kernel> &Kernels) {
  double OfAll = 0;
  for (const Kernel &K : Kernels)
    if (K.seconds && !K.seconds->instrumented)
      OfAll += K.seconds->total;
  for (Kernel &K : Kernels)
    if (K.seconds && K.seconds->total > 0)
      K.seconds->share =
          K.seconds->total / (OfAll + (K.seconds->instrumented ? K.seconds->total : 0));
}

/// Sorts processes by rank, host and process id, and updates their indices.
void Merger::order() {
  std::vector<uint32_t> Order(List.size()), NewIndex(List.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto Key = [&](uint32_t I) {
    const MergedProcess &P = List[I];
    return std::tuple(!P.rank, P.rank.value_or(0), std::string_view(P.host), P.pid, I);
  };
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) { return Key(A) < Key(B); });
  std::vector<MergedProcess> Sorted;
  for (uint32_t I : Order) {
    NewIndex[I] = static_cast<uint32_t>(Sorted.size());
    Sorted.push_back(std::move(List[I]));
  }
  List = std::move(Sorted);
  for (auto &[Fingerprint, F] : ByFingerprint) {
    for (uint32_t &P : F.Processes)
      P = NewIndex[P];
    std::sort(F.Processes.begin(), F.Processes.end());
  }
  for (auto &[M, V] : Measures) {
    std::vector<std::pair<uint32_t, double>> Pairs;
    for (size_t I = 0; I < V.Each.size(); ++I)
      Pairs.emplace_back(NewIndex[V.Processes[I]], V.Each[I]);
    std::sort(Pairs.begin(), Pairs.end());
    for (size_t I = 0; I < Pairs.size(); ++I)
      std::tie(V.Processes[I], V.Each[I]) = Pairs[I];
  }
}

static const char *unitName(Quantity::Unit Unit) {
  return Unit == Quantity::Unit::Bytes ? "bytes" : Unit == Quantity::Unit::Seconds ? "seconds" : "";
}

/// An owner that a process does not have holds 0 bytes there, if its memory is known.
void Merger::fillMemory() {
  std::set<uint32_t> Known;
  for (const auto &[M, V] : Measures)
    if (M.Name == MemoryMeasure)
      Known.insert(V.Processes.begin(), V.Processes.end());
  for (auto &[M, V] : Measures) {
    if (M.Name != MemoryMeasure || V.Processes.size() == Known.size())
      continue;
    std::map<uint32_t, double> All;
    for (const uint32_t Process : Known)
      All[Process] = 0;
    for (size_t I = 0; I < V.Each.size(); ++I)
      All[V.Processes[I]] = V.Each[I];
    V.Processes.assign(Known.begin(), Known.end());
    V.Each.clear();
    for (const auto &[Process, Value] : All)
      V.Each.push_back(Value);
  }
}

void Merger::finishMeasures() {
  // Puts measures of the whole run first, as in every list of measures.
  std::vector<std::pair<Measure, Values>> Sorted;
  for (const bool OfRun : {true, false})
    std::copy_if(Measures.begin(), Measures.end(), std::back_inserter(Sorted),
                 [&](const auto &Each) { return Each.first.Of.empty() == OfRun; });
  for (const auto &[M, V] : Sorted) {
    Spread S;
    S.name = M.Name;
    S.of = M.Of;
    S.unit = unitName(V.Unit);
    S.processes = V.Each.size();
    const auto [Least, Most] = std::minmax_element(V.Each.begin(), V.Each.end());
    // minmax_element returns the last maximum; the first is wanted.
    const auto First = std::find(V.Each.begin(), V.Each.end(), *Most);
    S.min = *Least;
    S.min_process = V.Processes[static_cast<size_t>(Least - V.Each.begin())];
    S.max = *Most;
    S.max_process = V.Processes[static_cast<size_t>(First - V.Each.begin())];
    const auto N = static_cast<double>(V.Each.size());
    S.mean = std::accumulate(V.Each.begin(), V.Each.end(), 0.0) / N;
    double Squares = 0;
    for (double X : V.Each)
      Squares += (X - S.mean) * (X - S.mean);
    S.deviation = std::sqrt(Squares / N);
    for (uint32_t I : outliersOf(V.Each))
      S.outliers.push_back(V.Processes[I]);
    S.values.resize(List.size());
    for (size_t I = 0; I < V.Each.size(); ++I)
      S.values[V.Processes[I]] = V.Each[I];
    To.processes->measures.push_back(std::move(S));
  }
}

void Merger::finishFindings() {
  std::vector<Joined *> All;
  for (auto &[Fingerprint, F] : ByFingerprint)
    All.push_back(&F);
  std::ranges::sort(
      All, [](const Joined *A, const Joined *B) { return ranksBefore(A->Best.Of, B->Best.Of); });
  CallPathTable Paths(To);
  for (Joined *J : All) {
    Finding F = std::move(J->Best.Of);
    F.id = To.findings.size() + 1;
    if (F.object && !J->Best.About)
      F.object->id = NextObject++; // the object is not in the merged summary
    if (F.object && J->Best.About) {
      Object O = std::move(*J->Best.About);
      F.object->id = O.id = NextObject++;
      O.parent.reset();
      O.kernel.reset();
      if (O.alloc) {
        O.alloc->call_path.reset();
        if (!J->Best.Path.empty())
          O.alloc->call_path = Paths.add(J->Best.Path);
      }
      for (auto *Each : {&O.first_access, &O.last_access})
        if (*Each)
          (*Each)->call_path.reset();
      if (O.free)
        O.free->call_path.reset();
      if (O.elements)
        O.elements->frequencies.clear();
      To.objects.push_back(std::move(O));
    }
    if (F.kernel)
      if (const auto It = KernelIds.find(J->Best.Kernel); It != KernelIds.end())
        F.kernel->id = It->second;
    F.site.reset();
    if (J->Best.Site && To.sync)
      for (size_t I = 0; I < To.sync->sites.size(); ++I) {
        const SyncSite &Site = To.sync->sites[I];
        auto Where = [](const std::optional<Source> &S) {
          return std::pair(S ? S->file : std::string(), S ? S->line : 0);
        };
        if (Site.api == J->Best.Site->api && Where(Site.source) == Where(J->Best.Site->source))
          F.site = static_cast<uint32_t>(I);
      }
    To.processes->findings.push_back({F.fingerprint, std::move(J->Processes)});
    To.findings.push_back(std::move(F));
  }
}

Summary Merger::finish() {
  To.processes.emplace();
  order();
  fillMemory();
  // Renumbers objects listed in peaks.
  std::map<uint32_t, uint32_t> Ids;
  for (Object &O : Largest)
    if (const auto [It, New] = Ids.try_emplace(O.id, NextObject); New) {
      O.id = NextObject++;
      O.parent.reset();
      O.kernel.reset();
      for (auto *Each : {&O.alloc, &O.free})
        if (*Each)
          (*Each)->call_path.reset();
      for (auto *Each : {&O.first_access, &O.last_access})
        if (*Each)
          (*Each)->call_path.reset();
      if (O.elements)
        O.elements->frequencies.clear();
      To.objects.push_back(std::move(O));
    }
  if (To.memory)
    for (DeviceMemory &D : To.memory->devices)
      for (MemoryPeak &P : D.peaks) {
        std::erase_if(P.largest, [&](uint32_t Id) { return !Ids.contains(Id); });
        for (uint32_t &Id : P.largest)
          Id = Ids.at(Id);
      }
  finishFindings();
  finishMeasures();
  setShares(To.kernels);
  To.coverage.kernels.seen = To.kernels.size();
  To.coverage.kernels.instrumented = static_cast<uint64_t>(std::count_if(
      To.kernels.begin(), To.kernels.end(), [](const Kernel &K) { return K.instrumented; }));
  To.coverage.kernels.nothing_to_profile =
      To.coverage.kernels.seen -
      std::min<uint64_t>(To.coverage.kernels.seen, To.coverage.kernels.instrumented +
                                                       To.coverage.kernels.not_instrumented.size());
  To.run.host = Hosts.size() == 1 ? *Hosts.begin() : fmt::format("{} hosts", Hosts.size());
  To.processes->list = std::move(List);
  return std::move(To);
}

} // namespace gmprof
