//===- KernelTimes.cpp - Execution times of kernels -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/KernelTimes.h"
#include "analysis/Wording.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace gmprof::analysis {

using log::LaunchMode;
using profile::Profile;

namespace {

struct Sum {
  uint64_t Launches = 0;
  double Ns = 0;
};

/// Times of a kernel's launches of one sort. The first launch of a kernel may take milliseconds
/// more than the others, because the driver loads code or enlarges the memory of stacks in it.
struct Sums {
  Sum First, Later;
  const Sum &best() const { return Later.Launches != 0 ? Later : First; }
};

} // namespace

/// Returns true if a launch in this mode runs the program's own kernel, or nearly so.
static bool runsOwnKernel(LaunchMode Mode) {
  return Mode == LaunchMode::Plain || Mode == LaunchMode::Objects || Mode == LaunchMode::Refused;
}

std::vector<std::optional<KernelTime>> kernelTimes(const Profile &P) {
  if (P.TheRun.DeviceKind != "gpu" || P.LaunchTimes.empty())
    return {};
  std::vector<double> Launches(P.Kernels.size());
  std::vector<size_t> First(P.Kernels.size());
  for (size_t I = 0; I < P.Launches.size(); ++I) {
    const profile::Launch L = P.Launches[I];
    if (Launches[L.Kernel] == 0)
      First[L.Kernel] = I;
    Launches[L.Kernel] += static_cast<double>(L.Times);
  }
  std::vector<Sums> Own(P.Kernels.size()), Clones(P.Kernels.size());
  for (const profile::LaunchTime &T : P.LaunchTimes) {
    const profile::Launch L = P.Launches[T.Launch];
    Sums &Of = (runsOwnKernel(L.Mode) ? Own : Clones)[L.Kernel];
    Sum &To = T.Launch == First[L.Kernel] ? Of.First : Of.Later;
    ++To.Launches;
    To.Ns += static_cast<double>(T.Ns);
  }
  std::vector<std::optional<KernelTime>> Times(P.Kernels.size());
  std::vector<double> TotalNs(P.Kernels.size());
  double OfAll = 0; // of kernels that were timed themselves
  for (size_t I = 0; I < Times.size(); ++I) {
    const bool HasOwn = Own[I].best().Launches != 0;
    const Sum &Of = (HasOwn ? Own : Clones)[I].best();
    if (Of.Launches == 0)
      continue;
    KernelTime &T = Times[I].emplace();
    T.Measured = Of.Launches;
    T.Mean = Of.Ns / static_cast<double>(Of.Launches) / 1e9;
    TotalNs[I] = Of.Ns / static_cast<double>(Of.Launches) * Launches[I];
    T.Total = TotalNs[I] / 1e9;
    T.Instrumented = !HasOwn;
    if (!T.Instrumented)
      OfAll += TotalNs[I];
  }
  for (size_t I = 0; I < Times.size(); ++I)
    if (TotalNs[I] > 0)
      Times[I]->Share = TotalNs[I] / (Times[I]->Instrumented ? OfAll + TotalNs[I] : OfAll);
  return Times;
}

Severity highestSeverity(double Share) {
  return Share < LowShare ? Severity::Low : Share < MediumShare ? Severity::Medium : Severity::High;
}

std::string shareSentence(const std::string &Subject, double Share, bool AtMost) {
  return fmt::format("{} {}{} of the kernel time.", Subject, AtMost ? "at most " : "",
                     percentText(Share));
}

void weighByKernelTime(std::vector<Finding> &Findings, const Profile &P,
                       const std::vector<std::optional<KernelTime>> &Times) {
  for (Finding &F : Findings) {
    if (F.Kernel >= Times.size() || F.Origin == "drgpum")
      continue;
    std::set<uint32_t> Kernels(F.OtherKernels.begin(), F.OtherKernels.end());
    Kernels.insert(F.Kernel);
    if (!std::ranges::all_of(Kernels, [&](uint32_t K) { return Times[K].has_value(); }))
      continue; // the share is unknown
    double Share = 0;
    for (uint32_t K : Kernels)
      Share += Times[K]->Share;
    Share = std::min(Share, 1.0);
    F.Level = std::min(F.Level, highestSeverity(Share));
    F.Evidence.emplace_back("kernel_time_share", Share);
    const bool AtMost =
        std::ranges::any_of(Kernels, [&](uint32_t K) { return Times[K]->Instrumented; });
    if (AtMost && Share == 1)
      continue; // says nothing
    const std::string Subject =
        Kernels.size() == 1 ? quotedName(briefName(P.Kernels[F.Kernel].Demangled)) + " takes"
                            : fmt::format("Its {} kernels take", Kernels.size());
    F.Message += ' ' + shareSentence(Subject, Share, AtMost);
  }
}

} // namespace gmprof::analysis
