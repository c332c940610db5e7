//===- PtxUnits.cpp - The PTX of linked translation units -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/PtxUnits.h"

#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace gmprof::instrument {

bool isProvidedByDriver(StringRef Function) {
  return is_contained({"vprintf", "malloc", "free", "__assertfail"}, Function);
}

/// Returns how a unit defines a name for other units; nothing if it does not.
static std::optional<ptx::Linkage> definitionIn(const ptx::Module &M, StringRef Name) {
  for (const ptx::Function &F : M.Functions)
    if (F.Name == Name && F.Defined && (F.Entry || F.Link != ptx::Linkage::Internal))
      return F.Link == ptx::Linkage::Weak ? F.Link : ptx::Linkage::Visible;
  for (const ptx::Variable &V : M.Variables)
    if (V.Name == Name && V.Link != ptx::Linkage::Internal && V.Link != ptx::Linkage::Extern)
      return V.Link;
  for (const auto &[Alias, Aliasee] : M.Aliases)
    if (Alias == Name)
      return ptx::Linkage::Weak;
  return std::nullopt;
}

/// Returns whether a variable is a string literal of nvcc or clang, which nothing writes to.
static bool isLiteral(const ptx::Variable &V) {
  return V.Link == ptx::Linkage::Internal && V.Initialised &&
         (V.Name.starts_with("$str") || V.Name.starts_with("_$_str"));
}

void PtxUnits::Unit::add(StringRef Name) {
  if (!Selection)
    Selection = std::make_unique<ptx::Selection>(*Source);
  Selection->add(Name);
}

PtxUnits::PtxUnits(StringRef Bytes, StringRef File) : File(File) {
  SmallVector<StringRef> Texts;
  Bytes.split(Texts, '\0', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Text : Texts)
    Units.push_back({Text, nullptr, nullptr});
}

Error PtxUnits::parse(Unit &U) const {
  if (U.Source)
    return Error::success();
  Expected<ptx::Module> Source = ptx::parse(U.Text, File);
  if (!Source)
    return Source.takeError();
  U.Source = std::make_unique<ptx::Module>(std::move(*Source));
  return Error::success();
}

Expected<std::vector<StringRef>> PtxUnits::kernels(StringRef Wanted) {
  std::vector<StringRef> Found;
  for (const bool OfAll : {false, true}) {
    Found.clear();
    for (Unit &U : Units) {
      if (!OfAll && !U.Text.contains(Wanted))
        continue;
      if (Error E = parse(U))
        return std::move(E);
      llvm::append_range(Found, ptx::kernels(*U.Source));
    }
    if (is_contained(Found, Wanted))
      break;
  }
  return Found;
}

/// Returns the unit that defines a name for others; null if none does.
Expected<PtxUnits::Unit *> PtxUnits::definitionOf(StringRef Name) {
  Unit *Weak = nullptr, *Strong = nullptr;
  for (Unit &U : Units) {
    if (!U.Text.contains(Name))
      continue;
    if (Error E = parse(U))
      return std::move(E);
    const std::optional<ptx::Linkage> Link = definitionIn(*U.Source, Name);
    if (!Link)
      continue;
    if (*Link != ptx::Linkage::Visible) {
      Weak = Weak ? Weak : &U;
      continue;
    }
    if (Strong) // of another link in the same file
      return createStringError("several translation units define '" + Name + "'");
    Strong = &U;
  }
  return Strong ? Strong : Weak;
}

/// Returns an error if a variable that is needed cannot be found by its name.
Error PtxUnits::checkVariables(const Unit &U) {
  for (const ptx::Variable &V : U.Source->Variables) {
    const bool IsOfProgram = V.In == ptx::Space::Global || V.In == ptx::Space::Const;
    if (!IsOfProgram || V.Link != ptx::Linkage::Internal || isLiteral(V) ||
        !U.Selection->contains(V.Name))
      continue;
    for (Unit &Other : Units) {
      if (&Other == &U || !Other.Text.contains(V.Name))
        continue;
      if (Error E = parse(Other))
        return E;
      for (const ptx::Variable &Same : Other.Source->Variables)
        if (Same.Name == V.Name && Same.Link != ptx::Linkage::Extern)
          return createStringError("several translation units have a variable '" + V.Name +
                                   "', which clones find by its name only");
    }
  }
  return Error::success();
}

Error PtxUnits::select(StringRef Kernel) {
  Expected<Unit *> OfKernel = definitionOf(Kernel);
  if (!OfKernel)
    return OfKernel.takeError();
  Chosen = *OfKernel;
  (*OfKernel)->add(Kernel);
  SmallVector<const Unit *> Work = {Chosen};
  StringSet<> Known;
  while (!Work.empty())
    for (StringRef Name : Work.pop_back_val()->Selection->declared()) {
      if (isProvidedByDriver(Name) || !Known.insert(Name).second)
        continue;
      Expected<Unit *> Found = definitionOf(Name);
      if (!Found)
        return Found.takeError();
      if (!*Found)
        continue;
      (*Found)->add(Name);
      Work.push_back(*Found);
    }
  for (const Unit &U : Units)
    if (U.Selection)
      if (Error E = checkVariables(U))
        return E;
  return Error::success();
}

unsigned PtxUnits::version() const {
  unsigned Newest = 0;
  for (const Unit &U : Units)
    if (U.Selection)
      Newest = std::max(Newest, U.Source->Version);
  return Newest;
}

/// Returns an error if units disagree on the parameters of a function.
static Error checkTypes(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (const auto *Called = dyn_cast<Function>(Call->getCalledOperand());
            Called && Called->getFunctionType() != Call->getFunctionType())
          return createStringError("translation units disagree on the parameters of '" +
                                   Called->getName() + "'");
  return Error::success();
}

Expected<std::unique_ptr<Module>> PtxUnits::lift(LLVMContext &Context) {
  std::unique_ptr<Module> Linked;
  for (Unit &U : Units) {
    if (!U.Selection)
      continue;
    U.Selection->removeRest(*U.Source);
    Expected<std::unique_ptr<Module>> M = ptx::lift(*U.Source, File, Context);
    if (!M)
      return M;
    // Each unit has its own literals of the same names, so the driver cannot find them.
    for (const ptx::Variable &V : U.Source->Variables)
      if (isLiteral(V) && Units.size() > 1) {
        GlobalVariable *Literal = (*M)->getNamedGlobal(V.Name);
        Literal->setExternallyInitialized(false);
        Literal->setConstant(true);
      }
    if (!Linked)
      Linked = std::move(*M);
    else if (Linker::linkModules(*Linked, std::move(*M)))
      return createStringError(File + ": its translation units cannot be linked");
  }
  if (Error E = checkTypes(*Linked))
    return std::move(E);
  return Linked;
}

} // namespace gmprof::instrument
