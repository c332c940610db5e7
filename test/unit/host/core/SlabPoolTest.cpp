//===- SlabPoolTest.cpp - Memory that is never given back -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/SlabPool.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

constexpr size_t MiB = 1 << 20;

struct SlabPoolTest : testing::Test {
  std::vector<size_t> Slabs;
  bool OutOfMemory = false;
  SlabPool Pool{[this](size_t Bytes) -> std::optional<uint64_t> {
    if (OutOfMemory)
      return std::nullopt;
    Slabs.push_back(Bytes);
    return uint64_t(Slabs.size()) << 32;
  }};
};

TEST_F(SlabPoolTest, BlocksArePowersOfTwo) {
  EXPECT_EQ(SlabPool::blockBytes(1), 1024u);
  EXPECT_EQ(SlabPool::blockBytes(1024), 1024u);
  EXPECT_EQ(SlabPool::blockBytes(1025), 2048u);
}

TEST_F(SlabPoolTest, BlocksShareASlabAndDoNotOverlap) {
  auto A = Pool.allocate(1000), B = Pool.allocate(5000), C = Pool.allocate(1000);
  EXPECT_EQ(Slabs, (std::vector<size_t>{2 * MiB}));
  EXPECT_EQ(B->Address, A->Address + 1024);
  EXPECT_EQ(C->Address, B->Address + 8192);
}

TEST_F(SlabPoolTest, ReleasedBlockIsUsedAgain) {
  auto A = Pool.allocate(1000);
  Pool.release(*A);
  EXPECT_TRUE(Pool.available(1000));
  EXPECT_EQ(Pool.allocate(900)->Address, A->Address);
}

TEST_F(SlabPoolTest, LargeBlockHasASlabOfItsOwn) {
  EXPECT_EQ(Pool.allocate(5 * MiB)->Bytes, 8 * MiB);
  EXPECT_EQ(Slabs, (std::vector<size_t>{8 * MiB}));
}

TEST_F(SlabPoolTest, BudgetHoldsForSlabs) {
  EXPECT_TRUE(Pool.allocate(1 * MiB, 2 * MiB));
  EXPECT_TRUE(Pool.allocate(1 * MiB, 2 * MiB));
  EXPECT_FALSE(Pool.allocate(1 * MiB, 2 * MiB));
  EXPECT_FALSE(Pool.allocate(1 * MiB, 3 * MiB));
  EXPECT_TRUE(Pool.allocate(1 * MiB, 4 * MiB));
  EXPECT_EQ(Pool.reserved(), 4 * MiB);
}

TEST_F(SlabPoolTest, RestOfASlabStaysUsable) {
  Pool.allocate(1024);
  Pool.allocate(2 * MiB); // does not fit in the first slab
  EXPECT_EQ(Slabs.size(), 2u);
  size_t Rest = 0;
  OutOfMemory = true;
  for (size_t Bytes = MiB; Bytes >= 1024; Bytes /= 2)
    while (Pool.allocate(Bytes))
      Rest += Bytes;
  EXPECT_EQ(Rest, 2 * MiB - 1024);
}

TEST_F(SlabPoolTest, OutOfMemoryHasNoEffect) {
  OutOfMemory = true;
  EXPECT_FALSE(Pool.allocate(1024));
  EXPECT_EQ(Pool.reserved(), 0u);
  OutOfMemory = false;
  EXPECT_TRUE(Pool.allocate(1024));
}

} // namespace
} // namespace gmprof::host
