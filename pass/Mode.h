//===- Mode.h - Where a clone counts ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_MODE_H
#define GMPROF_PASS_MODE_H

#include "Options.h"

namespace gmprof {

/// One kind of clone.
class Mode {
public:
  enum CountersIn { SharedMemory, DeviceMemory };
  Mode(CountersIn In, const Options &O) : In(In), O(O) {}

  bool inSharedMemory() const { return In == SharedMemory; }
  GmprofMode flag() const { return inSharedMemory() ? GMPROF_MODE_SHARED : GMPROF_MODE_SHARED_DM; }
  const Options &options() const { return O; }

  /// Which counters (runtime/device/Count.cu): u8, u32_atomic, device …
  std::string counters() const {
    if (!inSharedMemory())
      return O.Level >= GMPROF_LEVEL_SA_NA && !O.countsInSharedMemory() ? "device"
                                                                        : "device_atomic";
    return width() + (O.AtomicUpdates ? "_atomic" : "");
  }
  std::string width() const { return "u" + std::to_string(O.CounterBits); }

  std::string kernelSuffix() const {
    return inSharedMemory() ? GMPROF_SHARED_CLONE_SUFFIX : GMPROF_SHARED_DM_CLONE_SUFFIX;
  }
  /// Device functions of different translation units call each other: their
  /// names say all that both sides must agree on.
  std::string functionSuffix() const {
    std::string Suffix = GMPROF_SHARED_CLONE_SUFFIX "_" + counters();
    return inSharedMemory() ? Suffix + "_" + std::to_string(O.Threshold) : Suffix;
  }

private:
  CountersIn In;
  const Options &O;
};

} // namespace gmprof

#endif // GMPROF_PASS_MODE_H
