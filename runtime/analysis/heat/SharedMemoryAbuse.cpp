//===- SharedMemoryAbuse.cpp - Finds private data in shared memory --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Sections VI.B and VI.C. An array is reported if at least 95 % of the words that
// the block accesses are written and read, and all of them are accessed
//
//  * by one thread each: kind "thread_local". A register suffices;
//  * by the threads of one warp each: kind "warp_local". Shuffles suffice if a warp has few words
//    of it: at most 8, or 256 if warps share no other array of the block, so that all its barriers
//    can be removed. (In a tiled matrix product, each warp reads the rows of one tile that it
//    stored itself, but the other tile's barriers stay.) In a block of a single warp, where words
//    cannot be shared between warps, the limit is 32, one word per thread.
//
// A single word of several threads or warps needs the barriers: the last word of each warp of a
// difference between neighbours, for example.
//
// Arrays that cp.async, bulk copies, ldmatrix, wmma or mbarrier operations access, which need
// shared memory, are not reported, nor arrays that opaque code may access. Words that are not both
// written and read do not count as private: underused_shared_memory covers them.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace gmprof::analysis {

static bool needsSharedMemory(const HeatAccess &A) {
  return A.Kind == GMPROF_ACCESS_ASYNC_FROM || A.Kind == GMPROF_ACCESS_ASYNC_TO ||
         A.Kind == GMPROF_ACCESS_MATRIX || A.Kind == GMPROF_ACCESS_BARRIER;
}

/// Considers the accesses of this array, and those with an unknown array.
static bool anyNeedsSharedMemory(const LaunchHeat &L, const ArrayHeat &A) {
  return std::any_of(L.Accesses.begin(), L.Accesses.end(), [&](const HeatAccess &Access) {
    return Access.Shared && needsSharedMemory(Access) &&
           (Access.Array == profile::None || &L.Arrays[Access.Array] == &A);
  });
}

static bool anyAtomic(const LaunchHeat &L, const ArrayHeat &A) {
  return std::any_of(A.Accesses.begin(), A.Accesses.end(), [&](uint32_t Access) {
    return L.Accesses[Access].Kind == GMPROF_ACCESS_ATOMIC;
  });
}

/// Words of a warp that shuffles can replace.
static uint64_t roomForShuffles(const LaunchHeat &L, const HeatPatternOptions &Options) {
  if (L.warps() == 1)
    return 32;
  const bool SharedByWarps = std::any_of(L.Arrays.begin(), L.Arrays.end(),
                                         [](const ArrayHeat &A) { return A.OfWarps != 0; });
  return SharedByWarps ? Options.FewShuffledWords : Options.ShuffledWords;
}

/// Returns true if closed forms describe all accesses.
static bool isComputed(const LaunchHeat &L, const ArrayHeat &A) {
  return std::ranges::all_of(A.Accesses,
                             [&](uint32_t Access) { return L.Accesses[Access].Computed; });
}

/// States what the sampled blocks do not tell: what other block sizes and other data access.
static void stateConditions(std::string &Suggestion, const LaunchHeat &L, const ArrayHeat &A) {
  const bool Computed = isComputed(L, A);
  const bool OneWarp = L.warps() == 1;
  if (!OneWarp && Computed)
    return;
  Suggestion[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(Suggestion[0])));
  Suggestion = fmt::format("Provided that {}{}{}, {}",
                           OneWarp ? "no launch has blocks of more than one warp" : "",
                           OneWarp && !Computed ? " and " : "",
                           Computed ? "" : "data decides on no access of it", Suggestion);
}

std::vector<HeatFinding> sharedMemoryAbuse(const profile::Profile &P, const LaunchHeat &L,
                                           const ArrayHeat &A, const HeatPatternOptions &Options) {
  const profile::Descriptor &Desc = *P.Kernels[L.Kernel].Desc;
  if (A.touched() == 0 || A.OfWarps != 0 || L.Context->Lost != 0 || anyNeedsSharedMemory(L, A) ||
      (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS))
    return {};
  const auto Touched = static_cast<double>(A.touched());
  // An atomic is there for several threads, if not in this block.
  const bool OfThreads = A.OfWarp == 0 && !anyAtomic(L, A) &&
                         static_cast<double>(A.ReusedOfThread) >= Options.PrivateShare * Touched;
  const uint64_t OfWarps = A.ReusedOfThread + A.ReusedOfWarp;
  // Where data decides on accesses, a single warp of several tells nothing about the others.
  if (L.warps() > 1 && A.Warps <= 1 && !isComputed(L, A))
    return {};
  const double PerWarp =
      static_cast<double>(OfWarps) / static_cast<double>(std::max<uint64_t>(A.Warps, 1));
  const auto Room = static_cast<double>(roomForShuffles(L, Options));
  if (!OfThreads &&
      (static_cast<double>(OfWarps) < Options.PrivateShare * Touched || PerWarp > Room))
    return {};
  const double PerThread =
      static_cast<double>(A.ReusedOfThread) / static_cast<double>(std::max<uint64_t>(A.Threads, 1));

  HeatFinding F;
  F.Found.Pattern = "shared_memory_abuse";
  F.Found.Kind = OfThreads ? "thread_local" : "warp_local";
  F.Found.Origin = "cuThermo";
  F.Found.Kernel = L.Kernel;
  F.Found.Object = A.Name;
  F.Found.ObjectBytes = A.Region.Bytes;
  F.Found.Source = A.Source.Line ? A.Source : busiestLine(L, A.Accesses);
  F.Found.Level = OfThreads && A.Region.Bytes >= 512 ? Severity::Medium : Severity::Low;
  F.Found.BytesSaved = A.Region.Bytes;
  uint64_t Wavefronts = 0;
  for (uint32_t Access : A.Accesses)
    Wavefronts += L.Accesses[Access].Requests.transactions;
  F.NeedlessBytes = static_cast<double>(A.Region.Bytes);
  F.Found.Evidence = {{"bytes", A.Region.Bytes},
                      {"words_touched", A.touched()},
                      {"words_of_one_thread", A.OfThread},
                      {"words_of_one_warp", A.OfWarp},
                      {"words_of_several_warps", A.OfWarps},
                      {"words_per_thread", PerThread},
                      {"wavefronts", Wavefronts},
                      {"wavefronts_all", L.Wavefronts},
                      {"blocks_sampled", L.Context->Blocks},
                      {"blocks_launched", L.Blocks}};
  if (OfThreads) {
    F.Found.Message =
        fmt::format("Each word of {} that a block uses is written and "
                    "read by one thread alone ({} of {} words).",
                    quotedName(A.Name), grouped(A.ReusedOfThread), grouped(A.touched()));
    F.Found.Suggestion = fmt::format(
        "Keep the {:.3g} word{} of a thread in registers, and remove barriers that protect only "
        "this array. Indices must be constants after unrolling; otherwise it becomes local memory.",
        PerThread, PerThread == 1 ? "" : "s");
  } else {
    F.Found.Message = fmt::format("Each word of {} that a block uses is written and read within "
                                  "one warp ({} of {} words).",
                                  quotedName(A.Name), grouped(OfWarps), grouped(A.touched()));
    F.Found.Suggestion =
        "Keep the values in registers and exchange them with __shfl_sync; or replace "
        "__syncthreads by __syncwarp where it protects only this array.";
    if (anyAtomic(L, A))
      F.Found.Suggestion += " An atomic becomes a sum over the warp (__reduce_add_sync); where its "
                            "result is used, a lane takes the sum of the lanes before it, provided "
                            "that the program does not depend on which lane gets which value.";
  }
  stateConditions(F.Found.Suggestion, L, A);
  std::vector<HeatFinding> Found;
  Found.push_back(std::move(F));
  return Found;
}

} // namespace gmprof::analysis
