//===- CountedLaunches.h - Launches that global memory counts ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indexes the launches and counts of the profile of global memory by kernel, context and object,
// for the analysis of elements (ElementUse.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_COUNTEDLAUNCHES_H
#define GMPROF_ANALYSIS_ELEMENTS_COUNTEDLAUNCHES_H

#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/objects/ObjectHistory.h"
#include <set>
#include <string>
#include <unordered_map>

namespace gmprof::analysis {

/// The launches of one context.
struct CountedContext {
  const profile::GlobalContext *Of = nullptr;
  uint64_t Launches = 0;
  std::vector<uint32_t> Apis; ///< those in the trace, ascending
  /// Timestamps of the first and the last one in the trace; None: there is none.
  uint32_t First = profile::None, Last = 0;
  std::set<uint64_t> Streams;

  uint32_t firstApi() const { return Apis.empty() ? profile::None : Apis.front(); }
};

/// Facts about a kernel that are the same for all objects.
struct CountedKernel {
  uint32_t First = profile::None, Last = 0; ///< timestamps of profiled launches
  std::set<uint64_t> Streams;               ///< streams of these launches
  std::vector<KernelForm> Forms;
  std::string Problem;   ///< why a closed form is missing; empty: none is
  bool Profiled = false; ///< true if any launch was profiled
  /// Why some accesses through unknown pointers are not counted; empty: all are.
  std::string Uncounted;
  bool CountsAnywhere = false; ///< true if the kernel has counted accesses through unknown pointers
  std::vector<bool> IsAccessed; ///< per variable
};

class CountedLaunches {
public:
  /// Both references must outlive the object. The history must belong to the profile's trace.
  CountedLaunches(const profile::Profile &P, const ObjectHistory &H);

  const ObjectHistory &history() const { return H; }
  const std::vector<CountedKernel> &kernels() const { return Kernels; }
  const CountedKernel &kernel(const CountedContext &C) const { return Kernels[C.Of->Kernel]; }
  const profile::Descriptor &descriptor(const CountedContext &C) const {
    return *P.Kernels[C.Of->Kernel].Desc;
  }
  /// Returns a context by its index in Profile::GlobalContexts.
  const CountedContext &context(uint32_t Index) const { return Contexts[Index]; }
  /// Returns the index of the context that records name by Number; nothing if there is none.
  std::optional<uint32_t> indexOf(uint64_t Number) const;

  /// Return the contexts with a pointer to the object, ascending, and the records of its counts.
  std::span<const uint32_t> contextsOf(uint64_t ObjectId) const;
  std::span<const profile::GlobalCounts *const> recordsOf(uint64_t ObjectId) const;

  /// Returns the API's launch as the global profile has it; nothing if it does not.
  std::optional<profile::Launch> counted(const profile::Api &A) const;
  /// Returns true for launches without counts and closed forms.
  bool isUnprofiled(const profile::Api &A) const;
  /// Returns true for launches of kernels that were profiled in some launch.
  bool isKnown(const profile::Api &A) const;

  /// Numbers of launches that were neither profiled nor observed.
  struct Unobserved {
    uint64_t All = 0, Unknown = 0; ///< Unknown: their kernel was never profiled
  };
  /// Returns those of the APIs Begin to End - 1.
  Unobserved unobserved(uint32_t Begin, uint32_t End) const;
  /// Returns true if there was no memory for some counters.
  bool inPasses() const { return InPasses; }

private:
  void findContexts();
  void findKernels();
  void findUnobserved();

  const profile::Profile &P;
  const ObjectHistory &H;
  std::vector<CountedKernel> Kernels;   ///< parallel to Profile::Kernels
  std::vector<CountedContext> Contexts; ///< parallel to Profile::GlobalContexts
  std::unordered_map<uint64_t, uint32_t> ContextByNumber;
  std::unordered_map<uint64_t, std::vector<uint32_t>> ContextsOf; ///< by object id
  std::unordered_map<uint64_t, std::vector<const profile::GlobalCounts *>> RecordsOf;
  /// APIs of unobserved launches, ascending; those with kernels that were never profiled.
  std::vector<uint32_t> UnobservedApis, UnknownApis;
  bool InPasses = false;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_COUNTEDLAUNCHES_H
