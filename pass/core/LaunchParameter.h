//===- LaunchParameter.h - Fields of the clones' launch parameters -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_LAUNCHPARAMETER_H
#define GMPROF_PASS_CORE_LAUNCHPARAMETER_H

#include "llvm/IR/IRBuilder.h"
#include <cstddef>

namespace gmprof {

/// Returns the struct with this name in a context; the first call makes it from Elements.
inline llvm::StructType *launchStruct(llvm::LLVMContext &Context, llvm::StringRef Name,
                                      llvm::ArrayRef<llvm::Type *> Elements) {
  if (llvm::StructType *Known = llvm::StructType::getTypeByName(Context, Name))
    return Known;
  return llvm::StructType::create(Elements, Name);
}

/// Returns the number of the field at an offset, in bytes. The fields before it are integers
/// without padding.
inline unsigned launchFieldAt(llvm::StructType *Type, size_t Offset) {
  unsigned Field = 0;
  for (size_t At = 0; At < Offset; ++Field)
    At += Type->getElementType(Field)->getIntegerBitWidth() / 8;
  return Field;
}

/// Loads the field at an offset of a launch parameter: offsetof in the struct of the ABI.
inline llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::StructType *Type, llvm::Value *Launch,
                                size_t Offset) {
  const unsigned Field = launchFieldAt(Type, Offset);
  return B.CreateLoad(Type->getElementType(Field), B.CreateStructGEP(Type, Launch, Field));
}

} // namespace gmprof

#endif // GMPROF_PASS_CORE_LAUNCHPARAMETER_H
