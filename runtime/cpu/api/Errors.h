//===- Errors.h - Error codes and per-thread last error ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every API function returns through `api` or `query`, which record its error as the thread's last
// error. cudaErrorNotReady is not recorded, as in CUDA 13.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ERRORS_H
#define GMPROF_CPU_API_ERRORS_H

#include <driver_types.h>
#include <string>

namespace gmprof::cpu::api {

const char *errorName(cudaError_t Error);
const char *errorText(cudaError_t Error);

/// Records and returns `Error`.
cudaError_t record(cudaError_t Error);
cudaError_t lastError();
cudaError_t takeLastError();

/// Prints one line to stderr.
void complain(const std::string &Line);
/// Reports that the CPU device lacks a feature, and what to do.
void complainThatItLacks(const std::string &What);

/// Marks this thread as executing a host function of a stream, in which CUDA
/// permits no API calls.
class HostFunctionScope {
public:
  HostFunctionScope();
  ~HostFunctionScope();
};
bool inHostFunction();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ERRORS_H
