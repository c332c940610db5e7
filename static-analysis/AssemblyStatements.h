//===- AssemblyStatements.h - Statements of inline PTX ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_ASSEMBLYSTATEMENTS_H
#define GMPROF_STATIC_ANALYSIS_ASSEMBLYSTATEMENTS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace gmprof {

/// One PTX statement: `@!p  ld.global.v4.f32  {a,b,c,d}, [x+16]`.
struct AssemblyStatement {
  bool HasLabel = false;
  llvm::StringRef Predicate; ///< without @ and !
  bool Inverted = false;
  llvm::StringRef Opcode;
  llvm::SmallVector<llvm::StringRef, 8> Modifiers; ///< the opcode's parts after the first
  llvm::SmallVector<llvm::StringRef, 6> Operands;

  bool has(llvm::StringRef Modifier) const { return llvm::is_contained(Modifiers, Modifier); }
};

/// Parses a statement, whose text must outlive the result.
AssemblyStatement parseStatement(llvm::StringRef Text);

/// Splits at semicolons. Drops scope braces, which stand where a statement would begin, unlike
/// those of vector operands.
void splitStatements(llvm::StringRef Text, llvm::SmallVectorImpl<llvm::StringRef> &Statements);

std::string withoutComments(llvm::StringRef Text);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ASSEMBLYSTATEMENTS_H
