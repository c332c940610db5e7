//===- CallPaths.h - The call paths of a summary ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary has each function on call paths once, in frames[]; call_paths[] refers to them: the
// paths of a training share most of their functions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_CALLPATHS_H
#define GMPROF_REPORT_MODEL_CALLPATHS_H

#include "report/model/Summary.h"
#include <map>
#include <string>
#include <tuple>

namespace gmprof::summary {

/// Returns the functions of call_paths[Index], innermost first; none if there is no such path.
std::vector<Frame> callPath(const Summary &S, std::optional<uint32_t> Index);

/// Adds call paths to a summary, which must outlive this.
class CallPathTable {
public:
  /// Starts with the frames that the summary has.
  explicit CallPathTable(Summary &To);

  /// Appends a path to call_paths[] and returns its index.
  uint32_t add(const std::vector<Frame> &Path);

private:
  /// Members of a Frame.
  using Key = std::tuple<std::string, std::string, unsigned, bool, bool, std::string, uint64_t>;
  static Key keyOf(const Frame &F);

  Summary &S;
  std::map<Key, uint32_t> Indices; ///< in frames[]
};

} // namespace gmprof::summary

#endif // GMPROF_REPORT_MODEL_CALLPATHS_H
