//===- LaunchTest.cpp - What runs in the place of a launch ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Launch.h"
#include "../../profile/FormWriter.h"
#include "../../profile/TestLog.h"
#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include "host/shared/SharedProfiler.h"
#include <thread>

namespace gmprof::host {
namespace {

using log::LaunchMode;

class LaunchTest : public HostTest {
protected:
  const fake::Launch &last() { return fake::launches().back(); }
  std::string lastName() { return fake::launches().empty() ? "" : last().What->Name; }
};

TEST_F(LaunchTest, CloneGetsArgumentsConfigurationAndParameter) {
  addKernel(&StubA, "add");
  settings().TheOptions.BlockSample = 4;
  ASSERT_EQ(launch(&StubA, 7, Stream1, dim3(3, 2, 2), dim3(32, 4, 2), 20), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
  EXPECT_EQ(last().arg<int *>(0), &Out);
  EXPECT_EQ(last().arg<int>(1), 7);
  EXPECT_EQ(last().Grid.x * 100 + last().Grid.y * 10 + last().Grid.z, 322u);
  EXPECT_EQ(last().Block.x * 100 + last().Block.y * 10 + last().Block.z, 3242u);
  EXPECT_EQ(last().Stream, Stream1);
  auto P = last().arg<GmprofSharedLaunch>(2);
  // 64 bytes of static shared memory end at 128 at most, 20 more: 37 words, in
  // sixteens 48. The counters follow at 32, the next multiple of 16 after 20.
  EXPECT_EQ(P.words, 48u);
  EXPECT_EQ(P.counterOffset, 32u);
  EXPECT_EQ(P.counterBytes, 48u + 16);
  EXPECT_EQ(last().DynamicShared, 32u + 64);
  EXPECT_EQ(P.dynamicBytes, 20u);
  EXPECT_EQ(P.blockSample, 4u);
  EXPECT_EQ(P.replicas, 8u); // a power of two, not above the 12 blocks
  EXPECT_EQ(P.layout % 256, 0u);
  EXPECT_EQ(P.sums % 256, 0u);
  EXPECT_EQ(P.capped, P.sums + 8 * 48 * 8);
}

TEST_F(LaunchTest, WholeLaunchesAreSampledWhereAllBlocksRunAtATime) {
  addKernel(&StubA, "add");
  settings().TheOptions.BlockSample = 3;
  std::vector<unsigned> Samples; // 0: the program's own kernel
  for (int I = 0; I < 7; ++I) {
    ASSERT_EQ(launch(&StubA, 7, nullptr, fake::Sms * fake::BlocksPerSm), cudaSuccess);
    Samples.push_back(lastName() == "add" ? 0 : last().arg<GmprofSharedLaunch>(2).blockSample);
  }
  EXPECT_EQ(Samples, (std::vector<unsigned>{3, 0, 0, 1, 0, 0, 1}));
  // One more block does not run at the same time as the others.
  ASSERT_EQ(launch(&StubA, 7, nullptr, fake::Sms * fake::BlocksPerSm + 1), cudaSuccess);
  EXPECT_EQ(last().arg<GmprofSharedLaunch>(2).blockSample, 3u);
}

class SeveralProfilesTest : public LaunchTest {
protected:
  void SetUp() override {
    LaunchTest::SetUp();
    settings().TheOptions.Profiles = ProfileSet(ProfileChoice::Shared) | ProfileChoice::Objects;
    settings().TheOptions.Sampling = LaunchSampling::Doubling;
    addKernel(&StubA, "add");
  }
  static std::vector<LaunchMode> modes(const profile::Profile &P) {
    std::vector<LaunchMode> Modes;
    for (const profile::Launch &L : P.Launches)
      Modes.push_back(L.Mode);
    return Modes;
  }
};

TEST_F(SeveralProfilesTest, SampledLaunchesRunClonesAndTheOthersAreRecordedWithTheirObjects) {
  std::vector<std::string> Ran;
  for (int I = 0; I < 5; ++I) {
    ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
    Ran.push_back(lastName());
  }
  EXPECT_EQ(Ran, (std::vector<std::string>{"add__gm_shared", "add__gm_shared", "add",
                                           "add__gm_shared", "add"}));
  const profile::Profile P = finish();
  EXPECT_EQ(modes(P), (std::vector{LaunchMode::Shared, LaunchMode::Shared, LaunchMode::Objects,
                                   LaunchMode::Shared, LaunchMode::Objects}));
  EXPECT_TRUE(P.Gaps.empty());
}

TEST_F(SeveralProfilesTest, LaunchesAreTimed) {
  for (int I = 0; I < 10; ++I)
    ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  const profile::Profile P = finish();
  std::vector<uint32_t> Timed;
  for (const profile::LaunchTime &T : P.LaunchTimes) {
    Timed.push_back(T.Launch + 1);
    EXPECT_EQ(T.Ns, 2'500'000u);
  }
  EXPECT_EQ(Timed, (std::vector<uint32_t>{1, 2, 3, 4, 5, 8, 9}));
}

TEST_F(SeveralProfilesTest, LaunchWhoseCloneFailsIsRecordedWithItsObjects) {
  fake::fail("cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(lastName(), "add");
  const profile::Profile P = finish();
  EXPECT_EQ(modes(P), std::vector{LaunchMode::Objects});
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "instrumented launches");
  EXPECT_EQ(P.Gaps[0].Reason, "its clone could not be launched: CUDA driver error 1");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(SeveralProfilesTest, LaunchWhoseClonesAllFailIsRecordedWithItsObjects) {
  addKernel(&StubB, "both", GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_DM);
  fake::fail("cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE, 2);
  ASSERT_EQ(launch(&StubB, 1), cudaSuccess);
  EXPECT_EQ(lastName(), "both");
  const profile::Profile P = finish();
  EXPECT_EQ(modes(P), std::vector{LaunchMode::Objects});
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "instrumented launches");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(LaunchTest, LaunchesOfASingleProfileAreNotTimed) {
  addKernel(&StubA, "add");
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_TRUE(finish().LaunchTimes.empty());
}

TEST(SharedCounterRoom, FollowsCounterWidth) {
  SharedCounterRoom Room = sharedCounterRoom(4096, 0, 16);
  EXPECT_EQ(Room.Words, 1024u);
  EXPECT_EQ(Room.CounterOffset, 0u);
  EXPECT_EQ(Room.CounterBytes, 2048u + 16);
  EXPECT_EQ(sharedCounterRoom(0, 0, 8).Words, 16u);
  EXPECT_EQ(sharedCounterRoom(1, 0, 32).CounterBytes, 64u + 16);
  EXPECT_EQ(sharedCounterRoom(100, 1000, 8).Words, 288u); // (128 + 1000) / 4 = 282
}

TEST_F(LaunchTest, AttributesArePassedOn) {
  addKernel(&StubA, "add");
  int *To = &Out, Value = 1;
  void *Args[] = {&To, &Value};
  cudaLaunchAttribute Attribute = {};
  Attribute.id = cudaLaunchAttributePriority;
  Attribute.val.priority = -3;
  cudaLaunchConfig_t Config = {};
  Config.gridDim = 2;
  Config.blockDim = 32;
  Config.stream = Stream1;
  Config.attrs = &Attribute;
  Config.numAttrs = 1;
  ASSERT_EQ(cudaLaunchKernelExC(&Config, &StubA, Args), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
  ASSERT_EQ(last().Attributes.size(), 1u);
  EXPECT_EQ(last().Attributes[0].id, CU_LAUNCH_ATTRIBUTE_PRIORITY);
  EXPECT_EQ(last().Attributes[0].value.priority, -3);
  EXPECT_EQ(Out, 2);
}

TEST_F(LaunchTest, PerThreadDefaultStream) {
  addKernel(&StubA, "add");
  int *To = &Out, Value = 1;
  void *Args[] = {&To, &Value};
  ASSERT_EQ(cudaLaunchKernel_ptsz(&StubA, 2, 32, Args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(last().Stream, CU_STREAM_PER_THREAD);
  EXPECT_EQ(lastName(), "add__gm_shared");
}

TEST_F(LaunchTest, TheContextStaysCurrentOnAThreadThatHadNone) {
  addKernel(&StubA, "add");
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  std::thread([this] {
    EXPECT_FALSE(fake::hasContext());
    EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
    EXPECT_EQ(lastName(), "add__gm_shared");
    EXPECT_TRUE(fake::hasContext());
  }).join();
}

TEST_F(LaunchTest, CooperativeLaunch) {
  addKernel(&StubA, "add");
  int *To = &Out, Value = 1;
  void *Args[] = {&To, &Value};
  constexpr int Fitting = fake::Sms * fake::BlocksPerSm;
  ASSERT_EQ(cudaLaunchCooperativeKernel(&StubA, Fitting, 32, Args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
  ASSERT_EQ(last().Attributes.size(), 1u);
  EXPECT_EQ(last().Attributes[0].value.cooperative, 1);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&StubA, Fitting + 1, 32, Args, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchTest, CooperativeLaunchThatFitsOnlyWithoutCounters) {
  addKernel(&StubA, "add");
  fake::fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", CUDA_ERROR_INVALID_VALUE);
  int *To = &Out, Value = 1;
  void *Args[] = {&To, &Value};
  ASSERT_EQ(cudaLaunchCooperativeKernel(&StubA, 2, 32, Args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(lastName(), "add");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Refused);
  EXPECT_EQ(P.Launches[0].Reason, "the blocks of this cooperative launch would not all fit on the "
                                  "device with counters");
}

/// A launch that fails must fail with profiling as it does without.
struct BadLaunch {
  const char *Name;
  unsigned Grid, Block;
  size_t Shared;
  cudaError_t Error;
};

class BadLaunchTest : public LaunchTest, public testing::WithParamInterface<BadLaunch> {};

TEST_P(BadLaunchTest, FailsAsWithoutProfiling) {
  addKernel(&StubA, "add").Attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 512;
  const BadLaunch &B = GetParam();
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  size_t Before = fake::launches().size();
  EXPECT_EQ(launch(&StubA, 1, nullptr, B.Grid, B.Block, B.Shared), B.Error);
  EXPECT_EQ(cudaPeekAtLastError(), B.Error);
  EXPECT_EQ(cudaGetLastError(), B.Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(fake::launches().size(), Before);
  EXPECT_EQ(Out, 2);
  EXPECT_EQ(finish().Launches.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Launch, BadLaunchTest,
    testing::Values(BadLaunch{"NoBlocks", 0, 32, 0, cudaErrorInvalidConfiguration},
                    BadLaunch{"NoThreads", 1, 0, 0, cudaErrorInvalidConfiguration},
                    BadLaunch{"ManyThreads", 1, 1025, 0, cudaErrorInvalidConfiguration},
                    BadLaunch{"Registers", 1, 513, 0, cudaErrorLaunchOutOfResources},
                    BadLaunch{"Shared", 1, 32, (48 << 10) + 1, cudaErrorInvalidValue}),
    [](const auto &Info) { return std::string(Info.param.Name); });

TEST_F(LaunchTest, UnknownHandleFailsAsWithoutProfiling) {
  EXPECT_EQ(launch(&StubB, 1), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

TEST_F(LaunchTest, PendingErrorStaysThePrograms) {
  addKernel(&StubA, "add");
  launch(&StubA, 1, nullptr, 0);
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

TEST_F(LaunchTest, DriverRefusesTheClone) {
  addKernel(&StubA, "add");
  fake::fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(lastName(), "add");
  EXPECT_EQ(Out, 10);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Refused);
  EXPECT_EQ(P.Launches[0].Reason, "its clone could not be launched: CUDA driver error 701");
  EXPECT_EQ(P.Launches[0].Context, 0u);
}

TEST_F(LaunchTest, DriverRefusesTheCloneAndDeviceCountersHelp) {
  addKernel(&StubA, "add", GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_DM);
  fake::fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared_dm");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::SharedDm);
}

TEST_F(LaunchTest, SharedMemoryWithoutRoomForCounters) {
  fake::Function &F =
      addKernel(&StubA, "add", GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_DM, /*StaticShared=*/0);
  // A quarter of it again for counters: 80 KiB still fit in 100 KiB, one byte
  // of the 16 that the control state takes more does not.
  constexpr size_t Most = 80 * 1024 - 64;
  F.Attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = fake::SharedOptin;
  ASSERT_EQ(launch(&StubA, 1, nullptr, 2, 32, Most), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
  EXPECT_EQ(last().DynamicShared, Most + Most / 4 + 16);
  ASSERT_EQ(launch(&StubA, 1, nullptr, 2, 32, 80 * 1024), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared_dm");
  EXPECT_EQ(last().DynamicShared, 80u * 1024);
  EXPECT_EQ(last().arg<GmprofSharedLaunch>(2).counterBytes, 0u);
  profile::Profile P = finish();
  ASSERT_EQ(P.Shared.size(), 2u);
  EXPECT_FALSE(P.Shared[0].CountersInDeviceMemory);
  EXPECT_TRUE(P.Shared[1].CountersInDeviceMemory);
}

TEST_F(LaunchTest, NoRoomAndNoOtherClone) {
  fake::Function &F = addKernel(&StubA, "add", GMPROF_MODE_SHARED, /*StaticShared=*/0);
  F.Attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = fake::SharedOptin;
  ASSERT_EQ(launch(&StubA, 1, nullptr, 2, 32, fake::SharedOptin), cudaSuccess);
  EXPECT_EQ(lastName(), "add");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Reason, "the block's shared memory has no room for counters");
}

TEST_F(LaunchTest, LimitRaisedByTheProgramAfterTheFirstLaunch) {
  addKernel(&StubA, "add", GMPROF_MODE_SHARED, /*StaticShared=*/0);
  EXPECT_EQ(launch(&StubA, 1, nullptr, 2, 32, 60 << 10), cudaErrorInvalidValue);
  cudaFuncSetAttribute(&StubA, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10);
  EXPECT_EQ(launch(&StubA, 1, nullptr, 2, 32, 60 << 10), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
}

/// The descriptor of add(int *Out, int N): it has one access of shared memory, at
/// 4 * threadIdx.x, which is known where N is at most 100.
std::vector<char> descriptorWithForm(unsigned Modes) {
  test::DescriptorWriter D("add");
  D.Header.paramCount = 2;
  D.Header.modes = Modes;
  D.Header.counterBits = 8;
  D.Header.threshold = 255;
  D.variable("tile", "int[16]", 4, 64);
  ClosedForm Form;
  Form.Address = {{4, {test::TidX}}};
  Form.Conditions = {{0, 0, 100, {{1, {test::parameter(1)}}}}};
  const std::vector<int64_t> Words = test::wordsOf(Form);
  D.form(D.site(0, GMPROF_ACCESS_STORE, 7, GMPROF_RULE_CLOSED_FORM), {Words.begin(), Words.end()});
  std::vector<std::byte> Bytes = D.bytes();
  auto *Begin = reinterpret_cast<const char *>(Bytes.data());
  return {Begin, Begin + Bytes.size()};
}

TEST_F(LaunchTest, NothingToCount) {
  constexpr unsigned Modes = GMPROF_MODE_SHARED_KNOWN | GMPROF_MODE_SHARED_ALL;
  addKernel(&StubA, "add", Modes);
  TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX "add"] = descriptorWithForm(Modes);
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  ASSERT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(lastName(), "add");
  ASSERT_EQ(launch(&StubA, 101), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared_all");
  profile::Profile P = finish();
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Launches.size(), 3u);
  for (const profile::Launch &L : P.Launches)
    EXPECT_EQ(L.Mode, LaunchMode::Shared);
  EXPECT_EQ(P.Launches[0].Context, P.Launches[1].Context);
  ASSERT_EQ(P.Shared.size(), 2u);
  EXPECT_EQ(P.Shared[1].Context, P.Launches[0].Context);
  EXPECT_EQ(P.Shared[1].Blocks, 4u);
  EXPECT_EQ(P.Shared[1].Threads, 128u);
  EXPECT_EQ(P.Shared[1].Sums, Words(16, 4));
  EXPECT_EQ(P.Shared[1].Lost, 64u); // threads 16 to 31
  EXPECT_EQ(P.Shared[0].Sums[0], 202u);
}

TEST_F(LaunchTest, CountsInAdditionToClosedForms) {
  constexpr unsigned Modes = GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_ALL;
  addKernel(&StubA, "add", Modes);
  TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX "add"] = descriptorWithForm(Modes);
  ASSERT_EQ(launch(&StubA, 100), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared");
  ASSERT_EQ(launch(&StubA, 101), cudaSuccess);
  EXPECT_EQ(lastName(), "add__gm_shared_all");
  profile::Profile P = finish();
  ASSERT_EQ(P.Shared.size(), 2u);
  EXPECT_EQ(P.Shared[0].Sums[0], 200u + 2);
  EXPECT_EQ(P.Shared[1].Sums[0], 202u);
}

TEST_F(LaunchTest, NoDeviceMemory) {
  addKernel(&StubA, "add");
  fake::fail("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, 100);
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(Out, 10);
  EXPECT_EQ(lastName(), "add");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Reason, "there was no device memory for its counters");
}

TEST_F(LaunchTest, LaunchSample) {
  settings().TheOptions.LaunchSample = 3;
  addKernel(&StubA, "add");
  addKernel(&StubB, "sub");
  for (int I = 0; I < 7; ++I)
    launch(&StubA, 1);
  launch(&StubB, 1);
  std::vector<std::string> Names;
  for (const fake::Launch &L : fake::launches())
    Names.push_back(L.What->Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"add__gm_shared", "add", "add", "add__gm_shared",
                                             "add", "add", "add__gm_shared", "sub__gm_shared"}));
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 8u);
  EXPECT_EQ(P.Launches[1].Mode, LaunchMode::Plain);
  EXPECT_EQ(P.Launches[1].Reason, "not in the sample (launch-sample=3)");
}

TEST_F(LaunchTest, ThreadWithoutContext) {
  addKernel(&StubA, "add");
  launch(&StubA, 1);
  std::thread([&] { EXPECT_EQ(launch(&StubA, 1), cudaSuccess); }).join();
  EXPECT_EQ(lastName(), "add__gm_shared");
}

TEST_F(LaunchTest, ManyThreads) {
  addKernel(&StubA, "add");
  constexpr int Threads = 4, Each = 200;
  std::vector<std::thread> Running;
  std::vector<int> Results(Threads);
  for (int T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      for (int I = 0; I < Each; ++I) {
        int *To = &Results[T], Value = T;
        void *Args[] = {&To, &Value};
        EXPECT_EQ(cudaLaunchKernel(&StubA, 2, 32, Args, 0, T % 2 ? Stream1 : Stream2), cudaSuccess);
      }
    });
  for (std::thread &T : Running)
    T.join();
  EXPECT_EQ(Results, (std::vector<int>{0, 2 * Each, 4 * Each, 6 * Each}));
  profile::Profile P = finish();
  EXPECT_EQ(P.Launches.size(), size_t(Threads * Each));
  uint64_t Sum = 0, Blocks = 0;
  for (const profile::SharedCounts &C : P.Shared) {
    Sum += C.Sums[0];
    Blocks += C.Blocks;
  }
  EXPECT_EQ(Sum, uint64_t(2 * Each * (0 + 1 + 2 + 3)));
  EXPECT_EQ(Blocks, uint64_t(2 * Threads * Each));
}

TEST_F(LaunchTest, NoKernelHasThisHandle) {
  addKernel(&StubA, "add");
  launch(&StubA, 1);
  EXPECT_EQ(__cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
  // The fake lacks this function: it is not supported.
  EXPECT_EQ(__cudaLaunchKernel_ptsz(nullptr, 1, 1, nullptr, 0, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(finish().Launches.size(), 1u);
}

} // namespace
} // namespace gmprof::host
