//===- ObjectHistory.h - Uses of objects over time --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1 and Figure 2) by object: the APIs that
// access it in topological time, and possible accesses that were not observed:
//
//   - a launch with unknown accesses may access any object that exists when it is called
//   - the host may access managed and pinned memory at any time
//   - a program that died might have used its objects later
//   - a slab is in use as long as parts of it are; its parts may be accessed by whatever accesses
//     the slab as a whole
//   - a graph may access what was released after the capture, when it is launched
//
// A pattern that requires the absence of accesses holds only if none of these applies. Launches
// whose parameters bound their accesses are trusted, and findings mention it. An access that a
// launch makes or not depending on data was absent in this run only: findings state this condition.
//
// An object is needed in memory for a shorter span than from its first to its last use: a set or a
// copy from the host can be delayed until something needs its data, and a copy to the host can be
// made right after the last change, since the host holds the data meanwhile. The paper's authors
// move copies together with allocations too (their versions of PolyBench's 2MM and 3MM, Table 4).
//
// The result is the same only if the host's memory holds the data meanwhile. Therefore a copy does
// not move past another one from or to the same bytes of the host, such as a staging buffer that is
// refilled. Stores of the host are not recorded: a suggestion that moves a copy says so. An
// asynchronous copy does not move next to an API of another stream either, since an event may order
// them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_OBJECTHISTORY_H
#define GMPROF_ANALYSIS_OBJECTS_OBJECTHISTORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gmprof::analysis {

class ObjectHistory {
public:
  /// Timestamps are those of the dependency graph (DependencyGraph.h). Both references must outlive
  /// the history. Complete: the trace covers the program until its end.
  ObjectHistory(const profile::ApiTrace &Trace, const std::vector<uint32_t> &Timestamps,
                bool Complete = true);

  const profile::ApiTrace &trace() const { return Trace; }
  /// Returns the kind of an API without unpacking it.
  profile::ApiKind kind(uint32_t Api) const { return Kinds[Api]; }
  uint32_t timestamp(uint32_t Api) const { return Timestamps[Api]; }

  /// Returns the APIs that access the object, by timestamp, then in call order.
  std::span<const uint32_t> uses(uint32_t Object) const {
    return std::span(Uses).subspan(FirstUse[Object], FirstUse[Object + 1] - FirstUse[Object]);
  }

  /// Returns the same APIs in call order.
  std::vector<uint32_t> calls(uint32_t Object) const;

  /// The first and the last of some uses, in call order, that cannot be moved; all of them, if
  /// every use can be moved or if an unobserved access may come in between.
  struct Need {
    uint32_t First, Last;
  };
  Need need(uint32_t Object, std::span<const uint32_t> Calls) const;
  Need need(uint32_t Object) const { return need(Object, calls(Object)); }

  /// Returns the uses that are called before (after) an API.
  std::vector<uint32_t> before(uint32_t Object, uint32_t Api) const;
  std::vector<uint32_t> after(uint32_t Object, uint32_t Api) const;

  /// Returns true if the program allocates the object; false for module variables.
  bool isAllocated(uint32_t Object) const;

  bool isComplete() const { return Complete; }

  /// Returns true if an unobserved access to the object is possible between two APIs: later than
  /// After and earlier than Before in call order, or with a timestamp from one's to the other's.
  bool mayBeUsed(uint32_t Object, uint32_t After, uint32_t Before) const;
  /// Returns true if one is possible from After until the release or the end.
  bool mayBeUsedAfter(uint32_t Object, uint32_t After) const;
  /// Returns true if one is possible at any time.
  bool mayBeUsed(uint32_t Object) const;
  /// Returns true if nothing can read the object: it is unused, or only copies and sets write it.
  bool isNeverRead(uint32_t Object) const;
  /// Returns true if a launch may make one at any time.
  bool mayBeUsedByLaunch(uint32_t Object) const;

  /// Returns the number of launches with unobserved accesses: unknown, or bounded by their
  /// parameters.
  uint64_t inferredLaunches() const { return InferredCalls.size() + ParameterCalls.size(); }
  /// Returns the first launch, called between two APIs, that accesses the object for some data and
  /// did not access it in this run; None: there is none.
  uint32_t skippedBetween(uint32_t Object, uint32_t After, uint32_t Before) const;
  /// Returns the number of launches bounded by their parameters while the object exists.
  uint64_t launchesFromParameters(uint32_t Object) const;

private:
  template <typename F> void forEachUse(F Use) const;
  /// The way in which an API on an object can be moved: In can be delayed, Out can be made earlier.
  enum class Move { None, In, Out };
  Move moveOf(uint32_t Object, uint32_t Api) const;
  bool canMove(uint32_t Api, uint32_t To) const;
  void findHostNeighbours();
  bool usedUnseen(uint32_t Object) const;
  bool inferredBetween(uint32_t After, std::optional<uint32_t> Before) const;

  const profile::ApiTrace &Trace;
  const std::vector<uint32_t> &Timestamps;
  const bool Complete;
  std::vector<profile::ApiKind> Kinds;
  std::vector<bool> WithHost;     ///< as in Api
  std::vector<uint32_t> Uses;     ///< of all objects
  std::vector<uint32_t> FirstUse; ///< per object its first index in Uses; then Uses.size()
  std::vector<bool> IsSlab;       ///< true if other objects are parts of it
  /// Launches with unknown accesses, and their timestamps; both sorted.
  std::vector<uint32_t> InferredCalls, InferredTimes;
  std::vector<uint32_t> ParameterCalls;               ///< known from their parameters
  std::vector<std::pair<uint32_t, uint32_t>> Skipped; ///< accesses: object and API; sorted
  /// A copy, and the last copy before it and the first one after it that share bytes of the host's
  /// memory with it.
  struct HostNeighbours {
    uint32_t Api, Before, After;
  };
  std::vector<HostNeighbours> Neighbours; ///< by Api; of copies that have any
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_OBJECTHISTORY_H
