//===- Mode.h - What a clone counts, and where ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_MODE_H
#define GMPROF_PASS_CORE_MODE_H

#include "pass/core/Options.h"

#include "static-analysis/Accesses.h"

namespace gmprof {

/// One kind of clone.
class Mode {
public:
  enum Kind {
    Shared,               ///< shared memory, but for what closed forms describe
    SharedAll,            ///< all of shared memory, and live ranges
    SharedInDeviceMemory, ///< all of shared memory, with counters in device memory
    Global,               ///< global memory, but for what closed forms describe
    GlobalAll,            ///< all of global memory
    Objects,              ///< which objects of global memory are accessed
    Heat,                 ///< which warps access words, but for what closed forms describe
    HeatAll,              ///< which warps access words of global and shared memory
    Cache,                ///< each request of global and of local memory
  };
  Mode(Kind K, const Options &O) : K(K), O(O) {}

  bool isGlobal() const { return K == Global || K == GlobalAll; }
  bool isObjects() const { return K == Objects; }
  bool isHeat() const { return K == Heat || K == HeatAll; }
  bool isCache() const { return K == Cache; }
  bool isShared() const { return !isGlobal() && !isObjects() && !isHeat() && !isCache(); }
  /// The counters are there.
  bool inSharedMemory() const { return K == Shared || K == SharedAll; }
  bool countsRanges() const { return K == SharedAll && O.countsRanges(); }
  const Options &options() const { return O; }

  /// Whether accesses of a memory space are counted, or may have to be.
  bool counts(GmprofSpace Space) const {
    return Space == GMPROF_SPACE_GENERIC ||
           ((Space == GMPROF_SPACE_SHARED || Space == GMPROF_SPACE_SHARED_CLUSTER) &&
            (isShared() || isHeat())) ||
           (Space == GMPROF_SPACE_GLOBAL && !isShared()) ||
           (Space == GMPROF_SPACE_LOCAL && isCache());
  }

  /// Those of a function that count: of traces alone.
  llvm::ArrayRef<Fence> fences(const AccessInfo &Info) const {
    return isCache() ? llvm::ArrayRef(Info.Fences) : llvm::ArrayRef<Fence>();
  }

  GmprofMode flag() const {
    static constexpr GmprofMode Flags[] = {
        GMPROF_MODE_SHARED,       GMPROF_MODE_SHARED_ALL, GMPROF_MODE_SHARED_DM,
        GMPROF_MODE_GLOBAL_CLONE, GMPROF_MODE_GLOBAL_ALL, GMPROF_MODE_OBJECTS_CLONE,
        GMPROF_MODE_HEAT_CLONE,   GMPROF_MODE_HEAT_ALL,   GMPROF_MODE_CACHE};
    return Flags[K];
  }

  /// Which counters (runtime/device/Count.cu, CountGlobal.cu): u8, u32_atomic,
  /// device …
  std::string counters() const {
    if (isGlobal())
      return O.Level == GMPROF_LEVEL_SA_NA_SM_TH ? "u" + std::to_string(O.GlobalCounterBits)
             : O.Level >= GMPROF_LEVEL_SA_NA     ? "plain"
                                                 : "atomic";
    if (!inSharedMemory())
      return O.Level >= GMPROF_LEVEL_SA_NA && !O.countsInSharedMemory() ? "device"
                                                                        : "device_atomic";
    return width() + (O.AtomicUpdates ? "_atomic" : "");
  }
  /// Of the counters in shared memory.
  std::string width() const { return "u" + std::to_string(O.CounterBits); }
  unsigned threshold() const { return isGlobal() ? O.GlobalThreshold : O.Threshold; }

  std::string kernelSuffix() const {
    static constexpr const char *Suffixes[] = {
        GMPROF_SHARED_CLONE_SUFFIX, GMPROF_SHARED_ALL_CLONE_SUFFIX, GMPROF_SHARED_DM_CLONE_SUFFIX,
        GMPROF_GLOBAL_CLONE_SUFFIX, GMPROF_GLOBAL_ALL_CLONE_SUFFIX, GMPROF_OBJECTS_CLONE_SUFFIX,
        GMPROF_HEAT_CLONE_SUFFIX,   GMPROF_HEAT_ALL_CLONE_SUFFIX,   GMPROF_CACHE_CLONE_SUFFIX};
    return Suffixes[K];
  }
  /// Device functions of different translation units call each other: their
  /// names say all that both sides must agree on. Closed forms are of kernels
  /// only, so that both modes of global memory have the same, and likewise those
  /// with counters in shared memory.
  std::string functionSuffix() const {
    if (isObjects())
      return GMPROF_OBJECTS_CLONE_SUFFIX;
    if (isHeat())
      return GMPROF_HEAT_CLONE_SUFFIX;
    if (isCache())
      return GMPROF_CACHE_CLONE_SUFFIX;
    std::string Suffix =
        (isGlobal() ? GMPROF_GLOBAL_CLONE_SUFFIX "_" : GMPROF_SHARED_CLONE_SUFFIX "_") + counters();
    return K == SharedInDeviceMemory ? Suffix : Suffix + "_" + std::to_string(threshold());
  }

private:
  Kind K;
  const Options &O;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_MODE_H
