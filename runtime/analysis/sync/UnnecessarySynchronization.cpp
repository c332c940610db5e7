//===- UnnecessarySynchronization.cpp - Finds unnecessary waits -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.1: between the wait and the next one that covers the same, the host
// uses no data that the GPU may have written.
//
//===----------------------------------------------------------------------===//

#include "analysis/ProgramSource.h"
#include "analysis/Wording.h"
#include "analysis/sync/SiteCallers.h"
#include "analysis/sync/SyncFinding.h"
#include <fmt/format.h>

namespace gmprof::analysis {

static std::string suggestionFor(const SyncSite &Site, bool OfLibrary) {
  if (OfLibrary)
    return "The library that this line calls makes the call: use a form that does not wait "
           "(thrust::cuda::par_nosync), if it has one.";
  if (Site.Explicit)
    return "Remove the call, unless it is there to report errors of kernels, to flush their printf "
           "output or to measure time.";
  if (Site.Api == "cudaFree" || Site.Api == "cuMemFree")
    return fmt::format("{} waits for the GPU: {}, or use {}.", Site.Api,
                       Site.Calls == 1 ? "free the memory after the next wait"
                                       : "allocate before the loop and free after it",
                       Site.Api == "cudaFree" ? "cudaMallocAsync and cudaFreeAsync"
                                              : "cuMemAllocAsync and cuMemFreeAsync");
  if (Site.Api.starts_with("cudaMemset") || Site.Api.starts_with("cuMemset"))
    return "It waits because the memory is managed or page-locked: use the Async form, or memset "
           "where no kernel uses the memory.";
  if (Site.Api.starts_with("cudaMemcpy") || Site.Api.starts_with("cuMemcpy"))
    return fmt::format(
        "Use {}page-locked memory, and wait before the host reads what was copied to "
        "it, or writes what is copied from it.",
        Site.Api.find("Async") == std::string::npos ? "the Async form with " : "");
  return "Make the call where nothing is outstanding, or use a form that does not wait.";
}

std::vector<Finding> unnecessarySynchronizations(const SyncRuns &Runs, const SyncProblems &S) {
  std::vector<Finding> All;
  for (const SyncSite &Site : S.Sites) {
    if (Site.Unnecessary == 0 || Site.Waited == 0)
      continue;
    Finding F = syncFinding(Runs, S, Site, "unnecessary_synchronization",
                            {Site.UnnecessaryBenefit, Site.ReplaySaving});
    const bool Always = Site.Unnecessary == Site.Waits;
    F.Kind = Site.Explicit ? "explicit" : "implicit";
    addEvidence(F, {{"waits", Site.Waits},
                    {"unnecessary", Site.Unnecessary},
                    {"blocked", Site.Waited},
                    {"wait_seconds", seconds(Site.WaitNs)},
                    {"conditionally", !Always}});
    if (Site.UnnecessaryByCode != 0)
      F.Evidence.emplace_back("unnecessary_instrumented", Site.UnnecessaryByCode);
    F.Message = fmt::format("The host reads no GPU result before the next wait ({} of {}{}).",
                            grouped(Site.Unnecessary), plural(Site.Waits, "call"),
                            Site.Waits == Site.Calls ? "" : " that waited") +
                callerSentence(Site);
    const bool HasPath = Site.CallPath < Runs.Trace->CallPaths.size();
    F.Suggestion =
        suggestionFor(Site, HasPath && isCallOfLibrary(Runs.Trace->CallPaths[Site.CallPath]));
    if (!Always)
      F.Suggestion += " Conditionally unnecessary: other waits of this call were needed, so see "
                      "first in which cases.";
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
