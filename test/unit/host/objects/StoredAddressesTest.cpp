//===- StoredAddressesTest.cpp - Addresses that copies bring to the GPU ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include <array>

namespace gmprof::host {
namespace {

using log::ObjectKind;
using Known = std::map<uint64_t, ObjectKind>;

class StoredAddressesTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Profiles = ProfileChoice::Objects;
  }
  static uint64_t allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return reinterpret_cast<uint64_t>(Pointer);
  }
  template <size_t Count>
  static void copy(uint64_t To, const std::array<uint64_t, Count> &Words,
                   cudaMemcpyKind Kind = cudaMemcpyHostToDevice) {
    EXPECT_EQ(cudaMemcpy(reinterpret_cast<void *>(To), Words.data(), sizeof(Words), Kind),
              cudaSuccess);
  }
  static StoredAddresses &stored() { return Session::current()->storedAddresses(); }
  static Known known() {
    Known All;
    stored().forEach([&](uint64_t Object, ObjectKind Kind) { All.emplace(Object, Kind); });
    return All;
  }
};

TEST_F(StoredAddressesTest, FindsObjectsInACopy) {
  const uint64_t A = allocate(1000), B = allocate(8), C = allocate(64);
  const uint64_t Before = stored().version();
  copy(C, std::array{A - 1, uint64_t(5), B + 8});
  EXPECT_EQ(known(), Known());
  EXPECT_EQ(stored().version(), Before);
  copy(C, std::array{uint64_t(5), A + 999, B});
  EXPECT_EQ(known(), (Known{{1, ObjectKind::Device}, {2, ObjectKind::Device}}));
  EXPECT_NE(stored().version(), Before);
  EXPECT_EQ(cudaFree(reinterpret_cast<void *>(A)), cudaSuccess);
  EXPECT_EQ(known(), (Known{{2, ObjectKind::Device}}));
}

TEST_F(StoredAddressesTest, SearchesOnlyCopiesToTheGpu) {
  const uint64_t A = allocate(1000);
  std::array<uint64_t, 2> Host = {};
  copy(reinterpret_cast<uint64_t>(Host.data()), std::array{A, A}, cudaMemcpyHostToHost);
  EXPECT_EQ(known(), Known());
}

// The program's description of the memory may be wrong.
TEST_F(StoredAddressesTest, MemoryThatCannotBeReadHasNone) {
  const uint64_t A = allocate(1000);
  EXPECT_EQ(cudaMemcpy(reinterpret_cast<void *>(A), reinterpret_cast<void *>(4096), 64,
                       cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(known(), Known());
  EXPECT_TRUE(stored().complete());
}

TEST_F(StoredAddressesTest, PartsOfPools) {
  const uint64_t Slab = allocate(4096), Table = allocate(64);
  Pools &All = Session::current()->pools();
  const uint64_t Pool = All.create(Slab, 4096, nullptr);
  All.allocate(Pool, Slab + 256, 256, nullptr, nullptr);
  All.allocate(Pool, Slab + 512, 256, nullptr, nullptr);
  copy(Table, std::array{Slab + 300, Slab + 600});
  EXPECT_EQ(known(), (Known{{3, ObjectKind::Pool}, {4, ObjectKind::Pool}}));
  All.release(Pool, Slab + 256, nullptr);
  EXPECT_EQ(known(), (Known{{4, ObjectKind::Pool}}));
  // A new part takes the place of the old one.
  All.allocate(Pool, Slab + 512, 64, nullptr, nullptr);
  EXPECT_EQ(known(), Known());
}

// An address in a part follows an address in the slab, and the other way round.
TEST_F(StoredAddressesTest, FindsPoolsAndTheirParts) {
  const uint64_t Slab = allocate(4096), Table = allocate(64);
  Pools &All = Session::current()->pools();
  const uint64_t Pool = All.create(Slab, 4096, nullptr);
  All.allocate(Pool, Slab + 256, 256, nullptr, nullptr);
  All.allocate(Pool, Slab + 512, 256, nullptr, nullptr);
  copy(Table, std::array{Slab, Slab + 300, Slab + 301, Slab + 600, Slab + 8});
  EXPECT_EQ(known(),
            (Known{{1, ObjectKind::Device}, {3, ObjectKind::Pool}, {4, ObjectKind::Pool}}));
}

// Tables have addresses at their beginning; other long data is not looked through.
TEST_F(StoredAddressesTest, LongCopiesOnlyIfTheyBeginWithSome) {
  constexpr size_t Words = StoredAddresses::Beginning / sizeof(uint64_t);
  const uint64_t A = allocate(1000), B = allocate(1000);
  std::array<uint64_t, Words + 1> Long = {};
  Long[Words] = B;
  EXPECT_FALSE(stored().look(Long.data(), sizeof(Long)));
  EXPECT_EQ(known(), Known());
  Long[Words - 1] = A;
  EXPECT_TRUE(stored().look(Long.data(), sizeof(Long)));
  EXPECT_EQ(known(), (Known{{1, ObjectKind::Device}, {2, ObjectKind::Device}}));
}

} // namespace
} // namespace gmprof::host
