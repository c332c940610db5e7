//===- KernelAttributes.h - Attributes that programs set --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs set attributes on their kernels (cudaFuncSetAttribute), which clones must have, too.
// Dynamic shared memory is none of them: clones get all that the device has.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELATTRIBUTES_H
#define GMPROF_HOST_LAUNCH_KERNELATTRIBUTES_H

#include "host/core/Device.h"
#include <string>

namespace gmprof::host {

struct Kernel;

/// Returns true if a clone has the attributes that the program set on the kernel. The driver does
/// not tell the cache configuration, which is not compared.
bool hasAttributes(const DriverApi &Api, CUfunction Clone, const Kernel &K);

/// Copies the attributes that the program set to a clone. Returns why that failed, or an empty
/// string.
std::string copyAttributes(const DriverApi &Api, const Kernel &K, CUfunction Clone);

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELATTRIBUTES_H
