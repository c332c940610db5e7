//===- HeatContextsTest.cpp - The memory of launches whose heat is noted --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/HeatContexts.h"
#include "HostTest.h"
#include "host/RuntimeApi.h"

namespace gmprof::host {
namespace {

class HeatContextsTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Memory.Bytes = size_t(8) << 20;
  }
};

TEST_F(HeatContextsTest, MemoryForTheNextLaunchIsMadeWhileTheProgramWaits) {
  addKernel(&StubA, "a");
  launch(&StubA, 1); // the session begins
  Session *S = Session::current();
  DeviceState *D = S->openDevice();
  HeatContexts Own(*D->TheDevice, S->log(), S->options());
  HeatShape Shape;
  Shape.Ranges = std::make_shared<MemoryRanges>();
  Shape.Blocks = 1;
  Shape.Threads = 32;
  fake::hold(Stream1); // so that nothing is read, and no memory comes back
  const auto AllocatedByLaunch = [&] {
    const size_t Before = fake::bytesAllocated();
    std::string Why;
    LaunchContext *C = Own.acquire(Shape, Stream1, false, Why);
    EXPECT_NE(C, nullptr) << Why;
    Own.launched(C, Stream1);
    return fake::bytesAllocated() - Before;
  };
  const auto AllocatedByWait = [&] {
    const size_t Before = fake::bytesAllocated();
    Own.poll();
    return fake::bytesAllocated() - Before;
  };
  EXPECT_EQ(AllocatedByWait(), 0u); // nothing is known of launches
  EXPECT_NE(AllocatedByLaunch(), 0u);
  EXPECT_NE(AllocatedByWait(), 0u);
  EXPECT_EQ(AllocatedByWait(), 0u); // there was no launch
  EXPECT_EQ(AllocatedByLaunch(), 0u);
  EXPECT_NE(AllocatedByLaunch(), 0u); // without a wait
}

} // namespace
} // namespace gmprof::host
