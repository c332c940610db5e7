//===- PageableTransfer.cpp - Finds asynchronous copies of pageable memory ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Best Practices Guide, Pinned Memory. An asynchronous copy of pageable memory passes
// through a page-locked buffer of the driver: its call returns when the data is in that buffer, or,
// for copies to the host, when the copy has ended (CUDA Runtime API, API synchronization behavior).
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/sync/SyncFinding.h"
#include "profile/Saturating.h"
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using profile::Copy;

namespace {

/// Copies from or to pageable memory at one line.
struct Pageable {
  uint64_t Copies = 0, Bytes = 0, Largest = 0;
};

/// The driver takes copies of up to this size with the command, so page-locked memory saves little.
constexpr uint64_t SmallBytes = uint64_t(64) << 10;

/// The driver's own copy takes about as long as the transfer: page-locked memory doubles the
/// bandwidth.
constexpr uint64_t StagingShare = 2;

} // namespace

static bool isAsync(const std::string &Api) { return Api.find("Async") != std::string::npos; }

/// Returns true for memory of the host that is no known object.
static bool isPageable(const log::CopyOperand &Side) { return Side.host != 0 && Side.object == 0; }

static uint64_t bytesOf(const Copy &C) {
  return mulSaturating(mulSaturating(C.RowBytes, C.Rows), C.Slices);
}

/// Returns the copies by line and direction: true for copies to the host.
static std::map<std::pair<std::string, bool>, Pageable> pageableCopies(const profile::Profile &P) {
  std::map<std::pair<std::string, bool>, Pageable> By;
  for (const Copy &C : P.Copies) {
    const bool ToHost = C.To.host != 0;
    const uint64_t Bytes = bytesOf(C);
    if (C.Set || C.From.host == C.To.host || Bytes <= SmallBytes ||
        !isPageable(ToHost ? C.To : C.From))
      continue;
    if (!isAsync(C.Api.str()))
      continue;
    Pageable &Of = By[{lineKey(P, C.Api.str(), C.CallPath), ToHost}];
    ++Of.Copies;
    Of.Bytes = addSaturating(Of.Bytes, Bytes);
    Of.Largest = std::max(Of.Largest, Bytes);
  }
  return By;
}

/// Returns the fix. PyTorch keeps page-locked memory until copies from it have ended, but does not
/// keep the host from changing it.
static std::string suggestion(bool IsPython, bool ToHost) {
  if (!IsPython)
    return fmt::format(
        "Allocate the buffer once with cudaMallocHost, or register it once with cudaHostRegister. "
        "The copy is asynchronous then: wait for it, for example with cudaEventSynchronize, before "
        "the host {} the buffer.",
        ToHost ? "reads, writes or frees" : "writes or frees");
  if (ToHost)
    return "Copy into a page-locked tensor (pin_memory=True) that is allocated once, with "
           "copy_(tensor, non_blocking=True), and wait for a torch.cuda.Event behind the copy "
           "before "
           "the host reads it.";
  return "Keep the data in page-locked memory (DataLoader(pin_memory=True), or pin_memory() of a "
         "tensor that is copied several times) and copy with non_blocking=True. The host must not "
         "change the tensor before the copy has ended.";
}

static Finding describe(const SyncRuns &Runs, const SyncProblems &S, const CallsOfLine &Calls,
                        const Pageable &Of, bool ToHost, bool IsPython) {
  const uint64_t OwnNs = Calls.CallNs - std::min(Calls.CallNs, Calls.WaitNs);
  const std::string Call = Calls.First->Api + " call";
  Finding F = syncFinding(Runs, S, *Calls.First, "pageable_transfer", {OwnNs / StagingShare, {}});
  F.Kind = ToHost ? "device_to_host" : "host_to_device";
  addEvidence(F, {{"calls", Calls.Calls},
                  {"pageable", Of.Copies},
                  {"pageable_bytes", Of.Bytes},
                  {"largest_bytes", Of.Largest},
                  {"call_seconds", seconds(Calls.CallNs)},
                  {"wait_seconds", seconds(Calls.WaitNs)}});
  F.Message = fmt::format(
      "{} {} pageable host memory ({}): such a call returns only when {}.",
      Of.Copies == Calls.Calls
          ? fmt::format("All {}", plural(Calls.Calls, Call))
          : fmt::format("{} of {}", grouped(Of.Copies), plural(Calls.Calls, Call)),
      ToHost ? "write" : "read", bytesText(static_cast<double>(Of.Bytes)),
      ToHost ? "the copy has ended" : "the driver has copied the data to a page-locked buffer");
  F.Suggestion = suggestion(IsPython, ToHost);
  return F;
}

std::vector<Finding> pageableTransfers(const SyncRuns &Runs, const SyncProblems &S) {
  const auto By = pageableCopies(*Runs.Memory);
  std::vector<Finding> All;
  if (By.empty())
    return All;
  for (const auto &[Key, Calls] : callsByLine(Runs, S)) {
    // The finding about its waits proposes page-locked memory, too.
    if (Calls.UnnecessaryWaits)
      continue;
    for (const bool ToHost : {false, true})
      // Page-locking memory costs more than one copy of it gains.
      if (auto Of = By.find({Key, ToHost}); Of != By.end() && Of->second.Copies > 1)
        All.push_back(
            describe(Runs, S, Calls, Of->second, ToHost, !Runs.Memory->PythonStacks.empty()));
  }
  return All;
}

} // namespace gmprof::analysis
