//===- DependencyGraph.cpp - Which GPU API has to wait for which ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/DependencyGraph.h"
#include <map>
#include <optional>
#include <utility>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiKind;
using profile::ApiTrace;

namespace {

/// Walks the trace once, with what the next access of each object depends on.
class GraphBuilder {
public:
  explicit GraphBuilder(const ApiTrace &Trace) : Trace(Trace), Objects(Trace.Objects.size()) {}

  std::vector<Dependency> build() {
    for (uint32_t I = 0; I < Trace.Apis.size(); ++I)
      add(I, Trace.Apis[I]);
    return std::move(Edges);
  }

private:
  struct ObjectState {
    std::optional<uint32_t> Writer; ///< the last that allocated or wrote it
    std::vector<uint32_t> Readers;  ///< since then
  };

  const ApiTrace &Trace;
  std::vector<ObjectState> Objects;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> LastOfStream;
  std::vector<Dependency> Edges;

  void add(uint32_t I, const Api &A) {
    if (A.Stream != profile::NoStream) {
      auto [Last, First] = LastOfStream.try_emplace({A.Device, A.Stream}, I);
      if (!First)
        Edges.push_back({std::exchange(Last->second, I), I, DependencyKind::Stream, 0});
    }
    for (uint32_t From : A.After)
      Edges.push_back({From, I, DependencyKind::Order, 0});
    // What it reads it reads before it writes.
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
      Edges.push_back({*State.Writer, I, DependencyKind::Raw, Object});
    State.Readers.push_back(I);
  }

  void write(uint32_t I, uint32_t Object) {
    ObjectState &State = Objects[Object];
    bool ReadBetween = false;
    for (uint32_t Reader : State.Readers)
      if (Reader != I) {
        ReadBetween = true;
        Edges.push_back({Reader, I, DependencyKind::War, Object});
      }
    if (State.Writer && *State.Writer != I && !ReadBetween)
      Edges.push_back({*State.Writer, I, DependencyKind::Waw, Object});
    State = {I, {}};
  }
};

} // namespace

std::vector<Dependency> dependencies(const ApiTrace &Trace) { return GraphBuilder(Trace).build(); }

std::vector<uint32_t> topologicalTimestamps(size_t Apis, const std::vector<Dependency> &Edges) {
  std::vector<uint32_t> InDegree(Apis), First(Apis + 1), Targets(Edges.size()), Time(Apis);
  for (const Dependency &E : Edges) {
    ++InDegree[E.To];
    ++First[E.From + 1];
  }
  for (size_t I = 0; I < Apis; ++I)
    First[I + 1] += First[I];
  std::vector<uint32_t> Next(First.begin(), First.end() - 1);
  for (const Dependency &E : Edges)
    Targets[Next[E.From]++] = E.To;

  std::vector<uint32_t> Round, Following;
  for (uint32_t I = 0; I < Apis; ++I)
    if (InDegree[I] == 0)
      Round.push_back(I);
  for (uint32_t T = 0; !Round.empty(); ++T) {
    for (uint32_t I : Round) {
      Time[I] = T;
      for (uint32_t Edge = First[I]; Edge != First[I + 1]; ++Edge)
        if (--InDegree[Targets[Edge]] == 0)
          Following.push_back(Targets[Edge]);
    }
    Round.swap(Following);
    Following.clear();
  }
  return Time;
}

} // namespace gmprof::analysis
