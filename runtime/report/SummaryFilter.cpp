//===- SummaryFilter.cpp - Leaves out kernels -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SummaryFilter.h"
#include "report/TextReport.h"
#include <regex>
#include <set>

namespace gmprof {

Result<summary::Summary> keepKernels(summary::Summary S, const std::string &Pattern) {
  std::set<uint32_t> Kept;
  std::string Names;
  try {
    const std::regex Regex(Pattern);
    for (const summary::Kernel &K : S.kernels) {
      if (std::regex_search(K.demangled, Regex) || std::regex_search(K.name, Regex))
        Kept.insert(K.id);
      Names += (Names.empty() ? "" : ", ") + shortName(K.demangled);
    }
  } catch (const std::regex_error &E) {
    return Error{"'" + Pattern + "' is not a regular expression: " + E.what()};
  }
  if (Kept.empty())
    return Error{"no kernel matches '" + Pattern + "'; there " +
                 (Names.empty() ? "are none" : "are: " + Names)};

  std::erase_if(S.kernels, [&](const auto &K) { return !Kept.count(K.id); });
  std::erase_if(S.objects, [&](const auto &O) { return O.kernel && !Kept.count(*O.kernel); });
  std::erase_if(S.findings, [&](const auto &F) { return F.kernel && !Kept.count(F.kernel->id); });
  return S;
}

} // namespace gmprof
