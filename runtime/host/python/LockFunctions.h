//===- LockFunctions.h - Releases of the interpreter's lock -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_PYTHON_LOCKFUNCTIONS_H
#define GMPROF_HOST_PYTHON_LOCKFUNCTIONS_H

#include "host/python/PythonApi.h"

namespace gmprof::host {

/// Redirects calls of PyEval_SaveThread and PyEval_RestoreThread to this library, in the program
/// and in the libraries that are loaded, except in the interpreter itself. PythonStacks thus knows
/// the stack of a thread that has released the lock. Changes the global offset tables, because
/// symbols of an executable that contains the interpreter cannot be interposed.
void redirectLockFunctions(const PythonApi &Of);

} // namespace gmprof::host

#endif // GMPROF_HOST_PYTHON_LOCKFUNCTIONS_H
