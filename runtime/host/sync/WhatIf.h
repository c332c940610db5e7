//===- WhatIf.h - Runs the program with some calls left out -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program for `gmprof whatif`: nothing is profiled, and calls from one call site do not
// wait, or do not copy, as a plan says (analysis/sync/SyncSkips.h). A call is identified by its
// call path and by the number of earlier calls from there.
//
//   explicit waits     are not made
//   misplaced waits    are made at the first use (LateWaits.h)
//   implicit waits     the call's Async form is made in its place, in the same stream
//   releases           memory is kept and reused by the next allocation of the same size, or
//                      released at the end, as if the program allocated it before a loop and
//                      released it after the loop
//   copies             are not made; their wait is made if it is needed
//
// Kept memory is reused without a wait only if all of the program's work is in one stream, whose
// order suffices. If memory runs out, kept memory is released.
//
// The measured time begins at the return of the first call that needs the GPU and ends with the
// program: creating a context takes longer than most waits, and its duration varies more.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_WHATIF_H
#define GMPROF_HOST_SYNC_WHATIF_H

#include "host/core/DriverApi.h"
#include "host/core/FunctionRef.h"
#include "host/objects/CallPaths.h"
#include "host/objects/Transfers.h"
#include "host/sync/LateWaits.h"
#include "host/sync/WhatIfPlan.h"
#include "profile/Mutex.h"
#include <array>
#include <atomic>
#include <deque>
#include <unordered_map>

namespace gmprof::host {

class WhatIf {
public:
  using Instead = WhatIfPlan::Instead;

  /// Returns the active object; null if nothing is left out.
  static WhatIf *active() { return Active.load(std::memory_order_acquire); }
  /// Reads the plan. Returns the reason if that is not possible; empty on success.
  static std::string begin(const std::string &PlanPath);

  Instead instead(const char *Api, const void *Caller);

  /// Returns whether a wait that the plan moves must be made in its place.
  static bool waitsNow(log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event = nullptr) {
    LateWaits *Late = LateWaits::active();
    return !Late || Late->putOff(Kind, Stream, Event);
  }

  /// Starts the time: a call that needs the GPU has returned.
  void started();

  /// Keeps memory that the program releases. Returns false if that is not possible for this
  /// function.
  bool keep(const char *Api, void *Handle);
  /// Returns kept memory of the same size, if there is some.
  bool reuse(void **Pointer, size_t Bytes);
  void allocated(const void *Pointer, size_t Bytes);
  void released(const void *Pointer);
  /// Releases kept memory. Returns whether there was any.
  bool giveBack();
  /// Forgets kept memory, which was freed with its device.
  void forgetKept();

  /// Makes the copy or its replacement in the plan. Async: without waiting.
  cudaError_t copy(const TransferCall &Made, FunctionRef<cudaError_t()> Plain,
                   FunctionRef<cudaError_t()> Async, FunctionRef<Transfer()> What);

private:
  struct Kept {
    void *Handle = nullptr;
    uint64_t Bytes = 0; ///< 0: not known
    int Device = 0;
    cudaError_t (*Release)(void *) = nullptr;
  };

  /// A call site of the plan.
  struct Place {
    explicit Place(const WhatIfPlan::Place &Of) : Of(Of) {}
    const WhatIfPlan::Place &Of;
    std::atomic<uint64_t> Calls{0};
  };

  static const DriverApi &driver();
  explicit WhatIf(WhatIfPlan From);
  Place *placeOf(const char *Api, uint32_t Path);
  static cudaError_t wait(cudaStream_t Stream);
  void check(const Transfer &T, cudaStream_t Stream);
  void finish();

  const WhatIfPlan Plan;
  std::deque<Place> Places; ///< in the order of the plan

  CallPaths Paths;
  Mutex Lock;
  std::unordered_map<uint32_t, Place *> ByPath GMPROF_GUARDED_BY(Lock); ///< null: none
  std::vector<Kept> AllKept GMPROF_GUARDED_BY(Lock);
  /// Bytes of the allocations that can be kept.
  std::unordered_map<const void *, uint64_t> Sizes GMPROF_GUARDED_BY(Lock);
  std::array<std::atomic<uint64_t>, 5> Done = {}; ///< by Instead
  std::atomic<uint64_t> StartNs{0};
  struct Counts {
    uint64_t Reused = 0, GivenBack = 0, Checked = 0, Differ = 0, NotChecked = 0;
  } Counted GMPROF_GUARDED_BY(Lock);

  static std::atomic<WhatIf *> Active;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_WHATIF_H
