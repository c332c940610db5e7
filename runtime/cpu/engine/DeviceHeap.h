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

/// Null if the heap is full. Blocks stay allocated from launch to launch, as on
/// the GPU. The heap is apart from the program's own, which device code that
/// writes out of bounds must not damage.
void *deviceMalloc(size_t Bytes);

/// False if Pointer is not null and not what deviceMalloc returned.
bool deviceFree(void *Pointer);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_DEVICEHEAP_H
