//===- InstructionLifter.h - Translation of PTX instructions ----*- C++ -*-===//
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

#ifndef GMPROF_PTX_INSTRUCTIONLIFTER_H
#define GMPROF_PTX_INSTRUCTIONLIFTER_H

#include "InstructionTable.h"

#include "llvm/IR/IRBuilder.h"

namespace gmprof::ptx {

class InstructionLifter {
public:
  virtual ~InstructionLifter() = default;

  // For rules.

  llvm::IRBuilder<> B;

  llvm::Type *irType(const Type &Ty);
  llvm::IntegerType *intType(unsigned Bits) { return B.getIntNTy(Bits); }
  /// Returns the type that an instruction's last modifier names.
  Type type(const Instruction &I) const { return *typeNamed(I.Modifiers.back()); }

  /// Reports why the current instruction is invalid. Returns false.
  bool fail(const llvm::Twine &Why);
  /// Returns a value of matchOperands' v, converted to Ty: bits are kept, and zero-extended.
  llvm::Value *read(const Operand &O, llvm::Type *Ty);
  /// Assigns to a register, converting the value to its type. Extends integers by Signed.
  void write(const Operand &O, llvm::Value *V, bool Signed = false);
  /// Converts a value to a type of any size.
  llvm::Value *convert(llvm::Value *V, llvm::Type *To, bool Signed = false);
  bool isPredicate(const Operand &O) const {
    return O.isRegister() && Source.Registers[O.Index].Kind == TypeKind::Predicate;
  }
  /// Returns the address space of a register's addresses, if it holds any.
  std::optional<unsigned> addressSpaceOf(const Operand &O) const;
  /// Returns [base + offset] as a pointer of a state space.
  llvm::Value *address(const Operand &O, Space In);
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
  /// Disables unrolling of the loop that a branch backwards closes, if a pragma says so.
  void markLoop(llvm::BranchInst *Branch, const Operand &Target);
  /// Returns a special register's value, of any type. By default, one that LLVM does not model is
  /// inline assembly: "mov.u32 $0, %clock;".
  virtual llvm::Value *readSpecial(const Operand &O);

  // Instructions that only the code of a function has. Return false by default.

  virtual bool emitCall(const Instruction &I) { return false; }
  virtual bool emitReturn() { return false; }
  /// Ends the thread.
  virtual bool emitExit() { return false; }

  /// Adds to an instruction that accesses memory what a module tells of it. By default, nothing.
  virtual void mark(llvm::Instruction &I) {}

protected:
  /// Translates instructions of Source into Target. Addresses is inferAddresses of Source.
  InstructionLifter(llvm::LLVMContext &Context, const Function &Source, llvm::Function &Target,
                    std::vector<std::optional<unsigned>> Addresses)
      : B(Context), Source(Source), Target(Target), Addresses(std::move(Addresses)),
        Slots(Source.Registers.size()), Blocks(Source.Labels.size()), Loops(Source.Labels.size()),
        Placed(Source.Labels.size()) {}

  void makeBlocks();
  /// Translates the body, up to the first failure.
  void liftBody();
  virtual void lift(const Instruction &I) = 0;
  /// Returns false, with nothing emitted, if the instruction has no row, or its rule declines.
  bool liftByRow(const Instruction &I);
  /// Emits an instruction; as a branch around it if it has a guard. Returns what Emit does.
  bool guarded(const Instruction &I, llvm::function_ref<bool()> Emit);
  /// Emits an instruction as inline assembly.
  void emitInlineAssembly(const Instruction &I);
  /// Returns the address of a variable or function.
  virtual llvm::Value *symbol(const Operand &O) const = 0;
  /// Makes a variable on the stack.
  llvm::AllocaInst *allocate(llvm::Type *Ty, const llvm::Twine &Name, uint64_t Align = 0);
  /// Returns the variable of a register. It is zero at the function's entry.
  llvm::AllocaInst *slot(unsigned Register);

  const Function &Source;
  llvm::Function &Target;
  const Instruction *Current = nullptr;
  std::optional<std::string> Failure;             ///< why Current is invalid
  std::vector<std::optional<unsigned>> Addresses; ///< of registers
  std::vector<llvm::AllocaInst *> Slots;          ///< of registers; null before the first use
  std::vector<llvm::BasicBlock *> Blocks;         ///< of labels
  std::vector<unsigned> Accumulators;             ///< registers that wgmma.mma_async writes
  llvm::AllocaInst *Carry = nullptr;
  bool Flushes = false;
  bool Straight = false; ///< there are no branches, and B is inside of a block

private:
  friend class AssemblyWriter;
  bool holds(const Operand &O, llvm::Type *Ty);
  std::string describe(const Operand &O) const;
  llvm::Value *symbolAddress(const Operand &O);
  llvm::Value *readNumber(const Operand &O, llvm::Type *Ty);
  llvm::AllocaInst *zeroed(llvm::Type *Ty, const llvm::Twine &Name);
  bool ended() const { return !Straight && B.GetInsertBlock()->getTerminator(); }

  std::vector<llvm::MDNode *> Loops; ///< of labels
  std::vector<bool> Placed;          ///< labels that have been emitted
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_INSTRUCTIONLIFTER_H
