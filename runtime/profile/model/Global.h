//===- Global.h - Counts of global memory -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_GLOBAL_H
#define GMPROF_PROFILE_MODEL_GLOBAL_H

#include "gmprof/abi/kinds.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::profile {

/// Upper bound of ElementShift: elements of 4 KiB.
inline constexpr unsigned MaxElementShift = 12;

/// Properties that launches of a kernel share (log::GlobalContextRecord), and their counts beside
/// those of elements (log::GlobalTotalsRecord).
struct GlobalContext {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t BlockSample = 1;
  bool ClosedForms = false; ///< true if the closed forms hold
  uint64_t CounterBytes = 0, ObjectBytes = 0;
  /// Per variable of the descriptor: the id of the object that its pointer points into, or 0, and
  /// the byte offset in the object.
  std::vector<uint64_t> Objects;
  std::vector<int64_t> Offsets;
  std::vector<int64_t> Values; ///< values of the kernel's parameters
  uint64_t LaunchesCounted = 0, Blocks = 0, Threads = 0, Outside = 0;
};

/// Counts of one kind of access by a kernel to the elements of an object; see
/// log::GlobalCountsRecord. Several entries for the same elements add up.
struct GlobalCounts {
  uint64_t Object = 0;
  uint32_t Kernel = 0;
  GmprofCounterKind Kind = GMPROF_COUNTER_READS;
  unsigned ElementShift = 0;
  uint32_t BlockSample = 1;
  uint32_t Threshold = 0; ///< 0: none
  bool ThresholdReached = false;
  uint64_t FirstElement = 0, Elements = 0;
  uint64_t Launches = 0;
  /// Context of all counted launches; 0: launches of any contexts without entries of their own.
  uint64_t Context = 0;
  std::vector<std::byte> Compressed = {}; ///< see CompressedCounts.h
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_GLOBAL_H
