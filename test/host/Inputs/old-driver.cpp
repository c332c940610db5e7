//===- old-driver.cpp - A driver with devices, or without -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda.h>

extern "C" {
CUresult cuInit(unsigned) { return DEVICES ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE; }
CUresult cuDriverGetVersion(int *Version) {
  *Version = 12040;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *Count) {
  *Count = DEVICES;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *Device, int Ordinal) {
  *Device = Ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *Name, int Bytes, CUdevice Device) {
  std::snprintf(Name, Bytes, "Test GPU %d", Device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Attribute, CUdevice) {
  *Value = Attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 8 : 6;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char **Name) {
  *Name = "CUDA_ERROR_NO_DEVICE";
  return CUDA_SUCCESS;
}
}
