//===- Faults.h - Turns signals in device code into faults ---- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIGSEGV, SIGBUS, SIGILL and SIGFPE while a thread executes device code end the
// block with a fault. At any other time the program's own handler gets them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_FAULTS_H
#define GMPROF_CPU_ENGINE_FAULTS_H

#include <cstdint>
#include <memory>
#include <string>

namespace gmprof::cpu {

/// As in messages.
std::string hex(uint64_t Value);

/// Takes over the signals, again if the program has installed handlers since.
void installFaultHandlers();

/// While it lives, the calling thread has a stack for signal handlers: the stack
/// of a GPU thread may be what overflowed.
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
