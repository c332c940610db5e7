//===- DriverApi.cpp - Driver functions that the host runtime calls -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/DriverApi.h"
#include "host/interpose/DriverHooks.h"

namespace gmprof::host {

static void *findEntryPoint(const char *Name, int Version) {
  return driverEntryPoint(Name, Version, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
}

std::string DriverApi::load() {
  std::string Missing;
#define GMPROF_DRIVER_OPTIONAL(name, version)                                                      \
  name = reinterpret_cast<decltype(name)>(findEntryPoint(#name, version));
#define GMPROF_DRIVER_REQUIRED(name, version)                                                      \
  name = reinterpret_cast<decltype(name)>(findEntryPoint(#name, version));                         \
  if (!name)                                                                                       \
    Missing += std::string(Missing.empty() ? "" : ", ") + #name;
#include "host/core/DriverFunctions.def"
  if (Missing.empty())
    return "";
  return "the CUDA driver lacks " + Missing + ": GMProf needs one of CUDA 12.4 or later";
}

std::string describe(CUresult Error) {
  return "CUDA driver error " + std::to_string(static_cast<int>(Error));
}

} // namespace gmprof::host
