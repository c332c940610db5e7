//===- compare.h - Compares memory of the GPU ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

/// Adds the number of bytes in which A and B differ to *Count, in the default stream. All are
/// addresses of the GPU.
void countDifferences(const unsigned char *A, const unsigned char *B, size_t Bytes,
                      unsigned long long *Count);
