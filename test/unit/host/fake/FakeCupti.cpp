//===- FakeCupti.cpp - A CUPTI that tests control -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the records are flushed, this CUPTI reports two migrations, one record of another kind, and
// three dropped records. Times are those of the callback.
//
//===----------------------------------------------------------------------===//

#include <cupti.h>

namespace {

CUpti_BuffersCallbackRequestFunc Give;
CUpti_BuffersCallbackCompleteFunc Take;
CUpti_TimestampCallbackFunc Now;
bool Enabled, ToDevice, ToHost;
size_t Next;

CUpti_ActivityUnifiedMemoryCounter3 *records(uint8_t *Buffer) {
  return reinterpret_cast<CUpti_ActivityUnifiedMemoryCounter3 *>(Buffer);
}

} // namespace

extern "C" {

CUptiResult
cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *Config,
                                           uint32_t Count) {
  for (uint32_t I = 0; I < Count; ++I) {
    if (!Config[I].enable)
      return CUPTI_ERROR_INVALID_PARAMETER;
    ToDevice |= Config[I].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
    ToHost |= Config[I].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc Callback) {
  Now = Callback;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc Request,
                                           CUpti_BuffersCallbackCompleteFunc Complete) {
  Give = Request;
  Take = Complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind Kind) {
  Enabled = Kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && ToDevice && ToHost && Now && Give;
  return Enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  Enabled = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  if (!Enabled)
    return CUPTI_ERROR_NOT_INITIALIZED;
  uint8_t *Buffer = nullptr;
  size_t Bytes = 0, MaxRecords = 0;
  Give(&Buffer, &Bytes, &MaxRecords);
  const uint64_t Time = Now();
  CUpti_ActivityUnifiedMemoryCounter3 R = {};
  R.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  R.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  R.value = 65536;
  R.start = Time;
  R.end = Time + 500;
  R.address = 0x10000;
  R.dstId = 1;
  records(Buffer)[0] = R;
  R.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  R.value = 4096;
  R.address = 0x20000;
  R.srcId = 2;
  R.dstId = 0;
  records(Buffer)[1] = R;
  R.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  records(Buffer)[2] = R;
  Next = 0;
  Take(nullptr, 0, Buffer, Bytes, 3 * sizeof(R));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *Buffer, size_t Valid, CUpti_Activity **Record) {
  if (Next * sizeof(CUpti_ActivityUnifiedMemoryCounter3) >= Valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *Record = reinterpret_cast<CUpti_Activity *>(&records(Buffer)[Next++]);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t *Dropped) {
  *Dropped = 3;
  return CUPTI_SUCCESS;
}

} // extern "C"
