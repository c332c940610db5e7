//===- ObjectsBuilder.cpp - Records which objects are accessed ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (DrGPUM, ASPLOS'23, Section 5.1.) The descriptor lists the kernel's touches (Touches.h).
// K__gm_objects records those that the launch does not determine, and exists only if there are any.
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "pass/core/DescriptorWriter.h"
#include "pass/core/Instrumenter.h"
#include "pass/core/LaunchParameter.h"
#include "pass/objects/ObjectHits.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsWithoutHits, "Kernels without clone for objects: the launch determines all");

GMPROF_DEFINE_CONSTANT(GmprofTouchDesc, GMPROF_TOUCH_DESC_FIELDS)

namespace {

class ObjectsBuilder : public CloneBuilder {
public:
  using CloneBuilder::CloneBuilder;

  bool counts(GmprofSpace Space) const override {
    return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_GLOBAL;
  }

  void cloneKernel(KernelState &K) override;
  void describeKernel(KernelState &K) override;

  StructType *launchType(LLVMContext &Context) const override {
    static_assert(sizeof(GmprofObjectsLaunch) == 2 * 8 + 4 * 4);
    Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
    return launchStruct(Context, "struct.GmprofObjectsLaunch",
                        {Address, Address, Number, Number, Number, Number});
  }
  SmallVector<Type *, 5> functionParameters(LLVMContext &Context,
                                            const CloneKind &Kind) const override {
    return {PointerType::getUnqual(Context)}; // launch
  }
  void instrumentFunction(Clone C) override;
  void emitNotFollowed(IRBuilder<> &B, Argument *First) const override;

  void addParts(const KernelDescription &D, DescriptorWriter &W) const override;

private:
  const Function *Current = nullptr; ///< the kernel that is cloned, and its touches
  std::vector<TouchSite> Touches;
  ///< of device functions; variables are those of the description
  std::vector<TouchSite> PossibleTouches;

  void addPossibleTouches(Function &F, KernelDescription &D);
  void noteHits(Clone &C, ArrayRef<Touch> Found, ArrayRef<TouchSite> Described);
};

} // namespace

// The clone has no check at its entry, as it records all blocks, and no limit of registers, which
// would cause spills.
void ObjectsBuilder::cloneKernel(KernelState &K) {
  Current = &K.Kernel;
  PossibleTouches.clear();
  K.D.Modes |= GMPROF_MODE_OBJECTS;
  Clone C = I.cloneKernel(K.Kernel, *this, P.Kinds.front());
  std::vector<Touch> Found = findTouches(*C.F, I.FAM);
  I.sitesOf(C, I.FAM.getResult<AccessAnalysis>(*C.F));
  Touches = describeTouches(Found);
  if (I.followsCalls(C)) {
    TouchSite InCalls;
    InCalls.Kinds = GMPROF_TOUCH_READS | GMPROF_TOUCH_WRITES;
    InCalls.Rule = GMPROF_TOUCH_SEARCH;
    Touches.push_back(std::move(InCalls));
  }
  const bool Notes = any_of(Touches, [](const TouchSite &T) {
    return T.Rule == GMPROF_TOUCH_FLAG || T.Rule == GMPROF_TOUCH_SEARCH;
  });
  KernelsWithoutHits += !Notes;
  if (!Notes || !isSelected()) {
    I.discard(C);
    return;
  }
  K.D.Modes |= C.Kind->Mode;
  C.Counters = {C.Launch};
  noteHits(C, Found, Touches);
  if (C.F->isDiscardableIfUnused())
    appendToCompilerUsed(I.M, {C.F});
}

void ObjectsBuilder::instrumentFunction(Clone C) {
  const std::vector<Touch> Found = findTouches(*C.F, I.FAM);
  I.sitesOf(C, I.FAM.getResult<AccessAnalysis>(*C.F));
  noteHits(C, Found, {});
}

void ObjectsBuilder::noteHits(Clone &C, ArrayRef<Touch> Found, ArrayRef<TouchSite> Described) {
  emitHits(C, Found, Described, I.hooks(), I.FAM);
  I.followCalls(C, *I.sitesOf(*C.Original));
  I.FAM.invalidate(*C.F, PreservedAnalyses::none());
  I.hooks().inlineInto(*C.F);
  keepInRegisters(*C.F, I.FAM);
  simplifyAfterInstrumentation(*C.F, I.FAM);
  I.FAM.invalidate(*C.F, PreservedAnalyses::none());
}

/// Adds the touches of a device function that its clone does not record.
void ObjectsBuilder::addPossibleTouches(Function &F, KernelDescription &D) {
  const AccessInfo &Info = I.FAM.getResult<AccessAnalysis>(F);
  for (const Touch &T : findTouches(F, I.FAM)) {
    if (T.Rule != GMPROF_TOUCH_POSSIBLE)
      continue;
    TouchSite S;
    S.Kinds = T.Kinds;
    S.Rule = T.Rule;
    if (T.Variable >= 0)
      S.Variable =
          static_cast<int>(D.indexOf(*cast<GlobalVariable>(Info.variables()[T.Variable].Base)));
    PossibleTouches.push_back(std::move(S));
  }
}

void ObjectsBuilder::describeKernel(KernelState &K) {
  for (Function *F : reachableFrom(K.Kernel))
    if (F != &K.Kernel && !F->isDeclaration())
      addPossibleTouches(*F, K.D);
}

void ObjectsBuilder::emitNotFollowed(IRBuilder<> &B, Argument *First) const {
  Value *Hits =
      launchField(B, launchType(B.getContext()), First, offsetof(GmprofObjectsLaunch, hits));
  Hits = B.CreateIntToPtr(Hits, B.getPtrTy(1));
  B.CreateStore(B.getInt8(1),
                B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Hits, GMPROF_HIT_NOT_FOLLOWED));
}

void ObjectsBuilder::addParts(const KernelDescription &D, DescriptorWriter &W) const {
  std::vector<GmprofTouchDesc> Described;
  const auto Add = [&](const TouchSite &T, int Variable) {
    Described.push_back({W.numberOf(Variable), T.Kinds, static_cast<gmprof_u32>(T.Rule), T.Flag,
                         W.words(T.Form), static_cast<gmprof_u32>(T.Form.size())});
  };
  if (D.Kernel == Current && !D.Functions.empty()) {
    for (const TouchSite &T : Touches)
      Add(T, D.Functions.front().variable(T.Variable));
    for (const TouchSite &T : PossibleTouches)
      Add(T, T.Variable);
  }
  W.addPart(W.Header.touchesOffset, W.Header.touchCount, Described);
}

static constexpr CloneKind Kinds[] = {
    {GMPROF_MODE_OBJECTS_CLONE, GMPROF_OBJECTS_CLONE_SUFFIX, "accessed objects of global memory"},
};

const Profile gmprof::ObjectsProfile = {
    "objects", Kinds, nullptr,
    [](Instrumenter &I, const Profile &P) -> std::unique_ptr<CloneBuilder> {
      return std::make_unique<ObjectsBuilder>(I, P);
    }};
