//===- ProgramSource.cpp - Source lines of the program --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ProgramSource.h"
#include <algorithm>
#include <string_view>

namespace gmprof::analysis {

bool isWrapper(const profile::Frame &F) {
  std::string_view File = F.Source.File;
  return File.ends_with("/cuda_runtime.h") || File.ends_with("/gmprof/gmprof.h") ||
         F.Function.starts_with("__device_stub__") ||
         F.Function.starts_with("c10::cuda::CUDACachingAllocator::");
}

/// Returns true for CUDA's C++ libraries, which CUDA 13 keeps in their own folder, and PyTorch's.
static bool isOfLibrary(const profile::Frame &F) {
  static constexpr const char *Folders[] = {"/include/cccl/", "/include/thrust/", "/include/cub/",
                                            "/torch/include/"};
  return std::any_of(std::begin(Folders), std::end(Folders), [&](const char *Folder) {
    return F.Source.File.find(Folder) != std::string::npos;
  });
}

const profile::Frame *programFrame(const profile::CallPath &Path) {
  for (const profile::Frame &F : Path.Frames)
    if (!F.Source.File.empty() && F.Source.Line != 0 && !isWrapper(F) && !isOfLibrary(F))
      return &F;
  return nullptr;
}

profile::SourcePosition programSource(const profile::CallPath &Path) {
  const profile::Frame *F = programFrame(Path);
  return F ? F->Source : profile::SourcePosition();
}

} // namespace gmprof::analysis
