//===- GpuLibraries.h - Libraries that need a GPU ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries such as cuBLAS contain GPU code only and call the driver directly. The CPU device
// cannot run them, and they merely report that they are not initialized.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_GPULIBRARIES_H
#define GMPROF_CPU_API_GPULIBRARIES_H

#include <span>
#include <string>

namespace gmprof::cpu::api {

/// Returns the names of the shared libraries in Paths that need a GPU, as "libcublas.so.13,
/// libcufft.so.12"; or an empty string.
std::string gpuLibraries(std::span<const std::string> Paths);

/// Reports the libraries that need a GPU, if the program is linked with any.
void complainOfGpuLibraries();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GPULIBRARIES_H
