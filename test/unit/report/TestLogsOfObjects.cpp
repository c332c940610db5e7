//===- TestLogsOfObjects.cpp - Runs with allocations and waits ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../profile/FormWriter.h"
#include "TestLogs.h"

namespace gmprof::test {

void objects(LogBytes &Log) {
  Log.run("[\"./app\"]", "{\"profile\":\"objects\",\"peaks\":1}");
  Log.device();
  Log.kernel(1, "_Z5scalePfS_", {});
  const uint64_t Start = 1000000000;
  for (uint32_t I = 1; I <= 3; ++I) {
    LogBytes::Object O;
    O.Id = I;
    O.BeginNs = Start + I * 10000;
    O.TimeNs = O.BeginNs + 1000;
    O.Address = 0x10000 * I;
    O.Bytes = 1024 * I;
    O.Name = std::string(1, static_cast<char>('a' + I - 1));
    Log.object(O);
  }
  log::CopyRecord Set = {};
  Set.beginNs = Start + 40000;
  Set.endNs = Start + 42000;
  Set.rowBytes = 1024;
  Set.rows = Set.slices = 1;
  Set.to.object = 1;
  Set.set = 1;
  Log.copy(Set, "cudaMemset");
  Log.accessSet(1, {{1, 1, 0}, {2, 0, 1}});
  log::LaunchRecord Launch = {};
  Launch.id = 1;
  Launch.timeNs = Start + 50000;
  Launch.kernel = 1;
  Launch.grid[0] = Launch.grid[1] = Launch.grid[2] = 1;
  Launch.block[0] = Launch.block[1] = Launch.block[2] = 1;
  Launch.accessSet = 1;
  Log.launch(Launch);
  log::CopyRecord Back = Set;
  Back.beginNs = Start + 60000;
  Back.endNs = Start + 61000;
  Back.rowBytes = 2048;
  Back.set = 0;
  Back.to = {};
  Back.to.host = 1;
  Back.from.object = 2;
  Log.copy(Back, "cudaMemcpy");
  Log.release(1, Start + 70000);
  Log.release(2, Start + 80000);
  Log.end();
}

void synchronisation(LogBytes &Log) {
  Log.run("[\"./app\"]", "{\"profile\":\"sync\"}");
  Log.device();
  LogBytes::Object Managed;
  Managed.Address = 0x10000;
  Managed.Bytes = 4 << 20;
  Managed.Kind = log::ObjectKind::Managed;
  Managed.BeginNs = Managed.TimeNs = 1050000000;
  Managed.Name = "field";
  Log.object(Managed);
  uint64_t Now = 1100000000, Operation = 0;
  auto Call = [&](log::CallKind Kind, const char *Api, uint64_t Ns, bool Gives, bool Waits) {
    log::ApiCallRecord R = {};
    R.beginNs = Now;
    R.endNs = R.resumeNs = Now += Ns;
    R.kind = Kind;
    R.thread = 42;
    R.operation = Gives ? ++Operation : 0;
    R.looked = R.busyBefore = Waits;
    R.hostDone = Gives && Waits;
    Log.apiCall(R, Api);
  };
  auto Kernel = [&](uint64_t Ns) {
    Call(log::CallKind::Launch, "cudaLaunchKernel", 10000, true, false);
    Log.gpuTime({Operation, Now, Now + Ns});
  };
  for (int Round = 0; Round < 2; ++Round) {
    Kernel(18000000);
    Log.migration({Now + 1000000, Now + 3000000, 0x10000, 1 << 20, 0, 0});
    Call(log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 18000000, false, true);
    Now += 3000000;
    Kernel(2000000);
    Call(log::CallKind::StreamSynchronized, "cudaStreamSynchronize", 2000000, false, true);
    Now += 30000000;
    Log.gpuTime({Operation + 1, Now, Now + 1000000});
    Call(log::CallKind::Copy, "cudaMemcpy", 1000000, true, true);
    log::HostUseRecord Use = {};
    Use.operation = Operation;
    Use.timeNs = Now + 1000;
    Log.hostUse(Use);
    Now += 1000000;
  }
  Log.end();
}

void overview(LogBytes &Log) {
  Log.run("[\"./app\"]",
          "{\"profile\":\"overview\",\"profiles\":[\"objects\",\"shared\",\"heat\",\"sync\"],"
          "\"sync_stage\":\"baseline\"}",
          "gpu");
  Log.device();
  for (auto [Id, Name, Line] : {std::tuple(1, "_Z4gemmPKf", 3), std::tuple(2, "_Z4fillPKf", 20)}) {
    DescriptorWriter D(Name, "/src/app.cu", Line);
    D.Header.modes = GMPROF_MODE_HEAT | GMPROF_MODE_OBJECTS | (Id == 1 ? GMPROF_MODE_SHARED : 0u);
    D.Header.paramCount = 1;
    gmprof_u32 A = D.pointer("a", 4, 0, 0);
    D.globalSite(A, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED, "", Line + 1);
    if (Id == 1)
      D.site(D.variable("tile", "float[32]", 4, 128, 4), GMPROF_ACCESS_STORE, 6);
    Log.kernel(Id, Name, D.bytes(), Id == 1 ? 128 : 0);
  }
  Log.kernel(3, "_Z5toolsv", {});
  Log.object(1, "a", "cudaMalloc", 0x10000, 4096);
  Log.object(2, "scratch", "cudaMalloc", 0x20000, 1 << 20);
  Log.accessSet(1, {{1, 1, 0}});
  uint64_t Id = 0;
  const auto Launch = [&](uint32_t Kernel, log::LaunchMode Mode, uint64_t Context, uint64_t Ns) {
    log::LaunchRecord R = {};
    R.id = ++Id;
    R.timeNs = 1000000000 + Id * 10000;
    R.context = Context;
    R.kernel = Kernel;
    R.mode = Mode;
    R.grid[0] = R.grid[1] = R.grid[2] = R.block[1] = R.block[2] = 1;
    R.block[0] = 256;
    R.accessSet = 1;
    Log.launch(R);
    if (Ns != 0)
      Log.launchTime(Id, Ns);
  };
  Launch(1, log::LaunchMode::Heat, 1, 90'000);
  Log.launchForms(1, log::LaunchMode::Shared, 5);
  Launch(1, log::LaunchMode::Shared, 2, 80'000);
  Launch(1, log::LaunchMode::Objects, 0, 33'000);
  Launch(2, log::LaunchMode::Heat, 3, 3'000);
  Launch(2, log::LaunchMode::Heat, 4, 2'000);
  Launch(2, log::LaunchMode::Objects, 0, 300);
  Launch(3, log::LaunchMode::Objects, 0, 0);
  for (uint64_t Context : {2, 5}) {
    LogBytes::Counts C;
    C.Context = Context;
    C.Threads = 256;
    C.Sums.resize(32, 8);
    C.Addresses = {GMPROF_NONE, 1024};
    Log.counts(C);
  }
  for (auto [Context, Kernel] : {std::pair(1, 1), std::pair(3, 2), std::pair(4, 2)}) {
    LogBytes::Heat H;
    H.Record.context = Context;
    H.Record.kernel = Kernel;
    H.Record.endBlock = H.Record.blockStep = H.Record.blocks = 1;
    H.Record.threads = 256;
    H.Record.firstAddress = 1024;
    H.Record.dynamicAddress = 1024 + 128;
    H.Sites = {{8192, 262144, 1048576, 262144, 32768, 0, 8192, 8192 * 256}};
    H.Objects = {1};
    H.Variables = {GMPROF_NONE};
    if (Kernel == 1) {
      H.Sites.emplace_back();
      H.SharedSites = {{}, {8, 256, 8, 8, 8, 0, 0, 0}, {}};
      H.Words.resize(size_t(32) * GMPROF_COUNTER_KINDS);
      H.Objects.push_back(0);
      H.Variables.push_back(1024);
    }
    H.Sites.emplace_back();
    Log.heat(H);
    Log.heatRuns({H.Record.context, 1, 0x10000, 0, 0},
                 {heatRun(0, 128, GMPROF_COUNTER_READS, {8, 8, 8, 8, 8, 8, 8, 8}, 8, 262144, 1)});
  }
  uint64_t Now = 1'100'000'000;
  const auto Call = [&](log::CallKind Kind, const char *Api, uint64_t Ns) {
    log::ApiCallRecord R = {};
    R.beginNs = Now;
    R.endNs = R.resumeNs = Now += Ns;
    R.kind = Kind;
    R.thread = 42;
    Log.apiCall(R, Api);
  };
  log::CopyRecord Copy = {};
  Copy.beginNs = Now;
  Copy.endNs = Now + 2'000'000;
  Copy.rowBytes = 4096;
  Copy.rows = Copy.slices = 1;
  Copy.to.object = 1;
  Copy.from.host = 1;
  Log.copy(Copy, "cudaMemcpy");
  Call(log::CallKind::Copy, "cudaMemcpy", 2'000'000);
  Call(log::CallKind::Launch, "cudaLaunchKernel", 10'000);
  Call(log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 18'000'000);
  Call(log::CallKind::Copy, "cudaMemcpy", 2'000'000);
  Call(log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 3'000'000);
  Log.end();
}

} // namespace gmprof::test
