//===- DriverFunctions.h - CUDA driver functions by name --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_DRIVERFUNCTIONS_H
#define GMPROF_CPU_API_EXPORTS_DRIVERFUNCTIONS_H

#include "cpu/api/Streams.h"
#include <string>

namespace gmprof::cpu::api {

/// Returns a driver function; null if the CPU device lacks it.
template <DefaultStream Meaning> void *driverFunction(const std::string &Name);
template <> void *driverFunction<DefaultStream::Legacy>(const std::string &Name);
template <> void *driverFunction<DefaultStream::PerThread>(const std::string &Name);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EXPORTS_DRIVERFUNCTIONS_H
