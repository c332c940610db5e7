//===- LargeTestLogs.cpp - Runs with many events --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestLogs.h"

namespace gmprof::test {

namespace {

constexpr uint64_t LargeRounds = 250'000;

/// Numbers that are hard to compress, the same each time (Knuth's MMIX generator).
struct Randomness {
  uint64_t State = 1;
  uint64_t upTo(uint64_t Limit) {
    State = State * 6364136223846793005 + 1442695040888963407;
    return (State >> 33) % Limit;
  }
};

} // namespace

void large(LogBytes &Log) {
  Log.run("[\"./large\"]", "{\"profile\":\"heat\"}");
  Log.device();
  DescriptorWriter D("_Z6gatherPi", "/src/large.cu", 3);
  gmprof_u32 Values = D.pointer("values", 4, 0, 0);
  D.globalSite(Values, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED, "", 5);
  Log.kernel(1, "_Z6gatherPi", D.bytes());
  Log.kernel(2, "_Z4stepPi", {});
  Log.object(1, "values", "cudaMalloc", 0x10000000, 100'000 * 32);
  Log.launch(1, 1, 1, 16, 1024, log::LaunchMode::Heat);
  uint64_t Now = 1'000'100'000;
  Randomness Chance;
  for (uint64_t I = 0; I < LargeRounds; ++I) {
    LogBytes::Object O;
    O.Id = I + 2;
    O.BeginNs = Now;
    O.TimeNs = Now + 1500;
    O.Address = 0x20000000 + I * 4096;
    O.Bytes = uint64_t(4096) << Chance.upTo(8);
    O.Name = "buffer" + std::to_string(I % 100);
    Log.object(O);
    log::CopyRecord Copy = {};
    Copy.beginNs = Now + 3000;
    Copy.endNs = Now + 5000 + Chance.upTo(4000);
    Copy.rowBytes = 512;
    Copy.rows = Copy.slices = 1;
    Copy.to.object = O.Id;
    Copy.from.host = 1;
    Copy.thread = static_cast<uint32_t>(77 + I % 4);
    Log.copy(Copy, "cudaMemcpyAsync");
    log::LaunchRecord Launch = {};
    Launch.id = I + 2;
    Launch.timeNs = Now + 10'000;
    Launch.kernel = 2;
    for (int Axis = 0; Axis < 3; ++Axis)
      Launch.grid[Axis] = Launch.block[Axis] = 1;
    Log.launch(Launch);
    Log.release(O.Id, Now + 12'000);
    Now += 14'000 + Chance.upTo(10'000);
  }
  LogBytes::Heat H;
  H.Record.context = H.Record.kernel = 1;
  H.Record.endBlock = H.Record.blockStep = H.Record.blocks = 1;
  H.Record.threads = 1024;
  H.Sites.resize(2);
  H.Objects = {1};
  H.Variables = {GMPROF_NONE};
  Log.heat(H);
  std::vector<log::HeatRun> Rows;
  for (uint64_t I = 0; I < 100'000; ++I) {
    const auto Least = static_cast<uint8_t>(I * 7 % 31 + 1);
    Rows.push_back(heatRun(I, 1, GMPROF_COUNTER_READS,
                           {Least, 0, Least, 1, 2, 3, static_cast<uint8_t>(I % 3), Least},
                           std::max<uint8_t>(Least, 3), 1000 + I, 1));
  }
  Log.heatRuns({1, 1, 0x10000000, 0, 0}, Rows);
  Log.end();
}

void largeSync(LogBytes &Log) {
  Log.run("[\"./large\"]", "{\"profile\":\"sync\"}");
  Log.device();
  uint64_t Now = 1'000'100'000, Operation = 0;
  Randomness Chance;
  for (uint64_t I = 0; I < LargeRounds; ++I) {
    const auto Thread = static_cast<uint32_t>(1 + I % 2);
    auto Call = [&](log::CallKind Kind, const char *Api, uint64_t Ns, bool Gives, bool Waits) {
      log::ApiCallRecord R = {};
      R.beginNs = Now;
      R.endNs = R.resumeNs = Now += Ns + Chance.upTo(2000);
      R.kind = Kind;
      R.thread = Thread;
      R.stream = Thread;
      R.operation = Gives ? ++Operation : 0;
      R.looked = R.busyBefore = Waits;
      Log.apiCall(R, Api);
    };
    Call(log::CallKind::Copy, "cudaMemcpyAsync", 3000, true, false);
    Log.gpuTime({Operation, Now, Now + 4000});
    Call(log::CallKind::Launch, "cudaLaunchKernel", 5000, true, false);
    Log.gpuTime({Operation, Now, Now + 9000 + Chance.upTo(5000)});
    Call(log::CallKind::StreamSynchronized, "cudaStreamSynchronize", 14'000, false, true);
    Call(log::CallKind::EventRecorded, "cudaEventRecord", 1000, false, false);
    Now += 5000 + Chance.upTo(10'000);
  }
  Log.end();
}

} // namespace gmprof::test
