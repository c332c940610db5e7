//===- DeviceChoice.cpp - GPU or CPU device -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/DeviceChoice.h"
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof::host {

std::string cpuDevicePath(std::string_view LibraryDirectory) {
  return std::string(LibraryDirectory) + "/gmprof/cpu/libcudart.so.13";
}

/// Asks the driver for its devices, in a child process. Prints nothing.
static bool driverHasDevices(void *Driver) {
  auto Init = reinterpret_cast<int (*)(unsigned)>(dlsym(Driver, "cuInit"));
  auto Count = reinterpret_cast<int (*)(int *)>(dlsym(Driver, "cuDeviceGetCount"));
  if (!Init || !Count)
    return false;
  pid_t Child = fork();
  if (Child < 0)
    return true; // let the program find out
  if (Child == 0) {
    int Devices = 0;
    bool Present = Init(0) == 0 && Count(&Devices) == 0 && Devices > 0;
    _exit(Present ? 0 : 1);
  }
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

bool hidesAllDevices(const char *VisibleDevices) {
  // The list ends at the first entry that is not valid.
  return VisibleDevices &&
         (*VisibleDevices == 0 || std::string_view(VisibleDevices).starts_with("-"));
}

bool gpuPresent() {
  void *Driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!Driver)
    return false;
  // A device node of the driver (Linux, WSL, Tegra) needs no child. Tools that are injected into
  // CUDA, as Nsight Compute, end programs that initialize it before main, also in a child.
  const bool IsKnown = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0 ||
                       access("/dev/nvgpu", F_OK) == 0 || access("/dev/nvhost-ctrl", F_OK) == 0 ||
                       getenv("CUDA_INJECTION64_PATH");
  const bool Present =
      !hidesAllDevices(getenv("CUDA_VISIBLE_DEVICES")) && (IsKnown || driverHasDevices(Driver));
  dlclose(Driver);
  return Present;
}

std::string preloadWith(std::string_view First, std::string_view Preload) {
  std::string Result(First);
  while (!Preload.empty()) {
    size_t End = std::min(Preload.find_first_of(": "), Preload.size());
    std::string_view Entry = Preload.substr(0, End);
    Preload.remove_prefix(std::min(End + 1, Preload.size()));
    std::string_view Name = Entry.substr(Entry.rfind('/') + 1);
    if (Entry.empty() || Name.starts_with("libcudart.so") || Name == "libgmprof.so")
      continue;
    Result += ':';
    Result += Entry;
  }
  return Result;
}

} // namespace gmprof::host
