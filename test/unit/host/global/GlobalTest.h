//===- GlobalTest.h - Fixture with a kernel that moves elements -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel move(float *Out, const float *In, int N) reads In[i] and writes Out[i] for
// each i < N; with it in a table of objects, it reads Out[0] through an unknown
// pointer once. Its clones count that as the pass's do. No memory is touched: objects
// are addresses here.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_GLOBAL_GLOBALTEST_H
#define GMPROF_TEST_UNIT_HOST_GLOBAL_GLOBALTEST_H

#include "../../profile/TestLog.h"
#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include "profile/CompressedCounts.h"

namespace gmprof::host {

using log::LaunchMode;

inline constexpr unsigned Threshold = 255;

inline void count(const GmprofGlobalObject &O, GmprofCounterKind Kind, uint64_t Address) {
  auto *Counters = reinterpret_cast<uint8_t *>(O.counters[Kind]);
  uint64_t Element = (Address - O.base) >> O.elementShift;
  if (Counters && Counters[Element] < Threshold)
    ++Counters[Element];
}

inline void access(const GmprofGlobalLaunch &P, int Root, GmprofCounterKind Kind,
                   uint64_t Address) {
  auto In = [&](const GmprofGlobalObject &O) {
    return Address >= O.base && Address - O.base < O.bytes;
  };
  if (Root >= 0 && In(P.roots[Root]))
    return count(P.roots[Root], Kind, Address);
  auto *Objects = reinterpret_cast<const GmprofGlobalObject *>(P.objects);
  for (unsigned I = 0; I < P.objectCount; ++I)
    if (In(Objects[I]))
      return count(Objects[I], Kind, Address);
  ++reinterpret_cast<GmprofGlobalTotals *>(P.totals)->outside;
}

inline void moveAndCount(const fake::Launch &L) {
  auto P = L.arg<GmprofGlobalLaunch>(3);
  auto *Totals = reinterpret_cast<GmprofGlobalTotals *>(P.totals);
  Totals->blocks += L.Grid.x;
  Totals->threads += L.Grid.x * L.Block.x;
  for (int I = 0; I < L.arg<int>(2); ++I) {
    access(P, 1, GMPROF_COUNTER_READS, L.arg<uint64_t>(1) + 4 * I);
    access(P, 0, GMPROF_COUNTER_WRITES, L.arg<uint64_t>(0) + 4 * I);
  }
  if (P.objectCount != 0)
    access(P, -1, GMPROF_COUNTER_READS, L.arg<uint64_t>(0));
}

class GlobalTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Profiles = ProfileChoice::Global;
  }

  /// The descriptor of move: In is read, Out written, each by its own thread.
  static test::DescriptorWriter describe(unsigned Modes = GMPROF_MODE_GLOBAL |
                                                          GMPROF_MODE_GLOBAL_CLONE) {
    test::DescriptorWriter D("move");
    D.Header.paramCount = 3;
    D.Header.modes = 0;
    D.global(GMPROF_LEVEL_SA_NA_SM_TH, 8, Threshold, Modes);
    D.pointer("Out", 4, 0, 0);
    D.pointer("In", 4, 1, 1);
    return D;
  }
  static test::DescriptorWriter countingEach() {
    test::DescriptorWriter D = describe();
    D.globalSite(1, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
    D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED);
    return D;
  }
  /// The kernel that a session knows, which this begins.
  uint32_t kernelOfSession() {
    addMove(countingEach());
    move(allocate(8), 0, 0);
    return Session::current()->openDevice()->TheKernels.find(&StubA)->Id;
  }
  /// Both accesses at 4 * threadIdx.x, where N is at most 100.
  static test::DescriptorWriter closedForms(unsigned Modes = GMPROF_MODE_GLOBAL |
                                                             GMPROF_MODE_GLOBAL_ALL) {
    test::DescriptorWriter D = describe(Modes);
    std::vector<gmprof_i64> Words = {0, // nothing derived
                                     1,
                                     4,
                                     1,
                                     GMPROF_FACTOR_TID_X,
                                     0, // loops
                                     1,
                                     -1,
                                     3, // tid < N
                                     1,
                                     1,
                                     GMPROF_FACTOR_PARAMETER + 2,
                                     -1,
                                     1,
                                     GMPROF_FACTOR_TID_X,
                                     -1,
                                     0,
                                     1,
                                     0,
                                     0,
                                     100,
                                     1,
                                     1,
                                     1,
                                     GMPROF_FACTOR_PARAMETER + 2};
    D.form(D.globalSite(1, GMPROF_ACCESS_LOAD, GMPROF_RULE_CLOSED_FORM), Words);
    D.form(D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_CLOSED_FORM), Words);
    return D;
  }

  void addMove(const test::DescriptorWriter &D) {
    fake::Function Original;
    Original.Name = "move";
    Original.Params = {sizeof(void *), sizeof(void *), sizeof(int)};
    fake::Function Clone = Original;
    Clone.Params.push_back(sizeof(GmprofGlobalLaunch));
    Clone.Body = moveAndCount;
    Clone.Name = "move" GMPROF_GLOBAL_CLONE_SUFFIX;
    if (D.Header.modes & GMPROF_MODE_GLOBAL_CLONE)
      TheModule.add(Clone);
    Clone.Name = "move" GMPROF_GLOBAL_ALL_CLONE_SUFFIX;
    if (D.Header.modes & GMPROF_MODE_GLOBAL_ALL)
      TheModule.add(Clone);
    std::vector<std::byte> Bytes = D.bytes();
    auto *Begin = reinterpret_cast<const char *>(Bytes.data());
    TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX "move"].assign(Begin, Begin + Bytes.size());
    fake::registerKernel(&StubA, TheModule.add(Original));
  }

  static uint64_t allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return reinterpret_cast<uint64_t>(Pointer);
  }
  static void release(uint64_t Address) {
    EXPECT_EQ(cudaFree(reinterpret_cast<void *>(Address)), cudaSuccess);
  }
  static void move(uint64_t To, uint64_t From, int N, cudaStream_t Stream = nullptr) {
    void *Args[] = {&To, &From, &N};
    EXPECT_EQ(cudaLaunchKernel(&StubA, 2, 32, Args, 0, Stream), cudaSuccess);
  }
  static const fake::Launch &last() { return fake::launches().back(); }
  static GmprofGlobalLaunch parameter() { return last().arg<GmprofGlobalLaunch>(3); }

  /// The counts of an object; capped where Capped.
  static Words counts(const profile::Profile &P, uint64_t Object, GmprofCounterKind Kind,
                      bool Capped = false) {
    Words Sums;
    for (const profile::GlobalCounts &C : P.Global) {
      ElementSums Each;
      if (C.Object != Object || C.Kind != Kind)
        continue;
      EXPECT_TRUE(decompressCounts(C.Compressed, C.Elements, C.ThresholdReached, Each));
      Sums.resize(std::max(Sums.size(), C.FirstElement + C.Elements));
      for (size_t I = 0; I < C.Elements; ++I)
        Sums[C.FirstElement + I] += !Capped               ? Each.Sums[I]
                                    : Each.Capped.empty() ? 0
                                                          : Each.Capped[I];
    }
    return Sums;
  }
  static uint64_t launchesOf(const profile::Profile &P, uint64_t Object, GmprofCounterKind Kind) {
    uint64_t Launches = 0;
    for (const profile::GlobalCounts &C : P.Global)
      Launches += C.Object == Object && C.Kind == Kind ? C.Launches : 0;
    return Launches;
  }
};

} // namespace gmprof::host

#endif // GMPROF_TEST_UNIT_HOST_GLOBAL_GLOBALTEST_H
