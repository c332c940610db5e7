//===- FunctionLifter.h - Translation of a function's body ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_FUNCTIONLIFTER_H
#define GMPROF_PTX_FUNCTIONLIFTER_H

#include "InstructionLifter.h"
#include "ModuleLifter.h"

namespace gmprof::ptx {

/// Translates a function of a module. An instruction without a row becomes inline assembly.
class FunctionLifter : public InstructionLifter {
public:
  FunctionLifter(ModuleLifter &M, const Function &Source, llvm::Function &Target);
  llvm::Error run();

  bool emitCall(const Instruction &I) override;
  bool emitReturn() override;
  /// Emits an exit. A kernel's is a return; a function's ends the thread, which inline assembly
  /// does.
  bool emitExit() override { return Source.Entry && emitReturn(); }
  /// Keeps the line of the PTX.
  void mark(llvm::Instruction &I) override;

private:
  llvm::Error check();
  llvm::Error check(const Operand &O, Position At) const;
  llvm::Error checkCall(const Instruction &I) const;
  void makeVariables();
  void makeRegisters();
  void lift(const Instruction &I) override;
  void count(const Instruction &I, bool Modelled);
  llvm::Value *symbol(const Operand &O) const override;
  llvm::Function *callee(const Operand &O) const;
  const Signature *signature(const Operand &O) const;

  ModuleLifter &M;
  std::vector<llvm::Value *> Variables; ///< where parameters and local variables are, on the stack
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_FUNCTIONLIFTER_H
