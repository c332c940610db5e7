//===- Memory.h - Memory allocation of commands -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_MEMORY_H
#define GMPROF_CLI_MEMORY_H

#include <malloc.h>

namespace gmprof::cli {

/// Makes malloc keep freed memory. Otherwise, the arrays of each object would be returned to the
/// system and faulted in again page by page, which takes as long as processing them.
inline void keepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 25); // maximum value
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  // Otherwise the heaps of threads grow page by page, and page faults wait meanwhile.
  mallopt(M_TOP_PAD, 1 << 26);
}

} // namespace gmprof::cli

#endif // GMPROF_CLI_MEMORY_H
