//===- Analyze.cpp - All analyses of a profile ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Analyze.h"
#include "analysis/CallingLibrary.h"
#include "analysis/GeneratedKernels.h"
#include "analysis/KernelPatterns.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace gmprof::analysis {

using profile::Profile;

/// Returns the bandwidth of the first device that reports it; 0 if none does.
static double memoryBytesPerSecond(const Profile &P) {
  for (const profile::Device &D : P.Devices) {
    const auto J = nlohmann::json::parse(D.AttributesJson, nullptr, false);
    if (J.is_object() && J.contains("memory_bytes_per_second") &&
        J["memory_bytes_per_second"].is_number())
      return std::max(J["memory_bytes_per_second"].get<double>(), 0.0);
  }
  return 0;
}

static std::vector<Finding> cacheFindings(const Profile &P, const AnalysisInput &In,
                                          const std::vector<KernelCacheUse> &Uses) {
  PoorCacheLocalityOptions Options;
  Options.Sampled = In.Caches->Options.Sampled;
  Options.DramBytesPerSecond = memoryBytesPerSecond(P);
  return poorCacheLocality(P, Uses, In.Changes ? *In.Changes : std::vector<CachePrediction>(),
                           Options);
}

/// Returns the findings of all patterns, with sources and fingerprints, unranked.
static std::vector<Finding> allFindings(const Profile &P, const AnalysisInput &In,
                                        const Analyses &A) {
  std::vector<Finding> All;
  const auto Add = [&](std::vector<Finding> Some) {
    std::ranges::move(Some, std::back_inserter(All));
  };
  for (const KernelPattern Find : KernelPatterns)
    Add(Find(P, A));
  Add(heatFindings(P, A.Heat));
  for (const MachineCodePattern Find : MachineCodePatterns)
    Add(Find(P));
  if (In.Caches)
    Add(cacheFindings(P, In, A.Caches));
  Add(objectFindings(P, A.Objects));
  if (In.Sync.Trace)
    Add(syncFindings(P, In.Sync, A.Sync));
  return All;
}

/// Removes findings about code that the program does not contain: it cannot follow their advice.
static void removeLibraryCode(std::vector<Finding> &Findings, const Profile &P) {
  std::erase_if(Findings, [&](const Finding &F) {
    return F.Kernel != profile::None && concernsKernelCode(F.Pattern) &&
           isLibraryKernel(P.Kernels[F.Kernel].Demangled);
  });
}

Analyses analyze(const Profile &P, const AnalysisInput &In) {
  Analyses A;
  A.Shared = sharedMemoryUse(P);
  A.Global = globalMemoryUse(P);
  A.Heat = heatUse(P);
  if (In.Caches)
    A.Caches = cacheUse(P, *In.Caches);
  A.Objects = analyzeObjects(P);
  if (In.Sync.Trace)
    A.Sync = syncProblems(In.Sync);
  A.Findings = allFindings(P, In, A);
  removeLibraryCode(A.Findings, P);
  joinCauses(A.Findings, P);
  A.KernelTimes = kernelTimes(P);
  weighByKernelTime(A.Findings, P, A.KernelTimes);
  nameCallsOfGenerated(A.Findings, P);
  return A;
}

} // namespace gmprof::analysis
