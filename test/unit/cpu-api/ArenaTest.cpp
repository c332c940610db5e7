//===- ArenaTest.cpp - Guarded memory -------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arena.h"
#include <csetjmp>
#include <csignal>
#include <gtest/gtest.h>
#include <set>

using namespace gmprof::cpu::api;

namespace {

sigjmp_buf Fault;

/// Returns whether the byte can be read.
bool readable(const volatile char *Address) {
  struct sigaction Catch = {}, Old;
  Catch.sa_handler = [](int) { siglongjmp(Fault, 1); };
  sigaction(SIGSEGV, &Catch, &Old);
  bool Ok = sigsetjmp(Fault, 1) == 0;
  if (Ok)
    (void)*Address;
  sigaction(SIGSEGV, &Old, nullptr);
  return Ok;
}

} // namespace

TEST(Arena, GuardsBothEnds) {
  Arena A(0x01020304, size_t(1) << 30);
  char *P = static_cast<char *>(A.allocate(5000, Arena::Content::Fill));
  ASSERT_NE(P, nullptr);
  EXPECT_TRUE(readable(P));
  EXPECT_TRUE(readable(P + 4999));
  // 5000 bytes take 5120, a multiple of 256, and end at a page boundary.
  EXPECT_TRUE(readable(P + 5119));
  EXPECT_FALSE(readable(P + 5120));
  EXPECT_FALSE(readable(P + 5120 - 2 * Arena::Page - 1));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(P) % Arena::Alignment, 0u);
}

TEST(Arena, FillsNewMemory) {
  Arena A(0x01020304, size_t(1) << 30);
  size_t Words = (size_t(5) << 20) / 4;
  auto *P = static_cast<uint32_t *>(A.allocate(Words * 4, Arena::Content::Fill));
  for (size_t I : {size_t(0), Words / 2, Words - 1})
    EXPECT_EQ(P[I], 0x01020304u);
  P[0] = 9;
  auto *Other = static_cast<uint32_t *>(A.allocate(4096, Arena::Content::Fill));
  EXPECT_EQ(Other[0], 0x01020304u); // other memory is unaffected
  auto *Zero = static_cast<uint32_t *>(A.allocate(4096, Arena::Content::Zero));
  EXPECT_EQ(Zero[0], 0u);
}

TEST(Arena, FreedMemoryFaultsAndIsNotReusedSoon) {
  Arena A(1, size_t(1) << 30);
  char *P = static_cast<char *>(A.allocate(256, Arena::Content::Fill));
  A.release(P);
  EXPECT_FALSE(readable(P));
  char *Next = static_cast<char *>(A.allocate(256, Arena::Content::Fill));
  EXPECT_NE(Next, P);
  EXPECT_FALSE(readable(P));
  EXPECT_TRUE(A.contains(reinterpret_cast<uintptr_t>(P)));
  EXPECT_FALSE(A.contains(reinterpret_cast<uintptr_t>(&A)));
}

TEST(Arena, ReusesFreedMemoryWhenTheReservationIsUsedUp) {
  // Eight pages hold two mappings of two pages with their guards.
  Arena A(1, 8 * Arena::Page);
  void *First = A.allocate(2 * Arena::Page, Arena::Content::Fill);
  void *Second = A.allocate(2 * Arena::Page, Arena::Content::Fill);
  ASSERT_NE(First, nullptr);
  ASSERT_NE(Second, nullptr);
  EXPECT_EQ(A.allocate(2 * Arena::Page, Arena::Content::Fill), nullptr);
  A.release(First);
  EXPECT_EQ(A.allocate(2 * Arena::Page, Arena::Content::Fill), First);
  EXPECT_EQ(A.allocate(9 * Arena::Page, Arena::Content::Fill), nullptr);
}

TEST(Arena, PacksSmallAllocationsIfMappingsRunOut) {
  Arena A(0x01020304, size_t(1) << 30, /*Guarded=*/1);
  char *Guarded = static_cast<char *>(A.allocate(256, Arena::Content::Fill));
  EXPECT_FALSE(readable(Guarded + 256));
  char *First = static_cast<char *>(A.allocate(200, Arena::Content::Fill));
  char *Second = static_cast<char *>(A.allocate(256, Arena::Content::Zero));
  EXPECT_EQ(Second, First + 256);
  EXPECT_EQ(First[255], 1); // highest byte of the word
  EXPECT_EQ(Second[0], 0);
  // 600 bytes take 768, in a slot of 1024.
  char *Third = static_cast<char *>(A.allocate(600, Arena::Content::Fill));
  EXPECT_EQ(static_cast<char *>(A.allocate(1024, Arena::Content::Fill)), Third + 1024);
  // More than 2048 bytes still get their own mapping.
  char *Large = static_cast<char *>(A.allocate(2049, Arena::Content::Fill));
  EXPECT_FALSE(readable(Large + 2304));
}

TEST(Arena, HandsOutFreedSlotsAgainWithNewContents) {
  Arena A(0x01020304, size_t(1) << 30, /*Guarded=*/0);
  auto *Slot = static_cast<uint32_t *>(A.allocate(256, Arena::Content::Fill));
  Slot[63] = 9;
  A.release(Slot);
  EXPECT_EQ(A.allocate(256, Arena::Content::Fill), Slot);
  EXPECT_EQ(Slot[63], 0x01020304u);
}

TEST(Arena, HoldsMoreObjectsThanMappings) {
  Arena A(0x01020304);
  std::set<void *> Objects;
  for (size_t I = 0; I < 100000; ++I)
    Objects.insert(A.allocate(256, Arena::Content::Fill));
  EXPECT_EQ(Objects.size(), 100000u);
  EXPECT_FALSE(Objects.contains(nullptr));
}
