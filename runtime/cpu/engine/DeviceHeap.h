//===- DeviceHeap.h - malloc() and free() of device code ------ -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_DEVICEHEAP_H
#define GMPROF_CPU_ENGINE_DEVICEHEAP_H

#include <cstddef>

namespace gmprof::cpu {

/// Allocates device memory; returns null if the heap is full. Allocations persist across launches,
/// as on the GPU. The heap is separate from the program's, so out-of-bounds writes of device code
/// do not corrupt that.
void *deviceMalloc(size_t Bytes);

/// Frees memory. Returns false if Pointer is neither null nor an allocation of deviceMalloc().
bool deviceFree(void *Pointer);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_DEVICEHEAP_H
