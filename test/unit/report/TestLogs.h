//===- TestLogs.h - Event logs for tests of reports -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the events of runs that test/report looks at.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_REPORT_TESTLOGS_H
#define GMPROF_TEST_UNIT_REPORT_TESTLOGS_H

#include "../profile/TestLog.h"
#include <array>
#include <cstdint>

namespace gmprof::test {

using Words = std::array<uint8_t, 8>;

/// Sectors that only accesses of one kind access.
inline log::HeatRun heatRun(uint64_t First, uint64_t Sectors, GmprofCounterKind Kind,
                            const Words &Of, uint8_t Sector, uint64_t Accesses, uint64_t Places) {
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

/// A transposition through tile[32][33]: every word of columns 0 to 31 is stored
/// once and loaded once in each of 64 blocks, column 32 only pads.
void transpose(LogBytes &Log);
/// A bit of everything that can be said.
void mixed(LogBytes &Log);
/// The paper's Table III, em v1: four arrays, all hot.
void em(LogBytes &Log);
/// Global memory: y[i] = a * x[i] + y[i] by closed forms, with 1000 of the 1024 elements of x read;
/// and h[x[i]] atomically, with one counter at its limit of 255.
void globalMemory(LogBytes &Log);
/// a is set and read by scale, which writes b; b is copied back. c is never used.
void objects(LogBytes &Log);
/// Twice: a kernel of 18 ms is waited for, the host works for 3 ms, a kernel of 2 ms is waited
/// for, the host works for 30 ms, and uses a copy that took 1 ms. Giving work takes 10 us.
/// For 2 ms of the first kernel, 1 MiB of managed memory moves to the device.
void synchronisation(LogBytes &Log);
/// c = a * b with swapped indices: a is hot, b and c are falsely shared. Only the columns of one
/// block of c are accessed. Launches 1 and 3 are recorded, 2 is not. tile is filled by one warp and
/// partly by one thread. Also a reduction of 40 values at random, on an object without a name.
void heat(LogBytes &Log);
/// The overview of a program on a GPU. Launches 1 and 2 of gemm are sampled: 1 in the heat profile,
/// 2 in that of shared memory, which closed forms also count in launch 1. fill, without shared
/// memory, takes 0.9 % of the kernel time. tools is not compiled by the plugin.
void overview(LogBytes &Log);
/// The log for the trace of LayerTrace.h.
void layer(LogBytes &Log);
/// A million GPU APIs, four in each round, and a heat map of 100,000 rows.
void large(LogBytes &Log);
/// A million calls in two threads, and the GPU's work for them, in two streams.
void largeSync(LogBytes &Log);

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_REPORT_TESTLOGS_H
