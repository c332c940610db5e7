//===- Parser.h - Parser of PTX modules -------------------------*- C++ -*-===//
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

/// Parses a PTX module, which must outlive the result. Errors have the form
/// "FILE:LINE:COLUMN: expected …, found …". Any text is safe to pass: nesting and the number of
/// registers are limited.
llvm::Expected<Module> parse(llvm::StringRef Text, llvm::StringRef File);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_PARSER_H
