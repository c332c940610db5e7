//===- HandMadeElements.h - Launches whose elements are counted -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_HANDMADEELEMENTS_H
#define GMPROF_TEST_UNIT_ANALYSIS_HANDMADEELEMENTS_H

#include "HandMadeGlobal.h"
#include "TestTrace.h"
#include "analysis/elements/ElementUse.h"
#include <gtest/gtest.h>
#include <vector>

namespace gmprof::test {

/// x[parameter 2 + i], where i is the global index.
inline ClosedForm fromParameter() {
  ClosedForm F;
  F.Address = scaled(plus(globalIndex(), {{1, {parameter(2)}}}), 4);
  return F;
}

/// Launches of one kernel, and other calls of the program.
struct HandMadeElements : HandMadeGlobal {
  TestTrace T;

  /// Returns the object's index in the trace; its id is one more.
  uint32_t allocate(uint64_t Bytes) {
    const uint64_t Id = object("", Bytes);
    const uint32_t Index = T.allocate("x", Bytes);
    T.Objects[Index].Id = Id;
    return Index;
  }
  /// Appends a launch with the context of the last launches(), which accesses the object.
  void call(uint32_t Object, uint64_t Stream = 0) {
    T.launch("k", {Object}, {Object}, Stream);
    T.Apis.back().Launch = static_cast<uint32_t>(P.Launches.size() - 1);
  }
  /// Appends a launch with its own context; Value is the parameter that forms depend on.
  profile::GlobalContext &launch(uint32_t Object, uint32_t Block, int64_t Value,
                                 bool ClosedForms = true) {
    launches(1, 1, Block, {T.Objects[Object].Id}, {0, 0, Value}, ClosedForms).LaunchesCounted = 1;
    call(Object);
    return P.GlobalContexts.back();
  }

  std::vector<ElementUse> uses(size_t Threads = 8) {
    const std::vector<uint32_t> Times = T.timestamps();
    return elementUse(P, ObjectHistory(T, Times), Threads);
  }
  ElementUse onlyUse(size_t Threads = 8) {
    std::vector<ElementUse> Uses = uses(Threads);
    EXPECT_EQ(Uses.size(), 1u);
    return Uses.empty() ? ElementUse() : Uses[0];
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_HANDMADEELEMENTS_H
