//===- HostWatchTest.cpp - Tests of the host's uses of memory -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/HostWatch.h"
#include "RecordedLog.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/PageProtections.h"
#include <cstring>
#include <sys/mman.h>

namespace gmprof::host {
namespace {

using log::UseKind;

constexpr uint64_t Page = 4096, Pages = 4;

/// A use, without time and thread.
struct Use {
  uint64_t Operation, Address;
  UseKind Kind;
  bool operator==(const Use &) const = default;
};

std::ostream &operator<<(std::ostream &To, const Use &U) {
  return To << "{operation " << U.Operation << ", address " << U.Address << ", kind "
            << static_cast<uint32_t>(U.Kind) << '}';
}

/// Memory of some pages that the program may read and write.
class Memory {
public:
  explicit Memory(uint64_t Count = Pages)
      : Bytes(Count * Page),
        Begin(::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::memset(Begin, 7, Bytes);
  }
  ~Memory() { ::munmap(Begin, Bytes); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  uint64_t at(uint64_t Offset) const { return reinterpret_cast<uint64_t>(Begin) + Offset; }
  char load(uint64_t Offset) const { return *static_cast<volatile char *>(place(Offset)); }
  void store(uint64_t Offset, char Value) const {
    *static_cast<volatile char *>(place(Offset)) = Value;
  }

private:
  void *place(uint64_t Offset) const { return static_cast<char *>(Begin) + Offset; }

  const uint64_t Bytes;
  void *const Begin;
};

/// Handlers of faults keep the watch that is active, so it outlives its test.
class HostWatchTest : public testing::Test {
protected:
  void SetUp() override { FaultHandler::prepare(HostWatch::ask); }

  /// The operations up to this one have ended.
  void ended(uint64_t Last) {
    Watch.operationsEnded([=](uint64_t Operation) { return Operation <= Last; });
  }
  std::vector<Use> uses() {
    Watch.finish();
    EXPECT_FALSE(HostWatch::any());
    Read = Log.read();
    std::vector<Use> All;
    for (const profile::HostUse &U : Read.Uses) {
      EXPECT_EQ(U.Thread, threadId());
      EXPECT_FALSE(U.ByCode);
      All.push_back({U.Operation, U.Address, U.Kind});
    }
    return All;
  }

  RecordedLog Log;
  CallPaths Paths{&Log.recorder(), 2};
  HostWatch &Watch = *new HostWatch(Log.recorder(), Paths);
  Memory M;
  profile::Profile Read;
};

TEST_F(HostWatchTest, RecordsTheFirstLoadAfterTheOperation) {
  Watch.given(1, M.at(0), Pages * Page, /*Writes=*/true);
  EXPECT_EQ(M.load(5), 7);
  ended(0);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(M.load(5), 7);
  ended(1);
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(M.load(Page + 100), 7);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(M.load(0), 7);
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(Page + 100), UseKind::Load}}));
}

[[gnu::noinline]] char loadFrom(uint64_t Address) {
  return *reinterpret_cast<volatile char *>(Address);
}

TEST_F(HostWatchTest, RecordsTheInstructionOfAnAccess) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "an instruction of ThreadSanitizer's runtime accesses the memory first";
#endif
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  ended(1);
  EXPECT_EQ(loadFrom(M.at(3)), 7);
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(3), UseKind::Load}}));
  const std::vector<uint64_t> &Path = Read.CallPaths.at(Read.Uses[0].CallPath).Addresses;
  ASSERT_EQ(Path.size(), 2u);
  EXPECT_GT(Path[0], reinterpret_cast<uint64_t>(loadFrom));
  EXPECT_LT(Path[0], reinterpret_cast<uint64_t>(loadFrom) + 32);
}

TEST_F(HostWatchTest, TellsStoresFromLoads) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  Watch.given(2, M.at(Page), Page, /*Writes=*/true);
  ended(2);
  M.store(Page + 8, 9);
  M.load(8);
  EXPECT_EQ(M.load(Page + 8), 9);
  EXPECT_EQ(uses(),
            (std::vector<Use>{{2, M.at(Page + 8), UseKind::Store}, {1, M.at(8), UseKind::Load}}));
}

TEST_F(HostWatchTest, LoadsOfWhatAnOperationReadAreNoUses) {
  Watch.given(1, M.at(0), Page, /*Writes=*/false);
  ended(1);
  EXPECT_EQ(M.load(16), 7);
  EXPECT_TRUE(HostWatch::any());
  M.store(16, 1);
  EXPECT_EQ(M.load(16), 1);
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(16), UseKind::Store}}));
}

TEST_F(HostWatchTest, AnAccessBesideTheMemoryMakesItCountAsUsed) {
  Watch.given(1, M.at(Page - 16), Page + 32, /*Writes=*/true); // in three pages
  ended(1);
  EXPECT_EQ(M.load(0), 7);         // beside it, in its first page
  EXPECT_EQ(M.load(Page - 16), 7); // its own, unseen
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(Page - 16), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, AnAccessBesideMemoryInWholePagesIsNotItsUse) {
  Watch.given(1, M.at(Page), Page, /*Writes=*/true);
  ended(1);
  EXPECT_EQ(M.load(Page - 1), 7);
  EXPECT_EQ(M.load(2 * Page), 7);
  EXPECT_EQ(M.load(Page + 3), 7);
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(Page + 3), UseKind::Load}}));
}

TEST_F(HostWatchTest, MemoryWithoutAPageOfItsOwnCountsAsUsed) {
  Watch.given(1, M.at(64), 64, /*Writes=*/true);
  ended(1);
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(M.load(0), 7);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(64), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, MemoryThatIsGivenToCallsIsUsedByThem) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  Watch.given(2, M.at(Page), Page, /*Writes=*/false);
  Watch.given(3, M.at(2 * Page + 100), 100, /*Writes=*/true);
  ended(3);
  Watch.used(nullptr, M.at(Page), Page, /*Stores=*/false); // which reads what was only read
  Watch.used(nullptr, M.at(8), Page, /*Stores=*/false);
  Watch.used(nullptr, M.at(Page), Page, /*Stores=*/true);
  Watch.used(nullptr, M.at(2 * Page), 50, /*Stores=*/false); // beside it, in its page
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(8), UseKind::Call},
                                      {2, M.at(Page), UseKind::Call},
                                      {3, M.at(2 * Page + 100), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, ForgetsMemoryThatIsReleased) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  Watch.given(2, M.at(Page), Page, /*Writes=*/true);
  ended(2);
  Watch.forget(M.at(0), Page);
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(M.load(0), 7);
  M.store(Page, 0);
  EXPECT_EQ(uses(), (std::vector<Use>{{2, M.at(Page), UseKind::Store}}));
}

TEST_F(HostWatchTest, PagesThatAreGivenUpCountAsUsed) {
  Watch.given(1, M.at(32), Page - 32, /*Writes=*/true);
  Watch.given(2, M.at(Page), Page, /*Writes=*/true);
  ended(2);
  Watch.giveUp(M.at(0), 1);
  EXPECT_EQ(M.load(40), 7);
  EXPECT_TRUE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(32), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, TheLastOperationThatWroteIsTheOneThatIsUsed) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  ended(1);
  Watch.given(2, M.at(0), Page, /*Writes=*/true);
  EXPECT_FALSE(HostWatch::any()); // the GPU may write it
  ended(1);
  EXPECT_FALSE(HostWatch::any());
  ended(2);
  M.load(1);
  EXPECT_EQ(uses(), (std::vector<Use>{{2, M.at(1), UseKind::Load}}));
}

TEST_F(HostWatchTest, AReaderOfWhatWasWrittenIsNoUse) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  Watch.given(2, M.at(0), Page, /*Writes=*/false);
  ended(2);
  M.load(1);
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(1), UseKind::Load}}));
}

// The host may use it as long as the reader keeps it accessible.
TEST_F(HostWatchTest, MemoryThatAnOperationStillReadsCountsAsUsed) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  Watch.given(2, M.at(0), Page, /*Writes=*/false);
  ended(1);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(0), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, WatchedMemoryThatAnOperationReadsCountsAsUsed) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  ended(1);
  Watch.given(2, M.at(8), 8, /*Writes=*/false);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(0), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, ADeviceWithPagesOfItsOwnNeedsNoAccess) {
  HostWatch &OfGpu = *new HostWatch(Log.recorder(), Paths, /*DeviceUsesPages=*/false);
  OfGpu.given(1, M.at(0), Page, /*Writes=*/true);
  OfGpu.operationsEnded([](uint64_t Operation) { return Operation <= 1; });
  OfGpu.given(2, M.at(8), 8, /*Writes=*/false);
  EXPECT_TRUE(HostWatch::any());
  M.load(16);
  OfGpu.finish();
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(16), UseKind::Load}}));
}

// Results of two operations share the second page.
TEST_F(HostWatchTest, AnOperationOnOtherDataInThePagesOfMemoryMakesItCountAsUsed) {
  Watch.given(1, M.at(0), Page + 64, /*Writes=*/true);
  ended(1);
  Watch.given(2, M.at(Page + 64), 64, /*Writes=*/true);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(0), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, MemoryCountsAsUsedOnceItsPagesAreAccessibleBecauseOfOther) {
  // Pages 0 and 1, pages 1 and 2, and page 2.
  Watch.given(1, M.at(0), Page + 64, /*Writes=*/true);
  Watch.given(2, M.at(Page + 64), Page, /*Writes=*/true);
  Watch.given(3, M.at(2 * Page + 64), 64, /*Writes=*/true);
  ended(3);
  M.load(0);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(0), UseKind::Load},
                                      {2, M.at(Page + 64), UseKind::Assumed},
                                      {3, M.at(2 * Page + 64), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, MemoryCountsAsUsedOnceOtherInItsPagesIsReleased) {
  Watch.given(1, M.at(0), 64, /*Writes=*/true);
  Watch.given(2, M.at(64), 64, /*Writes=*/true);
  ended(2);
  Watch.forget(M.at(0), 64);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{2, M.at(64), UseKind::Assumed}}));
}

// The second operation only read its memory, so loads of the page must stay possible.
TEST_F(HostWatchTest, MemoryCountsAsUsedIfOtherInItsPagesMayBeRead) {
  Watch.given(1, M.at(0), 64, /*Writes=*/true);
  Watch.given(2, M.at(64), 64, /*Writes=*/false);
  ended(2);
  M.load(0);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(),
            (std::vector<Use>{{1, M.at(0), UseKind::Assumed}, {2, M.at(64), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, PagesOfUnfinishedOperationsStayAccessible) {
  Watch.given(1, M.at(0), 64, /*Writes=*/true);
  Watch.given(2, M.at(128), 64, /*Writes=*/true);
  ended(1);
  EXPECT_FALSE(HostWatch::any());
  ended(2);
  M.load(64 + 1); // beside both, in the only page
  EXPECT_EQ(uses(),
            (std::vector<Use>{{1, M.at(0), UseKind::Assumed}, {2, M.at(128), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, PagesThatTheProgramProtectsCountAsUsed) {
  PageProtections::set(M.at(Page), Page, /*Limited=*/true);
  Watch.given(1, M.at(0), 2 * Page, /*Writes=*/true);
  ended(1);
  PageProtections::set(M.at(Page), Page, /*Limited=*/false);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, M.at(0), UseKind::Assumed}}));
}

TEST_F(HostWatchTest, StacksCountAsUsed) {
  char Local[64] = {};
  const auto Address = reinterpret_cast<uint64_t>(&Local);
  Watch.given(1, Address, sizeof(Local), /*Writes=*/true);
  ended(1);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(uses(), (std::vector<Use>{{1, Address, UseKind::Assumed}}));
}

TEST_F(HostWatchTest, CountsTheUsesForWhichThereIsNoRoom) {
  constexpr uint64_t Regions = 1024, Room = 1024;
  for (uint64_t I = 1; I <= Regions; ++I)
    Watch.given(I, M.at(8 * I), 4, /*Writes=*/true);
  // Further ones are not watched, and so count as used at once.
  Memory Other;
  for (uint64_t I = 1; I <= Room + 3; ++I)
    Watch.given(Regions + I, Other.at(8 * I), 4, /*Writes=*/true);
  const std::vector<Use> All = uses();
  ASSERT_EQ(All.size(), Room);
  EXPECT_EQ(All.front(), (Use{Regions + 1, Other.at(8), UseKind::Assumed}));
  EXPECT_EQ(All.back(), (Use{Regions + Room, Other.at(8 * Room), UseKind::Assumed}));
  ASSERT_EQ(Read.Gaps.size(), 1u);
  EXPECT_EQ(Read.Gaps[0].What, "uses by the host");
  EXPECT_EQ(Read.Gaps[0].Count, 3u);
}

TEST_F(HostWatchTest, ForkedChildrenHaveAllMemoryAndNoWatch) {
  Watch.given(1, M.at(0), Page, /*Writes=*/true);
  ended(1);
  HostWatch::beforeFork();
  HostWatch::afterForkInParent();
  EXPECT_EQ(HostWatch::active(), &Watch);
  EXPECT_TRUE(HostWatch::any());
  // Runs the child's fork handler in this process.
  HostWatch::beforeFork();
  HostWatch::afterForkInChild();
  EXPECT_EQ(HostWatch::active(), nullptr);
  EXPECT_FALSE(HostWatch::any());
  EXPECT_EQ(M.load(0), 7);
  EXPECT_TRUE(uses().empty());
}

//===----------------------------------------------------------------------===//
// Memory that is taken away until it has been waited for
//===----------------------------------------------------------------------===//

/// A call of the waiter.
struct Waited {
  uint64_t Until;
  bool InHandler;
  bool operator==(const Waited &) const = default;
};

/// Handlers allocate no memory.
std::array<Waited, 8> Waits;
size_t WaitCount;

void noteWait(uint64_t Until, bool InHandler) { Waits.at(WaitCount++) = {Until, InHandler}; }

class MovedWaitsTest : public testing::Test {
protected:
  void SetUp() override {
    FaultHandler::prepare(HostWatch::ask);
    WaitCount = 0;
  }
  void TearDown() override {
    Watch.giveBack(~uint64_t(0));
    EXPECT_FALSE(HostWatch::any());
  }
  static std::vector<Waited> waits() { return {Waits.begin(), Waits.begin() + WaitCount}; }

  HostWatch &Watch = *new HostWatch(noteWait);
  Memory M;
};

TEST_F(MovedWaitsTest, AnAccessWaitsFirst) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), Page, HostWatch::Notice::ByPage));
  ASSERT_TRUE(Watch.takeAway(5, M.at(Page), Page, HostWatch::Notice::ByPage));
  EXPECT_TRUE(waits().empty());
  EXPECT_EQ(M.load(4), 7);
  EXPECT_EQ(M.load(5), 7);
  EXPECT_EQ(waits(), (std::vector<Waited>{{3, true}}));
  M.store(Page, 8);
  EXPECT_EQ(waits(), (std::vector<Waited>{{3, true}, {5, true}}));
  EXPECT_EQ(M.load(Page), 8);
}

TEST_F(MovedWaitsTest, ACallThatIsGivenTheMemoryWaitsFirst) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), Page, HostWatch::Notice::ByPage));
  Watch.used(nullptr, M.at(Page), Page, /*Stores=*/false);
  EXPECT_TRUE(waits().empty());
  Watch.used(nullptr, M.at(Page - 1), Page, /*Stores=*/false);
  EXPECT_EQ(waits(), (std::vector<Waited>{{3, false}}));
  EXPECT_FALSE(HostWatch::any());
}

TEST_F(MovedWaitsTest, ReleasedMemoryIsWaitedFor) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), Page, HostWatch::Notice::ByPage));
  Watch.forget(M.at(0), Page);
  EXPECT_EQ(waits(), (std::vector<Waited>{{3, false}}));
}

TEST_F(MovedWaitsTest, MemoryIsGivenBackUpToANumber) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), Page, HostWatch::Notice::ByPage));
  ASSERT_TRUE(Watch.takeAway(4, M.at(Page), Page, HostWatch::Notice::ByPage));
  Watch.giveBack(3);
  EXPECT_EQ(M.load(0), 7);
  EXPECT_TRUE(waits().empty());
  EXPECT_EQ(M.load(Page), 7);
  EXPECT_EQ(waits(), (std::vector<Waited>{{4, true}}));
}

TEST_F(MovedWaitsTest, MemoryThatIsTakenAwayAgainIsWaitedForByTheLaterNumber) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), Page, HostWatch::Notice::ByPage));
  ASSERT_TRUE(Watch.takeAway(4, M.at(0), Page, HostWatch::Notice::ByPage));
  Watch.giveBack(3);
  EXPECT_EQ(M.load(0), 7);
  EXPECT_EQ(waits(), (std::vector<Waited>{{4, true}}));
}

TEST_F(MovedWaitsTest, APageIsKeptForTheLaterOfItsNumbers) {
  ASSERT_TRUE(Watch.takeAway(3, M.at(0), 64, HostWatch::Notice::ByPage));
  ASSERT_TRUE(Watch.takeAway(4, M.at(64), 64, HostWatch::Notice::ByPage));
  Watch.giveBack(3);
  EXPECT_EQ(M.load(0), 7);
  EXPECT_EQ(waits(), (std::vector<Waited>{{4, true}}));
}

TEST_F(MovedWaitsTest, MemoryCannotBeWatchedByCodeThatDoesNotSayWhatItUses) {
  EXPECT_FALSE(Watch.takeAway(3, M.at(0), 64, HostWatch::Notice::ByCode));
  EXPECT_FALSE(Watch.mayBeWatchedByCode(M.at(0), 64));
  EXPECT_FALSE(HostWatch::any());
  PageProtections::set(M.at(0), Page, /*Limited=*/true);
  EXPECT_FALSE(Watch.takeAway(3, M.at(0), 64, HostWatch::Notice::ByPage));
  PageProtections::set(M.at(0), Page, /*Limited=*/false);
}

} // namespace
} // namespace gmprof::host
