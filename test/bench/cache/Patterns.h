//===- Patterns.h - Requests of different kinds -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests that
// the SMs
// of a GPU
// may make,
// and a timer.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_BENCH_CACHE_PATTERNS_H
#define GMPROF_TEST_BENCH_CACHE_PATTERNS_H

#include "cache/LineHash.h"
#include "cache/Request.h"
#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace gmprof::cache_bench {

using namespace gmprof::cache;

constexpr unsigned Sms = 132, BatchRequests = 1024;
constexpr unsigned WarpsOfSm = 64,
                   WarpsOfBlock = 8; ///< requests of an SM: a multiple of the former

struct Pattern {
  const char *Name;
  unsigned RequestsPerSm;
  /// Makes the I-th request of an SM.
  std::function<void(uint64_t Sm, uint64_t I, Request &R)> Make;
};

inline uint64_t hashed(uint64_t X) { return mixed(X + 0x9e3779b97f4a7c15); }

inline void words(Request &R, uint64_t Base, int64_t Stride = 4) {
  R.Affine = true;
  R.Addresses[0] = Base;
  R.Stride = Stride;
}

inline const Pattern Patterns[] = {
    {"stream: read, read, write", 29952,
     [](uint64_t Sm, uint64_t I, Request &R) {
       R.Site = I % 3;
       R.Kind = R.Site == 2 ? AccessKind::Store : AccessKind::Load;
       words(R, (uint64_t(1) + R.Site) << 32 | (I / 3 * Sms + Sm) * 128);
     }},
    {"matrix product: a word, a row", 29952,
     [](uint64_t Sm, uint64_t I, Request &R) {
       R.Site = I % 2;
       const uint64_t K = I / 2 % 1024, Row = Sm + I / 2048 * Sms;
       if (R.Site == 0)
         words(R, uint64_t(1) << 32 | (Row * 1024 + K) * 4, 0);
       else
         words(R, uint64_t(2) << 32 | (K * 1024 + Row * 32 % 1024) * 4);
     }},
    {"columns: a line for each lane", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       words(R, uint64_t(1) << 32 | (Sm * 32 * 4096 + I % 1024) * 4, 4096 * 4);
     }},
    {"gather: 64 MB at random", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       for (uint64_t Lane = 0; Lane < WarpLanes; ++Lane)
         R.Addresses[Lane] =
             uint64_t(1) << 32 | (hashed((Sm << 40) + I * WarpLanes + Lane) % (1U << 24)) * 4;
     }},
    {"gather: 1 MB at random", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       for (uint64_t Lane = 0; Lane < WarpLanes; ++Lane)
         R.Addresses[Lane] =
             uint64_t(1) << 32 | (hashed((Sm << 40) + I * WarpLanes + Lane) % (1U << 18)) * 4;
     }},
    {"few lanes: 64 MB at random", 16128,
     [](uint64_t Sm, uint64_t I, Request &R) {
       const uint64_t Random = hashed((Sm << 40) + I);
       R.Site = I / WarpsOfSm % 3;
       R.Mask = static_cast<uint32_t>(Random & Random >> 16 & hashed(Random)) | 1U << Random % 32;
       for (uint64_t Lane = 0; Lane < WarpLanes; ++Lane)
         R.Addresses[Lane] = uint64_t(1) << 32 | (hashed(Random + Lane) % (1U << 24)) * 4;
     }},
};

/// Measures the processor time of all threads of the process, regardless of other load.
struct Timer {
  double Start = now();

  static double now() {
    timespec T = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
    return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_nsec) * 1e-9;
  }
  double seconds() const { return now() - Start; }
};

/// Returns the number of an SM's I-th request: its warps make one request each, in an order that
/// differs each time.
inline uint64_t inOrderOfWarps(uint64_t Sm, uint64_t I) {
  return I ^ hashed(Sm << 32 | I / WarpsOfSm) % WarpsOfSm;
}

/// Calls To(Sm, Requests) for all of them, a batch of each SM in turn.
template <typename Consumer> void produce(const Pattern &P, const Consumer &To) {
  std::vector<Request> Batch;
  for (uint64_t First = 0; First < P.RequestsPerSm; First += BatchRequests)
    for (uint32_t Sm = 0; Sm < Sms; ++Sm) {
      Batch.assign(std::min<uint64_t>(BatchRequests, P.RequestsPerSm - First), {});
      for (uint64_t I = 0; I < Batch.size(); ++I) {
        const uint64_t Number = inOrderOfWarps(Sm, First + I);
        Request &R = Batch[I];
        R.Slot = static_cast<uint16_t>(Number % WarpsOfSm);
        R.Block = Sm + R.Slot / WarpsOfBlock * Sms;
        R.Warp = R.Slot % WarpsOfBlock;
        P.Make(Sm, Number, R);
      }
      To(Sm, Batch);
    }
}

} // namespace gmprof::cache_bench

#endif // GMPROF_TEST_BENCH_CACHE_PATTERNS_H
