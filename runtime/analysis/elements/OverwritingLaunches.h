//===- OverwritingLaunches.h - Launches that overwrite an object -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the launches that write every byte of an object and read none of it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_OVERWRITINGLAUNCHES_H
#define GMPROF_ANALYSIS_ELEMENTS_OVERWRITINGLAUNCHES_H

#include <cstdint>
#include <vector>

namespace gmprof::analysis {

class ObjectAccesses;

/// Returns the APIs of these launches, ascending. Returns none if no set writes the object, since
/// only sets are compared with them. Needs readRecords(), and all accesses must be known.
std::vector<uint32_t> overwritingLaunches(ObjectAccesses &Accesses);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_OVERWRITINGLAUNCHES_H
