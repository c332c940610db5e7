//===- SyncSkipsTest.cpp - Plans runs without certain calls ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncSkips.h"
#include "TestCallsOfSync.h"
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

constexpr auto Launch = CallKind::Launch;
constexpr auto Unnecessary = "unnecessary_synchronization";
constexpr auto Misplaced = "misplaced_synchronization";
constexpr auto Duplicate = "duplicate_transfer";

/// All calls of one function come from one call site.
struct Program : TestSyncCalls {
  Program() {
    TheRun.Ended = true;
    for (uint64_t Place = 1; Place <= 8; ++Place)
      CallPaths.push_back({{0x1000 * Place}, 0, {}});
  }
  void from(uint32_t Call, uint32_t Path) { Calls[Call].CallPath = Path; }
  /// Launches a kernel that begins when the call returns.
  void kernel(uint64_t Ns) { from(give(Launch, "cudaLaunchKernel", 1, Now + 1, Now + 1 + Ns), 0); }
  /// Waits for the preceding kernel.
  uint32_t synchronize(uint64_t Ns) {
    const uint32_t Call = wait(CallKind::DeviceSynchronized, "cudaDeviceSynchronize", Ns);
    from(Call, 1);
    return Call;
  }
  /// Copies to page-locked memory.
  uint32_t copyBack() {
    const uint32_t Call = give(CallKind::Copy, "cudaMemcpyAsync", 1, Now, Now + 1);
    from(Call, 2);
    return Call;
  }
};

SkipPlan planOf(const Profile &Trace, const Profile &Memory, const std::string &Api,
                const std::string &Pattern) {
  const SyncRuns Runs = {&Trace, &Memory, nullptr, 10'000};
  const SyncProblems S = syncProblems(Runs);
  for (uint32_t Site = 0; Site < S.Sites.size(); ++Site)
    if (S.Sites[Site].Api == Api)
      return planSkips(Runs, {{Pattern, Site}});
  ADD_FAILURE() << "no call of " << Api;
  return {};
}
SkipPlan planOf(const Profile &P, const std::string &Api, const std::string &Pattern) {
  return planOf(P, P, Api, Pattern);
}

using Ranges = std::vector<std::tuple<uint64_t, uint64_t, SkipAs>>;
Ranges rangesOf(const SkipPlan &P) {
  Ranges All;
  for (const SkipPlace &Place : P.Places)
    for (const SkipPlace::Range &R : Place.Ranges)
      All.emplace_back(R.First, R.Last, R.As);
  return All;
}

/// Three waits of 100 ns, the second of which is needed; the host works for 100 ns after each.
Program secondIsNeeded(log::UseKind Kind = log::UseKind::Load) {
  Program P;
  for (int I = 0; I < 3; ++I) {
    P.kernel(100);
    const uint32_t Copy = I == 1 ? P.copyBack() : 0;
    P.synchronize(100);
    if (I == 1)
      P.use(Copy, Kind);
    P.work(100);
  }
  return P;
}

TEST(SyncSkips, AllWaitsOfAPlaceGoHoweverManyThereAre) {
  Program P;
  for (int I = 0; I < 3; ++I) {
    P.kernel(100);
    P.synchronize(100);
    P.work(100);
  }
  const SkipPlan Plan = planOf(P, "cudaDeviceSynchronize", Unnecessary);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, UINT64_MAX, SkipAs::NoWait}}));
  EXPECT_EQ(Plan.Places[0].Calls, 3u);
  EXPECT_EQ(Plan.Places[0].Skipped, 3u);
  EXPECT_EQ(Plan.Places[0].Place, "||");
  // The host's work overlaps two of the kernels; the last one still must end.
  EXPECT_EQ(Plan.ReplaySaving, 2 * 100);
}

TEST(SyncSkips, NeededWaitsStay) {
  const SkipPlan Plan = planOf(secondIsNeeded(), "cudaDeviceSynchronize", Unnecessary);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, 0, SkipAs::NoWait}, {2, 2, SkipAs::NoWait}}));
  EXPECT_EQ(Plan.Places[0].Left, (std::vector<std::pair<std::string, uint64_t>>{
                                     {"the host uses what it waits for", 1}}));
}

TEST(SyncSkips, WaitsThatMayBeNeededStay) {
  const SkipPlan Plan =
      planOf(secondIsNeeded(log::UseKind::Assumed), "cudaDeviceSynchronize", Unnecessary);
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, 0, SkipAs::NoWait}, {2, 2, SkipAs::NoWait}}));
  EXPECT_EQ(Plan.Places[0].Left[0].first,
            "the host may use what it waits for, which could not be watched");
}

TEST(SyncSkips, WaitsForFunctionsOfTheHostStay) {
  Program P;
  P.kernel(100);
  P.from(P.hostFunction(), 3);
  P.synchronize(100);
  P.kernel(100);
  P.synchronize(100);
  const SkipPlan Plan = planOf(P, "cudaDeviceSynchronize", Unnecessary);
  EXPECT_EQ(rangesOf(Plan), (Ranges{{1, 1, SkipAs::NoWait}}));
  EXPECT_EQ(Plan.Places[0].Left, (std::vector<std::pair<std::string, uint64_t>>{
                                     {"it waits for a function of the host, or for other work that "
                                      "may access memory of the host which is not known",
                                      1}}));
}

TEST(SyncSkips, SomeOfAPlaceAreNotKnownInARunOfOtherCalls) {
  const Program P = secondIsNeeded();
  Program Other = secondIsNeeded();
  Other.kernel(1);
  const SkipPlan Plan = planOf(P, Other, "cudaDeviceSynchronize", Unnecessary);
  // The last wait is unknown too, because that run continued differently.
  EXPECT_EQ(Plan.Refusal, "only 1 of 3 calls can be left out (the host uses what it waits for), "
                          "and the profiled runs made different calls: it is not known which ones "
                          "these are in another run");
}

TEST(SyncSkips, SomeOfAPlaceAreNotKnownAmongThreads) {
  Program P = secondIsNeeded();
  P.Thread = 2;
  P.kernel(100);
  P.synchronize(100);
  const SkipPlan Plan = planOf(P, "cudaDeviceSynchronize", Unnecessary);
  EXPECT_EQ(Plan.Refusal, "only 3 of 4 calls can be left out (the host uses what it waits for), "
                          "and 2 threads make them: it is not known which ones these are in "
                          "another run");
}

TEST(SyncSkips, UsesThatWereNotSeenRefuse) {
  Program P = secondIsNeeded();
  P.Gaps.push_back({"uses by the host", "too many", 1});
  EXPECT_EQ(planOf(P, "cudaDeviceSynchronize", Unnecessary).Refusal,
            "not all uses by the host were seen (too many)");
}

TEST(SyncSkips, RunsThatDiedRefuse) {
  Program P = secondIsNeeded();
  P.TheRun.Ended = false;
  EXPECT_EQ(planOf(P, "cudaDeviceSynchronize", Unnecessary).Refusal,
            "the profiled program did not get to its end");
}

/// Allocates and releases memory in each of two steps: 30 ns for cudaMalloc, 20 for cudaFree
/// itself.
Program frees() {
  Program P;
  for (uint64_t Step = 0; Step < 2; ++Step) {
    const uint64_t Begin = P.Now;
    P.from(P.call(CallKind::Allocation, "cudaMalloc", 30), 3);
    Object O;
    O.Id = Step + 1;
    O.Bytes = 4096;
    O.Made.Thread = 1;
    O.Made.BeginNs = Begin;
    O.Made.EndNs = P.Now;
    P.kernel(100);
    ObjectEvent &Gone = O.Released.emplace();
    Gone.Thread = 1;
    Gone.BeginNs = P.Now;
    P.from(P.wait(CallKind::Release, "cudaFree", 120), 4);
    Gone.EndNs = P.Now;
    P.Objects.push_back(O);
    P.work(200);
  }
  return P;
}

TEST(SyncSkips, FreesKeepTheirMemory) {
  const SkipPlan Plan = planOf(frees(), "cudaFree", Unnecessary);
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, UINT64_MAX, SkipAs::NoWait}}));
  EXPECT_TRUE(Plan.Reuse);
  // The first wait is saved, as the last kernel must end; cudaFree twice; cudaMalloc in the second
  // step.
  EXPECT_EQ(Plan.ReplaySaving, 100 + 2 * 20 + 30);
}

TEST(SyncSkips, MemoryIsNotUsedAgainInAnotherStream) {
  Program P = frees();
  P.createStream(0x10, false);
  P.give(Launch, "cudaLaunchKernel", 1, P.Now, P.Now + 1, 0x10);
  const SkipPlan Plan = planOf(P, "cudaFree", Unnecessary);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_FALSE(Plan.Reuse);
  EXPECT_EQ(Plan.ReplaySaving, 2 * 100);
}

/// Copies to the device, with this hash.
uint32_t copyTo(Program &P, uint64_t Hash, bool Identical) {
  const uint32_t Call = P.give(CallKind::Copy, "cudaMemcpy", 10, P.Now, P.Now + 5);
  P.from(Call, 5);
  P.content(Call, Hash, 0x100, 4096);
  P.Contents[P.Contents.size() - 1].Identical = Identical;
  return Call;
}

TEST(SyncSkips, SkipsCopiesOfPresentBytes) {
  Program P;
  copyTo(P, 1, false);
  copyTo(P, 1, true);
  copyTo(P, 2, false);
  copyTo(P, 1, false);
  copyTo(P, 1, true);
  const SkipPlan Plan = planOf(P, "cudaMemcpy", Duplicate);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_EQ(rangesOf(Plan), (Ranges{{1, 1, SkipAs::NoCopy}, {4, 4, SkipAs::NoCopy}}));
  EXPECT_EQ(Plan.Places[0].Left,
            (std::vector<std::pair<std::string, uint64_t>>{
                {"it is the first copy of these bytes", 2},
                {"the destination was written in between, or that is not known", 1}}));
}

TEST(SyncSkips, WaitOfACopyStaysIfItIsNeeded) {
  Program P;
  copyTo(P, 1, false);
  const uint32_t Back = P.copyBack();
  const uint32_t Again = copyTo(P, 1, true);
  P.Calls[Again].HostDone = true;
  P.seenToWait(Again);
  P.use(Back);
  const SkipPlan Plan = planOf(P, "cudaMemcpy", Duplicate);
  EXPECT_EQ(rangesOf(Plan), (Ranges{{1, 1, SkipAs::NoCopyButWait}}));
}

TEST(SyncSkips, CopiesAreNotKnownInARunOfOtherCalls) {
  Program P, Other;
  copyTo(P, 1, false);
  copyTo(P, 1, true);
  Other = P;
  Other.kernel(1);
  EXPECT_EQ(planOf(P, Other, "cudaMemcpy", Duplicate).Refusal,
            "the profiled runs made different calls, from call 3 on (cudaLaunchKernel): it is not "
            "known which copies are the same in another run");
}

/// Returns why an unneeded wait of a copy cannot be avoided, given its size, direction, and whether
/// the host memory is pageable.
std::string refusalOfCopy(uint64_t Bytes, bool ToHost, bool Pageable) {
  Program P;
  P.kernel(100);
  const uint64_t Begin = P.Now;
  const uint32_t Call = P.give(CallKind::Copy, "cudaMemcpy", 110, P.Now + 100, P.Now + 105);
  P.from(Call, 5);
  P.Calls[Call].HostDone = true;
  P.seenToWait(Call);
  Copy C;
  C.Api = "cudaMemcpy";
  C.BeginNs = Begin;
  C.CallPath = 5;
  C.RowBytes = Bytes;
  (ToHost ? C.To : C.From) = {Pageable ? 0u : 1u, 0, 0, 0, 1, 0};
  (ToHost ? C.From : C.To) = {2, 0, 0, 0, 0, 0};
  P.Copies.push_back(C);
  return planOf(P, "cudaMemcpy", Unnecessary).Refusal;
}

TEST(SyncSkips, AsynchronousFormMustNotWaitEither) {
  EXPECT_EQ(refusalOfCopy(64, true, true),
            "the copy goes to pageable memory, for which its asynchronous form waits as well: it "
            "takes page-locked memory to change that");
  EXPECT_EQ(refusalOfCopy(64, true, false), "");
  EXPECT_EQ(refusalOfCopy(64 << 10, false, true), "");
  EXPECT_EQ(
      refusalOfCopy((64 << 10) + 1, false, true),
      "a copy of more than 65,536 bytes from pageable memory waits in its asynchronous form as "
      "well: it takes page-locked memory to change that");
  EXPECT_EQ(refusalOfCopy((64 << 10) + 1, false, false), "");
}

TEST(SyncSkips, ThereMustBeAFormThatDoesNotWait) {
  Program P;
  P.kernel(100);
  P.from(P.wait(CallKind::Release, "cudaHostUnregister", 100), 6);
  P.kernel(100);
  P.from(P.wait(CallKind::Copy, "cudaMemcpyAsync", 100), 7);
  EXPECT_EQ(planOf(P, "cudaHostUnregister", Unnecessary).Refusal,
            "GMProf knows no form of cudaHostUnregister that does not wait");
  EXPECT_EQ(planOf(P, "cudaMemcpyAsync", Unnecessary).Refusal,
            "cudaMemcpyAsync waits although it is the asynchronous form, because the memory is "
            "pageable: it takes page-locked memory to change that");
}

/// Returns the refusal for a call with an unneeded wait.
std::string refusalOf(CallKind Kind, const std::string &Api) {
  Program P;
  P.kernel(100);
  P.from(P.wait(Kind, Api, 100), 6);
  return planOf(P, Api, Unnecessary).Refusal;
}

TEST(SyncSkips, FunctionsOfTheDriverAreAsThoseOfTheRuntime) {
  EXPECT_EQ(refusalOf(CallKind::DeviceSynchronized, "cuCtxSynchronize"), "");
  EXPECT_EQ(refusalOf(CallKind::Release, "cuMemFree"), "");
  EXPECT_EQ(refusalOf(CallKind::Release, "cuMemFreeHost"), "");
  EXPECT_EQ(refusalOf(CallKind::Copy, "cuMemcpyHtoD"), "");
  EXPECT_EQ(refusalOf(CallKind::Copy, "cuMemcpyPeer"), "");
  EXPECT_EQ(refusalOf(CallKind::Set, "cuMemsetD2D32"), "");
  EXPECT_EQ(refusalOf(CallKind::Copy, "cuMemcpyAtoA"),
            "GMProf knows no form of cuMemcpyAtoA that does not wait");
  EXPECT_EQ(refusalOf(CallKind::Release, "cuMemHostUnregister"),
            "GMProf knows no form of cuMemHostUnregister that does not wait");
  EXPECT_EQ(refusalOf(CallKind::Copy, "cuMemcpyDtoHAsync"),
            "cuMemcpyDtoHAsync waits although it is the asynchronous form, because the memory is "
            "pageable: it takes page-locked memory to change that");
}

/// Three waits of 100 us; the data of the second is needed immediately by other code, the others'
/// 50 us later.
Program twoAreLate() {
  Program P;
  P.CallPaths.push_back({{0x9000}, 0, {}});
  const auto Immediately = static_cast<uint32_t>(P.CallPaths.size() - 1);
  for (int I = 0; I < 3; ++I) {
    P.kernel(100'000);
    const uint32_t Copy =
        P.give(CallKind::Copy, "cudaMemcpyAsync", 1, P.Now + 100'000, P.Now + 100'001);
    P.from(Copy, 2);
    P.synchronize(100'000);
    P.work(I == 1 ? 1'000 : 50'000);
    P.use(Copy, log::UseKind::Load, I == 1 ? Immediately : None);
    P.work(1'000);
  }
  return P;
}

TEST(SyncSkips, MisplacedWaitsAreMadeLate) {
  const SkipPlan Plan = planOf(twoAreLate(), "cudaDeviceSynchronize", Misplaced);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, 0, SkipAs::WaitLate}, {2, 2, SkipAs::WaitLate}}));
  EXPECT_EQ(Plan.Places[0].Left, (std::vector<std::pair<std::string, uint64_t>>{
                                     {"the host uses what it waits for at once", 1}}));
  // The host's work overlaps the first kernel; work after the last call is unknown.
  EXPECT_EQ(Plan.ReplaySaving, 50'000);
}

TEST(SyncSkips, AllWaitsAreMadeLateWhereTheirNumbersAreNotKnown) {
  const Program P = twoAreLate();
  Program Other = twoAreLate();
  Other.kernel(1);
  const SkipPlan Plan = planOf(P, Other, "cudaDeviceSynchronize", Misplaced);
  EXPECT_EQ(Plan.Refusal, "");
  EXPECT_EQ(rangesOf(Plan), (Ranges{{0, UINT64_MAX, SkipAs::WaitLate}}));
  EXPECT_EQ(Plan.Places[0].Skipped, 3u);
}

/// Plans for a program with a launch that accesses an object of this kind.
SkipPlan planWithLaunch(log::ObjectKind Kind, log::AccessKnowledge Knowledge) {
  Program P = twoAreLate();
  Object O;
  O.Id = 7;
  O.Kind = Kind;
  P.Objects.push_back(O);
  P.AccessSets.push_back({Knowledge, {{7, 1, 0}}});
  profile::Launch L;
  L.AccessSet = 0;
  P.Launches.push_back(L);
  return planOf(P, "cudaDeviceSynchronize", Misplaced);
}

TEST(SyncSkips, KernelAccessesFollowFromLaunches) {
  using log::AccessKnowledge;
  using log::ObjectKind;
  const std::vector<std::tuple<ObjectKind, AccessKnowledge, bool, bool>> Cases = {
      {ObjectKind::Device, AccessKnowledge::Exact, false, false},
      {ObjectKind::Managed, AccessKnowledge::Exact, true, false},
      {ObjectKind::Pinned, AccessKnowledge::Possible, false, true},
      {ObjectKind::Device, AccessKnowledge::Inferred, true, true},
      {ObjectKind::Device, AccessKnowledge::FromParameters, true, true}};
  for (const auto &[Kind, Knowledge, Managed, Pinned] : Cases) {
    const SkipPlan Plan = planWithLaunch(Kind, Knowledge);
    EXPECT_EQ(Plan.KernelsAccessManaged, Managed);
    EXPECT_EQ(Plan.KernelsAccessPinned, Pinned);
  }
}

} // namespace
} // namespace gmprof::test
