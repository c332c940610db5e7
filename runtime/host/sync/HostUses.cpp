//===- HostUses.cpp - Uses that handlers have seen ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/HostUses.h"
#include "host/core/Session.h"
#include "host/sync/FaultHandler.h"
#include <algorithm>
#include <utility>

namespace gmprof::host {

void UsePath::unwindTo(uint64_t Return) {
  // Unwinders fault on stacks that they do not know, such as those of GPU threads on the CPU
  // device.
  guardedFromFaults(
      [](void *To) {
        auto *Its = static_cast<UsePath *>(To);
        Its->Count = CallPaths::unwind(Its->Frames);
      },
      this);
  uint64_t *End = Frames.data() + Count;
  uint64_t *At = std::find(Frames.data(), End, Return);
  // Unwinding ends early without unwind tables: the path is the return address.
  if (At == End) {
    At = Frames.data();
    End = At + 1;
    *At = Return;
  }
  std::copy(At, End, Frames.data());
  Count = static_cast<size_t>(End - At);
}

void UsePath::unwindAt(uint64_t Instruction) {
  unwindTo(Instruction);
  // A path consists of return addresses, which follow the calls.
  ++Frames[0];
}

void HostUses::see(uint64_t Operation, log::UseKind Kind, uint64_t Address, uint64_t TimeNs,
                   std::span<const uint64_t> Frames, bool ByCode) {
  AnySeen.store(true, std::memory_order_release);
  if (UseCount == MaxSeen) {
    ++Lost;
    return;
  }
  Seen &S = Uses[Filled][UseCount++];
  S.Use = {Operation, TimeNs, Address, Kind, threadId(), 0, ByCode};
  S.FrameCount = static_cast<unsigned>(Frames.size());
  std::copy(Frames.begin(), Frames.end(), S.Frames.begin());
}

void HostUses::record(Recorder &Log, CallPaths &Paths) {
  if (!AnySeen.exchange(false, std::memory_order_acquire))
    return;
  LockGuard OneAtATime(Recording);
  std::span<Seen> Taken;
  uint64_t TakenLost = 0;
  {
    WatchLock::Guard Guard;
    Taken = {Uses[Filled].data(), std::exchange(UseCount, 0)};
    Filled = 1 - Filled;
    TakenLost = std::exchange(Lost, 0);
  }
  for (Seen &S : Taken) {
    S.Use.callPath = Paths.add({S.Frames.data(), S.FrameCount});
    Log.hostUse(S.Use);
  }
  if (TakenLost != 0)
    Log.gap("uses by the host", "more of them came at a time than there is room for", TakenLost);
}

} // namespace gmprof::host
