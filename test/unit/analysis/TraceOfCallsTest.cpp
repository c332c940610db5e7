//===- TraceOfCallsTest.cpp - The figures of DrGPUM, from calls -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives timestamps and patterns from calls as the log holds them.
//
//===----------------------------------------------------------------------===//

#include "../profile/TestCalls.h"
#include "TestTrace.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

std::vector<uint32_t> timestamps(const ApiTrace &T) { return topologicalTimestamps(T); }

} // namespace

// Figure 2: B is allocated at 2, first used at 7, last used at 9, and released at 12; C is used at
// 4 and 8, and never released.
TEST(TraceOfCallsTest, PaperFigure2) {
  TestCalls P;
  P.launch({}, {});            // 0
  P.launch({}, {});            // 1
  uint64_t B = P.allocate(20); // 2
  uint64_t C = P.allocate(30); // 3
  P.upload(C);                 // 4
  uint64_t A = P.allocate(10); // 5
  P.upload(A);                 // 6
  P.launch({A}, {B});          // 7
  P.launch({C}, {A});          // 8
  P.launch({A, B}, {A});       // 9
  P.download(A);               // 10
  P.release(A);                // 11
  P.release(B);                // 12
  ApiTrace T = buildApiTrace(P);
  std::vector<uint32_t> Times = timestamps(T);
  // A single stream: timestamps follow the calls.
  EXPECT_EQ(Times, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  ObjectHistory H(T, Times);
  EXPECT_TRUE(std::ranges::equal(H.uses(0), std::vector<uint32_t>{7, 9}));
  EXPECT_TRUE(std::ranges::equal(H.uses(1), std::vector<uint32_t>{4, 8}));
  ObjectInefficiencies Early = earlyAllocations(H), Late = lateDeallocations(H);
  ASSERT_EQ(Early.size(), 1u);
  EXPECT_EQ(T.Objects[Early[0].Object].Id, B);
  EXPECT_EQ(number(Early[0], "operations_between"), 4u);
  ASSERT_EQ(Late.size(), 1u);
  EXPECT_EQ(T.Objects[Late[0].Object].Id, B);
  EXPECT_EQ(number(Late[0], "operations_between"), 2u);
}

// Figure 4: two streams; the second one's kernel reads the result of the first one's copy.
TEST(TraceOfCallsTest, PaperFigure4DistanceOfO1Is3) {
  constexpr uint64_t First = 0xa0, Second = 0xb0;
  TestCalls P;
  P.create(First, true);
  P.create(Second, true);
  uint64_t O1 = P.allocateAsync(64, First);  // 0: T 0
  uint64_t O2 = P.allocateAsync(64, First);  // 1: T 1
  uint64_t O3 = P.allocateAsync(64, Second); // 2: T 0
  P.upload(O2, First);                       // 3: T 2
  P.upload(O1, First);                       // 4: T 3
  P.set(O3, Second);                         // 5: T 1
  P.launch({O2}, {O3}, Second);              // 6: T 3, after the copy to O2
  P.launch({O1}, {}, First);                 // 7: T 4
  P.releaseAsync(O2, First);                 // 8: T 5
  ApiTrace T = buildApiTrace(P);
  std::vector<uint32_t> Times = timestamps(T);
  EXPECT_EQ(Times, (std::vector<uint32_t>{0, 1, 0, 2, 3, 1, 3, 4, 5}));
  ObjectInefficiencies Early = earlyAllocations(ObjectHistory(T, Times));
  ASSERT_EQ(Early.size(), 1u);
  EXPECT_EQ(T.Objects[Early[0].Object].Id, O1);
  EXPECT_EQ(number(Early[0], "operations_between"), 2u);
}

// A kernel in a stream that waits for an event comes after the copy before the event, although they
// share no object.
TEST(TraceOfCallsTest, AnEventOrdersTwoStreams) {
  constexpr uint64_t First = 0xa0, Second = 0xb0, Event = 0xe0;
  TestCalls P;
  P.create(First, true);
  P.create(Second, true);
  uint64_t A = P.allocate(64); // 0: T 0
  P.upload(A, First);          // 1: T 1
  P.launch({A}, {A}, First);   // 2: T 2
  P.order(OrderKind::EventRecorded, First, Event);
  P.launch({}, {}, Second); // 3: T 0
  P.order(OrderKind::StreamWaitsEvent, Second, Event);
  P.launch({}, {}, Second); // 4: T 3, after 2
  P.launch({A}, {}, First); // 5: T 3
  EXPECT_EQ(timestamps(buildApiTrace(P)), (std::vector<uint32_t>{0, 1, 2, 0, 3, 3}));
}

// The object is allocated right before its use, and the program uses its own stream.
TEST(TraceOfCallsTest, AllocationBetweenLaunchesIsNotEarly) {
  constexpr uint64_t Stream = 0xa0;
  TestCalls P;
  P.create(Stream, true);
  for (int I = 0; I < 5; ++I)
    P.launch({}, {}, Stream);  // T 0 to 4
  uint64_t A = P.allocate(64); // T 5
  P.launch({}, {A}, Stream);   // T 6
  ApiTrace T = buildApiTrace(P);
  std::vector<uint32_t> Times = timestamps(T);
  EXPECT_EQ(Times, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(earlyAllocations(ObjectHistory(T, Times)).empty());
}
