//===- TestProfile.cpp - Writes hand-made profiles for tests --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   gmprof-test-profile NAME FOLDER
//
// writes FOLDER/events.log and, as 'gmprof run' does, the summary beside it.
//
//===----------------------------------------------------------------------===//

#include "../cache/LayerTrace.h"
#include "../profile/FormWriter.h"
#include "../profile/TestLog.h"
#include "report/builder/WriteSummary.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

using namespace gmprof;
using namespace gmprof::test;

namespace {

/// A transposition through tile[32][33]: every word of columns 0 to 31 is stored
/// once and loaded once in each of 64 blocks, column 32 only pads.
void transpose(LogBytes &Log) {
  Log.run("[\"./transpose\",\"256\"]");
  Log.device();
  DescriptorWriter D("_Z9transposePfPKfi", "/src/transpose.cu", 10);
  gmprof_u32 Tile = D.variable("tile", "float[32][33]", 4, 4224);
  D.site(Tile, GMPROF_ACCESS_STORE, 16);
  D.site(Tile, GMPROF_ACCESS_LOAD, 20);
  Log.kernel(1, "_Z9transposePfPKfi", D.bytes(), 4224);
  Log.launch(1, 1, 1, 64, 1024);
  LogBytes::Counts C;
  C.Blocks = 64;
  C.Threads = 64 * 1024;
  for (int Row = 0; Row < 32; ++Row)
    for (int Column = 0; Column < 33; ++Column)
      C.Sums.push_back(Column < 32 ? 2 * 64 : 0);
  C.Addresses = {1024};
  Log.counts(C);
  Log.end();
}

/// A bit of everything that can be said.
void mixed(LogBytes &Log) {
  Log.run("[\"./app\",\"--size\",\"1024\"]", "{\"threshold\":255}");
  Log.device();

  // tile[64][64], whose right half is never used, and a look-up table that every thread reads
  // often: counters stop at 255.
  DescriptorWriter D("_Z5blendIfEvPT_S1_i", "/src/app.cu", 20);
  D.Header.sharedLevel = GMPROF_LEVEL_SA_NA_SM_TH;
  D.Header.flags = GMPROF_KERNEL_PLAIN_UPDATES;
  D.Header.counterBits = 8;
  D.Header.threshold = 255;
  gmprof_u32 Tile = D.variable("tile", "float[64][64]", 4, 16384, 22);
  gmprof_u32 Table = D.variable("table", "float[64]", 4, 256, 23);
  D.site(Tile, GMPROF_ACCESS_STORE, 30);
  D.site(Tile, GMPROF_ACCESS_LOAD, 38);
  D.site(Tile, GMPROF_ACCESS_LOAD, 34); // unrolled
  D.site(Tile, GMPROF_ACCESS_LOAD, 34);
  D.site(Table, GMPROF_ACCESS_STORE, 28, GMPROF_RULE_LOOP_INVARIANT);
  D.site(Table, GMPROF_ACCESS_LOAD, 36, GMPROF_RULE_THREAD_INVARIANT);
  Log.kernel(1, "_Z5blendIfEvPT_S1_i", D.bytes(), 16640);
  Log.launch(1, 1, 1, 10, 256);
  LogBytes::Counts C;
  C.Blocks = 10;
  C.Threads = 2560;
  for (int Row = 0; Row < 64; ++Row)
    for (int Column = 0; Column < 64; ++Column)
      C.Sums.push_back(Column < 32 ? 40 : 0);
  for (int I = 0; I < 64; ++I)
    C.Sums.push_back(I < 16 ? 2550 : 100);
  C.Capped.resize(4096);
  C.Capped.resize(4096 + 16, 10);
  C.Addresses = {1024, 1024 + 16384};
  Log.counts(C);

  // Dynamic shared memory under two names; its second half is never used. One
  // block in four is counted; a second launch is refused.
  DescriptorWriter R("_Z6reducePdi", "/src/reduce.cu", 5);
  gmprof_u32 Values = R.variable("values", "double[]", 8, 0, 6, GMPROF_VARIABLE_SHARED_DYNAMIC);
  R.variable("flags", "int[]", 4, 0, 7, GMPROF_VARIABLE_SHARED_DYNAMIC);
  R.site(Values, GMPROF_ACCESS_STORE, 9);
  R.site(Values, GMPROF_ACCESS_ATOMIC, 11);
  Log.kernel(2, "_Z6reducePdi", R.bytes());
  Log.launch(2, 2, 2, 16, 128, log::LaunchMode::Shared, 2048);
  C = {};
  C.Context = 2;
  C.Kernel = 2;
  C.Blocks = 4;
  C.Threads = 512;
  C.BlockSample = 4;
  C.DynamicBytes = 2048;
  C.Sums.resize(256, 4 * 10);
  C.Sums.resize(512);
  C.Addresses = {1024, 1024};
  Log.counts(C);
  Log.json(log::RecordKind::Gap, R"({"id":1,"what":"launches","count":0,)"
                                 R"("reason":"not enough device memory for counters"})");
  Log.launch(3, 2, 0, 16, 128, log::LaunchMode::Refused, 2048, 1);

  Log.kernel(3, "_Z7libraryv", {});
  Log.launch(4, 3, 0, 1, 32, log::LaunchMode::Plain);
  DescriptorWriter Fill("_Z4fillPf");
  Fill.Header.modes = 0;
  Fill.Header.skipReason = Fill.string("it has no shared memory");
  Log.kernel(4, "_Z4fillPf", Fill.bytes());
  Log.launch(5, 4, 0, 1, 32, log::LaunchMode::Plain);
  Log.json(log::RecordKind::Gap,
           R"({"what":"accesses","count":7,"reason":"outside of shared memory"})");
  Log.end(1);
}

/// The paper's Table III, em v1: four arrays, all hot.
void em(LogBytes &Log) {
  Log.run("[\"./em_v1\"]");
  Log.device();
  DescriptorWriter D("_Z2emPf", "/src/em_v1.cu", 3);
  const uint64_t Means[] = {983040, 65536, 65536, 1289};
  LogBytes::Counts C;
  for (int I = 0; I < 4; ++I) {
    gmprof_u32 V = D.variable("a" + std::to_string(I + 1), "float[128]", 4, 512, 4 + I);
    D.site(V, GMPROF_ACCESS_LOAD, 20 + I);
    C.Addresses.push_back(1024 + 512 * I);
    // Evenly around the mean, which stays exact.
    for (int J = 0; J < 128; ++J)
      C.Sums.push_back(J % 2 ? Means[I] + 1 : Means[I] - 1);
  }
  Log.kernel(1, "_Z2emPf", D.bytes(), 2048);
  Log.launch(1, 1, 1, 1, 128);
  Log.counts(C);
  Log.end();
}

/// Global memory: y[i] = a * x[i] + y[i] by closed forms, with 1000 of the 1024 elements of x read;
/// and h[x[i]] atomically, with one counter at its limit of 255.
void globalMemory(LogBytes &Log) {
  Log.run("[\"./app\"]", "{\"profile\":\"global\"}");
  Log.device();
  DescriptorWriter D("_Z5saxpyfPKfPfi", "/src/saxpy.cu", 3);
  D.Header.modes = 0;
  D.Header.paramCount = 4;
  D.global(GMPROF_LEVEL_SA_NA_SM_TH, 8, 255, GMPROF_MODE_GLOBAL | GMPROF_MODE_GLOBAL_ALL);
  gmprof_u32 X = D.pointer("x", 4, 1, 0), Y = D.pointer("y", 4, 2, 1);
  ClosedForm Index;
  Index.Address = scaled(globalIndex(), 4);
  Index.Constraints = {
      {std::nullopt, plus({{1, {parameter(3)}}, {-1, {}}}, scaled(globalIndex(), -1))}};
  const std::vector<int64_t> Words = wordsOf(Index);
  for (auto [Variable, Kind] : {std::pair(X, GMPROF_ACCESS_LOAD), std::pair(Y, GMPROF_ACCESS_LOAD),
                                std::pair(Y, GMPROF_ACCESS_STORE)})
    D.form(D.globalSite(Variable, Kind, GMPROF_RULE_CLOSED_FORM, "", 5),
           {Words.begin(), Words.end()});
  Log.kernel(1, "_Z5saxpyfPKfPfi", D.bytes());

  DescriptorWriter H("_Z9histogramPKiPi", "/src/histogram.cu", 8);
  H.Header.modes = 0;
  H.Header.paramCount = 2;
  H.global(GMPROF_LEVEL_SA_NA_SM_TH, 8, 255);
  H.pointer("x", 4, 0, 0);
  gmprof_u32 Bins = H.pointer("bins", 4, 1, 1);
  H.Sites[H.globalSite(Bins, GMPROF_ACCESS_ATOMIC, GMPROF_RULE_COUNTED, "the address is not affine",
                       11)]
      .reduction = 1;
  Log.kernel(2, "_Z9histogramPKiPi", H.bytes());

  Log.object(1, "", "cudaMalloc", 0x10000, 4096);
  Log.object(2, "", "cudaMalloc", 0x20000, 4000);
  Log.object(3, "bins_", "", 0x30000, 64, log::ObjectKind::GlobalVariable);
  LogBytes::Global G;
  G.Grid = 4;
  G.Block = 256;
  G.Objects = {1, 2};
  G.Values = {0, 0, 0, 1000};
  Log.globalContext(G);
  Log.launch(1, 1, 1, 4, 256, log::LaunchMode::Global);
  Log.launch(2, 1, 1, 4, 256, log::LaunchMode::Global);
  G = {};
  G.Context = 2;
  G.Kernel = 2;
  G.Grid = 16;
  G.BlockSample = 4;
  G.CounterBytes = 64;
  G.ObjectBytes = 64;
  G.Objects = {1, 3};
  Log.globalContext(G);
  Log.launch(3, 2, 2, 16, 32, log::LaunchMode::Global);
  Log.globalTotals({2, 1, 4, 128, 1});
  log::GlobalCountsRecord R = {};
  R.object = 3;
  R.kernel = 2;
  R.counterKind = GMPROF_COUNTER_ATOMICS;
  R.elementShift = 2;
  R.blockSample = 4;
  R.threshold = 255;
  R.launches = 1;
  std::vector<uint64_t> Sums(16, 2);
  Sums[3] = 255;
  Sums[4] = 0;
  std::vector<uint32_t> Capped(16);
  Capped[3] = 1;
  Log.globalCounts(R, Sums, Capped);
  Log.end();
}

/// a is set and read by scale, which writes b; b is copied back. c is never used.
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

/// Twice: a kernel of 18 ms is waited for, the host works for 3 ms, a kernel of 2 ms is waited
/// for, the host works for 30 ms, and uses a copy that took 1 ms. Giving work takes 10 us.
/// For 2 ms of the first kernel, 1 MiB of managed memory moves to the device.
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

using Words = std::array<uint8_t, 8>;

/// Sectors that only accesses of one kind access.
log::HeatRun heatRun(uint64_t First, uint64_t Sectors, GmprofCounterKind Kind, const Words &Of,
                     uint8_t Sector, uint64_t Accesses, uint64_t Places) {
  log::HeatRun R = {};
  R.first = First;
  R.sectors = Sectors;
  for (unsigned Row : {0u, 1u + Kind}) {
    std::copy(Of.begin(), Of.end(), R.temperatures[Row]);
    R.temperatures[Row][8] = Sector;
  }
  R.accesses[Kind] = Accesses;
  R.places = Places;
  return R;
}

/// c = a * b with swapped indices: a is hot, b and c are falsely shared. Only the columns of one
/// block of c are accessed. Launches 1 and 3 are recorded, 2 is not. tile is filled by one warp and
/// partly by one thread. Also a reduction of 40 values at random, on an object without a name.
void heat(LogBytes &Log) {
  Log.run("[\"./gemm\"]", "{\"profile\":\"heat\"}");
  Log.device();
  DescriptorWriter D("_Z4gemmPKfS0_Pfi", "/src/gemm.cu", 3);
  gmprof_u32 A = D.pointer("a", 4, 0, 0), B = D.pointer("b", 4, 1, 1), C = D.pointer("c", 4, 2, 2);
  gmprof_u32 Tile = D.variable("tile", "float[2][33]", 4, 264, 5);
  D.globalSite(A, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED, "", 8);
  D.globalSite(B, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED, "", 8);
  D.globalSite(C, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED, "", 9);
  D.site(Tile, GMPROF_ACCESS_STORE, 7);
  Log.kernel(1, "_Z4gemmPKfS0_Pfi", D.bytes(), 264);
  DescriptorWriter R("_Z6reducePi", "/src/<b>reduce</b>.cu", 12);
  gmprof_u32 V = R.pointer("values", 4, 0, 0);
  R.Sites[R.globalSite(V, GMPROF_ACCESS_ATOMIC, GMPROF_RULE_COUNTED, "", 14)].reduction = 1;
  Log.kernel(2, "_Z6reducePi", R.bytes());

  Log.object(1, "d_a", "cudaMalloc", 0x10000, 4096);
  Log.object(2, "", "cudaMalloc", 0x20000, 65536);
  Log.object(3, "c", "cudaMalloc", 0x40010, 4096);
  Log.object(4, "</script><b>", "cudaMalloc", 0x50000, 4096);
  Log.launch(1, 1, 1, 16, 256, log::LaunchMode::Heat);
  Log.launch(2, 1, 0, 16, 256, log::LaunchMode::Plain);
  Log.launch(3, 1, 2, 16, 256, log::LaunchMode::Heat);
  Log.launch(4, 2, 3, 16, 1024, log::LaunchMode::Heat);
  for (uint64_t Context : {1, 2}) {
    LogBytes::Heat H;
    H.Record.context = Context;
    H.Record.kernel = 1;
    H.Record.endBlock = H.Record.blockStep = H.Record.blocks = 1;
    H.Record.threads = 256;
    H.Record.firstAddress = 1024;
    H.Record.dynamicAddress = 1288;
    H.Sites = {{8192, 262144, 1048576, 262144, 32768, 0, 8192, 8192 * 256},
               {4096, 131072, 16384, 4096, 4096, 0, 0, 0},
               {16, 512, 2048, 512, 64, 0, 16, 16 * 256},
               {},
               {}};
    H.SharedSites = {{}, {}, {}, {8, 80, 320, 16, 8, 0, 0, 0}, {}};
    H.Words.resize(size_t(66) * GMPROF_COUNTER_KINDS);
    // Thread 1 writes the first row but for its padding, warp 0 half of the second.
    for (unsigned I = 0; I < 32; ++I)
      H.Words[size_t(I) * 3 + 1] = {1, 1, 2, 0};
    for (unsigned I = 33; I < 49; ++I)
      H.Words[size_t(I) * 3 + 1] = {1, 2, GMPROF_NONE, 0};
    H.Words[size_t(40) * 3 + 1] = {0xff, 8, GMPROF_NONE, 0};
    H.Objects = {1, 2, 3, 0};
    H.Variables = {GMPROF_NONE, GMPROF_NONE, GMPROF_NONE, 1024};
    Log.heat(H);
    Log.heatRuns({Context, 1, 0x10000, 0, 0},
                 {heatRun(0, 128, GMPROF_COUNTER_READS, {8, 8, 8, 8, 8, 8, 8, 8}, 8, 262144, 1)});
    std::vector<log::HeatRun> Rows;
    for (uint64_t Row = 0; Row < 64; ++Row)
      Rows.push_back(
          heatRun(Row * 32, 4, GMPROF_COUNTER_READS, {1, 1, 1, 1, 1, 1, 1, 1}, 8, 2048, 1));
    Log.heatRuns({Context, 2, 0x20000, 0, 0}, Rows);
    log::HeatRun Last = heatRun(128, 1, GMPROF_COUNTER_WRITES, {1, 1, 1, 1, 0, 0, 0, 0}, 4, 4, 2);
    Last.merged = Last.severalBlocks = 1;
    Log.heatRuns({Context, 3, 0x40010, 0, 1},
                 {heatRun(0, 1, GMPROF_COUNTER_WRITES, {0, 0, 0, 0, 1, 1, 1, 1}, 4, 4, 2),
                  heatRun(1, 63, GMPROF_COUNTER_WRITES, {1, 1, 1, 1, 1, 1, 1, 1}, 8, 504, 2),
                  Last});
  }
  LogBytes::Heat H;
  H.Record.context = 3;
  H.Record.kernel = 2;
  H.Record.endBlock = 16;
  H.Record.blockStep = 4;
  H.Record.blocks = 4;
  H.Record.threads = 4096;
  H.Record.outside = 1;
  H.Record.lost = 2;
  H.Sites.resize(2);
  H.Objects = {0};
  H.Variables = {GMPROF_NONE};
  Log.heat(H);
  std::vector<log::HeatRun> Random;
  for (uint64_t I = 0; I < 60; ++I) {
    const auto First = static_cast<uint8_t>(I * 7 % 32 + 1);
    const auto Last = static_cast<uint8_t>(I * 5 % 32 + 1);
    Random.push_back(heatRun(2 * I, 1, GMPROF_COUNTER_ATOMICS, {First, 0, 0, 0, 0, 0, 0, Last},
                             std::max(First, Last), 1000000 + I,
                             I % 2 ? 1 : 1 | uint64_t(1) << 63));
  }
  Log.heatRuns({3, 4, 0x50000, 0, 0}, Random);
  Log.end();
}

/// The overview of a program on a GPU. Launches 1 and 2 of gemm are sampled: 1 in the heat profile,
/// 2 in that of shared memory, which closed forms also count in launch 1. fill, without shared
/// memory, takes 0.9 % of the kernel time. tools is not compiled by the plugin.
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

/// The log for the trace of LayerTrace.h.
void layer(LogBytes &Log) {
  Log.run("[\"./layer\"]", "{\"profile\":\"cache\"}");
  Log.device();
  DescriptorWriter Layer("_Z5layerPKfPf", "/src/layer.cu", 5),
      Copy("_Z4copyPKfPf", "/src/layer.cu", 12);
  Log.kernel(1, "_Z5layerPKfPf", Layer.bytes());
  Log.kernel(2, "_Z4copyPKfPf", Copy.bytes());
  Log.object(1, "in", "cudaMalloc", LayerIn, LayerInBytes);
  Log.object(2, "out", "cudaMalloc", LayerOut, LayerOutBytes);
  Log.object(3, "result", "cudaMalloc", LayerResult, LayerOutBytes);
  Log.launch(1, 1, 0, 4, 1024, log::LaunchMode::Cache);
  Log.launch(2, 2, 0, 2, 1024, log::LaunchMode::Cache);
  Log.end();
}

constexpr uint64_t LargeRounds = 250'000;

/// Numbers that are hard to compress, the same each time (Knuth's MMIX generator).
struct Randomness {
  uint64_t State = 1;
  uint64_t upTo(uint64_t Limit) {
    State = State * 6364136223846793005 + 1442695040888963407;
    return (State >> 33) % Limit;
  }
};

/// A million GPU APIs, four in each round, and a heat map of 100,000 rows.
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

/// A million calls in two threads, and the GPU's work for them, in two streams.
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

void empty(LogBytes &Log) {
  Log.run();
  Log.end();
}

/// The program was killed while its log was written.
void died(LogBytes &Log) {
  transpose(Log);
  Log.Bytes.resize(Log.Bytes.size() - 40);
}

} // namespace

int main(int Argc, char **Argv) {
  const std::map<std::string, std::function<void(LogBytes &)>> Profiles = {
      {"transpose", transpose}, {"mixed", mixed},     {"em", em},
      {"global", globalMemory}, {"objects", objects}, {"sync", synchronisation},
      {"heat", heat},           {"empty", empty},     {"died", died},
      {"cache", layer},         {"large", large},     {"large-sync", largeSync},
      {"overview", overview}};
  if (Argc != 3 || !Profiles.count(Argv[1])) {
    std::fprintf(stderr, "usage: gmprof-test-profile NAME FOLDER\n");
    return 2;
  }
  LogBytes Log;
  Profiles.at(Argv[1])(Log);
  const std::string Folder = Argv[2];
  std::filesystem::create_directories(Folder);
  std::ofstream(Folder + "/events.log", std::ios::binary)
      .write(reinterpret_cast<const char *>(Log.Bytes.data()), std::streamsize(Log.Bytes.size()));
  if (Argv[1] == std::string("cache"))
    writeLayerTrace(Folder + "/events.gmtrace");
  auto Written = writeSummary(Folder + "/events.log", Folder);
  if (!Written) {
    std::fprintf(stderr, "gmprof-test-profile: error: %s\n", Written.error().c_str());
    return 1;
  }
  return 0;
}
