//===- Transfers.h - Copies and sets ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts all forms of cudaMemcpy and cudaMemset, and the driver's, to one description and to a
// record. Memory outside of known objects belongs to the host, unless the direction of the copy
// says otherwise. HostWait follows the behaviour of an H200 with CUDA 13.0 (and CUDA's
// documentation, "API synchronization behavior"): behaviour that depends on sizes or drivers counts
// as unknown.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_TRANSFERS_H
#define GMPROF_HOST_OBJECTS_TRANSFERS_H

#include "host/objects/Objects.h"
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace gmprof::host {

class Session;

struct TransferSide {
  const void *Pointer = nullptr; ///< an address, or the handle of an array or variable
  uint64_t Pitch = 0, SlicePitch = 0;
  uint64_t Offset = 0; ///< in an array or variable, or from Pointer
  enum class What { Memory, Array, Variable } Is = What::Memory;
  /// Location as the call states it.
  enum class Where { Unknown, Host, Device } In = Where::Unknown;
  bool Opaque = false; ///< the number of bytes is unknown
};

struct Transfer {
  TransferSide To, From;
  uint64_t RowBytes = 0, Rows = 1, Slices = 1;
  bool Set = false, Peer = false;
};

/// Returns a transfer of memory: Rows rows of RowBytes each.
Transfer copyOf(void *To, uint64_t ToPitch, const void *From, uint64_t FromPitch, uint64_t RowBytes,
                uint64_t Rows, cudaMemcpyKind Kind);
Transfer copyOf(const cudaMemcpy3DParms &Params);
Transfer copyOf(const cudaMemcpy3DPeerParms &Params);
Transfer copyOf(const cudaMemcpy3DBatchOp &Copy);
Transfer copyOf(const CUDA_MEMCPY3D_BATCH_OP &Copy);
Transfer copyOf(const CUDA_MEMCPY2D &Copy);
Transfer copyOf(const CUDA_MEMCPY3D &Copy);
Transfer copyOf(const CUDA_MEMCPY3D_PEER &Copy);
Transfer copyOf(const TransferSide &To, const TransferSide &From, uint64_t RowBytes,
                uint64_t Rows = 1);
Transfer setOf(void *To, uint64_t Pitch, uint64_t RowBytes, uint64_t Rows);
Transfer setOf(const cudaPitchedPtr &To, const cudaExtent &Extent);

inline TransferSide arraySide(const void *Array) {
  return {Array, 0, 0, 0, TransferSide::What::Array, TransferSide::Where::Device, false};
}
inline TransferSide variableSide(const void *Variable, uint64_t Offset) {
  return {Variable, 0, 0, Offset, TransferSide::What::Variable, TransferSide::Where::Device, false};
}

/// A call that made a transfer.
struct TransferCall {
  const char *Api;
  const void *Caller;
  cudaStream_t Stream;
  bool Async;
  uint64_t BeginNs;
};

/// Returns true for memory of the host that is neither page-locked nor managed.
inline bool isPageable(const log::CopyOperand &Side) { return Side.object == 0 && Side.host != 0; }
/// Returns the record of a call that has succeeded.
log::CopyRecord transferRecord(Session &S, const TransferCall &Call, const Transfer &T);
/// Records a transfer, or a node of a graph that will make it. Returns the record, without rows if
/// there is nothing to transfer.
log::CopyRecord recordTransfer(Session &S, const TransferCall &Call, const Transfer &T);

/// Registers the variable whose host shadow has this address as an object, if it is not one yet.
void noteShadowedVariable(Session &S, const void *Shadow);

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_TRANSFERS_H
