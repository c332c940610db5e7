//===- WhatIf.h - Runs the program with some calls left out -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `gmprof whatif` runs the program with: nothing is profiled, and calls from one place
// do not wait, or do not copy, as a plan says (analysis/SyncSkips.h). Calls are known by
// their path, and by how often the program has called from there before.
//
//   explicit waits     are not made
//   misplaced waits    are made at the first use (LateWaits.h)
//   implicit waits     the call's Async form is made in its place, in the same stream
//   releases           memory is kept, and given to the next allocation of as many bytes, or
//                      released at the end: what the program would do that allocates before
//                      a loop and releases after it
//   copies             are not made; where their wait is needed, that is
//
// Memory is given to another allocation without waiting only if all of the program's work
// is in one stream, whose order is enough then. If there is no other memory left, what was
// kept is released.
//
// The time is taken from the return of the first call that needs the GPU, as making a
// context takes longer than most waits and varies by more, to the program's end.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_WHATIF_H
#define GMPROF_HOST_SYNC_WHATIF_H

#include "host/core/DriverApi.h"
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

  /// Null: nothing is left out.
  static WhatIf *active() { return Active.load(std::memory_order_acquire); }
  /// Reads the plan. Why that is not possible; empty if it is.
  static std::string begin(const std::string &PlanPath);

  Instead instead(const char *Api, const void *Caller);

  /// Of a wait that is to be made late: whether it has to be made now.
  static bool waitsNow(log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event = nullptr) {
    LateWaits *Late = LateWaits::active();
    return !Late || Late->putOff(Kind, Stream, Event);
  }

  /// A call that needs the GPU has returned.
  void started();

  /// Keeps what the program releases. False: that is not possible for this function.
  bool keep(const char *Api, void *Handle);
  /// Memory that was kept, if there is some of as many bytes.
  bool reuse(void **Pointer, size_t Bytes);
  void allocated(const void *Pointer, size_t Bytes);
  void released(const void *Pointer);
  /// Releases what was kept. Whether that was anything.
  bool giveBack();
  /// The memory went with its device.
  void forgetKept();

  /// Makes the copy, or what the plan says; Async: without waiting.
  template <typename Call, typename AsyncCall, typename Describe>
  cudaError_t copy(const TransferCall &Made, const Call &Plain, const AsyncCall &Async,
                   const Describe &What) {
    const cudaStream_t Stream = Made.Stream;
    const Instead Do = instead(Made.Api, Made.Caller);
    LateWaits *Late = LateWaits::active();
    if (Late)
      Late->transferring(What(), Stream,
                         Made.Async || Do == Instead::NoWait || Do == Instead::WaitLate);
    if (Plan.Verify && (Do == Instead::NoCopy || Do == Instead::NoCopyButWait))
      check(What(), Stream);
    switch (Do) {
    case Instead::AsItIs: {
      cudaError_t Error = Plain();
      if (Late && !Made.Async)
        Late->waited(log::CallKind::Copy, Stream);
      return Error;
    }
    case Instead::NoWait:
      return Async();
    case Instead::WaitLate: {
      cudaError_t Error = Async();
      const bool Now = Error == cudaSuccess && waitsNow(log::CallKind::StreamSynchronized, Stream);
      return Now ? wait(Stream) : Error;
    }
    case Instead::NoCopy:
      return cudaSuccess;
    case Instead::NoCopyButWait:
      return wait(Stream);
    }
    return Plain();
  }

private:
  struct Kept {
    void *Handle = nullptr;
    uint64_t Bytes = 0; ///< 0: not known
    int Device = 0;
    cudaError_t (*Release)(void *) = nullptr;
  };

  /// Where calls are made that the plan is about.
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
  /// Bytes of allocations that may be kept.
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
