//===- ProgramMemory.cpp - Memory that pointers can reach -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/ProgramMemory.h"
#include <utility>

namespace gmprof::host {

MemoryRanges ProgramMemory::collect(int Device) const {
  MemoryRanges All;
  auto Add = [&](uint64_t Begin, uint64_t End, uint64_t Object) {
    if (Begin >= End)
      return;
    All.Ranges.push_back({Begin, End - Begin});
    All.Objects.push_back(Object);
  };
  const std::vector<LiveObject> Pieces = Parts.parts();
  auto Part = Pieces.begin();
  for (const LiveObject &O : Live.live(Device)) {
    uint64_t At = O.Address;
    const uint64_t End = O.Address + O.Bytes;
    while (Part != Pieces.end() && Part->Address < At)
      ++Part;
    for (; Part != Pieces.end() && Part->Address < End; ++Part) {
      Add(At, Part->Address, O.Id);
      At = std::min(Part->Address + Part->Bytes, End);
      Add(Part->Address, At, Part->Id);
    }
    Add(At, End, O.Id);
  }
  return All;
}

std::shared_ptr<const MemoryRanges> ProgramMemory::ranges(int Device) const {
  std::lock_guard<std::mutex> Guard(Lock);
  const uint64_t Now = version();
  if (std::exchange(KnownVersion, Now) != Now)
    Known.clear();
  std::shared_ptr<const MemoryRanges> &All = Known[Device];
  if (!All)
    All = std::make_shared<const MemoryRanges>(collect(Device));
  return All;
}

} // namespace gmprof::host
