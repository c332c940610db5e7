//===- LaunchParameter.h - Fields of the clones' launch parameters -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_LAUNCHPARAMETER_H
#define GMPROF_PASS_CORE_LAUNCHPARAMETER_H

#include "llvm/IR/IRBuilder.h"

namespace gmprof {

/// Returns the struct with this name in a context; the first call makes it from Elements.
inline llvm::StructType *launchStruct(llvm::LLVMContext &Context, llvm::StringRef Name,
                                      llvm::ArrayRef<llvm::Type *> Elements) {
  if (llvm::StructType *Known = llvm::StructType::getTypeByName(Context, Name))
    return Known;
  return llvm::StructType::create(Elements, Name);
}

/// Loads a field of a launch parameter.
inline llvm::Value *loadLaunchField(llvm::IRBuilderBase &B, llvm::StructType *Type,
                                    llvm::Value *Launch, unsigned Field) {
  return B.CreateLoad(Type->getElementType(Field), B.CreateStructGEP(Type, Launch, Field));
}

} // namespace gmprof

#endif // GMPROF_PASS_CORE_LAUNCHPARAMETER_H
