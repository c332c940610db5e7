//===- MergedPart.cpp - What a merge keeps of a summary -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/MergedPart.h"
#include "report/model/SummaryJson.h"
#include <filesystem>
#include <map>
#include <utility>

namespace gmprof {

using namespace summary;

/// Returns the call path at Index in the same summary; empty if none.
static std::vector<Frame> pathOf(const std::optional<uint32_t> &Index, const Summary &S) {
  return Index && *Index < S.call_paths.size() ? S.call_paths[*Index] : std::vector<Frame>();
}

static KeptFinding keep(Finding F, const Summary &S,
                        const std::map<uint32_t, const Object *> &Objects,
                        const std::map<uint32_t, const Kernel *> &Kernels) {
  KeptFinding To;
  if (F.object)
    if (const auto It = Objects.find(F.object->id); It != Objects.end()) {
      To.About = *It->second;
      if (To.About->alloc)
        To.Path = pathOf(To.About->alloc->call_path, S);
    }
  if (F.kernel)
    if (const auto It = Kernels.find(F.kernel->id); It != Kernels.end())
      To.Kernel = It->second->name;
  if (F.site && S.sync && *F.site < S.sync->sites.size())
    To.Site = S.sync->sites[*F.site];
  To.Of = std::move(F);
  return To;
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
  if (S.processes) {
    To.Failure = "'" + Path + "' is a merged summary already: merge those that it is of";
    return To;
  }
  To.Measures = measuresOf(S);
  std::error_code Ignored;
  To.Process = {
      S.run.rank,         S.run.host,
      S.run.pid,          std::filesystem::absolute(Path, Ignored).lexically_normal().string(),
      S.run.wall_seconds, S.run.exit_status,
      S.run.complete,     S.coverage.whole,
      S.findings.size()};
  std::map<uint32_t, const Object *> Objects;
  for (const Object &O : S.objects)
    Objects[O.id] = &O;
  std::map<uint32_t, const Kernel *> Kernels;
  for (const Kernel &K : S.kernels)
    Kernels[K.id] = &K;
  for (Finding &F : S.findings)
    To.Findings.push_back(keep(std::move(F), S, Objects, Kernels));
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
  S.call_paths.clear();
  S.files.clear();
  S.cache = {};
  To.Kept = std::move(S);
  return To;
}

} // namespace gmprof
