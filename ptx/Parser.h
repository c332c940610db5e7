//===- Parser.h - Parser of PTX ---------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_PARSER_H
#define GMPROF_PTX_PARSER_H

#include "Syntax.h"

#include "llvm/Support/Error.h"

namespace gmprof::ptx {

// Texts must outlive what they are parsed to. Errors have the form
// "FILE:LINE:COLUMN: expected …, found …". Any text is safe to pass: nesting and the number of
// registers are limited.

/// Parses a PTX module.
llvm::Expected<Module> parse(llvm::StringRef Text, llvm::StringRef File);

/// Whether all registers of a text must be declared in it. Undeclared names are symbols, else.
enum class Names : uint8_t { Declared, Any };

/// Parses statements of inline assembly: a function's body in which %0, %1 … are registers of the
/// types of Operands, the first of the result.
llvm::Expected<Function> parseStatements(llvm::StringRef Text, llvm::ArrayRef<Type> Operands,
                                         llvm::StringRef File, Names Allowed = Names::Declared);

/// Returns the PTX that a template of LLVM's inline assembly stands for, as the program has it: %0
/// for $0 and ${0:q}, a dollar sign for $$, and UniqueId for ${:uid}. An operand with a value in
/// Constants becomes that number.
llvm::Expected<std::string> expandTemplate(llvm::StringRef Template,
                                           llvm::ArrayRef<std::optional<int64_t>> Constants,
                                           unsigned UniqueId, llvm::StringRef File);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_PARSER_H
