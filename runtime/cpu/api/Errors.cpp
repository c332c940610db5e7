//===- Errors.cpp - Error codes and per-thread last error -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Errors.h"
#include <cstdio>

namespace gmprof::cpu::api {

namespace {
thread_local cudaError_t Last = cudaSuccess;
thread_local bool InHostFunction = false;
} // namespace

const char *errorName(cudaError_t Error) {
  switch (Error) {
#define GMPROF_ERROR(Code, Text)                                                                   \
  case Code:                                                                                       \
    return #Code;
#include "cpu/api/ErrorCodes.inc"
#undef GMPROF_ERROR
  }
  return "unrecognized error code";
}

const char *errorText(cudaError_t Error) {
  switch (Error) {
#define GMPROF_ERROR(Code, Text)                                                                   \
  case Code:                                                                                       \
    return Text;
#include "cpu/api/ErrorCodes.inc"
#undef GMPROF_ERROR
  }
  return "unrecognized error code";
}

cudaError_t record(cudaError_t Error) {
  if (Error != cudaSuccess && Error != cudaErrorNotReady)
    Last = Error;
  return Error;
}

cudaError_t lastError() { return Last; }

cudaError_t takeLastError() {
  cudaError_t Error = Last;
  Last = cudaSuccess;
  return Error;
}

void complain(const std::string &Line) {
  std::string Text = "gmprof: " + Line + "\n";
  fputs(Text.c_str(), stderr);
}

void complainThatItLacks(const std::string &What) {
  complain("the CPU device does not support " + What + " yet; run the program on a GPU");
}

HostFunctionScope::HostFunctionScope() { InHostFunction = true; }
HostFunctionScope::~HostFunctionScope() { InHostFunction = false; }
bool inHostFunction() { return InHostFunction; }

} // namespace gmprof::cpu::api
