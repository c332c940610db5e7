//===- StatementLifter.h - Translation of inline assembly -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_STATEMENTLIFTER_H
#define GMPROF_PTX_STATEMENTLIFTER_H

#include "InstructionLifter.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace gmprof::ptx {

/// A call of inline assembly, and what it says.
struct InlineStatement {
  llvm::CallInst *Call = nullptr;
  std::string Text;                               ///< Source refers to it
  Function Source;                                ///< its first registers are the operands
  std::vector<std::optional<unsigned>> Addresses; ///< inferAddresses of Source
  std::vector<llvm::Value *> Values;              ///< of operands; null if only written
  std::vector<unsigned> Results;                  ///< operands that the call returns
};

/// Parses a call of inline assembly. Errors are those of the parser, about the file "asm".
llvm::Expected<std::unique_ptr<InlineStatement>> readStatement(llvm::CallInst &Call);

/// Translates a call of inline assembly in place.
class StatementLifter : public InstructionLifter {
public:
  /// Flushes says whether LLVM's f32 instructions flush denormals in the function.
  StatementLifter(const InlineStatement &S, bool Flushes);

  /// Replaces the call, and returns true. After a failure of an instruction, returns false, with
  /// the call at the end of valid but useless IR.
  bool run();

  /// Appends the variables that hold registers, for promoteRegisters.
  void takeRegisters(llvm::SmallVectorImpl<llvm::AllocaInst *> &Out) const;

private:
  llvm::Value *symbol(const Operand &O) const override { return nullptr; }
  void initialise();
  void finish(llvm::BasicBlock &Tail);
  void replaceCall();

  const InlineStatement &S;
};

/// Makes values of the variables that hold registers, in one function.
void promoteRegisters(llvm::Function &F, llvm::ArrayRef<llvm::AllocaInst *> Variables);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_STATEMENTLIFTER_H
