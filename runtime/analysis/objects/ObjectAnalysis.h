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

/// Returns the findings with sources and fingerprints, unranked; none unless profilesObjects().
std::vector<Finding> objectFindings(const profile::Profile &P, const ObjectAnalysis &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_OBJECTANALYSIS_H
