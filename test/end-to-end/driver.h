// The driver's functions, as programs ask the runtime for them.
#ifndef GMPROF_TEST_DRIVER_H
#define GMPROF_TEST_DRIVER_H

#include "common.h"
#include <cuda.h>
#include <cudaTypedefs.h>

/// Ends the program where there is none.
template <typename Function> Function driverFunction(const char *Name, unsigned Version) {
  void *Found = nullptr;
  cudaDriverEntryPointQueryResult Status;
  CHECK(cudaGetDriverEntryPointByVersion(Name, &Found, Version, cudaEnableLegacyStream, &Status));
  if (Status != cudaDriverEntryPointSuccess) {
    std::printf("the driver has no %s\n", Name);
    std::exit(1);
  }
  return reinterpret_cast<Function>(Found);
}

#define DRIVER(name, version)                                                                      \
  static const auto name##Of = driverFunction<PFN_##name##_v##version>(#name, version)

#define CHECK_DRIVER(call)                                                                         \
  do {                                                                                             \
    CUresult Error = (call);                                                                       \
    if (Error != CUDA_SUCCESS) {                                                                   \
      std::printf("%s: error %d\n", #call, static_cast<int>(Error));                               \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

#endif
