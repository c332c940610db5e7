//===- ModuleLifter.h - Translation of a module's declarations --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_MODULELIFTER_H
#define GMPROF_PTX_MODULELIFTER_H

#include "DebugLines.h"
#include "Lift.h"

namespace gmprof::ptx {

/// Translates variables and function heads, and holds what function bodies need of the module.
class ModuleLifter {
public:
  ModuleLifter(const Module &Source, llvm::StringRef File, llvm::LLVMContext &Context,
               LiftStatistics *Statistics);
  llvm::Expected<std::unique_ptr<llvm::Module>> run();

  /// Returns a variable or function of the module; null if there is none.
  llvm::GlobalValue *symbol(llvm::StringRef Name) const;
  /// Returns the declaration of a function; null if there is none.
  const Function *function(llvm::StringRef Name) const;
  /// Returns the type of a function's calls.
  llvm::FunctionType *functionType(const Signature &S);
  /// Returns the type in which a parameter of a function is passed.
  llvm::Type *parameterType(const Variable &V);
  /// Declares a variable.
  llvm::GlobalVariable *declare(const Variable &V);
  /// Sets a variable's initial value.
  llvm::Error initialise(const Variable &V, llvm::GlobalVariable &G);
  llvm::Error error(Position At, const llvm::Twine &What) const;
  /// Returns inferAddresses of a function.
  const std::vector<std::optional<unsigned>> &addresses(const Function &F);

  llvm::LLVMContext &Context;
  llvm::Module &target() { return *Target; }
  DebugLines &lines() { return Lines; }
  LiftStatistics *Statistics;
  llvm::StringMap<unsigned> VariableSpaces; ///< address spaces of the module's variables

private:
  llvm::Expected<llvm::Constant *> address(const Initialiser &I);
  llvm::Error declareVariables();
  llvm::Error declareFunctions();
  llvm::Function *declareFunction(const Function &F);
  void setLimits(const Function &F, llvm::Function &Target);

  const Module &Source;
  llvm::StringRef File;
  std::unique_ptr<llvm::Module> Target;
  DebugLines Lines;
  llvm::StringMap<llvm::GlobalValue *> Symbols;
  llvm::StringMap<const Function *> Functions; ///< the definition, if there is one
  llvm::DenseMap<const Function *, std::vector<std::optional<unsigned>>> Addresses;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_MODULELIFTER_H
