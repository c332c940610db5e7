//===- ObjectAnalysis.h - Objects over time ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses the objects of a run over time with the options that the run was given. The analyses of
// a trace alone are in ObjectInefficiencies.h.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_OBJECTANALYSIS_H
#define GMPROF_ANALYSIS_OBJECTS_OBJECTANALYSIS_H

#include "analysis/objects/ObjectInefficiencies.h"
#include "profile/ApiTrace.h"
#include "profile/Profile.h"
#include <vector>

namespace gmprof::analysis {

/// The GPU operations of a run, and the results of analysing its objects.
struct ObjectAnalysis {
  profile::ApiTrace Trace; ///< with names for messages
  ObjectMemory Memory;
};

/// Returns true if the profile tells which objects launches access.
bool profilesObjects(const profile::Run &R);

/// Returns when an allocation returned, or any other call began; ascends in the order of calls.
uint64_t effectNs(const profile::Api &A);

ObjectAnalysis analyzeObjects(const profile::Profile &P);

/// The allocations and releases of a snapshot of PyTorch's allocator, and what was found in them.
struct SnapshotAnalysis {
  profile::ApiTrace Trace;       ///< with names for messages
  std::vector<Finding> Findings; ///< with sources and fingerprints, unranked
};

/// Analyses a profile of which all objects are slabs and tensors of PyTorch. PoolOfId: pool by
/// profile::Object::Id; IsPrivate: see TensorPools; Initial: number of leading allocations that
/// only state what existed before the first recorded event.
SnapshotAnalysis analyzeSnapshot(const profile::Profile &P, const std::vector<uint32_t> &PoolOfId,
                                 std::vector<bool> IsPrivate, uint32_t Initial);

/// Returns the findings with sources and fingerprints, unranked; none unless profilesObjects().
std::vector<Finding> objectFindings(const profile::Profile &P, const ObjectAnalysis &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_OBJECTANALYSIS_H
