//===- Copies.h - Copies and memsets: what is allowed, and doing them -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every copy is a box of bytes (cudaMemcpy3DParms), of height and depth 1 for
// the plain ones.
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

/// The memory on both sides of a copy.
struct CopySides {
  MemoryKind From = MemoryKind::Pageable, To = MemoryKind::Pageable;
};

/// Checks pitches, bounds, lifetimes and direction as CUDA does.
cudaError_t checkCopy(const cudaMemcpy3DParms &P, CopySides &Sides);
cudaError_t checkMemset(const MemsetOp &Op, MemoryKind &To);

/// Checks a copy and puts it into the stream. `Blocking` says whether the call
/// was cudaMemcpy rather than cudaMemcpyAsync. What each waits for was measured
/// on an H200:
///   blocking      unless both sides are device memory
///   asynchronous  if the destination is pageable or both sides are host memory;
///                 from pageable memory, if there is more than is staged
cudaError_t copy(Stream &S, CopyOp Op, bool Blocking);

/// cudaMemset waits on pinned and managed memory, cudaMemsetAsync never.
cudaError_t fill(Stream &S, MemsetOp Op, bool Blocking);

/// False if memory that was there when the operation was submitted is not any more.
bool executeCopy(const CopyOp &Op);
bool executeMemset(const MemsetOp &Op);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_COPIES_H
