//===- GpuLibraries.cpp - Libraries that need a GPU -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/GpuLibraries.h"
#include "cpu/api/Errors.h"
#include <algorithm>
#include <array>
#include <link.h>
#include <string_view>
#include <vector>

namespace gmprof::cpu::api {

/// Libraries that need a GPU. Excludes libcublasLt, on which others depend.
static constexpr auto Names = std::to_array<std::string_view>(
    {"libcublas.so", "libcudnn.so", "libcufft.so", "libcurand.so", "libcusolver.so",
     "libcusparse.so", "libnccl.so", "libnppc.so", "libnvjpeg.so"});

std::string gpuLibraries(std::span<const std::string> Paths) {
  std::string List;
  for (const std::string &Path : Paths) {
    const std::string_view File = std::string_view(Path).substr(Path.rfind('/') + 1);
    if (std::ranges::any_of(Names, [&](std::string_view Name) { return File.starts_with(Name); }))
      List.append(List.empty() ? "" : ", ").append(File);
  }
  return List;
}

static int addPath(dl_phdr_info *Library, size_t, void *Paths) {
  static_cast<std::vector<std::string> *>(Paths)->emplace_back(Library->dlpi_name);
  return 0;
}

void complainOfGpuLibraries() {
  std::vector<std::string> Paths;
  dl_iterate_phdr(addPath, &Paths);
  if (const std::string List = gpuLibraries(Paths); !List.empty())
    complain("on the CPU device calls of " + List + " fail: they have code for GPUs alone");
}

} // namespace gmprof::cpu::api
