//===- WhatIfPlan.h - Which calls of a program to leave out -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan that `gmprof whatif` passes to the program in a file. It is text, so that the program
// reads it without a JSON library: words that white space separates, strings in double quotes
// (std::quoted), numbers in decimal digits, booleans as 0 or 1.
//
//   depth FRAMES
//   reuse BOOL
//   verify BOOL
//   kernels_access MANAGED-BOOL PINNED-BOOL
//   result "FILE"
//   place "API" "KEY"              for each place, followed by its ranges:
//   calls FIRST LAST INSTEAD       INSTEAD is one of InsteadNames
//   end
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_WHATIFPLAN_H
#define GMPROF_HOST_SYNC_WHATIFPLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gmprof::host {

struct WhatIfPlan {
  /// Replacement of a call.
  enum class Instead : uint8_t { AsItIs, NoWait, WaitLate, NoCopy, NoCopyButWait };
  static constexpr std::array<std::pair<const char *, Instead>, 4> InsteadNames = {
      {{"no_wait", Instead::NoWait},
       {"wait_late", Instead::WaitLate},
       {"no_copy", Instead::NoCopy},
       {"no_copy_but_wait", Instead::NoCopyButWait}}};

  /// Calls from one place, by their numbers from 0; First and Last are included.
  struct Range {
    uint64_t First = 0, Last = 0;
    Instead Do = Instead::AsItIs;
  };
  struct Place {
    std::string Api;
    std::string Key;           ///< CallPaths::keyOf
    std::vector<Range> Ranges; ///< sorted, without overlaps
  };

  unsigned Depth = 0;  ///< most frames of a call path
  bool Reuse = false;  ///< gives memory that is kept to the next allocation, without waiting
  bool Verify = false; ///< compares the destination of a copy that is left out with its source
  bool KernelsAccessManaged = false, KernelsAccessPinned = false;
  std::string ResultPath; ///< the program appends "-PID" to it
  std::vector<Place> Places;

  bool movesWaits() const;
};

std::string formatWhatIfPlan(const WhatIfPlan &Plan);

/// Returns nothing if Text is not a whole plan.
std::optional<WhatIfPlan> parseWhatIfPlan(const std::string &Text);

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_WHATIFPLAN_H
