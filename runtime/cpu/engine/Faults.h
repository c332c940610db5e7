//===- Faults.h - Conversion of signals in device code into faults --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIGSEGV, SIGBUS, SIGILL and SIGFPE in device code end the block with a fault. Outside device code
// the program's own handler receives them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_FAULTS_H
#define GMPROF_CPU_ENGINE_FAULTS_H

#include <cstdint>
#include <memory>
#include <string>

namespace gmprof::cpu {

/// Formats a number for messages: 0x….
std::string hex(uint64_t Value);

/// Installs the signal handlers; call again in case the program has replaced them.
void installFaultHandlers();

/// Gives the calling thread an alternate signal stack for the lifetime of the object, because the
/// overflowed stack may be that of a GPU thread.
class FaultScope {
public:
  FaultScope();
  ~FaultScope();
  FaultScope(const FaultScope &) = delete;
  FaultScope &operator=(const FaultScope &) = delete;

private:
  struct Saved;
  std::unique_ptr<Saved> Old;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_FAULTS_H
