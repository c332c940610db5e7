//===- Emitter.h - Translation of inline PTX to LLVM IR ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates one asm statement. Each file of this folder has a table from opcodes to rules; a rule
// takes the modifiers that it knows, reads its operands with the types that these specify, and
// writes results. A modifier that no rule took, an excess operand, or a failing rule makes the
// statement unsupported.
//
// An instruction that is also an NVVM intrinsic becomes that intrinsic, so each operation is
// implemented once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_EMITTER_H
#define GMPROF_CPU_PTX_EMITTER_H

#include "cpu/engine/Intrinsics.h"
#include "cpu/intrinsics/Modifiers.h"
#include "ptx/Syntax.h"

#include "llvm/IR/IRBuilder.h"

#include <span>

namespace gmprof::cpu::ptx {

using gmprof::ptx::Instruction;
using gmprof::ptx::Operand;
using gmprof::ptx::Type;
using gmprof::ptx::TypeKind;
using gmprof::ptx::typeNamed;

class Emitter {
public:
  Emitter(llvm::CallInst &Call, LoweringContext &Context);

  /// Replaces the call. Returns false if it could not; the reason has been reported.
  bool run();

  // State used by rules.
  llvm::IRBuilder<> B;
  LoweringContext &Context;
  Modifiers Mods;

  const Instruction &instruction() const { return *Current; }
  unsigned operandCount() const { return Current->Operands.size(); }
  const Operand &operand(unsigned I) const { return Current->Operands[I]; }

  /// Reports the instruction as unsupported; Why narrows the cause. Returns false.
  bool fail(const llvm::Twine &Why);

  /// Fails unless the instruction has from Min to Max operands.
  bool expectOperands(unsigned Min, unsigned Max);
  bool expectOperands(unsigned Count) { return expectOperands(Count, Count); }

  /// Takes the next modifier, which must be a type.
  std::optional<Type> takeType();
  /// Takes the next modifier, which must be an integer type of 8 to 128 bits.
  std::optional<Type> takeInteger();
  /// Takes the last modifier, which must be a type.
  std::optional<Type> takeLastType();

  llvm::Type *irType(const Type &Ty);

  /// Returns the operand's value, of irType(Ty); poison after a failure.
  llvm::Value *read(const Operand &O, const Type &Ty);
  llvm::Value *read(unsigned I, const Type &Ty) { return read(operand(I), Ty); }
  llvm::Value *readPredicate(const Operand &O);
  /// Returns the value of a number.
  std::optional<int64_t> constant(const Operand &O);
  /// Returns the address of [base+offset], as a generic pointer.
  llvm::Value *readAddress(const Operand &O);

  /// Assigns V, of irType(Ty), to a register, argument or _. Extends it to wider ones.
  void write(const Operand &O, llvm::Value *V, const Type &Ty);
  void write(llvm::Value *V, const Type &Ty) { write(operand(0), V, Ty); }

  llvm::Value *carry();
  void setCarry(llvm::Value *V);

  /// Calls an NVVM intrinsic. Fails if LLVM has none of that name.
  llvm::Value *intrinsic(const llvm::Twine &Name, llvm::ArrayRef<llvm::Value *> Args,
                         llvm::Type *Result = nullptr);
  llvm::Value *specialRegister(llvm::StringRef Name);

  /// Branches to the label; the code that follows is only reachable through another label.
  void branch(unsigned Label);

private:
  /// Register, asm operand or flag. Straight-line code keeps its value in Value; with branches it
  /// is in memory until promoted.
  struct Slot {
    unsigned Bits = 0;
    llvm::Value *Value = nullptr;
    llvm::AllocaInst *Memory = nullptr;
  };

  bool bindArguments();
  void createSlots();
  void splitAtCall();
  bool translate();
  void enter(unsigned Label);
  bool emitGuarded(const Instruction &I);
  bool emit(const Instruction &I);
  void finishBlocks();
  void replaceCall();
  void promoteSlots();
  llvm::Value *get(const Slot &S);
  void set(Slot &S, llvm::Value *V);
  Slot *slotOf(const Operand &O);
  llvm::Value *select(llvm::Value *V, const Operand &O, const Type &Ty);
  llvm::Value *fitBits(llvm::Value *V, unsigned Bits, bool Signed);

  llvm::CallInst &Call;
  std::string Text;
  gmprof::ptx::Function Source;
  const Instruction *Current = nullptr;
  bool Failed = false;
  bool Branches = false;

  std::vector<Slot> Slots;                       ///< operands, registers, the carry flag
  std::vector<std::optional<int64_t>> Constants; ///< of operands
  std::vector<unsigned> Outputs;                 ///< operands that the call yields
  llvm::BasicBlock *Tail = nullptr;
  std::vector<llvm::BasicBlock *> LabelBlocks;
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
std::span<const RuleEntry> controlInstructions();
std::span<const RuleEntry> matrixInstructions();
std::span<const RuleEntry> videoInstructions();
std::span<const RuleEntry> textureInstructions();

/// Returns the untyped type of that many bits.
inline Type bitsType(unsigned Bits) { return {TypeKind::Bits, 1, uint16_t(Bits)}; }
inline Type predType() { return {TypeKind::Predicate, 1, 1}; }
inline Type unsignedType(unsigned Bits) { return {TypeKind::Unsigned, 1, uint16_t(Bits)}; }

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_EMITTER_H
