//===- HostMemoryTest.cpp - Pageable memory and repeated allocation -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCallsOfSync.h"
#include <functional>
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

/// Returns the findings about copies of so many bytes.
std::vector<Finding> pageable(const std::string &Api, bool ToHost, uint64_t Bytes,
                              uint64_t HostObject = 0, int Count = 2, bool InPython = false) {
  TestSyncCalls C;
  C.PythonStacks.resize(InPython ? 1 : 0);
  for (int I = 0; I < Count; ++I) {
    C.call(CallKind::Copy, Api, 1000);
    profile::Copy Of;
    Of.Api = Api;
    Of.RowBytes = Bytes;
    Of.From.object = Of.To.object = 7;
    (ToHost ? Of.To : Of.From).object = HostObject;
    (ToHost ? Of.To : Of.From).host = 1;
    C.Copies.push_back(Of);
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return pageableTransfers(Runs, syncProblems(Runs));
}

TEST(PageableTransfer, AsynchronousCopiesOfPageableMemory) {
  constexpr uint64_t Large = uint64_t(1) << 20;
  std::vector<Finding> Found = pageable("cudaMemcpyAsync", false, Large);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "host_to_device");
  EXPECT_EQ(Found[0].Message,
            "All 2 cudaMemcpyAsync calls read pageable host memory (2 MiB): such a call returns "
            "only when the driver has copied the data to a page-locked buffer.");
  EXPECT_EQ(Found[0].SecondsSaved, 1e-6); // half of 2 us
  Found = pageable("cudaMemcpyAsync", true, Large);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "device_to_host");
  EXPECT_EQ(Found[0].Message, "All 2 cudaMemcpyAsync calls write pageable host memory (2 MiB): "
                              "such a call returns only when the copy has ended.");
}

TEST(PageableTransfer, TheFixIsInTheProgramsLanguage) {
  const auto Fix = [](bool ToHost, bool InPython) {
    return pageable("cudaMemcpyAsync", ToHost, 1 << 20, 0, 2, InPython).at(0).Suggestion;
  };
  EXPECT_TRUE(Fix(false, false).starts_with("Allocate the buffer once with cudaMallocHost"));
  EXPECT_EQ(
      Fix(false, true),
      "Keep the data in page-locked memory (DataLoader(pin_memory=True), or pin_memory() of a "
      "tensor that is copied several times) and copy with non_blocking=True. The host must "
      "not change the tensor before the copy has ended.");
  EXPECT_EQ(Fix(true, true),
            "Copy into a page-locked tensor (pin_memory=True) that is allocated once, with "
            "copy_(tensor, non_blocking=True), and wait for a torch.cuda.Event behind the copy "
            "before the host reads it.");
}

TEST(PageableTransfer, OthersAreInnocent) {
  EXPECT_TRUE(pageable("cudaMemcpy", false, 1 << 20).empty());
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 16).empty());
  EXPECT_EQ(pageable("cudaMemcpyAsync", false, (1 << 16) + 1).size(), 1u);
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 20, /*HostObject=*/3).empty());
  EXPECT_TRUE(pageable("cudaMemcpyAsync", true, 1 << 20, /*HostObject=*/3).empty());
  // Page-locking memory costs more than one copy of it gains.
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 20, 0, /*Count=*/1).empty());
}

/// Returns the findings about four allocations of 100 ns, of which the first takes longer. Each is
/// freed before the next, or, with Together, at the end.
std::vector<Finding> repeated(bool Together, uint64_t Count = 4,
                              const std::string &Api = "cudaHostAlloc") {
  TestSyncCalls C;
  for (uint64_t I = 0; I < Count; ++I) {
    profile::Object O;
    O.Kind = log::ObjectKind::Pinned;
    O.Bytes = 1024 * (I + 1);
    O.Made.Api = Api;
    const profile::ApiCall &Call = C.Calls[C.call(CallKind::Allocation, Api, I == 0 ? 5000 : 100)];
    O.Made.BeginNs = Call.BeginNs;
    O.Made.TimeNs = O.Made.EndNs = Call.EndNs;
    O.Released.emplace();
    O.Released->Api = "cudaFreeHost";
    O.Released->TimeNs = Together ? 1'000'000 : C.Now;
    C.Objects.push_back(O);
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return repeatedAllocations(Runs, syncProblems(Runs));
}

TEST(RepeatedAllocation, PageLockedMemoryPerCall) {
  const std::vector<Finding> Found = repeated(false);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Message,
            "3 of 4 cudaHostAlloc calls page-lock memory again after cudaFreeHost "
            "has freed it (up to 4 KiB each).");
  EXPECT_EQ(Found[0].SecondsSaved, 3e-7);
}

TEST(RepeatedAllocation, OthersAreInnocent) {
  EXPECT_TRUE(repeated(true).empty());
  EXPECT_TRUE(repeated(false, 2).empty());
  EXPECT_TRUE(repeated(false, 4, "cudaHostRegister").empty());
}

/// Device memory of one line: allocated and freed one after the other.
struct Steps {
  uint64_t Count = 9;
  std::string Api = "cudaMalloc";
  std::vector<std::string> Names = {"d_in"}; ///< of a step's buffers, freed at its end
  std::function<uint64_t(uint64_t)> Bytes = [](uint64_t) { return 4096; };
};

/// Each allocation takes 100 ns of 1 ms.
std::vector<Finding> ofSteps(const Steps &Of) {
  TestSyncCalls C;
  for (uint64_t Step = 0; Step < Of.Count; ++Step) {
    const size_t First = C.Objects.size();
    for (const std::string &Name : Of.Names) {
      profile::Object O;
      O.Name = Name;
      O.Bytes = Of.Bytes(Step);
      O.Made.Api = Of.Api;
      const profile::ApiCall &Call = C.Calls[C.call(CallKind::Allocation, Of.Api, 100)];
      O.Made.BeginNs = Call.BeginNs;
      O.Made.TimeNs = O.Made.EndNs = Call.EndNs;
      C.Objects.push_back(O);
    }
    for (size_t I = First; I < C.Objects.size(); ++I) {
      C.call(CallKind::Release, "cudaFree", 50);
      C.Objects[I].Released.emplace();
      C.Objects[I].Released->Api = "cudaFree";
      C.Objects[I].Released->TimeNs = C.Now;
    }
  }
  const SyncRuns Runs = {&C, &C, nullptr, 1'000'000};
  return repeatedAllocations(Runs, syncProblems(Runs));
}

TEST(RepeatedAllocation, DeviceMemoryPerStep) {
  const std::vector<Finding> Found = ofSteps({});
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "device");
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_EQ(Found[0].SecondsSaved, 8e-7);
  EXPECT_EQ(Found[0].Message, "8 of 9 cudaMalloc calls allocate `d_in` again after cudaFree has "
                              "freed as much (up to 4 KiB each).");
  EXPECT_EQ(
      Found[0].Suggestion,
      "Allocate 4 KiB once, before the loop, and free it after the last use, provided that no "
      "other allocation needs the memory in between. cudaFree waits for the GPU: where the "
      "host or another stream relies on that, wait there.");
}

TEST(RepeatedAllocation, BuffersOfOneLine) {
  const std::vector<Finding> Found = ofSteps({.Count = 5, .Names = {"a", "b", "c"}});
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Message, "12 of 15 cudaMalloc calls allocate `a`, `b` and `c` again after "
                              "cudaFree has freed as much (up to 4 KiB each).");
  EXPECT_TRUE(Found[0].Suggestion.starts_with("Allocate these 3 buffers once, before the loop, and "
                                              "free them after the last use, "));
}

TEST(RepeatedAllocation, DeviceMemoryThatIsReusedIsInnocent) {
  EXPECT_TRUE(ofSteps({.Count = 8}).empty()); // 7 repetitions
  EXPECT_TRUE(ofSteps({.Count = 20, .Api = "cudaMallocAsync"}).empty());
  // A buffer that grows: as much was never freed.
  EXPECT_TRUE(
      ofSteps({.Count = 20, .Bytes = [](uint64_t Step) { return 1024 * (Step + 1); }}).empty());
  EXPECT_EQ(
      ofSteps({.Count = 20, .Bytes = [](uint64_t Step) { return 1024 * (20 - Step); }}).size(), 1u);
}

} // namespace
} // namespace gmprof::test
