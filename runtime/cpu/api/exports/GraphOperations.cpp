//===- GraphOperations.cpp - Operations of graph nodes --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/GraphOperations.h"
#include "cpu/api/Copies.h"
#include "cpu/api/Events.h"
#include "cpu/api/Launch.h"
#include "cpu/api/Memory.h"
#include "cpu/api/exports/Call.h"
#include "cpu/api/exports/KernelNodes.h"
#include <algorithm>

namespace gmprof::cpu::api {

Result<Operation> copyOperation(const cudaMemcpy3DParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  CopySides Sides;
  if (cudaError_t Error = checkCopy(*P, Sides))
    return Error;
  return Operation(CopyOp{*P, nullptr});
}

Result<Operation> linearOperation(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  CopyOp Op = linearCopy(To, From, Bytes, Kind);
  return copyOperation(&Op.Params);
}

Result<Operation> symbolOperation(const void *Symbol, const void *Other, size_t Bytes,
                                  size_t Offset, cudaMemcpyKind Kind, bool ToSymbol) {
  Result<Variable> V = modules().variable(Symbol);
  if (!V)
    return V.Error;
  if (Offset > V.Value.Bytes || Bytes > V.Value.Bytes - Offset)
    return cudaErrorInvalidValue;
  char *Part = static_cast<char *>(V.Value.Address) + Offset;
  return ToSymbol ? linearOperation(Part, Other, Bytes, Kind)
                  : linearOperation(const_cast<void *>(Other), Part, Bytes, Kind);
}

Result<Operation> memsetOperation(const cudaMemsetParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  MemsetOp Op{*P};
  MemoryKind To;
  if (cudaError_t Error = checkMemset(Op, To))
    return Error;
  return Operation(Op);
}

Result<Operation> hostOperation(cudaHostFn_t Function, void *Data) {
  if (!Function)
    return cudaErrorInvalidValue;
  return Operation(HostOp{Function, Data});
}

Result<Operation> recordOperation(cudaEvent_t Handle) {
  if (std::shared_ptr<Event> E = events().find(Handle))
    return Operation(EventRecordOp{E, true});
  return cudaErrorInvalidResourceHandle;
}

Result<Operation> waitOperation(cudaEvent_t Handle) {
  if (std::shared_ptr<Event> E = events().find(Handle))
    return Operation(EventWaitOp{E, true});
  return cudaErrorInvalidResourceHandle;
}

Result<Operation> childOperation(cudaGraph_t Handle) {
  std::shared_ptr<Graph> G = graphs().find(Handle);
  if (!G)
    return cudaErrorInvalidValue;
  if (G->isConditional())
    return cudaErrorNotSupported;
  return Operation(ChildOp{G->clone()});
}

static bool sizeFits(const cudaConditionalNodeParams &P) {
  switch (P.type) {
  case cudaGraphCondTypeIf:
    return P.size == 1 || P.size == 2;
  case cudaGraphCondTypeWhile:
    return P.size == 1;
  case cudaGraphCondTypeSwitch:
    return P.size != 0;
  }
  return false;
}

Result<Operation> conditionalOperation(const Graph &G, cudaConditionalNodeParams &P) {
  auto By = std::find_if(G.Handles->begin(), G.Handles->end(),
                         [&](const auto &Each) { return Each->handle() == P.handle; });
  if (By == G.Handles->end() || (*By)->Used || !sizeFits(P))
    return cudaErrorInvalidValue;
  ConditionalOp Op{*By, P.type, {}, nullptr};
  for (unsigned I = 0; I != P.size; ++I) {
    auto &Body = Op.Bodies.emplace_back(std::make_shared<Graph>());
    Body->IsBody = true;
    Body->Handles = G.Handles;
  }
  Op.Handles = std::make_shared<GraphHandles>(Op.Bodies);
  Op.By->Used = true;
  P.phGraph_out = Op.Handles->All.data();
  return Operation(std::move(Op));
}

template <typename Params> Result<Operation> allocOperation(Params *P) {
  if (!P || P->bytesize == 0)
    return cudaErrorInvalidValue;
  AllocOp Op{GraphMemory::allocate(currentDeviceIndex(), P->bytesize, "cudaGraphAddMemAllocNode")};
  if (!Op.Memory)
    return cudaErrorMemoryAllocation;
  P->dptr = Op.Memory->Start;
  Op.Params = {P->poolProps, P->accessDescs, P->accessDescCount, P->bytesize, P->dptr};
  return Operation(std::move(Op));
}
template Result<Operation> allocOperation(cudaMemAllocNodeParams *P);

Result<Operation> freeOperation(void *Start) {
  if (!memory().findStart(Start))
    return cudaErrorInvalidValue;
  return Operation(FreeOp{Start});
}

Result<Operation> genericOperation(cudaGraphNodeParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  switch (P->type) {
  case cudaGraphNodeTypeKernel: {
    auto &K = P->kernel;
    cudaKernelNodeParams Params = {K.func,           K.gridDim,      K.blockDim,
                                   K.sharedMemBytes, K.kernelParams, K.extra};
    return kernelOperation(&Params);
  }
  case cudaGraphNodeTypeMemcpy:
    return copyOperation(&P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    auto &M = P->memset;
    cudaMemsetParams Params = {M.dst, M.pitch, M.value, M.elementSize, M.width, M.height};
    return memsetOperation(&Params);
  }
  case cudaGraphNodeTypeHost:
    return hostOperation(P->host.fn, P->host.userData);
  case cudaGraphNodeTypeGraph:
    return childOperation(P->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return Operation(EmptyOp());
  case cudaGraphNodeTypeWaitEvent:
    return waitOperation(P->eventWait.event);
  case cudaGraphNodeTypeEventRecord:
    return recordOperation(P->eventRecord.event);
  case cudaGraphNodeTypeMemAlloc:
    return allocOperation(&P->alloc);
  case cudaGraphNodeTypeMemFree:
    return freeOperation(P->free.dptr);
  default:
    complainThatItLacks("graph nodes of type " + std::to_string(P->type));
    return cudaErrorNotSupported;
  }
}

} // namespace gmprof::cpu::api
