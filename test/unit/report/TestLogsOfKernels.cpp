//===- TestLogsOfKernels.cpp - Runs whose kernels are counted -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../cache/LayerTrace.h"
#include "../profile/FormWriter.h"
#include "TestLogs.h"

namespace gmprof::test {

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

} // namespace gmprof::test
