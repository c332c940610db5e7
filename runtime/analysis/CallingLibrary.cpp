//===- CallingLibrary.cpp - Libraries that allocate for themselves --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CallingLibrary.h"

namespace gmprof::analysis {

namespace {

/// Beginning of a file's name, and the library.
struct Library {
  const char *File, *Name;
};

constexpr Library Libraries[] = {
    {"libcublas", "cuBLAS"},     {"libcudnn", "cuDNN"},       {"libcufft", "cuFFT"},
    {"libcusparse", "cuSPARSE"}, {"libcusolver", "cuSOLVER"}, {"libcurand", "cuRAND"},
    {"libcutensor", "cuTENSOR"}, {"libnccl", "NCCL"},         {"libnvshmem", "NVSHMEM"},
    {"libnvinfer", "TensorRT"},  {"libc10", PyTorch},         {"libtorch", PyTorch},
    {"xla_cuda_plugin", "XLA"},  {"xla_extension", "XLA"},    {"libjax_common", "XLA"},
};

} // namespace

std::string libraryOfFile(const std::string &Path) {
  const std::string File = Path.substr(Path.rfind('/') + 1);
  for (const Library &Each : Libraries)
    if (File.starts_with(Each.File))
      return Each.Name;
  return "";
}

/// Returns true for the allocator of the temporary memory of Thrust's algorithms, in headers.
static bool isTemporaryOfThrust(const std::string &Function) {
  return Function.find("thrust::") != std::string::npos &&
         Function.find("::temporary_allocator<") != std::string::npos;
}

std::string callingLibrary(const profile::CallPath &Path) {
  for (const profile::Frame &F : Path.Frames) {
    if (isTemporaryOfThrust(F.Function))
      return "Thrust";
    if (std::string Name = libraryOfFile(F.Image); !Name.empty())
      return Name;
  }
  return "";
}

} // namespace gmprof::analysis
