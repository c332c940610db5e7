//===- GraphOperations.h - Operations of graph nodes ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_GRAPHOPERATIONS_H
#define GMPROF_CPU_API_EXPORTS_GRAPHOPERATIONS_H

#include "cpu/api/Graphs.h"

namespace gmprof::cpu::api {

// Each checks its parameters, and returns the operation that CUDA's parameters describe.
Result<Operation> copyOperation(const cudaMemcpy3DParms *P);
Result<Operation> linearOperation(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind);
Result<Operation> symbolOperation(const void *Symbol, const void *Other, size_t Bytes,
                                  size_t Offset, cudaMemcpyKind Kind, bool ToSymbol);
Result<Operation> memsetOperation(const cudaMemsetParams *P);
Result<Operation> hostOperation(cudaHostFn_t Function, void *Data);
Result<Operation> recordOperation(cudaEvent_t Handle);
Result<Operation> waitOperation(cudaEvent_t Handle);
Result<Operation> childOperation(cudaGraph_t Handle);
Result<Operation> freeOperation(void *Start);
Result<Operation> genericOperation(cudaGraphNodeParams *P);

/// Returns the operation of a conditional node in G, with new bodies.
Result<Operation> conditionalOperation(const Graph &G, cudaConditionalNodeParams &P);

/// Allocates memory in the graph, and sets P->dptr to its address.
template <typename Params> Result<Operation> allocOperation(Params *P);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EXPORTS_GRAPHOPERATIONS_H
