//===- StreamOrderTest.cpp - Order of stream work -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCalls.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

using After = std::vector<std::vector<uint32_t>>;

constexpr uint64_t A = 0xa0, B = 0xb0, C = 0xc0; ///< streams
constexpr uint64_t E = 0xe0;                     ///< an event

/// A program with three non-blocking streams.
struct NonBlocking : TestCalls {
  NonBlocking() {
    for (uint64_t Stream : {A, B, C})
      create(Stream, /*NonBlocking=*/true);
  }
};
struct Blocking : TestCalls {
  Blocking() {
    for (uint64_t Stream : {A, B, C})
      create(Stream);
  }
};

} // namespace

TEST(StreamOrderTest, StreamsHaveNoOrder) {
  NonBlocking P;
  P.launch({}, {}, A);
  P.launch({}, {}, B);
  P.launch({}, {}, A);
  P.launch({}, {}); // default stream
  P.launch({}, {}, B);
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {}, {}}));
}

TEST(StreamOrderTest, AStreamWaitsForAnEvent) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.order(OrderKind::EventRecorded, A, E);
  P.launch({}, {}, A); // 1: after the event
  P.order(OrderKind::StreamWaitsEvent, B, E);
  P.launch({}, {}, B); // 2: waits for 0
  P.launch({}, {}, B); // 3: waits for 0 through 2
  P.launch({}, {}, C); // 4: unordered
  EXPECT_EQ(P.after(), (After{{}, {}, {0}, {}, {}}));
}

TEST(StreamOrderTest, LastRecordOfAnEventCounts) {
  NonBlocking P;
  P.order(OrderKind::StreamWaitsEvent, B, E); // not recorded yet: no effect
  P.launch({}, {}, A);                        // 0
  P.order(OrderKind::EventRecorded, A, E);
  P.launch({}, {}, C); // 1
  P.order(OrderKind::EventRecorded, C, E);
  P.order(OrderKind::StreamWaitsEvent, B, E);
  P.launch({}, {}, B); // 2: waits for 1
  P.order(OrderKind::EventDestroyed, 0, E);
  P.order(OrderKind::StreamWaitsEvent, A, E); // a new event, not recorded
  P.launch({}, {}, A);                        // 3
  EXPECT_EQ(P.after(), (After{{}, {}, {1}, {}}));
}

TEST(StreamOrderTest, WaitsAreTransitive) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.order(OrderKind::EventRecorded, A, E);
  P.order(OrderKind::StreamWaitsEvent, B, E);
  P.launch({}, {}, B); // 1: after 0
  P.order(OrderKind::EventRecorded, B, E + 1);
  P.order(OrderKind::StreamWaitsEvent, C, E);
  P.order(OrderKind::StreamWaitsEvent, C, E + 1);
  P.launch({}, {}, C); // 2: after 1, and so after 0
  P.order(OrderKind::StreamWaitsEvent, C, E);
  P.launch({}, {}, C); // 3: nothing new
  EXPECT_EQ(P.after(), (After{{}, {0}, {1}, {}}));
}

TEST(StreamOrderTest, AWaitWithoutWorkIsPassedOn) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.order(OrderKind::EventRecorded, A, E);
  P.order(OrderKind::StreamWaitsEvent, B, E);
  P.order(OrderKind::EventRecorded, B, E + 1);
  P.order(OrderKind::StreamWaitsEvent, C, E + 1);
  P.launch({}, {}, C); // 1
  EXPECT_EQ(P.after(), (After{{}, {0}}));
}

TEST(StreamOrderTest, TheHostWaitsForAStream) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.launch({}, {}, B); // 1
  P.order(OrderKind::StreamSynchronized, A);
  P.launch({}, {}, A);       // 2
  P.launch({}, {}, B);       // 3: called after the wait for 0
  P.launch({}, {}, C);       // 4: the same
  P.launch({}, {}, C);       // 5
  P.by(2).launch({}, {}, 2); // 6: this thread has not waited
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {0}, {0}, {}, {}}));
}

TEST(StreamOrderTest, TheHostWaitsForAnEvent) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.order(OrderKind::EventRecorded, A, E);
  P.launch({}, {}, A); // 1
  P.order(OrderKind::EventSynchronized, 0, E);
  P.launch({}, {}, B); // 2: after 0, not 1
  EXPECT_EQ(P.after(), (After{{}, {}, {0}}));
}

TEST(StreamOrderTest, TheHostWaitsForTheDevice) {
  NonBlocking P;
  P.launch({}, {}, A);       // 0
  P.launch({}, {}, B);       // 1
  P.launch({}, {}, 0xd0, 1); // 2: on another device
  P.synchronize();
  P.launch({}, {}, C); // 3
  P.launch({}, {}, A); // 4
  P.launch({}, {});    // 5
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {0, 1}, {1}, {0, 1}}));
}

TEST(StreamOrderTest, DeviceWaitsCoverDestroyedStreams) {
  NonBlocking P;
  P.launch({}, {}, A); // 0
  P.order(OrderKind::StreamDestroyed, A);
  P.synchronize();
  P.launch({}, {}, B); // 1
  EXPECT_EQ(P.after(), (After{{}, {0}}));
}

TEST(StreamOrderTest, TheDefaultStreamAndBlockingStreams) {
  Blocking P;
  P.create(0xd0, /*NonBlocking=*/true);
  P.launch({}, {}, A);    // 0
  P.launch({}, {}, B);    // 1
  P.launch({}, {}, 0xd0); // 2
  P.launch({}, {});       // 3: after 0 and 1
  P.launch({}, {});       // 4
  P.launch({}, {}, A);    // 5: after 4
  P.launch({}, {}, A);    // 6
  P.launch({}, {}, 0xd0); // 7
  P.launch({}, {}, C);    // 8: after 4
  P.launch({}, {});       // 9: after 6 and 8
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {0, 1}, {}, {4}, {}, {}, {4}, {6, 8}}));
}

TEST(StreamOrderTest, AnEventInTheDefaultStreamStandsForBlockingStreams) {
  Blocking P;
  P.create(0xd0, /*NonBlocking=*/true);
  P.launch({}, {}, A); // 0
  P.order(OrderKind::EventRecorded, 0, E);
  P.launch({}, {}, B); // 1: after the event, and so after 0
  P.order(OrderKind::StreamWaitsEvent, 0xd0, E);
  P.launch({}, {}, 0xd0); // 2
  EXPECT_EQ(P.after(), (After{{}, {0}, {0}}));
}

TEST(StreamOrderTest, PerThreadDefaultStreamsAreBlocking) {
  TestCalls P;
  P.launch({}, {}, 2);       // 0
  P.by(2).launch({}, {}, 2); // 1
  P.launch({}, {});          // 2: the legacy default stream waits for both
  P.by(1).launch({}, {}, 2); // 3
  EXPECT_EQ(P.after(), (After{{}, {}, {0, 1}, {2}}));
}

TEST(StreamOrderTest, DefaultStreamsOfDevicesAreDifferent) {
  TestCalls P;
  P.create(A, false, 0);
  P.create(B, false, 1);
  P.launch({}, {}, A, 0); // 0
  P.launch({}, {}, B, 1); // 1
  P.launch({}, {}, 0, 1); // 2: after 1
  EXPECT_EQ(P.after(), (After{{}, {}, {1}}));
}

TEST(StreamOrderTest, StreamsOfUnknownOriginHaveUnknownOrder) {
  TestCalls P;
  P.launch({}, {}, A);
  P.launch({}, {});
  P.launch({}, {}, A);
  EXPECT_EQ(P.after(), (After{{}, {}, {}}));
}

TEST(StreamOrderTest, CopiesThatTheHostWaitsFor) {
  NonBlocking P;
  uint64_t O = P.allocate(8);                                      // 0
  P.launch({}, {O});                                               // 1
  P.copy("cudaMemcpy", 8, P.in(O), P.host(), 0, HostWait::Before); // 2
  P.launch({}, {}, A);                                             // 3: only certain to be after 1
  P.copy("cudaMemcpy", 8, P.host(), P.in(O), 0, HostWait::All);    // 4
  P.launch({}, {}, A);                                             // 5: after 4
  P.set(O);                                                        // 6
  P.launch({}, {}, B);                                             // 7: not after 6
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {1}, {}, {4}, {}, {4}}));
}

TEST(StreamOrderTest, AllocationIsInTheOrderOfItsThread) {
  NonBlocking P;
  uint64_t X = P.allocate(8);                        // 0
  P.launch({}, {X}, A);                              // 1
  P.launch({}, {X}, A);                              // 2
  uint64_t Y = P.allocate(8);                        // 3: called after 2
  P.launch({X}, {Y}, A);                             // 4
  P.allocate(8);                                     // 5: after 4
  P.allocate(8);                                     // 6: the default stream orders it after 5
  P.by(2).allocate(8);                               // 7
  P.by(1).launch({}, {}, B);                         // 8: allocations do not delay it
  P.object(ObjectKind::Pinned, 8, "cudaMallocHost"); // 9
  P.allocate(8);                                     // 10: after 8
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {2}, {}, {4}, {}, {}, {}, {}, {8}}));
}

TEST(StreamOrderTest, CudaFreeWaitsForTheDevice) {
  NonBlocking P;
  uint64_t X = P.allocate(8); // 0
  uint64_t Y = P.allocate(8); // 1
  P.launch({}, {}, A);        // 2
  P.launch({}, {}, B);        // 3
  P.launch({}, {});           // 4: in the default stream, like cudaFree
  P.release(X);               // 5
  P.release(Y);               // 6
  P.launch({}, {}, A);        // 7: called after the wait for 3 and 4
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {}, {}, {2, 3}, {}, {4, 3}}));
}

TEST(StreamOrderTest, CudaFreeHostWaitsForTheDefaultStream) {
  NonBlocking P;
  uint64_t H = P.object(ObjectKind::Pinned, 8, "cudaMallocHost"); // 0
  P.launch({}, {}, B);                                            // 1
  P.launch({}, {});                                               // 2
  P.release(H, "cudaFreeHost");                                   // 3
  P.launch({}, {}, A);                                            // 4: after 2
  EXPECT_EQ(P.after(), (After{{}, {}, {}, {}, {2}}));
}

TEST(StreamOrderTest, StreamOrderedMemoryIsInItsStream) {
  NonBlocking P;
  uint64_t X = P.allocateAsync(8, A); // 0
  P.launch({}, {X}, A);               // 1
  P.order(OrderKind::EventRecorded, A, E);
  P.order(OrderKind::StreamWaitsEvent, B, E);
  P.releaseAsync(X, B); // 2: after 1
  P.launch({}, {}, C);  // 3: nothing delays it
  EXPECT_EQ(P.after(), (After{{}, {}, {1}, {}}));
}

TEST(StreamOrderTest, CopiesBetweenDevicesAreInTheOrderOfBoth) {
  TestCalls P;
  uint64_t X = P.allocate(8, 0), Y = P.allocate(8, 1); // 0, 1
  P.create(A, true, 0);
  P.create(B, true, 1);
  P.launch({}, {}, A, 0);                                    // 2
  P.launch({}, {}, B, 1);                                    // 3
  P.copy("cudaMemcpyPeer", 8, P.in(Y), P.in(X)).Peer = true; // 4
  P.launch({}, {}, A, 0);                                    // 5
  P.launch({}, {}, 0, 1);                                    // 6
  EXPECT_EQ(P.after(), (After{{}, {0}, {}, {}, {2, 3}, {4}, {4}}));
}

// Many requests, each with its own stream: their predecessors are one edge, not one per stream.
TEST(StreamOrderTest, EdgesGrowWithTheProgramAndNotFaster) {
  TestCalls P;
  for (uint64_t Request = 1; Request <= 2000; ++Request) {
    const uint64_t Stream = 0x1000 + 16 * Request;
    P.create(Stream, true);
    P.launch({}, {}, Stream);
    P.synchronize();
    P.order(OrderKind::StreamDestroyed, Stream);
  }
  size_t Edges = 0;
  for (const std::vector<uint32_t> &Each : P.after())
    Edges += Each.size();
  EXPECT_EQ(Edges, 1999u);
}
