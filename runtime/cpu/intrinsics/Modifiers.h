//===- Modifiers.h - Dotted parts of an instruction's name ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX instructions (fma.rn.ftz.f32) and NVVM intrinsics (llvm.nvvm.fma.rn.ftz.f) are read in the
// same way: a lowering takes the modifiers that it knows, and any remaining one makes the
// instruction unsupported. No modifier is ignored silently.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_MODIFIERS_H
#define GMPROF_CPU_INTRINSICS_MODIFIERS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>

namespace gmprof::cpu {

class Modifiers {
public:
  Modifiers() = default;
  explicit Modifiers(llvm::SmallVector<llvm::StringRef, 8> Names) : Left(std::move(Names)) {}

  bool empty() const { return Left.empty(); }
  llvm::ArrayRef<llvm::StringRef> rest() const { return Left; }
  llvm::StringRef first() const { return Left.empty() ? llvm::StringRef() : Left.front(); }

  /// Takes the first remaining modifier; empty if there is none.
  llvm::StringRef next() {
    if (Left.empty())
      return {};
    llvm::StringRef Name = Left.front();
    Left.erase(Left.begin());
    return Name;
  }

  /// Takes Name at any position. Returns false if it is absent.
  bool take(llvm::StringRef Name) {
    auto *It = llvm::find(Left, Name);
    if (It == Left.end())
      return false;
    Left.erase(It);
    return true;
  }

  /// Takes one of Names; empty if all are absent.
  llvm::StringRef takeOneOf(std::initializer_list<llvm::StringRef> Names) {
    for (llvm::StringRef Name : Names)
      if (take(Name))
        return Name;
    return {};
  }

private:
  llvm::SmallVector<llvm::StringRef, 8> Left;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_MODIFIERS_H
