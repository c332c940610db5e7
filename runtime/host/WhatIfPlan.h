//===- WhatIfPlan.h - Which calls of a program to leave out -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `gmprof whatif` hands to the program (report/SkipPlanFile.h), as the program reads it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_WHATIFPLAN_H
#define GMPROF_HOST_WHATIFPLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gmprof::host {

struct WhatIfPlan {
  /// What becomes of a call.
  enum class Instead : uint8_t { AsItIs, NoWait, WaitLate, NoCopy, NoCopyButWait };
  static constexpr std::array<std::pair<const char *, Instead>, 4> InsteadNames = {
      {{"no_wait", Instead::NoWait},
       {"wait_late", Instead::WaitLate},
       {"no_copy", Instead::NoCopy},
       {"no_copy_but_wait", Instead::NoCopyButWait}}};

  /// Of the calls from a place, by their numbers from 0, both included.
  struct Range {
    uint64_t First = 0, Last = 0;
    Instead Do = Instead::AsItIs;
  };
  struct Place {
    std::string Api;
    std::string Key;           ///< CallPaths::keyOf
    std::vector<Range> Ranges; ///< in order
  };

  unsigned Depth = 0; ///< frames that call paths have at most
  bool Reuse = false; ///< memory that is kept, without waiting
  bool Verify = false;
  bool KernelsAccessManaged = false, KernelsAccessPinned = false;
  std::string ResultPath;
  std::vector<Place> Places;

  bool movesWaits() const;
};

/// Nothing, if that is no plan.
std::optional<WhatIfPlan> parseWhatIfPlan(std::string_view Json);

} // namespace gmprof::host

#endif // GMPROF_HOST_WHATIFPLAN_H
