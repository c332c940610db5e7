//===- Memory.h - How commands take memory ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_MEMORY_H
#define GMPROF_CLI_MEMORY_H

#include <malloc.h>

namespace gmprof::cli {

/// What is freed is kept for what comes next. Else each of the arrays that objects are looked at
/// in, one after the other, would be given back to the system and come again page by page, which
/// takes as long as looking at them.
inline void keepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 25); // the most that there may be
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  // Threads' heaps would grow page by page, and whoever touches memory meanwhile would wait.
  mallopt(M_TOP_PAD, 1 << 26);
}

} // namespace gmprof::cli

#endif // GMPROF_CLI_MEMORY_H
