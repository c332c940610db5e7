//===- MemoryRecords.cpp - Decodes readings of memory ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/MemoryRecords.h"

namespace gmprof {

bool MemoryRecords::reading(Payload B, uint64_t Record) {
  log::MemoryReadingRecord R;
  if (!take(B, R) || !B.empty() || R.freeBytes > R.totalBytes || R.moment > log::MemoryMoment::End)
    return false;
  profile::MemoryReading &To = P.MemoryReadings.emplace_back();
  To.Record = Record;
  To.TimeNs = R.timeNs;
  To.FreeBytes = R.freeBytes;
  To.TotalBytes = R.totalBytes;
  To.OwnBytes = R.ownBytes;
  To.PoolBytes = R.poolBytes;
  To.GraphBytes = R.graphBytes;
  To.ModuleBytes = R.moduleBytes;
  To.PrintfBytes = R.printfBytes;
  To.HeapBytes = R.heapBytes;
  To.StackBytes = R.stackBytes;
  if (R.otherBytes != UINT64_MAX)
    To.OtherBytes = R.otherBytes;
  To.Device = R.device;
  To.Moment = R.moment;
  return true;
}

bool MemoryRecords::failure(Payload B, uint64_t Record) {
  log::FailedAllocationRecord R;
  if (!take(B, R) || B.size() != R.apiBytes || R.kind > log::ObjectKind::Array)
    return false;
  profile::FailedAllocation &To = P.FailedAllocations.emplace_back();
  To.Record = Record;
  To.Api = text(B);
  To.TimeNs = R.timeNs;
  To.Bytes = R.bytes;
  To.Kind = R.kind;
  To.Device = R.device;
  To.Thread = R.thread;
  To.CallPath = Objects.findPath(R.callPath);
  return true;
}

} // namespace gmprof
