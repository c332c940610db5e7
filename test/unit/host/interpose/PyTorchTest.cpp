//===- PyTorchTest.cpp - Tensors in slabs ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/Session.h"

namespace c10 {

enum class DeviceType : int8_t { CPU, CUDA };
struct Device {
  DeviceType Type;
  int8_t Index;
};
/// Declared like in libc10.so.
void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device);
void reportOutOfMemoryToProfiler(int64_t, size_t, size_t, Device);

} // namespace c10

namespace gmprof::host {
namespace {

using log::ObjectKind;

class PyTorchTest : public HostTest {
protected:
  void SetUp() override { begin(ProfileChoice::Objects); }
  /// The run that was before is at its end then.
  void begin(ProfileChoice Profile) {
    TearDown();
    HostTest::SetUp();
    settings().TheOptions.Profiles = Profile;
    EXPECT_EQ(cudaMalloc(&Slab, 4096), cudaSuccess);
  }
  /// Bytes: less than 0 if it is released.
  void report(uint64_t Offset, int64_t Bytes, c10::DeviceType Type = c10::DeviceType::CUDA) const {
    c10::reportMemoryUsageToProfiler(static_cast<char *>(Slab) + Offset, Bytes, 0, 0, {Type, 0});
  }

  void *Slab = nullptr;
};

TEST_F(PyTorchTest, TensorsArePartsOfTheirSlab) {
  report(512, 1024);
  report(2048, 512);
  report(512, -1024);
  report(512, 256);
  const profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 4u);
  EXPECT_EQ(P.Objects[0].Name, "slab of PyTorch");
  EXPECT_FALSE(P.Objects[0].Released);
  const std::vector<uint64_t> Bytes = {1024, 512, 256};
  for (size_t I = 1; I < 4; ++I) {
    EXPECT_EQ(P.Objects[I].Kind, ObjectKind::Pool);
    EXPECT_EQ(P.Objects[I].Bytes, Bytes[I - 1]);
    EXPECT_EQ(P.Objects[I].Made.Api, "CUDACachingAllocator::malloc");
    EXPECT_EQ(P.Objects[I].Released.has_value(), I == 1);
  }
  EXPECT_EQ(P.Objects[1].Released->Api, "CUDACachingAllocator::free");
  EXPECT_TRUE(P.Gaps.empty());
}

// The program may limit PyTorch's share of the memory: CUDA is not asked then.
TEST_F(PyTorchTest, TensorsThatFindNoMemory) {
  c10::reportOutOfMemoryToProfiler(1 << 30, 0, 4096, {c10::DeviceType::CUDA, 0});
  c10::reportOutOfMemoryToProfiler(4096, 0, 0, {c10::DeviceType::CPU, 0});
  const profile::Profile P = finish();
  ASSERT_EQ(P.FailedAllocations.size(), 1u);
  EXPECT_EQ(P.FailedAllocations[0].Api, "CUDACachingAllocator::malloc");
  EXPECT_EQ(P.FailedAllocations[0].Bytes, uint64_t(1) << 30);
}

TEST_F(PyTorchTest, TensorsLieAcrossPartsOfAnExpandableSegment) {
  constexpr uint64_t Segment = 0x7f0000000000, Part = 4096;
  Objects &All = Session::current()->objects();
  for (const uint64_t At : {Segment, Segment + Part})
    All.add({"cuMemMap", nullptr, ObjectKind::Device, At, At, Part, 0});
  const auto ReportAt = [](uint64_t Address, int64_t Bytes) {
    c10::reportMemoryUsageToProfiler(reinterpret_cast<void *>(Address), Bytes, 0, 0,
                                     {c10::DeviceType::CUDA, 0});
  };
  ReportAt(Segment + 512, 6144);
  EXPECT_EQ(Session::current()->pools().find(Segment + Part + 1024)->Bytes, 6144u);
  ReportAt(Segment + 512, -6144);
  ReportAt(Segment + Part, 8192); // ends where nothing is mapped
  const profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 4u); // with the slab of cudaMalloc
  EXPECT_EQ(P.Objects[3].Bytes, 6144u);
  EXPECT_EQ(P.Objects[3].Parent, P.Objects[1].Id);
  EXPECT_TRUE(P.Objects[3].Released);
  EXPECT_TRUE(P.Gaps.empty());
}

TEST_F(PyTorchTest, SlabsOfAnotherRunHaveTheSameNumbers) {
  report(512, 1024);
  begin(ProfileChoice::Objects);
  report(2048, 256);
  const profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 2u);
  EXPECT_EQ(P.Objects[1].Bytes, 256u);
}

TEST_F(PyTorchTest, InProfilesOfAccesses) {
  begin(ProfileChoice::Heat);
  report(512, 1024);
  const profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 2u);
  EXPECT_EQ(P.Objects[1].Kind, ObjectKind::Pool);
}

TEST_F(PyTorchTest, NotInThoseOfWaits) {
  begin(ProfileChoice::Sync);
  report(512, 1024);
  EXPECT_EQ(finish().Objects.size(), 1u);
}

TEST_F(PyTorchTest, MemoryOutsideOfSlabsIsIgnored) {
  report(0, 512, c10::DeviceType::CPU);
  report(4000, 512);    // ends behind it
  report(1 << 20, 512); // of unknown memory
  report(512, -512);    // allocated before anybody looked
  const profile::Profile P = finish();
  EXPECT_EQ(P.Objects.size(), 1u);
  EXPECT_TRUE(P.Gaps.empty());
}

} // namespace
} // namespace gmprof::host
