//===- KernelSignature.cpp - Kernels of a file of device code -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/KernelSignature.h"
#include "cpu/engine/DeviceCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"

namespace gmprof::kernel {
namespace {

Parameter describe(const llvm::Argument &A) {
  llvm::Type *Type = A.hasByValAttr() ? A.getParamByValType() : A.getType();
  Parameter P;
  P.Bytes = A.getParent()->getParent()->getDataLayout().getTypeAllocSize(Type);
  P.Read = !A.use_empty();
  if (A.hasByValAttr())
    P.Is = Parameter::Kind::Structure;
  else if (Type->isPointerTy())
    P.Is = Parameter::Kind::Pointer;
  else if (Type->isFloatTy() || Type->isDoubleTy())
    P.Is = Parameter::Kind::Float;
  else if (!Type->isIntegerTy())
    P.Is = Parameter::Kind::Structure;
  return P;
}

/// Returns the dimensions of an attribute "128" or "16,16,1".
std::optional<std::array<unsigned, 3>> dimensions(llvm::StringRef Text) {
  if (Text.empty())
    return std::nullopt;
  std::array<unsigned, 3> Size = {1, 1, 1};
  size_t Count = 0;
  for (llvm::StringRef Part : llvm::split(Text, ',')) {
    if (Count == Size.size() || Part.trim().getAsInteger(10, Size[Count]))
      return std::nullopt;
    ++Count;
  }
  return Size;
}

} // namespace

std::string Parameter::type() const {
  switch (Is) {
  case Kind::Pointer:
    return "pointer";
  case Kind::Integer:
    return "i" + std::to_string(8 * Bytes);
  case Kind::Float:
    return "f" + std::to_string(8 * Bytes);
  case Kind::Structure:
    return "struct of " + std::to_string(Bytes) + " bytes";
  }
  return "";
}

size_t KernelSignature::leastArguments() const {
  size_t Count = Parameters.size();
  while (Count && !Parameters[Count - 1].Read)
    --Count;
  return Count;
}

std::string KernelSignature::text() const {
  std::string Text = Name + "(";
  const size_t Least = leastArguments();
  for (size_t I = 0; I < Parameters.size(); ++I)
    Text += (I == Least ? I ? "[, " : "[" : I ? ", " : "") + Parameters[I].type();
  return Text + (Least < Parameters.size() ? "])" : ")");
}

Result<std::vector<KernelSignature>> kernelsOf(const std::string &Code, const std::string &File) {
  llvm::LLVMContext Context;
  auto M = cpu::readDeviceCode(Code, File, Context);
  if (!M)
    return Error{"'" + File + "': " + llvm::toString(M.takeError())};
  constexpr unsigned Shared = 3; // address space
  const bool UsesDynamicShared = llvm::any_of((*M)->globals(), [](const llvm::GlobalVariable &G) {
    return G.getAddressSpace() == Shared && G.isDeclaration() && !G.use_empty();
  });
  std::vector<KernelSignature> Kernels;
  for (const llvm::Function &F : **M) {
    if (F.isDeclaration() || F.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    KernelSignature &K = Kernels.emplace_back();
    K.Name = F.getName();
    for (const llvm::Argument &A : F.args())
      K.Parameters.push_back(describe(A));
    K.UsesDynamicShared = UsesDynamicShared;
    K.Block = dimensions(F.getFnAttribute("nvvm.reqntid").getValueAsString());
  }
  return Kernels;
}

} // namespace gmprof::kernel
