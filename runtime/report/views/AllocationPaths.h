//===- AllocationPaths.h - Memory by call path ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory per call path, for speedscope and as a flame graph (Gregg, The Flame Graph, CACM 2016).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_ALLOCATIONPATHS_H
#define GMPROF_REPORT_VIEWS_ALLOCATIONPATHS_H

#include "report/model/Summary.h"
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gmprof {

/// Selects the objects whose bytes are shown.
enum class PathsOf { Allocated, Peak, NeverReleased };

struct PathFrame {
  std::string Name;
  std::optional<summary::Source> Where;
  auto key() const {
    return std::tuple(Name, Where ? Where->file : std::string(), Where ? Where->line : 0);
  }
};

/// A call path, outermost frame first; the last frame is the object, or the API if it has no name.
struct WeightedPath {
  std::vector<PathFrame> Frames;
  uint64_t Bytes = 0, Objects = 0;
};

/// Returns the distinct paths, those with the most bytes first. Objects without a call path have a
/// single frame that says so.
std::vector<WeightedPath> allocationPaths(const summary::Summary &S, PathsOf Of);

/// Returns a file for https://www.speedscope.app, with a profile for each PathsOf that is not
/// empty.
std::string speedscopeProfile(const summary::Summary &S);

/// Returns a self-contained web page without scripts.
std::string flameGraphPage(const summary::Summary &S, PathsOf Of);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_ALLOCATIONPATHS_H
