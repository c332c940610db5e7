//===- GlobalKernel.h - What a launch can count in global memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the global-memory profile, launches differ by configuration, by the integers
// that closed forms depend on, and by the objects that the kernel's pointers point
// into. Launches that agree in all these are one case: what they run and count is
// worked out once, and one record in the log describes it. What depends on data differs among
// such launches all the same: the elements profile tells the first ones that count apart, each of
// which is a case of its own then.
//
// To work out what closed forms say costs more than a GPU takes to count, once for each case here
// and once when the log is read. Of a kernel whose launches are very many cases, those that come
// late are counted, whatever their integers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_GLOBAL_GLOBALKERNEL_H
#define GMPROF_HOST_GLOBAL_GLOBALKERNEL_H

#include "gmprof/abi.h"
#include "host/launch/KernelArguments.h"
#include "host/launch/LaunchPlace.h"
#include "host/objects/Objects.h"
#include "profile/Mutex.h"
#include <map>
#include <memory>
#include <optional>

namespace gmprof::host {

/// Bit k: counters of kind k (enum GmprofCounterKind).
using CounterKinds = unsigned;

/// Accesses that a clone counts.
struct CountedAccesses {
  std::vector<CounterKinds> ByVariable; ///< of the descriptor, as far as it has a root
  CounterKinds Anywhere = 0;            ///< in any object: its pointer is not known

  bool none() const;
};

/// An object that a launch can count in.
struct CountedObject {
  uint64_t Id = 0, Address = 0, Bytes = 0;
  unsigned ElementShift = 0;
  CounterKinds Kinds = 0;
  /// As in GmprofGlobalObject.
  unsigned Replicas = 0, ReplicaShift = 0;

  uint64_t elements() const { return (Bytes + (uint64_t(1) << ElementShift) - 1) >> ElementShift; }
  unsigned counterBits(unsigned OfCase) const { return Replicas != 0 ? 64 : OfCase; }
  bool operator==(const CountedObject &) const = default;
};

/// Clone and counters of launches that agree in arguments, configuration and objects.
struct GlobalCase {
  uint64_t Context = 0; ///< its number in the log
  uint32_t Kernel = 0;
  LaunchPlace Place = LaunchPlace::Stream;
  uint64_t CountedBlocks = 1; ///< of a launch that counts
  bool FormsHold = true;
  bool Counts = false; ///< a clone counts; else the program's own kernel runs
  bool Table = false;  ///< the clone looks in all Objects
  unsigned CounterBits = 8;
  unsigned Threshold = 0;
  unsigned BlockSample = 1;
  bool OfOneLaunch = false;           ///< others that agree have cases of their own
  std::vector<CountedObject> Objects; ///< sorted by address
  uint64_t ObjectBytes = 0;           ///< of all objects that it is known to access
  /// Index in Objects of each root's object; -1: none.
  std::array<int, GMPROF_GLOBAL_ROOTS> Roots;

  uint64_t counterBytes() const;
  /// Returns whether launches of both count the same in the same places, so that they can share
  /// counters.
  bool countsLike(const GlobalCase &Other) const;
};

/// Gives small objects replicas of counters, as far as all counters together take no more than a
/// quarter of what the objects do. What many blocks count in the same few counters is slow
/// otherwise.
void chooseReplicas(GlobalCase &Case, uint64_t Blocks);

/// Gives objects one replica, as far as they have none and all counters together take no more than
/// MostBytes: a loop of a graph may bring others to their threshold in one launch.
void chooseWideCounters(GlobalCase &Case, uint64_t MostBytes);

/// Bytes of the counters of one kind, as they lie in memory.
uint64_t counterBytes(const CountedObject &O, unsigned CounterBits);

class GlobalKernel {
public:
  /// Beyond this, cases are counted (on GPUs).
  static constexpr uint64_t MaxEvaluated = 8192;

  /// As for KernelArguments. Closed forms are evaluated of MostEvaluated cases.
  GlobalKernel(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
               std::vector<uint64_t> Symbols, uint64_t MostEvaluated);

  /// Returns why it cannot be profiled; empty if it can.
  const std::string &problem() const { return Params.problem(); }

  /// Returns whether it accesses memory through pointers that are not known.
  bool reachesAnything() const { return CloneAll.Anywhere != 0; }

  /// Returns the launch's case. Args: the kernel's arguments. If a clone counts and its counters
  /// take at most SingleBytes, the case may be of this launch alone.
  std::shared_ptr<const GlobalCase> caseOf(uint32_t Kernel, int Device,
                                           const std::array<uint32_t, 3> &Grid,
                                           const std::array<uint32_t, 3> &Block, void **Args,
                                           LaunchPlace Place, unsigned BlockSample, Objects &Live,
                                           Recorder &Log, uint64_t SingleBytes = 0);

private:
  using Key = std::vector<uint64_t>;
  struct Reached;
  struct Known;

  void describeSites(const profile::Descriptor &Desc);
  bool evaluatesForms(LaunchPlace Place) const GMPROF_REQUIRES(Lock);
  std::shared_ptr<const GlobalCase> make(const Known &K, bool OfOneLaunch, Recorder &Log) const
      GMPROF_REQUIRES(Lock);
  std::shared_ptr<const GlobalCase> choose(Known &K, uint64_t SingleBytes, Recorder &Log)
      GMPROF_REQUIRES(Lock);

  KernelArguments Params;
  KernelForms Forms;
  std::vector<unsigned> Shifts; ///< of the variables' elements
  unsigned AnyShift = 0;        ///< of elements reached through unknown pointers
  unsigned CounterBits = 8, Threshold = 0;
  CountedAccesses Clone, CloneAll;
  bool HasCloneAll = false;

  Mutex Lock;
  const uint64_t MostEvaluated;
  uint64_t Evaluated GMPROF_GUARDED_BY(Lock) = 0; ///< cases of which closed forms were evaluated
  uint64_t Version GMPROF_GUARDED_BY(Lock) = 0;   ///< of the objects that ByArguments is for
  /// Smallest shift of each counted object, so that all launches count the same elements.
  std::map<uint64_t, unsigned> SmallestShift GMPROF_GUARDED_BY(Lock);
  std::map<Key, std::shared_ptr<Known>> ByArguments GMPROF_GUARDED_BY(Lock), ByObjects
      GMPROF_GUARDED_BY(Lock);
  /// Cases of one launch, and the bytes of their counters.
  uint64_t Singles GMPROF_GUARDED_BY(Lock) = 0, BytesOfSingles GMPROF_GUARDED_BY(Lock) = 0;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_GLOBAL_GLOBALKERNEL_H
