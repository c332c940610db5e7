//===- MachineCodeListing.h - Prints memory instructions --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_MACHINECODELISTING_H
#define GMPROF_INSTRUMENT_MACHINECODELISTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace gmprof::instrument {

/// Prints the memory instructions of the cubins in a file: a cubin, a fat binary, or an executable
/// or object file with fat binaries. Prints one kernel and the functions in its section if Kernel
/// is not empty; an error says that no cubin has it. Cubins that cannot be read are counted below
/// the others, and an error if there are no others.
llvm::Error printMachineCode(llvm::raw_ostream &Stream, llvm::StringRef File,
                             llvm::StringRef Kernel);

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_MACHINECODELISTING_H
