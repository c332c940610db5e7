//===- Finding.cpp - The result of an analysis ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Finding.h"
#include "analysis/Wording.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
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

static uint64_t needless(const Finding &F) {
  for (const auto &[Name, Value] : F.Evidence)
    if (const auto *N = std::get_if<uint64_t>(&Value); N && Name.starts_with("needless_"))
      return *N;
  return 0;
}

namespace {

/// Findings of one cause.
struct Cause {
  size_t First = 0; ///< index of the finding that represents the cause
  uint64_t Count = 0;
  std::set<std::string> Kernels;
  std::vector<uint32_t> KernelIds;
  std::string Fingerprint; ///< the least, which does not depend on their order
};

} // namespace

static void say(const Cause &C, Finding &F) {
  F.Fingerprint = C.Fingerprint;
  F.Evidence.emplace_back("instances", C.Count);
  F.OtherKernels = C.KernelIds;
  if (C.Kernels.size() == 1) {
    F.Message += fmt::format(" The line has {} such accesses.", grouped(C.Count));
    return;
  }
  constexpr size_t Named = 3;
  std::string Names;
  size_t Count = 0;
  for (const std::string &Each : C.Kernels)
    if (Count++ < Named)
      Names += (Names.empty() ? "" : ", ") + quotedName(Each);
  F.Message += fmt::format(" {} instances of the kernel have it: {}{}.", C.Kernels.size(), Names,
                           C.Kernels.size() > Named ? ", ..." : "");
}

void joinCauses(std::vector<Finding> &Findings, const profile::Profile &P) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, unsigned>;
  auto Weight = [&](const Finding &F) {
    return std::tuple(F.Level, F.SecondsSaved.value_or(0), F.BytesSaved, needless(F));
  };
  std::map<Key, Cause> Causes;
  std::vector<bool> Joined(Findings.size());
  for (size_t I = 0; I < Findings.size(); ++I) {
    const Finding &F = Findings[I];
    if (F.Kernel == profile::None || F.Source.Line == 0 || F.Origin == "drgpum")
      continue;
    const std::string &Kernel = P.Kernels[F.Kernel].Demangled;
    Cause &C =
        Causes[{F.Pattern, F.Kind, F.Object, templateName(Kernel), F.Source.File, F.Source.Line}];
    C.Kernels.insert(shortName(Kernel));
    C.KernelIds.push_back(F.Kernel);
    if (C.Count++ == 0) {
      C.First = I;
      C.Fingerprint = F.Fingerprint;
      continue;
    }
    C.Fingerprint = std::min(C.Fingerprint, F.Fingerprint);
    const bool Worse = Weight(F) > Weight(Findings[C.First]);
    Joined[Worse ? C.First : I] = true;
    C.First = Worse ? I : C.First;
  }
  for (const auto &[_, C] : Causes)
    if (C.Count > 1)
      say(C, Findings[C.First]);
  std::vector<Finding> Kept;
  for (size_t I = 0; I < Findings.size(); ++I)
    if (!Joined[I])
      Kept.push_back(std::move(Findings[I]));
  Findings = std::move(Kept);
}

} // namespace gmprof::analysis
