//===- DeviceChoice.h - GPU or CPU device -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CPU device is a libcudart that is preloaded in place of CUDA's. It lies
// beside libgmprof.so, in gmprof/cpu/, wherever that is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_DEVICECHOICE_H
#define GMPROF_HOST_CORE_DEVICECHOICE_H

#include <string>
#include <string_view>

namespace gmprof::host {

/// Returns the path of the CPU device that belongs to the libgmprof.so in this directory.
std::string cpuDevicePath(std::string_view LibraryDirectory);

/// Returns whether CUDA_VISIBLE_DEVICES leaves no device; null: it is not set.
bool hidesAllDevices(const char *VisibleDevices);

/// Returns whether there is a GPU that CUDA can use. Does not initialise CUDA in this
/// process, which must stay free to fork: what the driver itself has to say is
/// asked in a child.
bool gpuPresent();

/// Returns whether LD_PRELOAD can name files of this folder: it takes colons and spaces as
/// separators.
inline bool canBePreloaded(std::string_view Folder) {
  return Folder.find_first_of(": ") == std::string_view::npos;
}

/// Returns LD_PRELOAD with First in front, and without any other libcudart or libgmprof.so.
std::string preloadWith(std::string_view First, std::string_view Preload);

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_DEVICECHOICE_H
