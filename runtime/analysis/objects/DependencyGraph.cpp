//===- DependencyGraph.cpp - Dependency graph of GPU APIs -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/DependencyGraph.h"
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiKind;
using profile::ApiTrace;

namespace {

/// Walks the trace once, keeps the APIs on which the next access of each object depends, and passes
/// each edge to a function.
template <typename Function> class GraphWalk {
public:
  GraphWalk(const ApiTrace &Trace, Function Visit)
      : Trace(Trace), Visit(Visit), Objects(Trace.Objects.size()) {}

  void run() {
    uint32_t I = 0;
    for (const Api &A : Trace.Apis)
      add(I++, A);
  }

private:
  struct ObjectState {
    std::optional<uint32_t> Writer; ///< last API that allocated or wrote the object
    std::vector<uint32_t> Readers;  ///< readers since then
  };

  const ApiTrace &Trace;
  Function Visit;
  std::vector<ObjectState> Objects;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> LastOfStream;

  void add(uint32_t I, const Api &A) {
    if (A.Stream != profile::NoStream) {
      auto [Last, First] = LastOfStream.try_emplace({A.Device, A.Stream}, I);
      if (!First)
        Visit(Dependency{std::exchange(Last->second, I), I, DependencyKind::Stream, 0});
    }
    for (uint32_t From : A.After)
      Visit(Dependency{From, I, DependencyKind::Order, 0});
    // An API reads its operands before it writes.
    for (const profile::ApiAccess &Access : A.Accesses)
      if (Access.Reads)
        read(I, Access.Object);
    for (const profile::ApiAccess &Access : A.Accesses)
      if (Access.Writes)
        write(I, Access.Object);
    if (A.Kind == ApiKind::Allocation)
      Objects[A.Object].Writer = I;
    else if (A.Kind == ApiKind::Release)
      write(I, A.Object);
  }

  void read(uint32_t I, uint32_t Object) {
    ObjectState &State = Objects[Object];
    if (State.Writer)
      Visit(Dependency{*State.Writer, I, DependencyKind::Raw, Object});
    State.Readers.push_back(I);
  }

  void write(uint32_t I, uint32_t Object) {
    ObjectState &State = Objects[Object];
    bool ReadBetween = false;
    for (uint32_t Reader : State.Readers)
      if (Reader != I) {
        ReadBetween = true;
        Visit(Dependency{Reader, I, DependencyKind::War, Object});
      }
    if (State.Writer && *State.Writer != I && !ReadBetween)
      Visit(Dependency{*State.Writer, I, DependencyKind::Waw, Object});
    State = {I, {}};
  }
};

} // namespace

std::vector<Dependency> dependencies(const ApiTrace &Trace) {
  std::vector<Dependency> Edges;
  GraphWalk(Trace, [&](const Dependency &E) { Edges.push_back(E); }).run();
  return Edges;
}

std::vector<uint32_t> topologicalTimestamps(const ApiTrace &Trace) {
  // All edges to an API come before the edges from it.
  std::vector<uint32_t> Time(Trace.Apis.size());
  GraphWalk(Trace, [&](const Dependency &E) {
    Time[E.To] = std::max(Time[E.To], Time[E.From] + 1);
  }).run();
  return Time;
}

bool precedes(const ApiTrace &Trace, uint32_t From, uint32_t To) {
  std::vector<bool> Reached(Trace.Apis.size());
  Reached[From] = true;
  GraphWalk(Trace, [&](const Dependency &E) {
    if (Reached[E.From])
      Reached[E.To] = true;
  }).run();
  return Reached[To];
}

} // namespace gmprof::analysis
