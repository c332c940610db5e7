//===- Descriptor.cpp - The kernel's description in the module ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Descriptor.h"

#include "pass/core/DescriptorWriter.h"
#include "static-analysis/AddressSpaces.h"
#include "static-analysis/Variables.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gmprof;

void KernelDescription::add(const Function &F, const FunctionSites &Sites) {
  DescribedFunction &Added = Functions.emplace_back();
  Added.F = &F;
  Added.Sites = &Sites;
  Added.FirstSite = SiteCount;
  for (const Variable &V : Sites.Variables) {
    // A variable of the module is the same one in every function.
    auto Known =
        find_if(Variables, [&](const Variable &Other) { return V.Base && Other.Base == V.Base; });
    Added.Variables.push_back(static_cast<int>(Known - Variables.begin()));
    if (Known == Variables.end())
      Variables.push_back(V);
  }
  SiteCount += Sites.Sites.size();
  if (Sites.HasOpaqueCalls)
    Flags |= GMPROF_KERNEL_OPAQUE_CALLS;
}

unsigned KernelDescription::indexOf(const GlobalVariable &V) {
  auto Known = find_if(Variables, [&](const Variable &Other) { return Other.Base == &V; });
  if (Known != Variables.end())
    return Known - Variables.begin();
  std::vector<Variable> Described;
  VariableTable Table(Described);
  Table.indexOf(&V);
  Table.finish();
  Variables.push_back(siteVariable(Described.front()));
  return Variables.size() - 1;
}

unsigned KernelDescription::indexOf(const Variable &V) {
  if (const auto *Global = dyn_cast_or_null<GlobalVariable>(V.Base))
    return indexOf(*Global);
  const auto Key = [](const Variable &Each) {
    return std::tie(Each.Kind, Each.Name, Each.File, Each.Line, Each.Bytes, Each.Parameter,
                    Each.ParameterOffset);
  };
  const auto Known =
      find_if(Variables, [&](const Variable &Other) { return Key(Other) == Key(V); });
  if (Known != Variables.end())
    return Known - Variables.begin();
  Variables.push_back(siteVariable(V));
  return Variables.size() - 1;
}

GlobalVariable *gmprof::emitDescriptor(const KernelDescription &D,
                                       ArrayRef<std::unique_ptr<CloneBuilder>> Builders) {
  Constant *Value = DescriptorWriter(D.Kernel->getContext()).write(D, Builders);
  auto &M = *const_cast<Module *>(D.Kernel->getParent());
  const StringRef Prefix =
      isKernel(*D.Kernel) ? GMPROF_KERNEL_DESC_PREFIX : GMPROF_FUNCTION_DESC_PREFIX;
  auto *Global = new GlobalVariable(
      M, Value->getType(), /*isConstant=*/true, GlobalValue::WeakAnyLinkage, Value,
      Prefix + D.Kernel->getName(), nullptr, GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  Global->setAlignment(Align(8));
  appendToCompilerUsed(M, {Global});
  return Global;
}
