//===- LateWaitsTest.cpp - Tests of waits that are moved ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/LateWaits.h"
#include "HostTest.h"
#include "host/sync/FaultHandler.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

using log::CallKind;

constexpr uint64_t Page = 4096;

/// Memory of the program, and a second view of it that is never taken away.
class SharedMemory {
public:
  explicit SharedMemory(uint64_t Bytes = 4 * Page) : Bytes(Bytes) {
    const auto File = static_cast<int>(::syscall(SYS_memfd_create, "test", 0));
    EXPECT_EQ(::ftruncate(File, static_cast<off_t>(Bytes)), 0);
    Program = view(File);
    Gpu = view(File);
    ::close(File);
  }
  ~SharedMemory() {
    ::munmap(Program, Bytes);
    ::munmap(Gpu, Bytes);
  }
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(Program); }
  volatile char &program(uint64_t At) const { return static_cast<volatile char *>(Program)[At]; }
  volatile char &gpu(uint64_t At) const { return static_cast<volatile char *>(Gpu)[At]; }

private:
  void *view(int File) const {
    return ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  }

  const uint64_t Bytes;
  void *Program, *Gpu;
};

class LateWaitsTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    Session::forget();
    settings() = Settings();
    FaultHandler::prepare(HostWatch::ask);
    DriverApi Api;
    ASSERT_EQ(Api.load(), "");
    ASSERT_EQ(Api.cuCtxPushCurrent(reinterpret_cast<CUcontext>(0x1000)), CUDA_SUCCESS);
  }
  void TearDown() override {
    fake::release(Stream1);
    fake::release(Stream2);
    if (LateWaits *L = LateWaits::active())
      L->end();
    EXPECT_EQ(LateWaits::active(), nullptr);
    EXPECT_FALSE(HostWatch::any());
  }

  static LateWaits &begin(LateWaits::KernelMemory OfKernels = {}, bool OnCpu = false) {
    LateWaits::begin(OfKernels, OnCpu);
    return *LateWaits::active();
  }
  /// A copy of bytes of the host's memory to the GPU or back.
  void copy(uint64_t At, uint64_t Bytes, cudaStream_t Stream) const {
    const Transfer T = copyOf(reinterpret_cast<void *>(M.address() + At), 0, nullptr, 0, Bytes, 1,
                              cudaMemcpyDeviceToHost);
    LateWaits::active()->transferring(T, Stream, /*Async=*/true);
  }
  static void enqueue(cudaStream_t Stream) {
    LateWaits::active()->calling({CallKind::Launch, "cudaLaunchKernel", nullptr, Stream});
  }

  const SharedMemory M;
  const Inside Guard; ///< as in all of GMProf's callers: the driver's functions may be interposed
};

TEST_F(LateWaitsTest, NothingIsWaitedForWithoutWork) {
  LateWaits &Late = begin();
  EXPECT_EQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr), nullptr);
  EXPECT_EQ(fake::calls("cuEventRecord"), 0);
  const LateWaits::Counts C = Late.end();
  EXPECT_EQ(C.PutOff, 1u);
  EXPECT_EQ(C.Uses, 0u);
  EXPECT_TRUE(C.AtOnce.empty());
  EXPECT_FALSE(C.GaveUp);
}

TEST_F(LateWaitsTest, TheFirstUseWaitsForTheCopy) {
  LateWaits &Late = begin();
  Late.allocated(M.address(), 4 * Page, /*Managed=*/false, /*Registered=*/false);
  fake::hold(Stream1);
  copy(Page, 16, Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_EQ(M.program(0), 0); // another page
  // The copy ends only after the program waits for it.
  std::atomic<bool> Used{false};
  std::thread Gpu([&] {
    while (fake::calls("cuEventQuery") == 0 && !Used)
      sched_yield();
    M.gpu(Page + 4) = 42;
    fake::release(Stream1);
  });
  const char Value = M.program(Page + 4);
  Used = true;
  Gpu.join();
  EXPECT_EQ(Value, 42);
  EXPECT_FALSE(HostWatch::any());
  const LateWaits::Counts C = Late.end();
  EXPECT_EQ(C.PutOff, 1u);
  EXPECT_EQ(C.Uses, 1u);
  EXPECT_FALSE(C.GaveUp);
}

TEST_F(LateWaitsTest, OtherStreamsWaitOnceForTheEvent) {
  LateWaits &Late = begin();
  fake::hold(Stream1);
  enqueue(Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_EQ(fake::calls("cuStreamWaitEvent"), 0);
  enqueue(Stream2);
  EXPECT_EQ(fake::calls("cuStreamWaitEvent"), 1);
  enqueue(Stream2);
  enqueue(Stream1); // which is behind it anyway
  EXPECT_EQ(fake::calls("cuStreamWaitEvent"), 1);
}

TEST_F(LateWaitsTest, AWaitForTheDeviceIsOneForEachStreamWithWork) {
  LateWaits &Late = begin();
  for (cudaStream_t Each : {Stream1, Stream2}) {
    fake::hold(Each);
    enqueue(Each);
  }
  EXPECT_EQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr), nullptr);
  EXPECT_EQ(fake::calls("cuEventRecord"), 2);
  enqueue(Stream1); // must wait for the other one as well
  EXPECT_EQ(fake::calls("cuStreamWaitEvent"), 2);
}

TEST_F(LateWaitsTest, AWaitForAnEventIsOneBehindIt) {
  LateWaits &Late = begin();
  const auto Event = reinterpret_cast<cudaEvent_t>(0xe00);
  EXPECT_EQ(Late.putOff(CallKind::EventSynchronized, nullptr, Event), nullptr);
  EXPECT_EQ(fake::calls("cuStreamWaitEvent"), 1);
  EXPECT_EQ(fake::calls("cuEventRecord"), 1);
}

TEST_F(LateWaitsTest, AWaitWhoseEventIsRefusedStays) {
  LateWaits &Late = begin();
  enqueue(Stream1);
  fake::fail("cuEventRecord", CUDA_ERROR_INVALID_VALUE);
  constexpr const char *Refused = "the driver refused the event that it would be moved with";
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), Refused);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  const LateWaits::Counts C = Late.end();
  EXPECT_EQ(C.PutOff, 1u);
  EXPECT_EQ(C.AtOnce, (std::map<std::string, uint64_t>{{Refused, 1}}));
}

TEST_F(LateWaitsTest, UnknownWorkKeepsWaitsUntilTheDeviceIsWaitedFor) {
  LateWaits &Late = begin();
  Late.notKnown("a graph was launched");
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), "a graph was launched");
  Late.waited(CallKind::StreamSynchronized, Stream1);
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), "a graph was launched");
  Late.waited(CallKind::DeviceSynchronized, nullptr);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
}

TEST_F(LateWaitsTest, AWaitThatIsMadeGivesTheMemoryBack) {
  LateWaits &Late = begin();
  Late.allocated(M.address(), 4 * Page, /*Managed=*/false, /*Registered=*/false);
  fake::hold(Stream1);
  copy(0, Page, Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  Late.waited(CallKind::StreamSynchronized, Stream2);
  EXPECT_TRUE(HostWatch::any());
  fake::release(Stream1);
  Late.waited(CallKind::StreamSynchronized, Stream1);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(Late.end().Uses, 0u);
}

TEST_F(LateWaitsTest, ReadingTimesMakesAllWaits) {
  LateWaits &Late = begin();
  Late.allocated(M.address(), 4 * Page, /*Managed=*/false, /*Registered=*/false);
  copy(0, Page, Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_TRUE(HostWatch::any());
  Late.calling({CallKind::EventRead, "cudaEventElapsedTime", nullptr});
  EXPECT_FALSE(HostWatch::any());
}

TEST_F(LateWaitsTest, ReleasedMemoryIsWaitedFor) {
  LateWaits &Late = begin();
  Late.allocated(M.address(), 4 * Page, /*Managed=*/false, /*Registered=*/false);
  copy(0, Page, Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  Late.releasing(M.address());
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(Late.end().Uses, 1u);
}

TEST_F(LateWaitsTest, CopiesOfOrdinaryMemoryHaveEndedAlready) {
  LateWaits &Late = begin();
  copy(0, Page, Stream1); // nobody said that the GPU can access it
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_FALSE(HostWatch::any());
}

TEST_F(LateWaitsTest, MemoryBesideOtherDataKeepsItsWait) {
  LateWaits &Late = begin();
  Late.allocated(M.address() + 64, 256, /*Managed=*/false, /*Registered=*/true);
  copy(64, 256, Stream1);
  const std::string Why = "the memory shares its pages with other data, so that its uses can be "
                          "seen only in code compiled with --gmprof-host-accesses";
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), Why);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(Late.end().AtOnce, (std::map<std::string, uint64_t>{{Why, 1}}));
}

TEST_F(LateWaitsTest, MemoryThatKernelsAccessIsTakenAway) {
  LateWaits &Late = begin({.Managed = false, .Pinned = true});
  Late.allocated(M.address(), Page, /*Managed=*/false, /*Registered=*/false);
  Late.allocated(M.address() + Page, Page, /*Managed=*/true, /*Registered=*/false);
  enqueue(Stream1);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_EQ(M.program(Page), 0);
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(M.program(0), 0);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(Late.end().Uses, 1u);
}

TEST_F(LateWaitsTest, PagesOfKernelsOnTheCpuDeviceStay) {
  LateWaits &Late = begin({.Managed = true, .Pinned = false}, /*OnCpu=*/true);
  Late.allocated(M.address(), Page, /*Managed=*/true, /*Registered=*/false);
  enqueue(Stream1);
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr),
               "kernels of the CPU device use the same pages as the host, whose uses can be seen "
               "only in code compiled with --gmprof-host-accesses");
}

TEST_F(LateWaitsTest, ADestroyedStreamMayHaveHadWork) {
  LateWaits &Late = begin();
  Late.calling({CallKind::StreamDestroyed, "cudaStreamDestroy", nullptr, Stream2});
  EXPECT_EQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr), nullptr);
  enqueue(Stream1);
  Late.calling({CallKind::StreamDestroyed, "cudaStreamDestroy", nullptr, Stream1});
  EXPECT_STREQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr),
               "a stream was destroyed that may have had work");
}

TEST_F(LateWaitsTest, WorkInAnotherThreadsStreamKeepsTheWait) {
  LateWaits &Late = begin();
  std::thread([] {
    const Inside Guard;
    enqueue(cudaStreamPerThread);
  }).join();
  EXPECT_STREQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr),
               "another thread has work in its own default stream");
}

TEST_F(LateWaitsTest, CopiesAreFollowedUpToALimit) {
  LateWaits &Late = begin();
  Late.allocated(M.address(), 4 * Page, /*Managed=*/false, /*Registered=*/false);
  for (uint64_t I = 0; I < 4096; ++I)
    copy(I, 1, Stream1);
  copy(0, 1, Stream1); // known
  // They are more than can be watched.
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream2, nullptr),
               "the pages of the memory cannot be protected");
  copy(4096, 1, Stream1);
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr),
               "more copies are under way than can be followed");
}

TEST_F(LateWaitsTest, CopiesOfUnknownSizeKeepTheWait) {
  LateWaits &Late = begin();
  Transfer T =
      copyOf(reinterpret_cast<void *>(M.address()), 0, nullptr, 0, 16, 1, cudaMemcpyDeviceToHost);
  T.To.Opaque = true;
  Late.transferring(T, Stream1, /*Async=*/true);
  EXPECT_STREQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr),
               "a copy was made of which it is not known how much it moves");
}

TEST_F(LateWaitsTest, TheCpuDeviceCopiesWhatIsTakenAway) {
  const char From[16] = "written anyway";
  void *const To =
      ::mmap(nullptr, Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto Address = reinterpret_cast<uint64_t>(To);
  EXPECT_FALSE(LateWaits::copyAnyway(To, From, sizeof(From)));
  LateWaits &Late = begin();
  Late.allocated(Address, Page, /*Managed=*/false, /*Registered=*/false);
  Late.transferring(copyOf(To, 0, nullptr, 0, Page, 1, cudaMemcpyDeviceToHost), Stream1,
                    /*Async=*/true);
  EXPECT_EQ(Late.putOff(CallKind::StreamSynchronized, Stream1, nullptr), nullptr);
  EXPECT_TRUE(LateWaits::copyAnyway(To, From, sizeof(From)));
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(Late.end().Uses, 0u);
  EXPECT_STREQ(static_cast<const char *>(To), From);
  ::munmap(To, Page);
}

TEST_F(LateWaitsTest, NoWaitIsMovedAtTheEnd) {
  LateWaits &Late = begin();
  Late.end();
  EXPECT_EQ(LateWaits::active(), nullptr);
  EXPECT_STREQ(Late.putOff(CallKind::DeviceSynchronized, nullptr, nullptr),
               "the program is about to end");
}

} // namespace
} // namespace gmprof::host
