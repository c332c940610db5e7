//===- DriverApi.h - Driver functions that the host runtime calls -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CPU device provides the same functions, so that everything else is the
// same on both devices. See DriverFunctions.def.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_DRIVERAPI_H
#define GMPROF_HOST_CORE_DRIVERAPI_H

#include <cuda.h>
#include <string>

namespace gmprof::host {

struct DriverApi {
#define GMPROF_DRIVER_REQUIRED(name, version) decltype(&::name) name = nullptr;
#include "host/core/DriverFunctions.def"

  /// Finds the functions. Returns why nothing can be profiled, or an empty string.
  std::string load();

  /// Returns the number of the current device. It is 0 in a thread without a context, since
  /// cudaSetDevice makes the context.
  int currentDevice() const {
    CUdevice Device = 0;
    return cuCtxGetDevice && cuCtxGetDevice(&Device) == CUDA_SUCCESS ? Device : 0;
  }
};

/// Returns the number of an error in words, for coverage; the CUDA runtime tells the program what
/// it means.
std::string describe(CUresult Error);

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_DRIVERAPI_H
