//===- GlobalMemoryUse.h - How often each element is used -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel and each object of global memory that it can reach: reads, writes
// and atomics of every element (GMProf, CCGrid'12, Section III, the device memory
// of Tables III and IV). They are the sum of
//
//  * closed forms, evaluated for each context and multiplied by its launches
//    (profile/ClosedForm.h): exact, also of blocks that were not counted; and
//  * counters, which a clone kept of the accesses that have no closed form.
//
// Numbers per element are per launch: the accesses of all profiled launches over
// the number of those that can access the object so. A program that swaps `in` and
// `out` after each step reads one buffer in every second launch only, and that is
// what its reads are divided by.
//
// Blocks and launches may be sampled. Then the counters' sums are expanded by the
// ratio of blocks launched to blocks counted, and totals for all launches by that of
// launches seen to launches profiled (Cochran, Sampling Techniques, 3rd edition, 9A:
// cluster sampling, a block or a launch being a cluster of accesses). A cluster's
// own total is not recorded, only the sum, so that the standard error cannot be
// taken from the sample: it is given for clusters whose totals vary with a
// coefficient of variation of 1, as those of a geometric distribution do, which is
// sqrt((1 - f) / n) of the estimate for n clusters, a fraction f of all. Kernels
// whose blocks do alike work vary less, and their error is smaller.
//
// An element that reached the threshold in some launch was accessed at least as
// often as its number says; everything computed from it is a lower bound.
//
// Objects are looked at in windows of elements, so that what is held in memory does
// not grow with them, and large ones by several threads (Stretches.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBALMEMORYUSE_H
#define GMPROF_ANALYSIS_GLOBALMEMORYUSE_H

#include "analysis/SharedMemoryUse.h"
#include "profile/ClosedForm.h"
#include "profile/Profile.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Accesses of one kind (GmprofCounterKind) to one object.
struct GlobalAccesses {
  bool Possible = false;                 ///< the kernel has such an access
  uint64_t Launches = 0;                 ///< profiled ones that may access the object so
  Bound Total;                           ///< in the profiled launches
  Bound TotalEstimate;                   ///< in all launches of the kernel
  double StandardError = 0;              ///< of TotalEstimate; 0: nothing was sampled
  double ByClosedForms = 0;              ///< of Total
  uint64_t Touched = 0, AtThreshold = 0; ///< elements
  Bound Min, Mean, Max;                  ///< per element and launch
  std::vector<Bucket> Histogram;
};

/// Elements First to Last were accessed equally often, in all profiled launches.
struct EqualElements {
  uint64_t First = 0, Last = 0;
  std::array<double, GMPROF_COUNTER_KINDS> Accesses = {}; ///< lower bounds if AtThreshold
  bool AtThreshold = false;
};

struct GlobalObjectUse {
  uint64_t Object = 0;             ///< profile::Object::Id
  std::vector<uint32_t> Variables; ///< of the kernel's descriptor that point to it
  uint64_t Bytes = 0;              ///< of the object
  unsigned ElementBytes = 4;
  uint64_t Elements = 0, Touched = 0;
  std::array<GlobalAccesses, GMPROF_COUNTER_KINDS> Kinds;
  std::vector<EqualElements> Counts; ///< those accessed, in their order
  bool CountsOmitted = false;        ///< there were more than MaxRuns
  std::string Uncounted;             ///< why counts are lower bounds; empty if they are not

  /// Reads, writes and atomics.
  Bound total() const;
};

struct KernelGlobalUse {
  uint32_t Kernel = 0;
  uint64_t LaunchesSeen = 0, LaunchesProfiled = 0;
  uint64_t LaunchesWithForms = 0; ///< profiled ones in which the closed forms held
  uint32_t BlockSample = 1;       ///< the sparsest of its launches
  /// Of launches that had something to count: counted, to be counted, and all.
  uint64_t Blocks = 0, BlocksSelected = 0, BlocksLaunched = 0;
  uint64_t Outside = 0; ///< accesses of global memory that is no known object
  /// Device memory that a launch counted in, and the size of the objects counted
  /// there: of the launch that took most.
  uint64_t CounterBytes = 0, ObjectBytes = 0;
  std::vector<GlobalObjectUse> Objects; ///< by their id
};

/// Runs of equal elements that are kept for one object.
inline constexpr size_t MaxRuns = 1 << 16;

/// One entry for each kernel of which something is known, in the order of the kernels. The result
/// is the same for any number of threads.
std::vector<KernelGlobalUse> globalMemoryUse(const profile::Profile &P, size_t Threads = 8);

/// A closed form of the kernel, decoded.
struct KernelForm {
  uint32_t Variable;
  GmprofCounterKind Kind;
  unsigned Bytes;
  ClosedForm Form;
};

/// Those of a kernel. Sets Problem if some are missing.
std::vector<KernelForm> kernelForms(const profile::Descriptor &Desc, std::string &Problem);

/// What the forms of a kernel need to know of launches of a context.
FormLaunch formLaunch(const profile::GlobalContext &C);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBALMEMORYUSE_H
