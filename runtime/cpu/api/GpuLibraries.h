//===- GpuLibraries.h - Libraries that need a GPU ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLAS and the like have code for GPUs alone, and call the driver by
// themselves. The CPU device cannot run them; they only say that they are not
// initialized.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_GPULIBRARIES_H
#define GMPROF_CPU_API_GPULIBRARIES_H

#include <span>
#include <string>

namespace gmprof::cpu::api {

/// Those of the shared libraries at Paths that need a GPU, as "libcublas.so.13, libcufft.so.12"; or
/// empty.
std::string gpuLibraries(std::span<const std::string> Paths);

/// Says which such libraries the program is linked with, if any.
void complainOfGpuLibraries();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GPULIBRARIES_H
