//===- KernelTimesTest.cpp - Execution times of kernels -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/KernelTimes.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using log::LaunchMode;

namespace {

/// Kernels a, b, … on a GPU.
struct Timed {
  profile::Profile P;

  explicit Timed(const char *Device = "gpu") { P.TheRun.DeviceKind = Device; }

  uint32_t kernel() {
    profile::Kernel &K = P.Kernels.emplace_back();
    K.Name = K.Demangled = std::string(1, static_cast<char>('a' + P.Kernels.size() - 1));
    return static_cast<uint32_t>(P.Kernels.size() - 1);
  }
  void launch(uint32_t Kernel, LaunchMode Mode, std::optional<uint64_t> Ns = std::nullopt) {
    profile::Launch L;
    L.Id = P.Launches.size() + 1;
    L.Kernel = Kernel;
    L.Mode = Mode;
    P.Launches.push_back(L);
    if (Ns)
      P.LaunchTimes.push_back({static_cast<uint32_t>(P.Launches.size() - 1), *Ns});
  }
  std::vector<Finding> weighed(std::vector<Finding> Findings) {
    weighByKernelTime(Findings, P, kernelTimes(P));
    return Findings;
  }
};

Finding high(uint32_t Kernel) {
  Finding F;
  F.Level = Severity::High;
  F.Kernel = Kernel;
  F.Message = "Slow.";
  return F;
}

double shareOf(const Finding &F) {
  for (const auto &[Name, Value] : F.Evidence)
    if (Name == "kernel_time_share")
      return std::get<double>(Value);
  return -1;
}

} // namespace

TEST(KernelTimesTest, LaunchesOfTheProgramsOwnKernelArePreferred) {
  Timed T;
  const uint32_t A = T.kernel();
  T.launch(A, LaunchMode::Heat, 9000);
  T.launch(A, LaunchMode::Objects, 1000);
  T.launch(A, LaunchMode::Plain, 2000);
  T.launch(A, LaunchMode::Refused, 3000);
  T.launch(A, LaunchMode::Objects);
  const auto Times = kernelTimes(T.P);
  ASSERT_EQ(Times.size(), 1u);
  ASSERT_TRUE(Times[0]);
  EXPECT_EQ(Times[0]->Measured, 3u);
  EXPECT_DOUBLE_EQ(Times[0]->Mean, 2e-6);
  EXPECT_DOUBLE_EQ(Times[0]->Total, 10e-6); // of 5 launches
  EXPECT_FALSE(Times[0]->Instrumented);
  EXPECT_DOUBLE_EQ(Times[0]->Share, 1);
}

// The driver loads code, or enlarges the memory of stacks, in a first launch.
TEST(KernelTimesTest, TheFirstLaunchCountsOnlyIfNoOtherWasTimed) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel(), C = T.kernel();
  T.launch(A, LaunchMode::Plain, 7000000);
  T.launch(B, LaunchMode::Plain, 5000);
  T.launch(C, LaunchMode::Heat, 900000);
  T.launch(A, LaunchMode::Plain, 1000);
  T.launch(B, LaunchMode::Plain);
  T.launch(C, LaunchMode::Heat, 4000);
  T.launch(A, LaunchMode::Plain, 3000);
  const auto Times = kernelTimes(T.P);
  EXPECT_EQ(Times[A]->Measured, 2u);
  EXPECT_DOUBLE_EQ(Times[A]->Mean, 2e-6);
  EXPECT_DOUBLE_EQ(Times[A]->Total, 6e-6); // of 3 launches
  EXPECT_EQ(Times[B]->Measured, 1u);
  EXPECT_DOUBLE_EQ(Times[B]->Total, 10e-6);
  EXPECT_DOUBLE_EQ(Times[C]->Mean, 4e-6);
}

TEST(KernelTimesTest, TimesOfClonesAreUpperBounds) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel(), C = T.kernel(), D = T.kernel();
  T.launch(A, LaunchMode::Objects, 9000);
  T.launch(B, LaunchMode::Heat, 1000);
  T.launch(C, LaunchMode::SharedDm, 3000);
  T.launch(D, LaunchMode::Plain);
  const auto Times = kernelTimes(T.P);
  EXPECT_DOUBLE_EQ(Times[A]->Share, 1); // B and C may need no time
  EXPECT_TRUE(Times[B]->Instrumented);
  EXPECT_DOUBLE_EQ(Times[B]->Share, 0.1); // 1 of 9 + 1
  EXPECT_DOUBLE_EQ(Times[C]->Share, 0.25);
  EXPECT_FALSE(Times[D]);
}

TEST(KernelTimesTest, TheCpuDeviceHasNoKernelTimes) {
  Timed T("cpu");
  const uint32_t A = T.kernel();
  T.launch(A, LaunchMode::Objects, 1000);
  EXPECT_TRUE(kernelTimes(T.P).empty());
  const std::vector<Finding> Same = T.weighed({high(A)});
  EXPECT_EQ(Same[0].Level, Severity::High);
  EXPECT_EQ(Same[0].Message, "Slow.");
  EXPECT_TRUE(Same[0].Evidence.empty());
}

TEST(KernelTimesTest, TheShareLimitsTheSeverity) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel(), C = T.kernel(), D = T.kernel(), E = T.kernel();
  for (auto [Kernel, Ns] : {std::pair(A, 900'900), std::pair(B, 50'000), std::pair(C, 49'000),
                            std::pair(D, 9'999), std::pair(E, 100)})
    T.launch(Kernel, LaunchMode::Objects, Ns); // 1,009,999 ns in all
  const uint64_t Rest = 1'100'000 - 1'009'999;
  T.launch(T.kernel(), LaunchMode::Objects, Rest);
  const std::vector<Finding> F = T.weighed({high(A), high(B), high(C), high(D), high(E)});
  // 81.9 %, 4.545 %, 4.4545 %, 0.909 % and 0.009 %.
  EXPECT_EQ(F[0].Kernel, A);
  EXPECT_EQ(F[0].Level, Severity::High);
  EXPECT_EQ(F[0].Message, "Slow. `a` takes 82 % of the kernel time.");
  EXPECT_DOUBLE_EQ(shareOf(F[0]), 900'900 / 1.1e6);
  EXPECT_EQ(F[1].Kernel, B);
  EXPECT_EQ(F[1].Level, Severity::Medium);
  EXPECT_EQ(F[2].Kernel, C);
  EXPECT_EQ(F[2].Level, Severity::Medium);
  EXPECT_EQ(F[3].Kernel, D);
  EXPECT_EQ(F[3].Level, Severity::Low);
  EXPECT_EQ(F[4].Kernel, E);
  EXPECT_EQ(F[4].Level, Severity::Low);
}

TEST(KernelTimesTest, TheBoundsBelongToTheHigherSeverity) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel(), C = T.kernel();
  T.launch(A, LaunchMode::Objects, 94);
  T.launch(B, LaunchMode::Objects, 5);
  T.launch(C, LaunchMode::Objects, 1);
  const std::vector<Finding> F = T.weighed({high(B), high(C)});
  EXPECT_EQ(F[0].Level, Severity::High);
  EXPECT_EQ(F[1].Level, Severity::Medium);
}

TEST(KernelTimesTest, ALowerSeverityIsKept) {
  Timed T;
  const uint32_t A = T.kernel();
  T.launch(A, LaunchMode::Objects, 100);
  Finding F = high(A);
  F.Level = Severity::Info;
  EXPECT_EQ(T.weighed({F})[0].Level, Severity::Info);
}

TEST(KernelTimesTest, JoinedFindingsHaveTheShareOfAllTheirKernels) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel(), C = T.kernel();
  T.launch(A, LaunchMode::Objects, 40);
  T.launch(B, LaunchMode::Objects, 30);
  T.launch(C, LaunchMode::Objects, 930);
  Finding F = high(A);
  F.OtherKernels = {A, B};
  const std::vector<Finding> Weighed = T.weighed({F, high(A)});
  EXPECT_EQ(Weighed[0].Level, Severity::High);
  EXPECT_EQ(Weighed[0].Message, "Slow. Its 2 kernels take 7 % of the kernel time.");
  EXPECT_EQ(Weighed[1].Level, Severity::Medium);
}

TEST(KernelTimesTest, AnUnknownShareChangesNothing) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel();
  T.launch(A, LaunchMode::Objects, 1000);
  T.launch(B, LaunchMode::Plain);
  Finding Other = high(profile::None);
  Finding Memory = high(A);
  Memory.Origin = "drgpum";
  for (const Finding &F : T.weighed({high(B), Other, Memory})) {
    EXPECT_EQ(F.Level, Severity::High);
    EXPECT_EQ(F.Message, "Slow.");
  }
}

TEST(KernelTimesTest, AShareOfClonesAloneIsAtMost) {
  Timed T;
  const uint32_t A = T.kernel(), B = T.kernel();
  T.launch(A, LaunchMode::Objects, 999'000);
  T.launch(B, LaunchMode::Heat, 1'000);
  const Finding F = T.weighed({high(B)})[0];
  EXPECT_EQ(F.Level, Severity::Low);
  EXPECT_EQ(F.Message, "Slow. `b` takes at most 0.1 % of the kernel time.");

  Timed Alone;
  Alone.launch(Alone.kernel(), LaunchMode::Heat, 1'000);
  EXPECT_EQ(Alone.weighed({high(0)})[0].Message, "Slow.");
}
