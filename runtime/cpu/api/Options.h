//===- Options.h - Settings of the CPU device -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_OPTIONS_H
#define GMPROF_CPU_API_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gmprof::cpu::api {

/// Settings from the environment, read once. An invalid value is reported and replaced by its
/// default.
struct Options {
  unsigned Devices = 1;                 ///< GMPROF_CPU_DEVICES
  std::string Architecture = "sm_90";   ///< GMPROF_CPU_ARCH
  size_t MemoryBytes = size_t(8) << 30; ///< bytes, or with suffix K, M, G (GMPROF_CPU_MEMORY)
  unsigned Processors = 0;              ///< GMPROF_CPU_SMS; 0: as the architecture
  /// Word that fills new device memory (GMPROF_CPU_FILL). The default is a NaN as a float, and far
  /// out of bounds as an index.
  uint32_t Fill = 0x7fbadbad;

  static Options fromEnvironment();
};

const Options &options();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_OPTIONS_H
