//===- Startup.cpp - What happens before main -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads GMPROF_OPTIONS and, where there is no GPU, executes the program again
// with the CPU device preloaded. Once: GMPROF_REEXECUTED says so, and holds the
// program's own LD_PRELOAD, which is put back so that neither the program nor its
// children see a difference.
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceFile.h"
#include "host/core/DeviceChoice.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/instrument/CompiledFiles.h"
#include "host/python/PythonStacks.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/WhatIf.h"
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

constexpr char Reexecuted[] = "GMPROF_REEXECUTED";

std::string realPath(const char *Path) {
  char Resolved[PATH_MAX];
  return Path && realpath(Path, Resolved) ? Resolved : "";
}

/// Returns the file that a function was loaded from.
std::string fileOf(const void *Function) {
  Dl_info Info = {};
  return dladdr(Function, &Info) ? realPath(Info.dli_fname) : "";
}

std::string directoryOf(const std::string &Path) { return Path.substr(0, Path.rfind('/')); }

void say(const std::string &Line) {
  std::string Text = "gmprof: " + Line + "\n";
  [[maybe_unused]] ssize_t Written = write(STDERR_FILENO, Text.data(), Text.size());
}

/// Returns only if that fails.
void executeAgain(const std::string &Library, const std::string &CpuDevice) {
  std::vector<std::string> Command = commandLine();
  std::vector<char *> Argv;
  for (std::string &Word : Command)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  const char *Preload = getenv("LD_PRELOAD");
  setenv(Reexecuted, Preload ? (std::string("=") + Preload).c_str() : "", 1);
  setenv("LD_PRELOAD", preloadWith(Library + ":" + CpuDevice, Preload ? Preload : "").c_str(), 1);
  execv("/proc/self/exe", Argv.data());
}

/// Returns whether this is the second execution; the environment is the program's again.
bool restoreEnvironment() {
  const char *Saved = getenv(Reexecuted);
  if (!Saved)
    return false;
  if (*Saved == '=')
    setenv("LD_PRELOAD", std::string(Saved + 1).c_str(), 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv(Reexecuted);
  return true;
}

/// Makes sure that the program runs on the device that was chosen.
void chooseDevice(Settings &S, const void *Launch, bool Second) {
  std::string Library = fileOf(reinterpret_cast<const void *>(&chooseDevice));
  std::string Expected = cpuDevicePath(directoryOf(Library));
  std::string CpuDevice = realPath(Expected.c_str());
  bool OnCpu = !CpuDevice.empty() && fileOf(Launch) == CpuDevice;
  S.DeviceKind = OnCpu ? "cpu" : "gpu";
  DeviceChoice Choice = S.TheOptions.Device;
  if (OnCpu || Second || Choice == DeviceChoice::Gpu)
    return;
  if (Choice == DeviceChoice::Auto && gpuPresent())
    return;
  // A preload that cannot be loaded would keep the program from starting.
  const char *Why = "it does not exist";
  if (!canBePreloaded(Library))
    Why = "its folder has a colon or a space in its name";
  else if (!CpuDevice.empty() && !dlopen(CpuDevice.c_str(), RTLD_LAZY | RTLD_LOCAL))
    Why = dlerror();
  else if (!CpuDevice.empty())
    executeAgain(Library, CpuDevice);
  if (Choice == DeviceChoice::Cpu)
    say("the CPU device, " + Expected + ", cannot be loaded (" + (Why ? Why : "unknown error") +
        "): reinstall GMProf, or use device=gpu");
}

__attribute__((constructor)) void startUp() {
  // A privileged program takes no orders from its environment.
  if (getauxval(AT_SECURE))
    return;
  bool Second = restoreEnvironment();
  Settings &S = settings();
  if (const char *Text = getenv("GMPROF_OPTIONS"))
    S.Mistakes = parseOptions(Text, S.TheOptions);
  S.Enabled = !S.TheOptions.Profiles.empty();
  if (S.Enabled && isPtxas(commandLine()))
    std::atexit([] { rememberPtxas(commandLine(), moduleImages()); });
  const std::optional<SyncStage> Stage = S.TheOptions.syncStage();
  if (Stage && watches(*Stage)) {
    FaultHandler::prepare(HostWatch::ask);
    // Large buffers keep pages of their own, which can be watched. By default malloc() takes them
    // from its heap once a buffer of that size was freed, be it one of CUDA's or GMProf's.
    constexpr int DefaultThreshold = 128 << 10;
    ::mallopt(M_MMAP_THRESHOLD, DefaultThreshold);
  }
  // A program that was linked with libgmprof.so, or a preloaded one, need not use CUDA at all, or
  // may load libcudart later, or have it inside: then nothing is to be chosen or said.
  void *Launch = realFunction(RuntimeFunction::cudaLaunchKernel);
  if (Launch)
    chooseDevice(S, Launch, Second);
  if (!S.TheOptions.Plan.empty() && !S.Enabled)
    if (std::string Why = WhatIf::begin(S.TheOptions.Plan); !Why.empty())
      S.Mistakes.push_back("what-if: " + Why);
  if (needsPythonStacks(S))
    PythonStacks::ofProcess().find();
  if (!Launch)
    return;
  for (const std::string &Mistake : S.Mistakes)
    say("GMPROF_OPTIONS: " + Mistake);
  // CUPTI has to be asked for migrations before the program's first call, be it one that is
  // not interposed.
  if (Stage && S.TheOptions.Migrations)
    Session::begin();
}

// After all exit handlers, when CUDA cannot be called any more.
__attribute__((destructor)) void shutDown() { Session::reportLate(); }

} // namespace
} // namespace gmprof::host
