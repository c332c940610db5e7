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

#ifndef GMPROF_HOST_OBJECTS_MODULEVARIABLES_H
#define GMPROF_HOST_OBJECTS_MODULEVARIABLES_H

#include <optional>
#include <string>
#include <vector>

namespace gmprof::host {

struct ShadowedVariable {
  std::string Symbol; ///< mangled
  bool Constant = false;
};

/// As registered, before main too. Shadow is what the program names it by on the host.
void registerModuleVariable(const void *Shadow, const char *Symbol, bool Constant);

/// Mangled names of all that were registered, but for constants.
std::vector<std::string> moduleVariables();

std::optional<ShadowedVariable> shadowedVariable(const void *Shadow);

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_MODULEVARIABLES_H
