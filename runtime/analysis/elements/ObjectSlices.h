//===- ObjectSlices.h - Slices of an object over time -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the slices of an object that APIs of one stream access in sequence (AccessSlices.h), and
// how often kernels access them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_OBJECTSLICES_H
#define GMPROF_ANALYSIS_ELEMENTS_OBJECTSLICES_H

#include "analysis/elements/AccessSlices.h"
#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

class ObjectAccesses;

/// Access frequencies of an object's slices by a kernel.
struct SliceFrequencies {
  uint32_t Kernel = 0;
  uint32_t Api = 0;    ///< first of its launches
  uint64_t Slices = 0; ///< number of slices it accesses
  Bound Variation;
};

/// Returns the slices in order of time; none if some launches are not in the trace, if APIs of
/// several streams access the object, or if there are too many accesses. Needs readRecords().
std::vector<AccessSlice> objectSlices(ObjectAccesses &Accesses);

/// Returns the access frequencies of these slices for each kernel that accesses several of them.
std::vector<SliceFrequencies> sliceFrequencies(ObjectAccesses &Accesses,
                                               std::span<const AccessSlice> Slices);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_OBJECTSLICES_H
