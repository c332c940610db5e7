//===- Errors.cpp - Error functions of libcudart --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

cudaError_t cudaGetLastError() { return takeLastError(); }
cudaError_t cudaPeekAtLastError() { return lastError(); }
const char *cudaGetErrorName(cudaError_t Error) { return errorName(Error); }
const char *cudaGetErrorString(cudaError_t Error) { return errorText(Error); }
