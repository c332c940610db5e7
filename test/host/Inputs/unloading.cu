// Releases the primary context when it is unloaded at exit, as cuBLAS does.
#include "../../end-to-end/driver.h"

static PFN_cuDevicePrimaryCtxRelease_v11000 Release;

__attribute__((destructor)) static void unload() {
  std::printf("released: %d\n", static_cast<int>(Release(0)));
}

int main() {
  DRIVER(cuDevicePrimaryCtxRetain, 7000);
  Release =
      driverFunction<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease", 11000);
  CHECK(cudaFree(nullptr));
  for (int I = 0; I < 2; ++I) {
    CUcontext Context;
    CHECK_DRIVER(cuDevicePrimaryCtxRetainOf(&Context, 0));
    CHECK_DRIVER(Release(0));
  }
  std::printf("ends\n");
}
