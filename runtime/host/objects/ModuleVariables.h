//===- ModuleVariables.h - Variables of the program's modules ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of a module's __device__ variables, all of which a kernel can reach if it loads pointers
// from memory or calls unknown functions. The program's start-up code registers the names, long
// before profiling begins.
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

/// Registers a variable; may run before main. Shadow: the program's address for the variable on the
/// host.
void registerModuleVariable(const void *Shadow, const char *Symbol, bool Constant);

/// Returns the mangled names of all registered variables except constants.
std::vector<std::string> moduleVariables();
/// Returns how many these are.
size_t moduleVariableCount();

std::optional<ShadowedVariable> shadowedVariable(const void *Shadow);

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_MODULEVARIABLES_H
