//===- ModuleVariables.h - Variables of the program's modules ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that loads pointers from memory, or calls what is not known, can reach
// each __device__ variable of its module. The program's start-up code registers
// their names, long before anything is profiled.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_MODULEVARIABLES_H
#define GMPROF_HOST_MODULEVARIABLES_H

#include <string>
#include <vector>

namespace gmprof::host {

/// As registered, before main too.
void registerModuleVariable(const char *Symbol);

/// Mangled names of all that were registered.
std::vector<std::string> moduleVariables();

} // namespace gmprof::host

#endif // GMPROF_HOST_MODULEVARIABLES_H
