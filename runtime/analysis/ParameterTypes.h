//===- ParameterTypes.h - Types of a kernel's parameters --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads types from demangled names.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_PARAMETERTYPES_H
#define GMPROF_ANALYSIS_PARAMETERTYPES_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Returns the types of the parameters: "float const*", "int"; nothing if the name has none.
std::vector<std::string> parameterTypes(const std::string &Demangled);

/// Returns the type that the variable, a parameter, points to: "float"; empty if it is unknown.
std::string elementType(const profile::Kernel &K, uint32_t Variable);

/// Returns true for the integer types of atomics.
bool isIntegerType(const std::string &Type);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_PARAMETERTYPES_H
