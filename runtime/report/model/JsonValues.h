//===- JsonValues.h - Values of summary.json without a struct ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_JSONVALUES_H
#define GMPROF_REPORT_MODEL_JSONVALUES_H

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gmprof::summary {

/// JSON text that is passed on verbatim.
struct RawJson {
  std::string text = "null";
};

using EvidenceValue = std::variant<uint64_t, double, bool, std::string>;

/// An object whose members have any names, in its order.
using Evidence = std::vector<std::pair<std::string, EvidenceValue>>;

} // namespace gmprof::summary

#endif // GMPROF_REPORT_MODEL_JSONVALUES_H
