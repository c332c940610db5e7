//===- GlobalMemoryUse.h - Access counts per element ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes, for each kernel and each global memory object that it can reach, the reads, writes and
// atomics of every element (GMProf, CCGrid'12, Section III, the device memory of Tables III and
// IV). They are the sum of
//
//  * closed forms, evaluated per context and multiplied by its launches (profile/ClosedForm.h):
//    exact, also for blocks that were not counted; and
//  * counters of the clone, for accesses without a closed form.
//
// Numbers per element are per launch: the accesses of all profiled launches divided by the number
// of launches that can access the object in this way. A program that swaps `in` and `out` after
// each step reads a buffer only in every second launch, so its reads are divided by half of the
// launches.
//
// With sampling of blocks and launches, the counters' sums are multiplied by the ratio of blocks
// launched to blocks counted, and totals for all launches by that of launches seen to launches
// profiled (Cochran, Sampling Techniques, 3rd edition, 9A: cluster sampling, where a block or a
// launch is a cluster of accesses). The totals of single clusters are not recorded, so the sample
// gives no standard error. Instead it is computed for clusters whose totals have a coefficient of
// variation of 1, as in a geometric distribution: sqrt((1 - f) / n) of the estimate for n clusters,
// a fraction f of all. Kernels with similar blocks have a smaller error.
//
// The count of an element that reached the threshold in some launch is a lower bound, and so is
// everything computed from it.
//
// Objects are processed in windows of elements, which bounds memory, and large ones by several
// threads (Stretches.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_GLOBALMEMORYUSE_H
#define GMPROF_ANALYSIS_GLOBAL_GLOBALMEMORYUSE_H

#include "analysis/shared/SharedMemoryUse.h"
#include "profile/ClosedForm.h"
#include "profile/Profile.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Accesses of one kind (GmprofCounterKind) to one object.
struct GlobalAccesses {
  bool Possible = false;    ///< true if the kernel has such an access
  uint64_t Launches = 0;    ///< profiled launches that may access the object so
  Bound Total;              ///< in the profiled launches
  Bound TotalEstimate;      ///< in all launches of the kernel
  double StandardError = 0; ///< standard error of TotalEstimate; 0: nothing was sampled
  double ByClosedForms = 0; ///< part of Total
  uint64_t Touched = 0, AtThreshold = 0; ///< numbers of elements
  Bound Min, Mean, Max;                  ///< per element and launch
  std::vector<Bucket> Histogram;
};

/// Elements First to Last, which the profiled launches accessed equally often.
struct EqualElements {
  uint64_t First = 0, Last = 0;
  std::array<double, GMPROF_COUNTER_KINDS> Accesses = {}; ///< lower bounds if AtThreshold
  bool AtThreshold = false;
};

struct GlobalObjectUse {
  uint64_t Object = 0;             ///< profile::Object::Id
  std::vector<uint32_t> Variables; ///< variables of the descriptor that point to the object
  uint64_t Bytes = 0;              ///< size of the object
  unsigned ElementBytes = 4;
  uint64_t Elements = 0, Touched = 0;
  std::array<GlobalAccesses, GMPROF_COUNTER_KINDS> Kinds;
  std::vector<EqualElements> Counts; ///< accessed elements only, in order
  bool CountsOmitted = false;        ///< true if there were more than MaxRuns
  std::string Uncounted;             ///< why counts are lower bounds; empty if they are not

  /// Returns the sum of reads, writes and atomics.
  Bound total() const;
};

struct KernelGlobalUse {
  uint32_t Kernel = 0;
  uint64_t LaunchesSeen = 0, LaunchesProfiled = 0;
  uint64_t LaunchesWithForms = 0; ///< profiled launches in which the closed forms held
  uint32_t BlockSample = 1;       ///< largest block sample of its launches
  /// In launches with counters: blocks counted, selected by sampling, and launched.
  uint64_t Blocks = 0, BlocksSelected = 0, BlocksLaunched = 0;
  uint64_t Outside = 0; ///< accesses to global memory that is no known object
  /// Device memory for the counters of a launch, and the size of the counted objects; of the launch
  /// with the most.
  uint64_t CounterBytes = 0, ObjectBytes = 0;
  std::vector<GlobalObjectUse> Objects; ///< by id
};

/// Maximum number of runs of equal elements kept per object.
inline constexpr size_t MaxRuns = 1 << 16;

/// Returns one entry per kernel with data, in the order of the kernels. The result does not depend
/// on the number of threads.
std::vector<KernelGlobalUse> globalMemoryUse(const profile::Profile &P, size_t Threads = 8);

/// A decoded closed form of a kernel.
struct KernelForm {
  uint32_t Variable;
  GmprofCounterKind Kind;
  unsigned Bytes;
  ClosedForm Form;
};

/// Decodes a kernel's closed forms. Sets Problem if some are invalid.
std::vector<KernelForm> kernelForms(const profile::Descriptor &Desc, std::string &Problem);

/// Returns the launch values of a context that forms depend on.
FormLaunch formLaunch(const profile::GlobalContext &C);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_GLOBALMEMORYUSE_H
