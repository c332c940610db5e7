//===- Doctor.cpp - Diagnoses this machine --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Doctor.h"
#include "Toolchain.h"
#include "host/core/DeviceChoice.h"
#include "host/instrument/CloneSource.h"
#include "host/sync/ManagedMigrations.h"
#include "report/symbols/Symbolizer.h"
#include "report/text/Terminal.h"
#include "report/text/TextStyle.h"
#include "tool/gmprof/Preparation.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <optional>
#include <sys/statvfs.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

using State = Diagnosis::State;

bool readable(const std::string &File) { return access(File.c_str(), R_OK) == 0; }

Diagnosis ofFile(const std::string &What, const std::string &File, const std::string &Without) {
  if (!File.empty() && readable(File))
    return {State::Works, What, File};
  return {
      State::Broken, What,
      fmt::format("{} is not there: {}; reinstall GMProf", File.empty() ? "it" : File, Without)};
}

/// Asks the driver about itself. This process makes no other use of CUDA.
class Driver {
public:
  Driver() : Library(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {}
  /// Returns one entry for each GPU, or the error.
  std::vector<Diagnosis> devices();

private:
  template <typename Function> Function *find(const char *Name) {
    return Library ? reinterpret_cast<Function *>(dlsym(Library, Name)) : nullptr;
  }

  void *const Library;
};

std::string versionText(int Version) {
  return fmt::format("{}.{}", Version / 1000, Version % 1000 / 10);
}

std::vector<Diagnosis> Driver::devices() {
  constexpr char Advice[] = "programs run on the CPU device here";
  if (!Library)
    return {{State::Missing, "GPU",
             fmt::format("there is no NVIDIA driver (libcuda.so.1): {}; install one of CUDA 13 for "
                         "GPUs",
                         Advice)}};
  auto *Init = find<decltype(cuInit)>("cuInit");
  auto *Count = find<decltype(cuDeviceGetCount)>("cuDeviceGetCount");
  auto *Get = find<decltype(cuDeviceGet)>("cuDeviceGet");
  auto *Name = find<decltype(cuDeviceGetName)>("cuDeviceGetName");
  auto *Attribute = find<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  auto *ErrorName = find<decltype(cuGetErrorName)>("cuGetErrorName");
  auto *Version = find<decltype(cuDriverGetVersion)>("cuDriverGetVersion");
  if (!Init || !Count || !Get || !Name || !Attribute || !ErrorName || !Version)
    return {{State::Broken, "GPU",
             fmt::format("libcuda.so.1 is no driver that GMProf knows: {}", Advice)}};
  int Number = 0, Driver = 0;
  CUresult Result = Init(0);
  if (Result == CUDA_SUCCESS)
    Result = Count(&Number);
  if (Result != CUDA_SUCCESS || Number == 0) {
    const char *Error = nullptr;
    ErrorName(Result, &Error);
    return {{State::Missing, "GPU",
             fmt::format("the driver shows none{}{}: {}; nvidia-smi and CUDA_VISIBLE_DEVICES may "
                         "say why",
                         Result == CUDA_SUCCESS ? "" : ", ",
                         Result == CUDA_SUCCESS ? ""
                         : Error                ? Error
                                                : "an unknown error",
                         Advice)}};
  }
  Version(&Driver);
  std::vector<Diagnosis> All;
  for (int I = 0; I < Number; ++I) {
    CUdevice Device = 0;
    char Text[256] = "";
    int Major = 0, Minor = 0;
    Get(&Device, I);
    Name(Text, sizeof(Text), Device);
    Attribute(&Major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, Device);
    Attribute(&Minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, Device);
    All.push_back({State::Works, "GPU",
                   fmt::format("{} (compute capability {}.{}), driver for CUDA {}", Text, Major,
                               Minor, versionText(Driver))});
  }
  if (Driver < 13000)
    All.push_back({State::Broken, "driver",
                   fmt::format("it is for CUDA {}, and programs are compiled with CUDA 13: install "
                               "a newer one (580 or later)",
                               versionText(Driver))});
  return All;
}

Diagnosis cupti() {
  constexpr char Without[] = "--profile sync does not say what managed memory moves";
  if (getenv("CUDA_INJECTION64_PATH"))
    return {State::Missing, "CUPTI",
            fmt::format("another tool uses it (CUDA_INJECTION64_PATH is set): {}", Without)};
  const std::vector<std::string> Libraries = ManagedMigrations::standardLibraries();
  for (const std::string &Each : Libraries)
    if (void *Library = dlopen(Each.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(Library);
      return {State::Works, "CUPTI", Each};
    }
  return {State::Missing, "CUPTI",
          fmt::format("{} is not there: {}; set LD_LIBRARY_PATH or CUDA_PATH to find it",
                      Libraries.front(), Without)};
}

/// Checks the current folder, below which gmprof run writes its results.
Diagnosis outputFolder() {
  if (access(".", W_OK) != 0)
    return {State::Missing, "this folder",
            fmt::format("it cannot be written ({}): run elsewhere, or say where with gmprof run -o",
                        std::strerror(errno))};
  struct statvfs Free = {};
  constexpr uint64_t Few = 1 << 30;
  if (statvfs(".", &Free) != 0)
    return {State::Works, "this folder", "can be written"};
  const uint64_t Bytes = static_cast<uint64_t>(Free.f_bavail) * Free.f_frsize;
  const std::string Megabytes = text::grouped(Bytes >> 20);
  if (Bytes < Few)
    return {State::Missing, "this folder",
            fmt::format("{} MiB are free: event logs may take more; say where to with gmprof run "
                        "-o",
                        Megabytes)};
  return {State::Works, "this folder", fmt::format("can be written, {} MiB are free", Megabytes)};
}

/// Kernels whose clones were not compiled need the program that makes them.
Diagnosis instrumenter() {
  if (std::string Path = realPath(CloneSource::installedHelper()); !Path.empty())
    return {State::Works, "clones", std::move(Path)};
  return {State::Missing, "clones",
          "gmprof-instrument is not there: only kernels of gmprof-clang++ --gmprof-clones=compiled "
          "are profiled; reinstall GMProf"};
}

std::string usageText(const CloneCache::Usage &Of) {
  return fmt::format("{} entr{}, {} MiB", text::grouped(Of.Entries), Of.Entries == 1 ? "y" : "ies",
                     text::grouped((Of.Bytes + (1 << 20) - 1) >> 20));
}

Diagnosis cloneCache() {
  const std::string Folder = CloneCache::defaultDirectory();
  if (Folder.empty())
    return {State::Missing, "clone cache",
            "neither XDG_CACHE_HOME nor HOME names a folder: clones are made again in each run"};
  return {State::Works, "clone cache",
          fmt::format("{} in {} (gmprof doctor --clear-cache removes them)",
                      usageText(CloneCache(Folder).usage()), Folder)};
}

Diagnosis tool(const char *What, const Result<std::string> &Path) {
  return Path ? Diagnosis{State::Works, What, *Path}
              : Diagnosis{State::Missing, What, Path.error()};
}

bool noneBroken(const std::vector<Diagnosis> &All) {
  return std::none_of(All.begin(), All.end(),
                      [](const Diagnosis &D) { return D.Is == State::Broken; });
}

} // namespace

bool Diagnoses::canRun() const { return noneBroken(Running); }

bool Diagnoses::canCompile() const {
  return std::all_of(Compiling.begin(), Compiling.end(),
                     [](const Diagnosis &D) { return D.Is == State::Works; });
}

Diagnoses diagnose() {
  Diagnoses All;
  const std::string Folder = libraryDirectory();
  All.Running.push_back(ofFile("GMProf " GMPROF_VERSION,
                               Folder.empty() ? "libgmprof.so" : Folder + "/libgmprof.so",
                               "nothing can be profiled"));
  All.Running.push_back(
      ofFile("CPU device", cpuDevicePath(Folder), "programs need a GPU to be run"));
  for (Diagnosis &D : Driver().devices())
    All.Running.push_back(std::move(D));
  All.Running.push_back(ofFile("symbols", symbolizerPath(), "calls have no source lines"));
  All.Running.push_back(instrumenter());
  All.Running.push_back(cloneCache());
  All.Running.push_back(cupti());
  All.Running.push_back(outputFolder());

  All.Compiling.push_back(tool("clang++ 22", driver::findClang("")));
  Result<std::string> Cuda = driver::findCuda("");
  if (Cuda)
    *Cuda += fmt::format(" (CUDA {})", versionText(static_cast<int>(driver::cudaVersion(*Cuda))));
  All.Compiling.push_back(tool("CUDA toolkit", Cuda));
  All.Compiling.push_back(
      ofFile("compiler pass", Folder + "/libGMPass.so", "kernels cannot be instrumented"));
  return All;
}

std::string diagnosesText(const Diagnoses &All, unsigned Width) {
  std::string Text;
  const auto Add = [&](const char *Title, const std::vector<Diagnosis> &Those) {
    Text += fmt::format("{}\n", Title);
    for (const Diagnosis &D : Those) {
      const char *Is = D.Is == State::Works ? "ok" : D.Is == State::Missing ? "missing" : "BROKEN";
      Text += text::wrapped(fmt::format("  {:<8} {:<13}  ", Is, D.What), D.Detail, Width);
    }
  };
  Add("To run and profile programs:", All.Running);
  Add("\nTo compile them:", All.Compiling);
  return Text + fmt::format("\nPrograms can{} be profiled here{}.\n", All.canRun() ? "" : "not",
                            All.canRun() && !All.canCompile()
                                ? ", but not compiled with gmprof-clang++"
                                : "");
}

int clearCloneCache() {
  const std::string Folder = CloneCache::defaultDirectory();
  const CloneCache Cache(Folder);
  const CloneCache::Usage Removed = Cache.clear();
  fmt::print("removed {} from {}\n", usageText(Removed), Folder);
  if (Cache.usage().Entries == 0)
    return 0;
  fmt::print(stderr, "gmprof: the rest of '{}' cannot be removed: check its permissions\n", Folder);
  return 1;
}

int runDoctor() {
  const Diagnoses All = diagnose();
  const unsigned Width = terminalOptions(STDOUT_FILENO).Width;
  std::fputs(text::render(diagnosesText(All, Width), false).c_str(), stdout);
  return All.canRun() ? 0 : 1;
}

} // namespace gmprof::host
