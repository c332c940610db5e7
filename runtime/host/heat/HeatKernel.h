//===- HeatKernel.h - What is known of a launch's heat ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the profile of heat nothing notes accesses that the launch determines: if the closed forms of
// the kernel's accesses hold, a record in the log says what they depend on, and whoever reads the
// log computes the rest (profile/ComputedHeat.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HEAT_HEATKERNEL_H
#define GMPROF_HOST_HEAT_HEATKERNEL_H

#include "host/launch/KernelArguments.h"
#include "host/objects/ProgramMemory.h"
#include "host/record/Recorder.h"
#include "profile/HeatReach.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <map>

namespace gmprof::host {

/// A launch whose closed forms need not be noted.
struct HeatCase {
  uint64_t Context = 0;         ///< its number in the log
  std::vector<uint64_t> Ranges; ///< addresses of the ranges that they access, sorted

  bool accesses(uint64_t Range) const {
    return std::binary_search(Ranges.begin(), Ranges.end(), Range);
  }
};

class HeatKernel {
public:
  /// As for KernelArguments.
  HeatKernel(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
             std::vector<uint64_t> Symbols);

  bool hasForms() const { return !Forms.empty() || !Usable; }
  /// Returns GmprofHeatContext::functionPlaces.
  const std::vector<gmprof_u8> &functionPlaces() const { return FunctionPlaces; }
  /// Returns the objects that the kernel's variables point into; 0: none.
  std::vector<uint64_t> objects(void **Args, const ProgramMemory &Memory) const;

  /// Returns the launch's case and records it; nothing if a closed form does not hold. Equal nodes
  /// of graphs have one case, so that it is found again.
  std::optional<HeatCase> caseOf(uint32_t Kernel, const LaunchInput &L, uint32_t DynamicShared,
                                 const BlockRange &Noted, const MemoryRanges &Ranges,
                                 const std::vector<uint64_t> &Objects, bool InGraph, Recorder &Log);

private:
  struct Form {
    profile::HeatForm What;
    ClosedForm Access;
  };
  /// Memory that the closed forms access in launches that agree in configuration and integers, in
  /// the order of the forms.
  using Reaches = std::optional<std::vector<HeatReach>>;

  Reaches reaches(const DescribedLaunch &L) const;
  bool isShared(const Form &F) const;

  KernelArguments Params;
  std::vector<gmprof_u8> FunctionPlaces;
  std::vector<Form> Forms;
  std::vector<uint32_t> Integers; ///< parameters that they depend on
  bool Usable = true;             ///< all could be read

  Mutex Lock;
  std::map<std::vector<uint64_t>, Reaches> Known GMPROF_GUARDED_BY(Lock);
  std::map<std::vector<uint64_t>, HeatCase> InGraphs GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HEAT_HEATKERNEL_H
