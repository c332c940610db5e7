//===- Server.h - Answers requests for clones -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_SERVER_H
#define GMPROF_INSTRUMENT_SERVER_H

#include "host/instrument/CloneProtocol.h"

#include <chrono>
#include <list>
#include <string>

namespace gmprof::instrument {

/// The modules that a client has sent, the last used first. It forgets modules beyond MaxBytes.
class SentModules {
public:
  explicit SentModules(size_t MaxBytes) : MaxBytes(MaxBytes) {}
  /// Sets Request.Module to the module that it names, and keeps a module that it brings. Returns
  /// false if the module is not known, or its hash is wrong.
  bool complete(CloneRequest &Request);

private:
  struct Sent {
    std::string Hash, Module, MachineCode;

    size_t bytes() const { return Module.size() + MachineCode.size(); }
  };
  std::list<Sent> Modules;
  const size_t MaxBytes;
  size_t Bytes = 0;
};

/// Limits of the work for one request.
struct ServerLimits {
  std::chrono::seconds ProcessorTime{60};
  size_t MemoryBytes = size_t(8) << 30;
  size_t ModuleBytes = size_t(512) << 20; ///< of all modules that are kept
};

/// Answers the requests (CloneProtocol.h) that arrive at In, one after the other, until In ends.
/// Each is worked on in a process of its own: a crash of the compiler, or a request that exceeds a
/// limit, becomes an answer. Returns the exit status: 0, or 1 after an error of the stream: what
/// arrives is no request, or an answer cannot be written.
int serve(int In, int Out, const ServerLimits &Limits = {});

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_SERVER_H
