//===- Select.cpp - One kernel of a PTX module ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gmprof::ptx {

std::vector<StringRef> kernels(const Module &M) {
  std::vector<StringRef> Names;
  for (const Function &F : M.Functions)
    if (F.Entry && F.Defined)
      Names.push_back(F.Name);
  return Names;
}

Selection::Selection(const Module &M) {
  for (const Function &F : M.Functions)
    Functions[F.Name].push_back(&F);
  for (const Variable &V : M.Variables)
    Variables[V.Name].push_back(&V);
  for (auto [Alias, Aliasee] : M.Aliases)
    Aliases[Alias] = Aliasee;
}

void Selection::follow(StringRef Name) {
  if (Names.insert(Name).second)
    Work.push_back(Name);
}

void Selection::follow(const Operand &O) {
  if (O.K == Operand::Kind::Symbol)
    follow(O.Name);
  for (const Operand &Part : O.Parts)
    follow(Part);
}

void Selection::follow(const Function &F) {
  for (const Instruction &I : F.Instructions)
    for (const Operand &O : I.Operands)
      follow(O);
  for (const Label &L : F.Labels)
    if (L.Targets)
      for (const Operand &O : *L.Targets)
        follow(O);
  for (const Variable &V : F.Variables)
    follow(V);
}

void Selection::follow(const Variable &V) {
  for (const Initialiser &I : V.Values)
    if (!I.Symbol.empty())
      follow(I.Symbol);
}

void Selection::add(StringRef Name) {
  follow(Name);
  while (!Work.empty()) {
    const StringRef Next = Work.pop_back_val();
    for (const Function *F : Functions.lookup(Next))
      follow(*F);
    for (const Variable *V : Variables.lookup(Next))
      follow(*V);
    if (auto Alias = Aliases.find(Next); Alias != Aliases.end())
      follow(Alias->second);
  }
}

std::vector<StringRef> Selection::declared() const {
  std::vector<StringRef> Declared;
  for (const auto &[Name, All] : Functions)
    if (contains(Name) && !Aliases.contains(Name) &&
        none_of(All, [](const Function *F) { return F->Defined; }))
      Declared.push_back(Name);
  for (const auto &[Name, All] : Variables)
    if (contains(Name) && all_of(All, [](const Variable *V) {
          return V->Link == Linkage::Extern && V->In != Space::Shared;
        }))
      Declared.push_back(Name);
  llvm::sort(Declared); // the order of a StringMap is none
  return Declared;
}

void Selection::removeRest(Module &M) const {
  erase_if(M.Functions, [&](const Function &F) { return !contains(F.Name); });
  erase_if(M.Variables, [&](const Variable &V) { return !contains(V.Name); });
  erase_if(M.Aliases, [&](const auto &A) { return !contains(A.first); });
}

} // namespace gmprof::ptx
