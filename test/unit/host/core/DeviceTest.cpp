//===- DeviceTest.cpp - Tests of memory for profiling ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Device.h"
#include "HostTest.h"
#include <algorithm>

namespace gmprof::host {
namespace {

constexpr size_t SlabBytes = size_t(2) << 20;

class DeviceTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    addKernel(&StubA, "a");
    launch(&StubA, 1); // the session begins
  }
  /// Allocates more than the slabs hold.
  static std::optional<SlabPool::Block> allocate() {
    return Session::current()->openDevice()->TheDevice->pinned().allocate(2 * SlabBytes);
  }
};

TEST_F(DeviceTest, PinnedMemoryIsZero) {
  const std::optional<SlabPool::Block> Block = allocate();
  ASSERT_TRUE(Block);
  const auto *Bytes = reinterpret_cast<const char *>(Block->Address);
  EXPECT_EQ(std::count(Bytes, Bytes + Block->Bytes, 0), 2 * SlabBytes);
}

TEST_F(DeviceTest, PinnedMemoryCanBeExhausted) {
  fake::fail("cuMemAllocHost", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_FALSE(allocate());
  EXPECT_EQ(Session::current()->openDevice()->TheDevice->memoryError(), CUDA_ERROR_OUT_OF_MEMORY);
}

} // namespace
} // namespace gmprof::host
