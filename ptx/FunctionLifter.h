//===- FunctionLifter.h - Translation of a function's body ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each register is a variable on the stack, which begins as zero: an undefined value in the PTX
// must not become undefined behaviour in LLVM. Rules of the instruction table read operands and
// write results through this class, and use B for what is between.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_FUNCTIONLIFTER_H
#define GMPROF_PTX_FUNCTIONLIFTER_H

#include "InstructionTable.h"
#include "ModuleLifter.h"

#include "llvm/IR/IRBuilder.h"

namespace gmprof::ptx {

class FunctionLifter {
public:
  FunctionLifter(ModuleLifter &M, const Function &Source, llvm::Function &Target);
  llvm::Error run();

  // For rules.

  llvm::IRBuilder<> B;

  llvm::Type *irType(const Type &Ty);
  llvm::IntegerType *intType(unsigned Bits) { return B.getIntNTy(Bits); }
  /// Returns the type that an instruction's last modifier names.
  Type type(const Instruction &I) const { return *typeNamed(I.Modifiers.back()); }

  /// Returns a value of matchOperands' v, converted to Ty: bits are kept, and zero-extended.
  llvm::Value *read(const Operand &O, llvm::Type *Ty);
  /// Assigns to a register, converting the value to its type. Extends integers by Signed.
  void write(const Operand &O, llvm::Value *V, bool Signed = false);
  /// Converts a value to a type of any size.
  llvm::Value *convert(llvm::Value *V, llvm::Type *To, bool Signed = false);
  /// Returns the address space of a register's addresses, if it holds any.
  std::optional<unsigned> addressSpaceOf(const Operand &O) const;
  /// Returns [base + offset] as a pointer of a state space.
  llvm::Value *address(const Operand &O, Space In);
  /// Returns the function or prototype that a call names.
  llvm::Function *callee(const Operand &O) const;
  const Signature *signature(const Operand &O) const;
  /// Returns where a parameter or local variable is, on the stack.
  llvm::Value *variable(const Operand &O) { return Variables[O.Index]; }
  llvm::FunctionType *functionType(const Signature &S) { return M.functionType(S); }
  const Label &label(const Operand &O) const { return Source.Labels[O.Index]; }
  llvm::BasicBlock *block(const Operand &L) { return Blocks[L.Index]; }
  /// Returns the variable that holds the carry flag.
  llvm::AllocaInst *carry();
  /// Calls an intrinsic of LLVM.
  llvm::Value *intrinsic(llvm::Intrinsic::ID Id, llvm::ArrayRef<llvm::Value *> Arguments,
                         llvm::ArrayRef<llvm::Type *> Overloads = {});
  /// Returns whether an f32 instruction flushes denormals like the rest of the function, whose
  /// attribute decides for LLVM.
  bool flushesLikeFunction(const Instruction &I) const { return I.has("ftz") == Flushes; }
  /// Returns from the function.
  void emitReturn();
  /// Disables unrolling of the loop that a branch backwards closes, if a pragma says so.
  void markLoop(llvm::BranchInst *Branch, const Operand &Target);
  bool isEntry() const { return Source.Entry; }
  /// Emits "mov.u32 $0, %clock;" for a special register that LLVM does not model.
  llvm::Value *readSpecial(const Operand &O, llvm::Type *Ty);

private:
  llvm::Error check();
  llvm::Error check(const Operand &O, Position At) const;
  void makeVariables();
  void makeRegisters();
  void makeBlocks();
  void lift(const Instruction &I);
  bool liftGuarded(const Instruction &I, Rule Emit);
  void emitInlineAssembly(const Instruction &I);
  void count(const Instruction &I, bool Modelled);
  llvm::AllocaInst *allocate(llvm::Type *Ty, const llvm::Twine &Name, uint64_t Align = 0);
  llvm::AllocaInst *slot(unsigned Register);
  llvm::Value *symbolAddress(const Operand &O);
  llvm::Value *readNumber(const Operand &O, llvm::Type *Ty);
  friend class AssemblyWriter;

  ModuleLifter &M;
  const Function &Source;
  llvm::Function &Target;
  const Instruction *Current = nullptr;
  std::optional<Position> Unexpected;             ///< of an operand that cannot be read or written
  std::vector<std::optional<unsigned>> Addresses; ///< of registers
  std::vector<llvm::AllocaInst *> Slots;          ///< of registers; null before the first use
  std::vector<llvm::Value *> Variables;
  std::vector<llvm::BasicBlock *> Blocks; ///< of labels
  std::vector<llvm::MDNode *> Loops;      ///< of labels
  std::vector<bool> Placed;               ///< labels that have been emitted
  std::vector<unsigned> Accumulators;     ///< registers that wgmma.mma_async writes
  llvm::BasicBlock *Entry = nullptr;
  llvm::AllocaInst *Carry = nullptr;
  bool Flushes = false;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_FUNCTIONLIFTER_H
