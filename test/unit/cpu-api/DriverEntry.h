//===- DriverEntry.h - Access to driver functions ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CPU_API_DRIVERENTRY_H
#define GMPROF_TEST_CPU_API_DRIVERENTRY_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace gmprof::test {

/// Returns a driver function, which the CPU device must have.
template <typename Signature> Signature *entry(const char *Name) {
  void *Function = nullptr;
  cudaDriverEntryPointQueryResult Status = cudaDriverEntryPointVersionNotSufficent;
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion(Name, &Function, 12000, cudaEnableLegacyStream, &Status),
      cudaSuccess);
  EXPECT_EQ(Status, cudaDriverEntryPointSuccess) << Name;
  return reinterpret_cast<Signature *>(Function);
}

} // namespace gmprof::test

#define DRIVER(Name) gmprof::test::entry<decltype(Name)>(#Name)

#endif // GMPROF_TEST_CPU_API_DRIVERENTRY_H
