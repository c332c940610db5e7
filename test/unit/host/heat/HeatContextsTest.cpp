//===- HeatContextsTest.cpp - Tests of memory of heat launches ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatContexts.h"
#include "HostTest.h"
#include "host/core/RuntimeApi.h"

namespace gmprof::host {
namespace {

class HeatContextsTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Memory.Bytes = size_t(8) << 20;
    addKernel(&StubA, "a");
    launch(&StubA, 1); // the session begins
    Session *S = Session::current();
    Own.emplace(*S->openDevice()->TheDevice, S->log(), S->options());
    Shape.Ranges = std::make_shared<MemoryRanges>();
    Shape.Blocks = 1;
    Shape.Threads = 32;
    AfterLaunch.Params = {sizeof(uint64_t)};
    Shape.Note = Shape.Digest = reinterpret_cast<CUfunction>(&AfterLaunch);
    fake::hold(Stream1); // so that nothing is read, and no memory comes back
  }
  void TearDown() override {
    Own.reset();
    HostTest::TearDown();
  }

  struct Made {
    bool Memory, Upload;
    bool operator==(const Made &) const = default;
  };
  /// Returns whether Work allocates memory and uploads a context.
  template <typename Fn> Made madeBy(Fn Work) {
    const size_t Bytes = fake::bytesAllocated();
    const int Uploads = fake::calls("cuMemcpyHtoDAsync");
    Work();
    return {fake::bytesAllocated() != Bytes, fake::calls("cuMemcpyHtoDAsync") != Uploads};
  }
  Made madeByLaunch(uint32_t Kernel = 0) {
    Shape.Kernel = Kernel;
    return madeBy([&] {
      std::string Why;
      LaunchContext *C = Own->acquire(Shape, Stream1, false, Why);
      ASSERT_NE(C, nullptr) << Why;
      Own->launched(C, Stream1);
    });
  }
  Made madeByWait() {
    return madeBy([&] { Own->poll(); });
  }

  /// Returns the number of chunks for which a launch has room. The launch takes some and ends.
  uint32_t roomOfLaunch(uint32_t Taken) {
    std::string Why;
    LaunchContext *C = Own->acquire(Shape, Stream1, false, Why);
    const auto *Context = reinterpret_cast<const GmprofHeatContext *>(Own->parameter(*C).context);
    reinterpret_cast<GmprofHeatTotals *>(Context->totals)->chunksUsed = Taken;
    const uint32_t Room = Context->chunkLimit;
    Own->launched(C, Stream1);
    return Room;
  }
  uint32_t roomOfNextLaunch(uint32_t Taken) {
    Own->finishEnded(/*All=*/true); // facts about earlier launches
    return roomOfLaunch(Taken);
  }
  void ofBlocks(uint64_t Blocks) {
    Shape.Blocks = Blocks;
    Shape.Noted = {0, Blocks, 1};
  }

  static constexpr Made None = {false, false}, All = {true, true};
  std::optional<HeatContexts> Own;
  HeatShape Shape;
  fake::Function AfterLaunch; ///< does nothing
};

TEST_F(HeatContextsTest, PreparesTheNextLaunchWhileTheProgramWaits) {
  EXPECT_EQ(madeByWait(), None); // nothing is known of launches
  EXPECT_EQ(madeByLaunch(), All);
  EXPECT_EQ(madeByWait(), All);
  EXPECT_EQ(madeByWait(), None); // there was no launch
  EXPECT_EQ(madeByLaunch(), None);
  EXPECT_EQ(madeByLaunch(), All); // without a wait
}

TEST_F(HeatContextsTest, KeepsContextsOfOtherKernels) {
  madeByLaunch();
  madeByWait();
  EXPECT_EQ(madeByLaunch(1), All);
  EXPECT_EQ(madeByLaunch(0), None);
}

TEST_F(HeatContextsTest, PreparesLaunchesOfSeveralKernels) {
  madeByLaunch(0);
  madeByLaunch(1);
  EXPECT_EQ(madeByWait(), All);
  EXPECT_EQ(madeByLaunch(0), None);
  EXPECT_EQ(madeByLaunch(1), None);
  EXPECT_EQ(madeByLaunch(1), All);
}

TEST_F(HeatContextsTest, OldestContextIsReplaced) {
  for (uint32_t Kernel = 0; Kernel < 5; ++Kernel) { // keeps four
    madeByLaunch(Kernel);
    madeByWait();
  }
  EXPECT_EQ(madeByLaunch(4), None);
  EXPECT_TRUE(madeByLaunch(0).Upload);
}

TEST_F(HeatContextsTest, ReplacesContextsOfChangedObjectsInPlace) {
  madeByLaunch();
  madeByWait();
  Shape.Ranges = std::make_shared<MemoryRanges>();
  EXPECT_EQ(madeByLaunch(), (Made{false, true}));
}

TEST_F(HeatContextsTest, WorkThatDoesNotEndIsWaitedForOnce) {
  Device &D = *Session::current()->openDevice()->TheDevice;
  fake::hold(D.readStream()); // as if a kernel that waits for the program filled the device
  const auto EventsOfWait = [&] {
    madeByLaunch();
    const int Before = fake::calls("cuEventRecord");
    Own->poll();
    return fake::calls("cuEventRecord") - Before;
  };
  const int First = EventsOfWait(), Second = EventsOfWait();
  EXPECT_EQ(First - Second, 2); // the ends of two streams
  fake::release(D.readStream());
}

TEST_F(HeatContextsTest, ProgramGetsMemoryOfUnusedContexts) {
  madeByLaunch();
  madeByWait();
  EXPECT_TRUE(Own->giveBackMemory());
  EXPECT_EQ(madeByLaunch(), All);
}

// A 256th of 8 MiB, which is two chunks, and eight for the block's one warp.
TEST_F(HeatContextsTest, RoomFollowsEarlierLaunches) {
  fake::release(Stream1);
  EXPECT_EQ(roomOfNextLaunch(4), 2u + 8);
  EXPECT_EQ(roomOfNextLaunch(2), 5u + 1);  // a quarter more
  EXPECT_EQ(roomOfNextLaunch(3), 3u + 1);  // of 5, three quarters are 3.75
  EXPECT_EQ(roomOfNextLaunch(4), 3u + 1);  // of 3.75, a quarter more than 3
  EXPECT_EQ(roomOfNextLaunch(1), 16u + 1); // it was full: four times as much
  ofBlocks(3);
  EXPECT_EQ(roomOfNextLaunch(0), 3 * 12u + 1);
}

// Few requests may represent long loops.
TEST_F(HeatContextsTest, WholeDeviceProcessesStoredRequests) {
  fake::release(Stream1);
  const uint32_t Sms = Session::current()->openDevice()->TheDevice->facts().Sms;
  roomOfLaunch(1);
  Own->finishEnded(/*All=*/true);
  EXPECT_EQ(fake::launches().back().Grid.x, 8 * Sms);
  EXPECT_EQ(fake::launches().back().Block.x, 256u);
}

TEST_F(HeatContextsTest, ReadsLaunchesWhileTheProgramWaitsIfMemoryIsShort) {
  fake::release(Stream1);
  ofBlocks(20); // 162 chunks are more than a quarter of the memory, and less than half
  EXPECT_EQ(roomOfLaunch(0), 162u);
  Own->poll(); // begins to read
  EXPECT_EQ(roomOfLaunch(0), 162u);
  Own->poll();
  EXPECT_EQ(roomOfLaunch(0), 1u);
}

} // namespace
} // namespace gmprof::host
