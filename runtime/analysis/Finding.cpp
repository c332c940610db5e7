//===- Finding.cpp - The result of an analysis ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Finding.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gmprof::analysis {

std::string fingerprint(const Finding &F, const profile::Profile &P) {
  const std::string &File = F.Source.File;
  std::string Basename = File.substr(File.rfind('/') + 1);
  const std::string &Kernel =
      F.Kernel == profile::None ? std::string() : P.Kernels[F.Kernel].Demangled;
  std::string Text;
  for (const std::string &Part : {F.Pattern, F.Kind, Kernel, F.Object, Basename}) {
    Text += Part;
    Text += '\0';
  }
  Text += F.Function;
  return fmt::format("{:016x}", XXH3_64bits(Text.data(), Text.size()));
}

void setFingerprints(std::vector<Finding> &Findings, const profile::Profile &P) {
  std::map<std::string, unsigned> Seen;
  for (Finding &F : Findings) {
    F.Fingerprint = fingerprint(F, P);
    if (unsigned Number = ++Seen[F.Fingerprint]; Number > 1) {
      Finding Numbered = F;
      Numbered.Object += fmt::format("#{}", Number);
      F.Fingerprint = fingerprint(Numbered, P);
    }
  }
}

void rank(std::vector<Finding> &Findings) {
  auto Key = [](const Finding &F) {
    return std::make_tuple(-static_cast<int>(F.Level), -F.SecondsSaved.value_or(0), ~F.BytesSaved,
                           std::string_view(F.Fingerprint));
  };
  std::sort(Findings.begin(), Findings.end(),
            [&](const Finding &A, const Finding &B) { return Key(A) < Key(B); });
}

} // namespace gmprof::analysis
