//===- PerfettoTraceTest.cpp - The trace event format ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A valid trace follows the "Trace Event Format" (Google, 2016): members that each phase has, and
// no others, slices of a track nested in each other, flows that begin and end in a slice. The
// viewers sort events by time and keep the file's order of equal times: an event that belongs to a
// slice has to come after it, and before the slice's end.
//
//===----------------------------------------------------------------------===//

#include "report/formats/PerfettoTrace.h"
#include "../profile/TestCalls.h"
#include "WrittenText.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

using namespace gmprof;
using namespace gmprof::test;
using nlohmann::json;

namespace {

using Track = std::pair<unsigned, unsigned>; ///< process and thread

/// A slice, in whole nanoseconds.
struct Slice {
  int64_t Begin, End;
  std::string Name;
  size_t Place = 0; ///< in the file
};

int64_t nanos(const json &Microseconds) { return std::llround(Microseconds.get<double>() * 1000); }

struct TraceFile {
  json All;
  std::map<Track, std::vector<Slice>> Slices;
  std::map<Track, std::string> Names;
  std::map<unsigned, std::string> Processes;
  /// Times and values of each counter.
  std::map<std::pair<unsigned, std::string>, std::vector<std::pair<int64_t, int64_t>>> Counters;
  std::map<uint64_t, std::pair<json, json>> Flows;
  std::vector<json> Instants;
  size_t Place = 0;

  explicit TraceFile(const profile::Profile &P, const PerfettoOptions &Options = {}) {
    const std::string Text = writtenText([&](std::FILE *To) {
      return writePerfettoTrace(P, analysis::analyzeObjects(P), To, Options);
    });
    All = json::parse(Text);
    EXPECT_EQ(keys(All), (Keys{"displayTimeUnit", "otherData", "traceEvents"}));
    EXPECT_EQ(All.at("displayTimeUnit"), "ns");
    for (const json &E : All.at("traceEvents")) {
      event(E);
      ++Place;
    }
    check();
  }

  using Keys = std::set<std::string>;
  static Keys keys(const json &Object) {
    Keys K;
    for (const auto &[Name, _] : Object.items())
      K.insert(Name);
    return K;
  }

  static Keys keysOf(const std::string &Phase) {
    if (Phase == "M")
      return {"ph", "name", "pid", "tid", "args"};
    Keys K = {"ph", "name", "pid", "tid", "ts"};
    if (Phase != "C")
      K.insert("cat");
    if (Phase == "s" || Phase == "f")
      K.insert("id");
    else
      K.insert("args");
    if (Phase == "X")
      K.insert("dur");
    if (Phase == "i")
      K.insert("s");
    if (Phase == "f")
      K.insert("bp");
    return K;
  }

  void metadata(const json &E) {
    const std::string Name = E.at("name");
    EXPECT_TRUE((Keys{"process_name", "thread_name", "process_sort_index"}).count(Name)) << Name;
    if (Name == "process_sort_index") {
      EXPECT_EQ(keys(E.at("args")), Keys{"sort_index"});
      EXPECT_TRUE(E.at("args").at("sort_index").is_number_integer());
      return;
    }
    EXPECT_EQ(keys(E.at("args")), Keys{"name"});
    const std::string Called = E.at("args").at("name");
    if (Name == "thread_name")
      EXPECT_TRUE(Names.emplace(trackOf(E), Called).second);
    else
      EXPECT_TRUE(Processes.emplace(E.at("pid"), Called).second);
  }

  void event(const json &E) {
    const std::string Phase = E.at("ph");
    EXPECT_EQ(keys(E), keysOf(Phase)) << E;
    EXPECT_TRUE(E.at("pid").is_number_unsigned());
    EXPECT_TRUE(E.at("tid").is_number_unsigned());
    EXPECT_TRUE(E.at("name").is_string() && E.at("name") != "");
    if (E.contains("cat"))
      EXPECT_TRUE(E.at("cat").is_string());
    if (E.contains("args"))
      EXPECT_TRUE(E.at("args").is_object());
    if (Phase == "M") {
      metadata(E);
      return;
    }
    EXPECT_TRUE(E.at("ts").is_number());
    const int64_t Time = nanos(E.at("ts"));
    EXPECT_GE(Time, 0);
    if (Phase == "X") {
      EXPECT_GE(nanos(E.at("dur")), 0);
      Slices[trackOf(E)].push_back({Time, Time + nanos(E.at("dur")), E.at("name"), Place});
    } else if (Phase == "C") {
      for (const auto &[Name, Value] : E.at("args").items())
        Counters[{E.at("pid"), E.at("name")}].emplace_back(Time, Value.get<int64_t>());
    } else if (Phase == "s" || Phase == "f") {
      EXPECT_TRUE(E.at("id").is_number_unsigned());
      json &End = Phase == "s" ? Flows[E.at("id")].first : Flows[E.at("id")].second;
      EXPECT_TRUE(End.is_null());
      End = E;
      if (Phase == "f")
        EXPECT_EQ(E.at("bp"), "e"); // to the slice that it is in, not to the next one
      EXPECT_TRUE(inSlice(E)) << E;
    } else if (Phase == "i") {
      EXPECT_EQ(E.at("s"), "t");
      Instants.push_back(E);
    } else {
      ADD_FAILURE() << "unknown phase " << Phase;
    }
  }

  static Track trackOf(const json &E) { return {E.at("pid"), E.at("tid")}; }

  /// Returns whether the event is within a slice that precedes it in the file.
  bool inSlice(const json &E) const {
    const int64_t Time = nanos(E.at("ts"));
    auto It = Slices.find(trackOf(E));
    return It != Slices.end() &&
           std::any_of(It->second.begin(), It->second.end(),
                       [&](const Slice &S) { return S.Begin <= Time && Time < S.End; });
  }

  void check() {
    for (auto &[T, Of] : Slices) {
      EXPECT_TRUE(Names.count(T)) << "a track without a name";
      EXPECT_TRUE(Processes.count(T.first));
      std::sort(Of.begin(), Of.end(), [](const Slice &A, const Slice &B) {
        return std::tuple(A.Begin, -A.End, A.Place) < std::tuple(B.Begin, -B.End, B.Place);
      });
      for (size_t I = 1; I < Of.size(); ++I)
        if (Of[I - 1].Begin == Of[I].Begin)
          EXPECT_LT(Of[I - 1].Place, Of[I].Place) << "the outer slice has to come first";
      std::vector<Slice> Open;
      for (const Slice &S : Of) {
        while (!Open.empty() && Open.back().End <= S.Begin)
          Open.pop_back();
        if (!Open.empty())
          EXPECT_LE(S.End, Open.back().End) << S.Name << " in " << Open.back().Name;
        Open.push_back(S);
      }
    }
    for (const auto &[Id, Flow] : Flows) {
      const auto &[From, To] = Flow;
      ASSERT_TRUE(From.is_object() && To.is_object()) << "flow " << Id << " has one end";
      EXPECT_EQ(From.at("cat"), To.at("cat"));
      EXPECT_EQ(From.at("name"), To.at("name"));
      EXPECT_LE(nanos(From.at("ts")), nanos(To.at("ts")));
    }
    for (const auto &[Name, Values] : Counters)
      for (size_t I = 0; I < Values.size(); ++I) {
        EXPECT_GE(Values[I].second, 0);
        if (I != 0)
          EXPECT_LT(Values[I - 1].first, Values[I].first);
      }
    for (const json &E : Instants)
      EXPECT_TRUE(Names.count(trackOf(E)));
  }

  /// The slices of a track by its name, as "name begin-end".
  std::vector<std::string> slices(unsigned Process, const std::string &Name) const {
    std::vector<std::string> Text;
    for (const auto &[T, Of] : Slices)
      if (T.first == Process && Names.at(T) == Name)
        for (const Slice &S : Of)
          Text.push_back(S.Name + " " + std::to_string(S.Begin) + "-" + std::to_string(S.End));
    return Text;
  }
};

/// Call I begins at 100 I ns, and returns 50 ns later.
TestCalls program() {
  TestCalls C;
  C.TheRun.Profiles = {"objects"};
  C.TheRun.Ended = true;
  C.TheRun.SteadyEndNs = 2000;
  uint64_t A = C.allocate(1000); // 1
  uint64_t B = C.allocate(500);  // 2
  C.set(A);                      // 3
  C.create(7);                   // 4: no API
  C.launch({A}, {B}, 7);         // 5
  C.download(B, 7);              // 6
  C.release(A);                  // 7
  C.release(B);                  // 8
  C.allocate(2000);              // 9: not used
  C.Objects[0].Name = "a";
  C.Objects[1].Name = "\"b\"\n";
  C.Objects[2].Name = "c";
  return C;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(PerfettoTraceTest, RealTime) {
  TraceFile F(program());
  EXPECT_EQ(F.Processes, (std::map<unsigned, std::string>{{1, "GPU APIs (calls on the host)"},
                                                          {2, "Objects"},
                                                          {3, "GPU APIs in topological time"},
                                                          {4, "Objects in topological time"}}));
  EXPECT_EQ(F.slices(1, "device 0, default stream"),
            (Texts{"cudaMalloc 100-150", "cudaMalloc 200-250", "cudaMemsetAsync 300-350",
                   "cudaFree 700-750", "cudaFree 800-850", "cudaMalloc 900-950"}));
  // The return of the launch is unknown; it ends where the next call begins.
  EXPECT_EQ(F.slices(1, "device 0, stream 1"), (Texts{"k 500-600", "cudaMemcpyAsync 600-650"}));
  EXPECT_EQ(F.slices(2, "a"), (Texts{"a 150-700", "in use 300-500"}));
  EXPECT_EQ(F.slices(2, "\"b\"\n"), (Texts{"\"b\"\n 250-800", "in use 500-650"}));
  EXPECT_EQ(F.slices(2, "c"), (Texts{"c 950-2000"}));
  EXPECT_EQ(F.All.at("otherData").at("complete"), true);
  using Values = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(F.Counters.at({2, "device 0: bytes in use"}),
            (Values{{150, 1000}, {250, 1500}, {700, 500}, {800, 0}, {950, 2000}}));
}

TEST(PerfettoTraceTest, TopologicalTime) {
  TraceFile F(program());
  // One step for each API, as each waits for the previous one.
  EXPECT_EQ(F.slices(3, "device 0, default stream"),
            (Texts{"cudaMalloc 0-10000", "cudaMalloc 10000-20000", "cudaMemsetAsync 20000-30000",
                   "cudaFree 50000-60000", "cudaFree 60000-70000", "cudaMalloc 70000-80000"}));
  EXPECT_EQ(F.slices(3, "device 0, stream 1"),
            (Texts{"k 30000-40000", "cudaMemcpyAsync 40000-50000"}));
  EXPECT_EQ(F.slices(4, "a"), (Texts{"a 0-50000", "in use 20000-40000"}));
  EXPECT_EQ(F.slices(4, "c"), (Texts{"c 70000-80000"}));
  using Values = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(F.Counters.at({4, "device 0: bytes in use"}),
            (Values{{0, 1000}, {10000, 1500}, {50000, 500}, {60000, 0}, {70000, 2000}}));
}

TEST(PerfettoTraceTest, FlowsLeadFromCallsToObjects) {
  TraceFile F(program());
  // Three allocations, a set, a launch of two objects and a copy; in both times.
  EXPECT_EQ(F.Flows.size(), 2u * (3 + 1 + 2 + 1));
  PerfettoOptions None;
  None.Flows = false;
  EXPECT_TRUE(TraceFile(program(), None).Flows.empty());
}

TEST(PerfettoTraceTest, FindingsAreAtTheirObjects) {
  TraceFile F(program());
  std::vector<std::string> Found;
  for (const json &E : F.Instants)
    if (E.at("pid") == 2 && E.at("args").at("bytes") == 2000)
      Found.push_back(E.at("name"));
  std::sort(Found.begin(), Found.end());
  EXPECT_EQ(Found, Texts{"unused_allocation"});
  for (const json &E : F.Instants)
    EXPECT_TRUE(E.at("args").at("message").is_string() &&
                E.at("args").at("bytes_saved").is_number());
  TestCalls Global = program();
  Global.TheRun.Profiles = {"global"};
  EXPECT_TRUE(TraceFile(Global).Instants.empty());
}

// Three objects of one call, released too late: one finding, and an instant at each release.
TEST(PerfettoTraceTest, AFindingIsAtEachOfItsObjects) {
  TestCalls C;
  C.TheRun.Profiles = {"objects"};
  C.TheRun.Ended = true;
  for (int I = 0; I < 3; ++I) {
    uint64_t A = C.allocate(100); // 1, 6, 11
    C.set(A);
    C.launch({A}, {});
    C.launch({}, {});
    C.release(A); // 5, 10, 15
  }
  TraceFile F(C);
  std::vector<std::pair<unsigned, int64_t>> At;
  for (const json &E : F.Instants)
    if (E.at("pid") == 2 && E.at("name") == "late_deallocation")
      At.emplace_back(E.at("tid"), nanos(E.at("ts")));
  EXPECT_EQ(At, (std::vector<std::pair<unsigned, int64_t>>{{1, 500}, {2, 1000}, {3, 1500}}));
}

TEST(PerfettoTraceTest, SmallerObjectsShareTracks) {
  TestCalls C;
  uint64_t Large = C.allocate(1000);
  for (int I = 0; I < 3; ++I) {
    uint64_t A = C.allocate(10), B = C.allocate(10); // alive together
    C.release(A);
    C.release(B);
  }
  C.release(Large);
  PerfettoOptions One;
  One.ObjectTracks = 1;
  TraceFile F(C, One);
  EXPECT_EQ(F.slices(2, "smaller objects").size(), 6u);
  size_t Tracks = 0;
  for (const auto &[T, Name] : F.Names)
    Tracks += T.first == 2;
  EXPECT_EQ(Tracks, 3u);
}

TEST(PerfettoTraceTest, CallsOfSeveralThreadsDoNotOverlap) {
  TestCalls C;
  uint64_t A = C.allocate(100), B = C.allocate(100);
  C.set(A);
  C.by(2).set(B);
  C.Copies[0].EndNs = C.Copies[1].EndNs + 1000;
  TraceFile F(C);
  EXPECT_EQ(F.slices(1, "device 0, default stream"),
            (Texts{"cudaMalloc 100-150", "cudaMalloc 200-250", "cudaMemsetAsync 300-400",
                   "cudaMemsetAsync 400-450"}));
}

TEST(PerfettoTraceTest, RegionsNest) {
  TestCalls C = program();
  C.Regions = {{300, 5, false, "outer"}, {400, 5, false, "inner"}, {350, 6, false, "other"},
               {500, 5, true, ""},       {600, 6, true, ""},       {610, 6, true, ""}};
  TraceFile F(C);
  EXPECT_EQ(F.slices(5, "thread 5"), (Texts{"outer 300-2000", "inner 400-500"}));
  EXPECT_EQ(F.slices(5, "thread 6"), (Texts{"other 350-600"}));
}

// All nodes of a graph have the launch's time; none may hide another.
TEST(PerfettoTraceTest, NodesOfAGraphHaveATimeEach) {
  TestCalls C;
  C.create(0xa0, true);
  uint64_t A = C.allocate(100);
  for (uint32_t I = 0; I < 2; ++I) {
    C.launch({A}, {A});
    C.Launches[I].Graph = true;
    C.Nodes.emplace_back().Launch = I;
  }
  C.Graphs.push_back({{0, 1}, {{0, 1}}});
  profile::GraphLaunch &L = C.GraphLaunches.emplace_back();
  L.Graph = L.Nodes = 0;
  L.Stream = 0xa0;
  L.Thread = 1;
  L.TimeNs = L.Record = 500;
  TraceFile F(C);
  EXPECT_EQ(F.slices(1, "device 0, stream 1"), (Texts{"k 500-501", "k 501-1501"}));
  EXPECT_EQ(F.Flows.size(), 2u * 3);
}

TEST(PerfettoTraceTest, NothingIsATrace) {
  TestCalls C;
  TraceFile F(C);
  EXPECT_TRUE(F.Slices.empty());
}

TEST(PerfettoTraceTest, AFullDiskIsAnError) {
  std::FILE *Full = std::fopen("/dev/full", "w");
  ASSERT_TRUE(Full);
  ASSERT_EQ(std::setvbuf(Full, nullptr, _IONBF, 0), 0);
  TestCalls C = program();
  EXPECT_FALSE(writePerfettoTrace(C, analysis::analyzeObjects(C), Full));
  std::fclose(Full);
}
