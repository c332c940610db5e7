//===- InstructionDecoder.h - Encodings of instructions ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_SASS_INSTRUCTIONDECODER_H
#define GMPROF_SASS_INSTRUCTIONDECODER_H

#include "MachineCode.h"

namespace gmprof::sass {

/// The 128 bits of an instruction of sm_70 or newer.
struct Instruction {
  static constexpr unsigned Bytes = 16;

  uint64_t Low = 0, High = 0;

  /// Returns Count bits, at most 32, from bit First on.
  uint32_t bits(unsigned First, unsigned Count) const;
  bool bit(unsigned Index) const { return bits(Index, 1); }
  /// Returns bits as a two's complement number.
  int32_t signedBits(unsigned First, unsigned Count) const;

  /// Returns the opcode with the form of the operands, which nvdisasm prints as one mnemonic.
  uint16_t opcode() const { return bits(0, 12); }
  Guard guard() const;
};

/// Returns the memory instruction that I is, without its offset, block and places. Nothing if I
/// accesses no memory or is not known.
std::optional<MemoryInstruction> decodeMemoryInstruction(const Instruction &I,
                                                         unsigned Architecture);

/// Returns whether I is known to access no memory. Operands in constant memory do not count: only
/// LDC and its uniform forms are memory instructions.
bool accessesNoMemory(const Instruction &I);

/// How an instruction changes the set of active lanes.
struct ControlFlow {
  bool EndsBlock = false;
  /// Bytes from the instruction to one that control may reach from it; 0: none is stated.
  int64_t Target = 0;
  bool IsIndirect = false; ///< a branch to an address in a register
};
ControlFlow controlFlow(const Instruction &I, unsigned Architecture);

} // namespace gmprof::sass

#endif // GMPROF_SASS_INSTRUCTIONDECODER_H
