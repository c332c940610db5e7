//===- SharedKernel.cpp - What is known of shared memory at a launch ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/shared/SharedKernel.h"
#include "profile/Mutex.h"
#include <algorithm>

namespace gmprof::host {

/// Beyond that, describing each launch costs more than counting its accesses.
static constexpr size_t MaxCases = 4096;

uint64_t SharedKernel::caseOf(uint32_t Kernel, const std::array<uint32_t, 3> &Grid,
                              const std::array<uint32_t, 3> &Block, uint32_t DynamicShared,
                              void **Args, bool InGraph, Recorder &Log) {
  // Without the parameters no form holds.
  if (hasForms() && !Params.problem().empty())
    return 0;
  std::vector<int64_t> Values = Forms.values(Params, Args);
  std::vector<uint64_t> Key(Values.begin(), Values.end());
  Key.insert(Key.end(), Grid.begin(), Grid.end());
  Key.insert(Key.end(), Block.begin(), Block.end());
  Key.insert(Key.end(), {DynamicShared, InGraph});

  LockGuard Guard(Lock);
  if (auto Known = Cases.find(Key); Known != Cases.end())
    return Known->second;
  if (Cases.size() >= MaxCases) {
    if (hasForms())
      return 0;
    Cases.clear();
  }
  uint64_t &Case = Cases[Key];
  if (!Forms.hold(Grid, Block, Values))
    return 0;
  Case = Log.nextContextId();
  log::SharedCaseRecord Record = {};
  Record.context = Case;
  Record.kernel = Kernel;
  std::copy(Grid.begin(), Grid.end(), Record.grid);
  std::copy(Block.begin(), Block.end(), Record.block);
  Record.dynamicSharedBytes = DynamicShared;
  Record.valueCount = static_cast<uint32_t>(Values.size());
  Log.profileRecord(log::RecordKind::SharedCase, Record, std::span(Values));
  return Case;
}

} // namespace gmprof::host
