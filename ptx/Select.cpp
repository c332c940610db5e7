//===- Select.cpp - One kernel of a PTX module ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gmprof::ptx {

std::vector<StringRef> kernels(const Module &M) {
  std::vector<StringRef> Names;
  for (const Function &F : M.Functions)
    if (F.Entry && F.Defined)
      Names.push_back(F.Name);
  return Names;
}

namespace {

/// Collects the names that a kernel refers to.
class References {
public:
  void add(StringRef Name) {
    if (Names.insert(Name).second)
      Work.push_back(Name);
  }
  void add(const Operand &O) {
    if (O.K == Operand::Kind::Symbol)
      add(O.Name);
    for (const Operand &Part : O.Parts)
      add(Part);
  }
  void add(const Function &F) {
    for (const Instruction &I : F.Instructions)
      for (const Operand &O : I.Operands)
        add(O);
    for (const Label &L : F.Labels)
      if (L.Targets)
        for (const Operand &O : *L.Targets)
          add(O);
    for (const Variable &V : F.Variables)
      add(V);
  }
  void add(const Variable &V) {
    for (const Initialiser &I : V.Values)
      if (!I.Symbol.empty())
        add(I.Symbol);
  }
  /// Returns the next name that has not been followed yet; nothing at the end.
  std::optional<StringRef> next() {
    return Work.empty() ? std::nullopt : std::optional(Work.pop_back_val());
  }
  bool contains(StringRef Name) const { return Names.contains(Name); }

private:
  StringSet<> Names;
  SmallVector<StringRef, 16> Work;
};

} // namespace

void select(Module &M, StringRef Kernel) {
  // A name may have several declarations.
  StringMap<SmallVector<const Function *, 1>> Functions;
  StringMap<SmallVector<const Variable *, 1>> Variables;
  StringMap<StringRef> Aliases;
  for (const Function &F : M.Functions)
    Functions[F.Name].push_back(&F);
  for (const Variable &V : M.Variables)
    Variables[V.Name].push_back(&V);
  for (auto [Alias, Aliasee] : M.Aliases)
    Aliases[Alias] = Aliasee;
  References Used;
  Used.add(Kernel);
  while (std::optional<StringRef> Name = Used.next()) {
    for (const Function *F : Functions.lookup(*Name))
      Used.add(*F);
    for (const Variable *V : Variables.lookup(*Name))
      Used.add(*V);
    if (auto Alias = Aliases.find(*Name); Alias != Aliases.end())
      Used.add(Alias->second);
  }
  erase_if(M.Functions, [&](const Function &F) { return !Used.contains(F.Name); });
  erase_if(M.Variables, [&](const Variable &V) { return !Used.contains(V.Name); });
  erase_if(M.Aliases, [&](const auto &A) { return !Used.contains(A.first); });
}

} // namespace gmprof::ptx
