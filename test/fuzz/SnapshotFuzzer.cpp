//===- SnapshotFuzzer.cpp - Fuzzes the reader of snapshots --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/MemorySnapshot.h"
#include "report/text/TextReport.h"
#include "report/views/SnapshotView.h"
#include <numeric>

using namespace gmprof;

/// A snapshot of PyTorch's memory is refused, or can be shown; the rows at the snapshot add up to
/// its segments.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const auto Snapshot =
      parseMemorySnapshot({reinterpret_cast<const char *>(Data), Size}, "fuzz.pickle");
  if (!Snapshot)
    return 0;
  const summary::Summary S = snapshotSummary(*Snapshot, std::nullopt);
  for (const char *Moment : {"peak", "failure", "end"})
    (void)textSnapshot(snapshotView(*Snapshot, "", S, Moment, &S), MemoryBy::Everything, {});
  for (const summary::DeviceMemory &D : S.memory->devices) {
    uint64_t Reserved = 0;
    for (const SnapshotPool &P : Snapshot->Pools) {
      if (P.Device == D.device)
        Reserved += P.ReservedBytes;
      if (P.AllocatedBytes + P.AwaitingBytes + P.ReleasableBytes + P.FragmentedBytes !=
          P.ReservedBytes)
        __builtin_trap();
    }
    for (const summary::MemoryAccount &A : D.accounts)
      if (A.moment == "end" && Snapshot->Unmatched == 0 &&
          std::accumulate(
              A.rows.begin(), A.rows.end(), uint64_t(0),
              [](uint64_t Sum, const summary::MemoryRow &R) { return Sum + R.bytes; }) != Reserved)
        __builtin_trap();
  }
  return 0;
}
