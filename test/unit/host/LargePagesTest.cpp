//===- LargePagesTest.cpp - Tests of memory in large pages ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/LargePages.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <sys/mman.h>

using namespace gmprof::host;

namespace {

TEST(LargePages, AreZerosWhereLargePagesBegin) {
  LargePages Pages = mapLargePages(2 * LargePageBytes);
  ASSERT_TRUE(Pages);
  touchLargePages(Pages);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Pages.get()) % LargePageBytes, 0U);
  const std::span<std::byte> All(Pages.get(), 2 * LargePageBytes);
  EXPECT_EQ(std::ranges::count(All, std::byte(0)), 2 * LargePageBytes);
  std::ranges::fill(All, std::byte(1));
  // No mapping remains, so the same address can be mapped again.
  std::byte *const First = Pages.get();
  Pages.reset();
  void *const Again = ::mmap(First, All.size(), PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  EXPECT_EQ(Again, First);
  ::munmap(Again, All.size());
}

TEST(LargePages, AreNoneIfThereIsNoMemory) { EXPECT_FALSE(mapLargePages(size_t(1) << 62)); }

TEST(LargePages, AreTakenFromThoseAhead) {
  LargePages First;
  {
    LargePagesAhead Ahead(3 * LargePageBytes);
    Ahead.wait();
    First = Ahead.take(LargePageBytes);
    LargePages Rest = Ahead.take(2 * LargePageBytes);
    ASSERT_TRUE(First && Rest);
    EXPECT_EQ(Rest.get(), First.get() + LargePageBytes);
    EXPECT_FALSE(Ahead.take(LargePageBytes));
  }
  First[LargePageBytes - 1] = std::byte(1); // it is not theirs any more
}

TEST(LargePages, PagesAheadAreUsedOnlyWhenPresent) {
  LargePagesAhead Ahead(LargePageBytes);
  EXPECT_FALSE(Ahead.take(2 * LargePageBytes));
  Ahead.wait();
  EXPECT_FALSE(Ahead.take(2 * LargePageBytes));
  EXPECT_TRUE(Ahead.take(LargePageBytes));
}

TEST(LargePages, NoPagesAheadIfMemoryIsShort) {
  LargePagesAhead Ahead(size_t(1) << 62);
  Ahead.wait();
  EXPECT_FALSE(Ahead.take(LargePageBytes));
}

} // namespace
