//===- LaunchPlace.h - Where a launch is made -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHPLACE_H
#define GMPROF_HOST_LAUNCH_LAUNCHPLACE_H

#include <cstdint>

namespace gmprof::host {

/// As in log::LaunchRecord::graph.
enum class LaunchPlace : uint32_t {
  Stream,
  Graph, ///< a node, launched as often as the graph is
  /// A node in the body of a conditional node, launched as often as the GPU decides: only what its
  /// clone counts tells how often.
  GraphBody,
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHPLACE_H
