//===- MemoryOptions.h - Options about owners of memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TOOL_MEMORYOPTIONS_H
#define GMPROF_REPORT_TOOL_MEMORYOPTIONS_H

#include "profile/Result.h"
#include "report/tool/Tool.h"
#include <cstdint>
#include <optional>

namespace gmprof::tool {

/// When and what of memory to show: --at, --by, --top, and the style of text.
struct MemoryOptions {
  std::string At, By = "everything";
  unsigned Top = 10;
  Style Look;

  /// Adds the options. Times of --at count from Start.
  void addTo(CLI::App &Command, const std::string &Start);
  MemoryBy by() const;
  /// Returns the time of --at in nanoseconds; nothing if it is empty or names a moment.
  Result<std::optional<uint64_t>> time() const;
  /// Returns the moment to show: that of --at, or failure if there is such an account, or peak. An
  /// error if the summary at Path has no such account.
  Result<std::string> moment(const summary::Summary &S, const std::string &Path) const;
};

} // namespace gmprof::tool

#endif // GMPROF_REPORT_TOOL_MEMORYOPTIONS_H
