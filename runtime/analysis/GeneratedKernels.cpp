//===- GeneratedKernels.cpp - Lines of the program for generated kernels ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/GeneratedKernels.h"
#include "analysis/ProgramSource.h"
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using profile::Profile;
using profile::SourcePosition;

/// Returns whether the kernel's source is generated.
static bool isGenerated(const profile::Kernel &K) {
  return K.Desc && isGeneratedFile(K.Desc->Source.File);
}

/// Returns the program's lines on a path of calls, innermost first; nothing if it has none of its
/// own files.
static std::vector<SourcePosition> ownLines(const profile::CallPath &Path) {
  std::vector<SourcePosition> Lines;
  if (const profile::Frame *First = programFrame(Path); First && isUserCode(*First))
    for (const profile::Frame *F : programFrames(Path))
      Lines.push_back(F->Source);
  return Lines;
}

/// Returns the call path that launches each generated kernel most often, of those with own lines.
static std::map<uint32_t, uint32_t> mostFrequentCalls(const Profile &P) {
  std::map<uint32_t, std::map<uint32_t, uint64_t>> Launches; // by kernel and call path
  for (const profile::Launch &L : P.Launches)
    if (L.CallPath < P.CallPaths.size() && isGenerated(P.Kernels[L.Kernel]))
      Launches[L.Kernel][L.CallPath] += L.Times;
  std::map<uint32_t, uint32_t> Most;
  for (const auto &[Kernel, Paths] : Launches) {
    uint64_t Count = 0;
    for (const auto &[Path, Times] : Paths)
      if (Times > Count && !ownLines(P.CallPaths[Path]).empty()) {
        Most[Kernel] = Path;
        Count = Times;
      }
  }
  return Most;
}

void nameCallsOfGenerated(std::vector<Finding> &Findings, const Profile &P) {
  const std::map<uint32_t, uint32_t> Calls = mostFrequentCalls(P);
  for (Finding &F : Findings) {
    const auto Call = Calls.find(F.Kernel);
    if (Call == Calls.end() || !F.CallPath.empty())
      continue;
    std::vector<SourcePosition> Lines = ownLines(P.CallPaths[Call->second]);
    F.Message += fmt::format(" torch.compile generated the kernel for the call at {}{}.",
                             placeText(Lines.front()),
                             F.Source.File.empty() ? "" : "; its line is " + placeText(F.Source));
    F.Source = Lines.front();
    F.CallPath = std::move(Lines);
  }
}

} // namespace gmprof::analysis
