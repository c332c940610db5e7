//===- AllocationPaths.h - Memory by call path ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who allocates memory: for speedscope, and as a flame graph (Gregg, The Flame Graph, CACM 2016).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_ALLOCATIONPATHS_H
#define GMPROF_REPORT_ALLOCATIONPATHS_H

#include "report/Summary.h"
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gmprof {

/// Which objects, and with what weight.
enum class PathsOf { Allocated, Peak, NeverReleased };

struct PathFrame {
  std::string Name;
  std::optional<summary::Source> Where;
  auto key() const {
    return std::tuple(Name, Where ? Where->file : std::string(), Where ? Where->line : 0);
  }
};

/// A call path, outermost first, with the object last, or the API if it has no name.
struct WeightedPath {
  std::vector<PathFrame> Frames;
  uint64_t Bytes = 0, Objects = 0;
};

/// Paths that are the same are one; those with most bytes come first. Objects without a call path
/// have one frame that says so.
std::vector<WeightedPath> allocationPaths(const summary::Summary &S, PathsOf Of);

/// For https://www.speedscope.app: a profile for each PathsOf that is not empty.
std::string speedscopeProfile(const summary::Summary &S);

/// A web page with one of them that needs nothing else, and runs nothing.
std::string flameGraphPage(const summary::Summary &S, PathsOf Of);

} // namespace gmprof

#endif // GMPROF_REPORT_ALLOCATIONPATHS_H
