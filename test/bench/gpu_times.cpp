//===- gpu_times.cpp - Writes GPU times of kernels ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that the driver loads into a program (CUDA_INJECTION64_PATH) and that writes a line
// "START END STREAM NAME" for each kernel, copy and set, in nanoseconds, into the file $GPU_TIMES,
// by CUPTI's activity records. Events around a launch would also include the host's work before it.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cupti.h>

static constexpr size_t BufferBytes = size_t(8) << 20;
static std::FILE *Out;

static void CUPTIAPI request(uint8_t **Buffer, size_t *Bytes, size_t *MaxRecords) {
  *Buffer = static_cast<uint8_t *>(std::aligned_alloc(8, BufferBytes));
  *Bytes = BufferBytes;
  *MaxRecords = 0;
}

template <typename T> static void write(const CUpti_Activity *Record, const char *Name) {
  const auto *R = reinterpret_cast<const T *>(Record);
  std::fprintf(Out, "%llu %llu %u %s\n", static_cast<unsigned long long>(R->start),
               static_cast<unsigned long long>(R->end), R->streamId, Name);
}

static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *Buffer, size_t, size_t Valid) {
  CUpti_Activity *Record = nullptr;
  while (cuptiActivityGetNextRecord(Buffer, Valid, &Record) == CUPTI_SUCCESS)
    if (Record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      write<CUpti_ActivityKernel9>(Record,
                                   reinterpret_cast<const CUpti_ActivityKernel9 *>(Record)->name);
    else if (Record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
      write<CUpti_ActivityMemcpy5>(Record, "copy");
    else if (Record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
      write<CUpti_ActivityMemset4>(Record, "set");
  std::free(Buffer);
}

static void finish() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::fclose(Out);
}

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Path = std::getenv("GPU_TIMES");
  Out = Path ? std::fopen(Path, "w") : nullptr;
  if (!Out || cuptiActivityRegisterCallbacks(request, complete) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "gpu_times: no times of kernels; is $GPU_TIMES a file to write?\n");
    return 0;
  }
  std::atexit(finish);
  return 1;
}
