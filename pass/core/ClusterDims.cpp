//===- ClusterDims.cpp - __cluster_dims__ for NVPTX -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/ClusterDims.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gmprof;

static constexpr StringLiteral Annotations = "llvm.global.annotations";

/// The fields of an element of llvm.global.annotations.
enum : unsigned { Annotated, Text, File, Line, Arguments };

static const Constant *initializerOf(const Constant *Pointer) {
  auto *GV = dyn_cast<GlobalVariable>(Pointer->stripPointerCasts());
  return GV && GV->hasInitializer() ? GV->getInitializer() : nullptr;
}

static bool isClusterDims(const Constant &Annotation) {
  auto *Name =
      dyn_cast_or_null<ConstantDataSequential>(initializerOf(Annotation.getAggregateElement(Text)));
  return Name && Name->isCString() && Name->getAsCString() == "gmprof.cluster_dims";
}

/// Returns "x,y,z"; a missing dimension is 1. Returns "" if one is no integer.
static std::string dimensionsOf(const Constant &Annotation) {
  const Constant *Given = initializerOf(Annotation.getAggregateElement(Arguments));
  SmallVector<std::string, 3> Dimensions;
  for (unsigned I = 0; I != 3; ++I) {
    const Constant *Dimension = Given ? Given->getAggregateElement(I) : nullptr;
    auto *Number = dyn_cast_or_null<ConstantInt>(Dimension);
    if (Dimension && !Number)
      return "";
    Dimensions.push_back(Number ? utostr(Number->getZExtValue()) : "1");
  }
  return join(Dimensions, ",");
}

static void replaceAnnotations(GlobalVariable &Old, ArrayRef<Constant *> Kept) {
  if (!Kept.empty()) {
    auto *Type = ArrayType::get(Kept.front()->getType(), Kept.size());
    auto *New = new GlobalVariable(*Old.getParent(), Type, Old.isConstant(), Old.getLinkage(),
                                   ConstantArray::get(Type, Kept), "", &Old);
    New->copyAttributesFrom(&Old);
    New->takeName(&Old);
  }
  Old.eraseFromParent();
}

PreservedAnalyses ClusterDimsPass::run(Module &M, ModuleAnalysisManager &) {
  GlobalVariable *Old = M.getNamedGlobal(Annotations);
  auto *All =
      Old && Old->hasInitializer() ? dyn_cast<ConstantArray>(Old->getInitializer()) : nullptr;
  if (!All)
    return PreservedAnalyses::all();
  SmallVector<Constant *, 8> Others;
  for (Value *Element : All->operand_values()) {
    auto *Annotation = cast<Constant>(Element);
    auto *Kernel =
        dyn_cast<Function>(Annotation->getAggregateElement(Annotated)->stripPointerCasts());
    if (!Kernel || !isClusterDims(*Annotation)) {
      Others.push_back(Annotation);
      continue;
    }
    if (std::string Dimensions = dimensionsOf(*Annotation); !Dimensions.empty())
      Kernel->addFnAttr("nvvm.cluster_dim", Dimensions);
    else
      M.getContext().emitError("a dimension of __cluster_dims__ of " + Kernel->getName() +
                               " is not an integer");
  }
  if (Others.size() == All->getNumOperands())
    return PreservedAnalyses::all();
  replaceAnnotations(*Old, Others);
  return PreservedAnalyses::none();
}
