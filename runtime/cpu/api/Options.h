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

/// From the environment, read once. A value that cannot be read is reported and
/// its default used.
struct Options {
  unsigned Devices = 1;                 ///< GMPROF_CPU_DEVICES
  std::string Architecture = "sm_90";   ///< GMPROF_CPU_ARCH
  size_t MemoryBytes = size_t(8) << 30; ///< GMPROF_CPU_MEMORY: bytes, or with K, M, G
  unsigned Processors = 0;              ///< GMPROF_CPU_SMS; 0: the architecture's
  /// GMPROF_CPU_FILL: the 32-bit word that new device memory holds. The default
  /// is not a number as a float, and far out of bounds as an index.
  uint32_t Fill = 0x7fbadbad;

  static Options fromEnvironment();
};

const Options &options();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_OPTIONS_H
