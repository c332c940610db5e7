//===- PageTimelineTest.cpp - Tests of timeline columns -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/PageTimeline.h"
#include "../profile/TestCalls.h"
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace gmprof;
using namespace gmprof::test;
using nlohmann::json;

namespace {

using Numbers = std::vector<uint64_t>;

/// Reads what PageColumns writes.
struct Columns {
  json Head;
  std::map<std::string, Numbers> Of;

  explicit Columns(const std::string &Text) {
    const size_t End = Text.find('\n');
    Head = json::parse(Text.substr(0, End));
    size_t At = End + 1;
    for (const json &Column : Head.at("columns")) {
      Numbers &To = Of[Column.at("name")];
      uint64_t Last = 0;
      const size_t Stop = At + Column.at("bytes").get<size_t>();
      while (At < Stop) {
        uint64_t Value = 0;
        unsigned Shift = 0;
        for (bool More = true; More; Shift += 7) {
          const auto Byte = static_cast<unsigned char>(Text.at(At++));
          Value |= uint64_t(Byte & 0x7f) << Shift;
          More = Byte & 0x80;
        }
        if (Column.at("code") == "differences")
          Value = Last += Value & 1 ? ~(Value >> 1) : Value >> 1;
        To.push_back(Value);
      }
      EXPECT_EQ(At, Stop);
      EXPECT_EQ(To.size(), Column.at("rows").get<size_t>());
    }
    EXPECT_EQ(At, Text.size());
  }
  const Numbers &operator[](const char *Name) const { return Of.at(Name); }
};

/// Call I begins at 100 I ns, and returns 50 ns later. The run began at 50 ns.
TestCalls program() {
  TestCalls C;
  C.TheRun.SteadyStartNs = 50;
  C.TheRun.SteadyEndNs = 2050;
  const uint64_t A = C.allocate(1000); // 1
  const uint64_t B = C.allocate(500);  // 2
  C.set(A);                            // 3
  C.create(7);                         // 4: no API
  C.by(2).launch({A}, {B}, 7);         // 5
  C.download(B, 7);                    // 6
  C.by(1).release(A);                  // 7
  C.release(B);                        // 8
  C.allocate(2000);                    // 9: neither used nor released
  C.Objects[0].Name = "a";
  C.Objects[1].Name = "a";
  C.Objects[2].Name = "c\n";
  return C;
}

summary::Summary knowing(double Seconds, uint64_t Bytes) {
  summary::Summary S;
  summary::Object &O = S.objects.emplace_back();
  O.id = 4;
  O.bytes = Bytes;
  O.alloc.emplace().seconds = Seconds;
  return S;
}

} // namespace

TEST(PageTimeline, ObjectsAndBytesInUse) {
  const TestCalls P = program();
  const Columns C(pageMemory(P, buildApiTrace(P), knowing(200e-9, 500)));
  EXPECT_EQ(C.Head.at("end"), 2000);
  EXPECT_EQ(C.Head.at("names"), json({"a", "c?"}));
  EXPECT_EQ(C.Head.at("kinds"), json::array({"device"}));
  EXPECT_EQ(C.Head.at("devices"), json::array({0}));
  EXPECT_EQ(C["begin"], (Numbers{100, 200, 900}));
  EXPECT_EQ(C["length"], (Numbers{550, 550, 1100}));
  // a from 250 to 450, b from 450 to 600.
  EXPECT_EQ(C["used_after"], (Numbers{151, 251, 0}));
  EXPECT_EQ(C["used_for"], (Numbers{200, 150, 0}));
  EXPECT_EQ(C["bytes"], (Numbers{1000, 500, 2000}));
  EXPECT_EQ(C["name"], (Numbers{0, 0, 1}));
  EXPECT_EQ(C["released"], (Numbers{1, 1, 0}));
  EXPECT_EQ(C["object"], (Numbers{0, 5, 0}));
  EXPECT_EQ(C["time_0"], (Numbers{100, 200, 650, 750, 900}));
  EXPECT_EQ(C["in_use_0"], (Numbers{1000, 1500, 500, 0, 2000}));
  EXPECT_EQ(C["place"], (Numbers{0, 0, 0}));
  EXPECT_EQ(C.Head.at("owners"), json::parse(R"([["program"]])"));
  EXPECT_EQ(C["owners_time_0"], (Numbers{100, 200, 650, 750, 900}));
  EXPECT_EQ(C["owner_0_0"], (Numbers{1000, 1500, 500, 0, 2000}));
}

// The first reading is after a's allocation, the second after b's: 300 bytes, then 400, beside
// both.
TEST(PageTimeline, OwnersOfMemory) {
  TestCalls P = program();
  for (const uint64_t InUse : {1300, 1900}) {
    profile::MemoryReading &R = P.MemoryReadings.emplace_back();
    R.TotalBytes = 4000;
    R.FreeBytes = 4000 - InUse;
    R.TimeNs = InUse == 1300 ? 160 : 260;
  }
  const Columns C(pageMemory(P, buildApiTrace(P), {}));
  EXPECT_EQ(C.Head.at("owners"),
            json::parse(R"([["program","CUDA, other processes, unattributed"]])"));
  EXPECT_EQ(C["owners_time_0"], (Numbers{100, 200, 650, 750, 900}));
  EXPECT_EQ(C["owner_0_0"], (Numbers{1000, 1500, 500, 0, 2000}));
  EXPECT_EQ(C["owner_0_1"], (Numbers{300, 400, 400, 400, 400}));
}

TEST(PageTimeline, Calls) {
  const TestCalls P = program();
  const Columns C(pageCalls(P, buildApiTrace(P)));
  EXPECT_EQ(C.Head.at("kinds"), json({"memory", "set", "launch", "copy"}));
  EXPECT_EQ(C.Head.at("names"),
            json({"cudaMalloc", "cudaMemsetAsync", "k", "cudaMemcpyAsync", "cudaFree"}));
  EXPECT_EQ(C.Head.at("lanes"), json::parse(R"([{"name":"thread 1","gpu":false},
                                                {"name":"thread 2","gpu":false}])"));
  EXPECT_EQ(C["begin"], (Numbers{50, 150, 250, 450, 550, 650, 750, 850}));
  // The return of a launch is unknown.
  EXPECT_EQ(C["length"], (Numbers{50, 50, 50, 0, 50, 50, 50, 50}));
  EXPECT_EQ(C["kind"], (Numbers{0, 0, 1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(C["name"], (Numbers{0, 0, 1, 2, 3, 4, 4, 0}));
  EXPECT_EQ(C["lane"], (Numbers{0, 0, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(C["place"], Numbers(8, 0));
  EXPECT_EQ(C["accesses"], (Numbers{0, 0, 1, 2, 1, 0, 0, 0}));
  // The set writes a, the launch reads a and writes b, the copy reads b.
  EXPECT_EQ(C["accessed"], (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(C["access"], (Numbers{2, 1, 2, 1}));
}

TEST(PageTimeline, WaitsAndTheGpu) {
  profile::Profile P;
  P.TheRun.Profiles = {"sync"};
  P.TheRun.SteadyStartNs = 1000;
  P.Kernels.emplace_back().Demangled = "void k(int)";
  auto Call = [&](log::CallKind Kind, const char *Api, uint64_t Begin, uint64_t End) {
    profile::ApiCall &C = P.Calls.emplace_back();
    C.Api = Api;
    C.Kind = Kind;
    C.BeginNs = Begin;
    C.EndNs = C.ResumeNs = End;
    C.Thread = 7;
  };
  Call(log::CallKind::Launch, "cudaLaunchKernel", 1100, 1200);
  P.Calls[0].Operation = 1;
  P.Calls[0].Stream = 0x5000;
  P.GpuTimes.push_back({1, 1300, 9200});
  profile::Launch &L = P.Launches.emplace_back();
  L.TimeNs = 1150;
  L.Thread = 7;
  Call(log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 1200, 9300);
  P.Calls[1].Looked = true;
  P.Calls[1].BusyBefore = 1;
  const Columns C(pageSyncCalls({&P, &P, nullptr, 0}));
  EXPECT_EQ(C.Head.at("kinds"), json({"launch", "wait"}));
  EXPECT_EQ(C.Head.at("names"), json({"k", "cudaDeviceSynchronize"}));
  EXPECT_EQ(C.Head.at("lanes"), json::parse(R"([{"name":"thread 7","gpu":false},
                                                {"name":"device 0, stream 1","gpu":true}])"));
  EXPECT_EQ(C["begin"], (Numbers{100, 200}));
  EXPECT_EQ(C["length"], (Numbers{100, 8100}));
  // Until the kernel ended; nothing needs it.
  EXPECT_EQ(C["wait"], (Numbers{0, 8000}));
  EXPECT_EQ(C["problem"], (Numbers{0, 1}));
  EXPECT_NE(C["site"][0], C["site"][1]);
  EXPECT_EQ(C["gpu_begin"], (Numbers{300}));
  EXPECT_EQ(C["gpu_length"], (Numbers{7900}));
  EXPECT_EQ(C["gpu_lane"], (Numbers{1}));
  EXPECT_EQ(C["gpu_call"], (Numbers{0}));
}
