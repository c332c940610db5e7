//===- Jit.h - Compiles lowered IR ---------------------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_JIT_H
#define GMPROF_CPU_ENGINE_JIT_H

#include "cpu/engine/Lower.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>

namespace gmprof::cpu {

const llvm::Triple &hostTriple();
const llvm::DataLayout &hostLayout();

/// The object file that a unit is linked from, for those who read it; null if it
/// cannot be compiled.
std::unique_ptr<llvm::MemoryBuffer> compileToObject(llvm::Module &M);

/// Machine code of one lowered unit; unloaded when it goes.
class CodeUnit {
public:
  /// Null and an error in Unit.Error if the code cannot be compiled.
  static std::unique_ptr<CodeUnit> compile(LoweredUnit &Unit, const std::string &Name);
  ~CodeUnit();
  CodeUnit(const CodeUnit &) = delete;
  CodeUnit &operator=(const CodeUnit &) = delete;

  /// Compiles at the first call. 0 and Error if that fails.
  uint64_t address(const std::string &Symbol, std::string &Error);

private:
  CodeUnit() = default;
  void *Dylib = nullptr;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_JIT_H
