//===- DeviceChoice.cpp - GPU or CPU device -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/DeviceChoice.h"
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof::host {

std::string cpuDevicePath(std::string_view LibraryDirectory) {
  return std::string(LibraryDirectory) + "/gmprof/cpu/libcudart.so.13";
}

static const char *const DriverName = "libcuda.so.1";

/// Whether the driver is in a folder that is searched for libraries. To load it takes longer than
/// all else that is done before the program starts.
static bool driverIsInstalled() {
  void *Program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo Size;
  if (!Program || dlinfo(Program, RTLD_DI_SERINFOSIZE, &Size) != 0)
    return false;
  const std::unique_ptr<void, decltype(&std::free)> Memory(std::calloc(1, Size.dls_size),
                                                           std::free);
  auto *Folders = static_cast<Dl_serinfo *>(Memory.get());
  if (!Folders || dlinfo(Program, RTLD_DI_SERINFOSIZE, Folders) != 0 ||
      dlinfo(Program, RTLD_DI_SERINFO, Folders) != 0)
    return false;
  for (unsigned I = 0; I < Folders->dls_cnt; ++I)
    if (access((std::string(Folders->dls_serpath[I].dls_name) + "/" + DriverName).c_str(), R_OK) ==
        0)
      return true;
  return false;
}

/// In a child: asks the driver for its devices. Nothing is printed.
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

bool gpuPresent() {
  // The usual cases need no child: a device node of the driver (Linux, WSL,
  // Tegra), and nothing that hides devices.
  const bool Node = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0 ||
                    access("/dev/nvgpu", F_OK) == 0 || access("/dev/nvhost-ctrl", F_OK) == 0;
  const bool HasAny = Node && !getenv("CUDA_VISIBLE_DEVICES");
  if (HasAny && driverIsInstalled())
    return true;
  void *Driver = dlopen(DriverName, RTLD_LAZY | RTLD_LOCAL);
  if (!Driver)
    return false;
  const bool Present = HasAny || driverHasDevices(Driver);
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
