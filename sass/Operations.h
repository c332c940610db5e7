//===- Operations.h - Operations of opcodes ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the tables of all operations: those that access memory, with the layout of their fields,
// and those that do not.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_SASS_OPERATIONS_H
#define GMPROF_SASS_OPERATIONS_H

#include "InstructionDecoder.h"

#include "llvm/ADT/StringRef.h"

namespace gmprof::sass {

/// How the fields of an instruction are laid out.
enum class Layout : uint8_t {
  Load,
  Store,
  Atomic,
  FloatAtomic, ///< sm_90 and newer
  CompareAndSwap,
  AsyncCopy,
  MatrixLoad,
  MatrixStore,
  Constant,
  UniformConstant,
  Texture,
  SurfaceBytes,
  SurfacePixels,
  SurfaceAtomic,
  CacheControl,
  Barrier,
  UniformBarrier,
  AsyncStore,
  AsyncReduction,
  Bulk,
  Descriptor,
};

/// An operation that accesses memory.
struct Operation {
  uint16_t Code; ///< as operation() returns it
  llvm::StringLiteral Name;
  MemorySpace Space;
  MemoryOperation Does;
  Layout Fields;
};

/// Returns the bits of the opcode without the form of its operands.
unsigned operation(const Instruction &I);

/// Returns the operation of I; null if it accesses no memory or is not known.
const Operation *memoryOperation(const Instruction &I);

} // namespace gmprof::sass

#endif // GMPROF_SASS_OPERATIONS_H
