//===- ThreadsTest.cpp - Tests of concurrent calls ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scripts/check.sh --all runs these with ThreadSanitizer, too.
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "profile/ApiTraceBuilder.h"
#include <map>
#include <set>
#include <thread>

namespace gmprof::host {
namespace {

class ThreadsTest : public HostTest {};

constexpr unsigned Threads = 4, Rounds = 500;

// Each thread frees half of what it allocates, and copies into all of it.
TEST_F(ThreadsTest, NothingIsLost) {
  {
    std::vector<std::jthread> All;
    for (unsigned T = 0; T < Threads; ++T)
      All.emplace_back([T] {
        char Host[8] = {};
        cudaStream_t Stream;
        cudaStreamCreate(&Stream);
        for (unsigned Round = 0; Round < Rounds; ++Round) {
          void *P = nullptr;
          cudaMalloc(&P, 1000 + T);
          cudaMemcpyAsync(P, Host, T + 1, cudaMemcpyHostToDevice, Stream);
          if (Round % 2)
            cudaFree(P);
        }
        cudaStreamSynchronize(Stream);
        cudaStreamDestroy(Stream);
      });
  }
  profile::Profile P = finish();
  EXPECT_EQ(P.Gaps.size(), 0u);
  ASSERT_EQ(P.Objects.size(), Threads * Rounds);
  ASSERT_EQ(P.Copies.size(), Threads * Rounds);
  EXPECT_EQ(P.Orders.size(), Threads * 3u);

  std::map<uint64_t, profile::Object> ById;
  std::map<uint32_t, unsigned> Made; // by thread
  unsigned Released = 0;
  for (const profile::Object &O : P.Objects) {
    ById[O.Id] = O;
    ++Made[O.Made.Thread];
    Released += O.Released.has_value();
  }
  EXPECT_EQ(ById.size(), Threads * Rounds);
  EXPECT_EQ(Released, Threads * Rounds / 2);
  ASSERT_EQ(Made.size(), Threads);
  for (auto [Thread, Count] : Made)
    EXPECT_EQ(Count, Rounds);
  std::set<uint64_t> Copied;
  for (const profile::Copy &C : P.Copies) {
    ASSERT_TRUE(ById.count(C.To.object));
    const profile::Object &O = ById[C.To.object];
    EXPECT_EQ(C.Thread, O.Made.Thread);
    EXPECT_EQ(C.RowBytes, O.Bytes - 999);
    Copied.insert(O.Id);
  }
  EXPECT_EQ(Copied.size(), Threads * Rounds);

  // Each object has its APIs in order, whatever the threads did concurrently.
  profile::ApiTrace T = buildApiTrace(P);
  EXPECT_EQ(T.Apis.size(), Threads * Rounds * 5 / 2);
  uint32_t Index = 0;
  for (const profile::Api &A : T.Apis) {
    if (A.Kind == profile::ApiKind::Copy) {
      ASSERT_EQ(A.Accesses.size(), 1u);
      const profile::ApiObject &O = T.Objects[A.Accesses[0].Object];
      EXPECT_LT(O.Allocation, Index);
      EXPECT_GT(O.Release.value_or(UINT32_MAX), Index);
    }
    ++Index;
  }
}

TEST_F(ThreadsTest, CallPathsAreTheSameForAll) {
  {
    std::vector<std::jthread> All;
    for (unsigned T = 0; T < Threads; ++T)
      All.emplace_back([] {
        for (unsigned Round = 0; Round < Rounds; ++Round)
          cudaMemset(nullptr, 0, 4);
      });
  }
  profile::Profile P = finish();
  ASSERT_EQ(P.Copies.size(), Threads * Rounds);
  std::set<uint32_t> Paths;
  for (const profile::Copy &C : P.Copies)
    Paths.insert(C.CallPath);
  EXPECT_EQ(Paths.size(), 1u);
  EXPECT_EQ(P.CallPaths.size(), 1u);
}

} // namespace
} // namespace gmprof::host
