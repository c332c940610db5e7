//===- MergedPart.cpp - What a merge keeps of a summary -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/MergedPart.h"
#include "report/model/CallPaths.h"
#include "report/model/SummaryJson.h"
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace gmprof {

using namespace summary;

static Quantity::Unit unitOf(const Spread &Of) {
  return Of.unit == "bytes"     ? Quantity::Unit::Bytes
         : Of.unit == "seconds" ? Quantity::Unit::Seconds
                                : Quantity::Unit::Number;
}

static KeptFinding keep(Finding F, const Summary &S,
                        const std::map<uint32_t, const Object *> &Objects,
                        const std::map<uint32_t, const Kernel *> &Kernels) {
  KeptFinding To;
  if (F.object)
    if (const auto It = Objects.find(F.object->id); It != Objects.end()) {
      To.About = *It->second;
      if (To.About->alloc)
        To.Path = callPath(S, To.About->alloc->call_path);
    }
  if (F.kernel)
    if (const auto It = Kernels.find(F.kernel->id); It != Kernels.end())
      To.Kernel = It->second->name;
  if (F.site && S.sync && *F.site < S.sync->sites.size())
    To.Site = S.sync->sites[*F.site];
  To.Of = std::move(F);
  return To;
}

static std::string fullPath(const std::filesystem::path &Path) {
  std::error_code Ignored;
  return std::filesystem::absolute(Path, Ignored).lexically_normal().string();
}

/// Sets the processes of a summary, and their numbers. Returns false if numbers are missing.
static bool setProcesses(MergedPart &To, const Summary &S, const std::string &Path) {
  if (!S.processes) {
    To.Processes = {{S.run.rank, S.run.host, S.run.pid, fullPath(Path), S.run.command,
                     S.run.wall_seconds, S.run.exit_status, S.run.complete, S.coverage.whole,
                     S.findings.size()}};
    for (const auto &All : {measuresOf(S), memoryMeasures(S)})
      for (const Measure &M : All)
        To.Measures.push_back({M, {{0, M.Value}}});
    return true;
  }
  std::error_code Ignored;
  const std::filesystem::path Folder = std::filesystem::is_directory(Path, Ignored)
                                           ? std::filesystem::path(Path)
                                           : std::filesystem::path(Path).parent_path();
  To.Processes = S.processes->list;
  for (MergedProcess &P : To.Processes)
    P.path = fullPath(Folder / P.path);
  for (const Spread &Each : S.processes->measures) {
    KeptMeasure &New = To.Measures.emplace_back();
    New.Is = {Each.name, Each.of, unitOf(Each), 0};
    if (Each.values.size() != To.Processes.size())
      return false;
    for (uint32_t I = 0; I < Each.values.size(); ++I)
      if (Each.values[I])
        New.Values.emplace_back(I, *Each.values[I]);
  }
  const auto IsThere = [&](uint32_t I) { return I < To.Processes.size(); };
  return std::ranges::all_of(S.processes->findings, [&](const MergedFinding &F) {
    return std::ranges::all_of(F.processes, IsThere);
  });
}

MergedPart mergedPart(const std::string &Path) {
  MergedPart To;
  // Keeps all characters, as the summary is written again.
  Result<Summary> Read = readSummary(Path, SummaryText::AsItIs);
  if (!Read) {
    To.Failure = Read.error();
    return To;
  }
  Summary &S = *Read;
  if (!setProcesses(To, S, Path)) {
    To.Failure = "'" + Path + "' is a damaged GMProf summary: numbers of processes are missing";
    return To;
  }
  std::map<uint32_t, const Object *> Objects;
  for (const Object &O : S.objects)
    Objects[O.id] = &O;
  std::map<uint32_t, const Kernel *> Kernels;
  for (const Kernel &K : S.kernels)
    Kernels[K.id] = &K;
  std::map<std::string, std::vector<uint32_t>> Having;
  if (S.processes)
    for (MergedFinding &F : S.processes->findings)
      Having[F.fingerprint] = std::move(F.processes);
  for (Finding &F : S.findings) {
    std::vector<uint32_t> Processes =
        S.processes ? Having[F.fingerprint] : std::vector<uint32_t>{0};
    To.Findings.push_back(keep(std::move(F), S, Objects, Kernels));
    To.Findings.back().Processes = std::move(Processes);
  }
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      for (const MemoryPeak &P : D.peaks)
        for (uint32_t Id : P.largest)
          if (const auto It = Objects.find(Id); It != Objects.end())
            To.Largest.push_back(*It->second);
  for (Kernel &K : S.kernels) {
    K.objects.clear();
    K.other_sites.clear();
    K.object_accesses.clear();
    K.global_memory.reset();
    K.heat.reset();
    K.machine_memory.reset();
  }
  if (S.sync)
    for (SyncSite &Site : S.sync->sites)
      Site.call_path.reset();
  S.objects.clear();
  S.findings.clear();
  S.frames.clear();
  S.call_paths.clear();
  S.files.clear();
  S.cache = {};
  S.processes.reset();
  To.Kept = std::move(S);
  return To;
}

} // namespace gmprof
