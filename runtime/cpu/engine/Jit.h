//===- Jit.h - Compiler for lowered IR --------------------------*- C++ -*-===//
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

/// Returns the object file of a unit, for inspection; null if compilation fails.
std::unique_ptr<llvm::MemoryBuffer> compileToObject(llvm::Module &M);

/// Machine code of a lowered unit; unloaded on destruction.
class CodeUnit {
public:
  /// Prepares a unit for compilation. Returns null and sets Unit.Error on failure.
  static std::unique_ptr<CodeUnit> compile(LoweredUnit &Unit, const std::string &Name);
  ~CodeUnit();
  CodeUnit(const CodeUnit &) = delete;
  CodeUnit &operator=(const CodeUnit &) = delete;

  /// Returns the address of a symbol; compiles at the first call. Returns 0 and sets Error on
  /// failure.
  uint64_t address(const std::string &Symbol, std::string &Error);

private:
  CodeUnit() = default;
  void *Dylib = nullptr;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_JIT_H
