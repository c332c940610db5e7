//===- Emitter.h - Translation of inline PTX to LLVM IR ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates one asm statement. Instructions with a row in the tables of ptx/ become what the row
// says: LLVM IR and NVVM intrinsics, which intrinsics/ and the engine execute. Of the others, each
// file of this folder has a table from opcodes to rules; a rule takes the modifiers that it knows,
// reads its operands with the types that these specify, and writes results. A modifier that no rule
// took, an excess operand, or a failing rule makes the statement unsupported.
//
// | file | instructions, or forms of them, that have no row |
// | --- | --- |
// | Integer.cpp | saturating and packed sums, mul24, sad, dp4a, lop3, bfind, variable bit fields |
// | Float.cpp | 16-bit and packed arithmetic, .sat, .relu, .ftz, approximations, testp |
// | Data.cpp | slct, set, setp of 16-bit numbers, cvt of formats below 16 bits, mapa |
// | Memory.cpp | accesses of 128 bits or of clusters, atomics of 16 bits and of vectors |
// | Copies.cpp | bulk copies and reductions, mbarrier, cache policies |
// | Control.cpp | exit, nanosleep, match.all, redux of f32 |
// | Matrix.cpp, Video.cpp, Texture.cpp | mma, wmma, stmatrix; vadd2 …; tex, suld … |
//
// An instruction that is also an NVVM intrinsic becomes that intrinsic, so each operation is
// implemented once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_EMITTER_H
#define GMPROF_CPU_PTX_EMITTER_H

#include "cpu/engine/Intrinsics.h"
#include "cpu/intrinsics/Modifiers.h"
#include "ptx/StatementLifter.h"

#include <span>

namespace gmprof::cpu::ptx {

using gmprof::ptx::Instruction;
using gmprof::ptx::Operand;
using gmprof::ptx::Type;
using gmprof::ptx::TypeKind;
using gmprof::ptx::typeNamed;

class Emitter : public gmprof::ptx::StatementLifter {
public:
  Emitter(const gmprof::ptx::InlineStatement &S, LoweringContext &Context)
      : StatementLifter(S, /*Flushes=*/false), Context(Context), Call(*S.Call) {}

  /// Replaces the call, or reports why that is not possible.
  void translate();

  // For rules.
  LoweringContext &Context;
  Modifiers Mods;

  const Instruction &instruction() const { return *Current; }
  unsigned operandCount() const { return Current->Operands.size(); }
  const Operand &operand(unsigned I) const { return Current->Operands[I]; }

  /// Fails unless the instruction has from Min to Max operands.
  bool expectOperands(unsigned Min, unsigned Max);
  bool expectOperands(unsigned Count) { return expectOperands(Count, Count); }

  /// Takes the next modifier, which must be a type.
  std::optional<Type> takeType();
  /// Takes the next modifier, which must be an integer type of 8 to 128 bits.
  std::optional<Type> takeInteger();
  /// Takes the last modifier, which must be a type.
  std::optional<Type> takeLastType();

  /// Returns the operand's value, of irType(Ty); poison after a failure.
  llvm::Value *read(const Operand &O, const Type &Ty);
  llvm::Value *read(unsigned I, const Type &Ty) { return read(operand(I), Ty); }
  llvm::Value *readPredicate(const Operand &O) { return InstructionLifter::read(O, B.getInt1Ty()); }
  /// Returns the value of a number.
  std::optional<int64_t> constant(const Operand &O);
  /// Returns the address of [base+offset], as a generic pointer.
  llvm::Value *readAddress(const Operand &O);
  llvm::Value *readSpecial(const Operand &O) override;

  /// Assigns V, of irType(Ty), to a register or _. Extends it to wider ones.
  void write(const Operand &O, llvm::Value *V, const Type &Ty);
  void write(llvm::Value *V, const Type &Ty) { write(operand(0), V, Ty); }

  /// Calls an NVVM intrinsic. Fails if LLVM has none of that name.
  llvm::Value *intrinsic(const llvm::Twine &Name, llvm::ArrayRef<llvm::Value *> Args,
                         llvm::Type *Result = nullptr);

private:
  void lift(const Instruction &I) override;
  bool liftByRule(const Instruction &I);
  llvm::Value *select(llvm::Value *V, const Operand &O, const Type &Ty);

  llvm::CallInst &Call;
};

/// Translates an instruction; returns false on failure.
using Rule = bool (*)(Emitter &);

struct RuleEntry {
  llvm::StringRef Opcode;
  Rule Emit;
};

std::span<const RuleEntry> integerInstructions();
std::span<const RuleEntry> floatInstructions();
std::span<const RuleEntry> dataInstructions();
std::span<const RuleEntry> memoryInstructions();
std::span<const RuleEntry> copyInstructions();
std::span<const RuleEntry> controlInstructions();
std::span<const RuleEntry> matrixInstructions();
std::span<const RuleEntry> videoInstructions();
std::span<const RuleEntry> textureInstructions();

/// Rules of Integer.cpp for opcodes in Float.cpp's table, which floating-point numbers also have.
bool integerSum(Emitter &E, bool Subtract);
bool saturatingMad(Emitter &E);
bool integerMinMax(Emitter &E, bool Max);

/// Returns the untyped type of that many bits.
inline Type bitsType(unsigned Bits) { return {TypeKind::Bits, 1, uint16_t(Bits)}; }
inline Type predType() { return {TypeKind::Predicate, 1, 1}; }
inline Type unsignedType(unsigned Bits) { return {TypeKind::Unsigned, 1, uint16_t(Bits)}; }

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_EMITTER_H
