//===- CallingLibrary.cpp - Libraries that allocate for themselves --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CallingLibrary.h"
#include "analysis/Wording.h"
#include <algorithm>
#include <iterator>
#include <string_view>

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

/// Functions of PyTorch that allocate a workspace from its own allocator and give it to a library.
struct Workspace {
  const char *Function, *Library;
};

constexpr Workspace Workspaces[] = {
    {"at::cuda::setWorkspaceForHandle(", "cuBLAS"},
    {"at::cuda::getCurrentCUDABlasHandle(", "cuBLAS"},
    {"at::cuda::getCUDABlasLtWorkspace(", "cuBLAS"},
    {"at::native::run_conv_plan(", "cuDNN"},
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

std::string workspaceLibrary(const profile::CallPath &Path) {
  for (const profile::Frame &F : Path.Frames)
    for (const Workspace &Each : Workspaces)
      if (F.Function.starts_with(Each.Function))
        return Each.Library;
  return "";
}

static bool hasFunctionOf(const profile::CallPath &Path, std::string_view Prefix) {
  return std::ranges::any_of(
      Path.Frames, [&](const profile::Frame &F) { return F.Function.starts_with(Prefix); });
}

bool isOfCompiler(const profile::CallPath &Path) {
  static constexpr std::string_view Files[] = {"/torch/_dynamo/convert_frame.py",
                                               "/torch/_inductor/select_algorithm.py",
                                               "/torch/_inductor/runtime/benchmarking.py"};
  return std::ranges::any_of(Path.Frames, [](const profile::Frame &F) {
    return std::ranges::any_of(Files, [&](auto File) { return F.Source.File.ends_with(File); });
  });
}

bool isOfBackwardPass(const profile::CallPath &Path) {
  return hasFunctionOf(Path, "torch::autograd::Engine::");
}

bool isWithinPyTorch(const profile::CallPath &Path) {
  return isOfBackwardPass(Path) || hasFunctionOf(Path, "at::_ops::");
}

bool isLibraryKernel(const std::string &Demangled) {
  static constexpr std::string_view Beginnings[] = {
      "thrust::", "cub::", "at::", "cudnn", "cublas", "ncclDevKernel", "sm80_xmma_", "sm90_xmma_"};
  const std::string Name = shortName(Demangled);
  return std::ranges::any_of(Beginnings, [&](auto B) { return Name.starts_with(B); });
}

bool concernsKernelCode(const std::string &Pattern) {
  static constexpr std::string_view Patterns[] = {"underused_shared_memory",
                                                  "no_reuse_in_live_range",
                                                  "shared_memory_abuse",
                                                  "bank_conflict",
                                                  "shared_memory_candidate",
                                                  "hot_spot",
                                                  "local_memory",
                                                  "serialized_constant_load",
                                                  "atomic_contention"};
  return std::ranges::find(Patterns, Pattern) != std::end(Patterns);
}

} // namespace gmprof::analysis
