//===- ProgramVariables.h - A clone's access to the program's variables -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone that is made on demand is in a module of its own, beside the program's module, which
// keeps the variables. The clone reaches them by address: its module has a table of addresses in
// constant memory, which the host fills before the first launch.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_PROGRAMVARIABLES_H
#define GMPROF_INSTRUMENT_PROGRAMVARIABLES_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gmprof::instrument {

/// Returns the variables of a module that the program's module keeps: those of global and constant
/// memory that something can write to. Constants that nothing can write to, as string literals, may
/// exist twice; shared and local memory belongs to each launch.
std::vector<llvm::GlobalVariable *> programVariables(llvm::Module &M);

/// Replaces the program's variables by addresses in the table GMPROF_VARIABLES_TABLE, and removes
/// the variables from the module. Call it when the clone is instrumented: the analyses need the
/// variables. Loads of constant memory become loads of global memory, where the same bytes are.
/// Returns the names of the variables, in the order of the table. Fails where code does more with
/// the address of a constant variable than that, and where a constant that stays holds an address.
llvm::Expected<std::vector<std::string>>
reachByAddress(llvm::Module &M, llvm::ArrayRef<llvm::GlobalVariable *> Variables);

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_PROGRAMVARIABLES_H
