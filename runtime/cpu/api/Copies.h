//===- Copies.h - Copies and memsets ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every copy is a box of bytes (cudaMemcpy3DParms); linear copies have height and depth 1.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_COPIES_H
#define GMPROF_CPU_API_COPIES_H

#include "cpu/api/Memory.h"
#include "cpu/api/Operations.h"

namespace gmprof::cpu::api {

CopyOp linearCopy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind);
CopyOp pitchedCopy(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                   size_t Height, cudaMemcpyKind Kind);
MemsetOp linearMemset(void *To, int Value, size_t Bytes);

/// Kinds of memory on both sides of a copy.
struct CopySides {
  MemoryKind From = MemoryKind::Pageable, To = MemoryKind::Pageable;
};

/// Checks pitches, bounds, lifetimes and direction as CUDA does.
cudaError_t checkCopy(const cudaMemcpy3DParms &P, CopySides &Sides);
cudaError_t checkMemset(const MemsetOp &Op, MemoryKind &To);

/// Checks a copy and submits it to the stream. `Blocking` distinguishes cudaMemcpy from
/// cudaMemcpyAsync. The call waits as measured on an H200:
///   blocking      unless both sides are device memory
///   asynchronous  if the destination is pageable or both sides are host memory;
///                 from pageable memory, if there is more than is staged
cudaError_t copy(Stream &S, CopyOp Op, bool Blocking);

/// Fills memory. cudaMemset waits on pinned and managed memory, cudaMemsetAsync never.
cudaError_t fill(Stream &S, MemsetOp Op, bool Blocking);

/// Executes an operation. Returns false if its memory was freed after submission.
bool executeCopy(const CopyOp &Op);
bool executeMemset(const MemsetOp &Op);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_COPIES_H
