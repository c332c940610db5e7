//===- ObjectHistory.h - When objects are used ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1 and Figure 2), object
// by object: the APIs that access it, in topological time; and when something else may
// have accessed it that was not observed:
//
//   - a launch whose accesses are not known may access any object that is in memory when it is
//     called
//   - the host may access managed and pinned memory at any time
//   - if the program died, it might have used what it had later
//   - a slab is used as long as parts of it are handed out; and its parts may be by what
//     accesses the slab as a whole
//
// A pattern that rests on there being no access holds only where none of these is. Launches of
// which the parameters say what they can come to are taken at their word, and a finding says so.
//
// When an object has to be in memory is a smaller span than from its first use to its last:
// a set, or a copy of what the host has, can be made later, right before something
// needs what it writes, and a copy to the host sooner, right after the last change. The data
// are in the host's memory meanwhile. So the paper's authors move copies together with
// allocations (their versions of PolyBench's 2MM and 3MM, Table 4).
//
// The result is the same only if that memory of the host holds the data meanwhile. A copy does not
// move past another one from or to the same bytes of the host, as of a staging buffer that is
// filled again. Stores of the host are not recorded: a suggestion that moves a copy says so.
// Neither does an asynchronous copy move next to an API of another stream, whose order it may owe
// to an event.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTHISTORY_H
#define GMPROF_ANALYSIS_OBJECTHISTORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gmprof::analysis {

class ObjectHistory {
public:
  /// Timestamps are those of the dependency graph (DependencyGraph.h). Both must
  /// outlive the history. Complete: the trace goes on until the program's end.
  ObjectHistory(const profile::ApiTrace &Trace, const std::vector<uint32_t> &Timestamps,
                bool Complete = true);

  const profile::ApiTrace &trace() const { return Trace; }
  /// Of an API; its others have to be unpacked.
  profile::ApiKind kind(uint32_t Api) const { return Kinds[Api]; }
  uint32_t timestamp(uint32_t Api) const { return Timestamps[Api]; }

  /// The APIs that access the object, by timestamp, then by the order of calls.
  std::span<const uint32_t> uses(uint32_t Object) const {
    return std::span(Uses).subspan(FirstUse[Object], FirstUse[Object + 1] - FirstUse[Object]);
  }

  /// The same in the order of calls.
  std::vector<uint32_t> calls(uint32_t Object) const;

  /// The first and the last of some uses, in the order of calls, that cannot be made at another
  /// time; all of them, if each can, or if something unseen may come between.
  struct Need {
    uint32_t First, Last;
  };
  Need need(uint32_t Object, std::span<const uint32_t> Calls) const;
  Need need(uint32_t Object) const { return need(Object, calls(Object)); }

  /// Uses that are called before (after) an API.
  std::vector<uint32_t> before(uint32_t Object, uint32_t Api) const;
  std::vector<uint32_t> after(uint32_t Object, uint32_t Api) const;

  /// Whether the program allocates it. Variables of modules come with them.
  bool isAllocated(uint32_t Object) const;

  bool isComplete() const { return Complete; }

  /// Whether something may access the object between two APIs that was not observed.
  /// Between is later than After and earlier than Before in the order of calls, or at
  /// timestamps from one's to the other's.
  bool mayBeUsed(uint32_t Object, uint32_t After, uint32_t Before) const;
  /// The same until it is released, or until the end.
  bool mayBeUsedAfter(uint32_t Object, uint32_t After) const;
  /// At any time.
  bool mayBeUsed(uint32_t Object) const;
  /// At any time, by a launch.
  bool mayBeUsedByLaunch(uint32_t Object) const;

  /// Launches whose accesses were not observed: not known, or known from their parameters.
  uint64_t inferredLaunches() const { return InferredCalls.size() + ParameterCalls.size(); }
  /// Those known from their parameters while the object is in memory.
  uint64_t launchesFromParameters(uint32_t Object) const;

private:
  template <typename F> void forEachUse(F Use) const;
  /// What an API does to an object that can be made later, or sooner.
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
  std::vector<uint32_t> FirstUse; ///< per object, in Uses, and then the end
  std::vector<bool> IsSlab;       ///< parts of it are objects
  /// Launches whose accesses are not known, and their timestamps, sorted.
  std::vector<uint32_t> InferredCalls, InferredTimes;
  std::vector<uint32_t> ParameterCalls; ///< known from their parameters
  /// Of a copy, the last one before it and the first one after it that have bytes of the host's
  /// memory in common with it.
  struct HostNeighbours {
    uint32_t Api, Before, After;
  };
  std::vector<HostNeighbours> Neighbours; ///< by Api; of copies that have any
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTHISTORY_H
