//===- Preparation.cpp - Prepares a run -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Preparation.h"
#include "cli/StatusLine.h"
#include "cli/Suggestion.h"
#include "host/core/DeviceChoice.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace gmprof::host {

int fail(int Status, const std::string &Message) {
  cli::clearStatusLine();
  std::fprintf(stderr, "gmprof: %s\n", Message.c_str());
  return Status;
}

std::string realPath(const std::string &Path) {
  char Resolved[PATH_MAX];
  return realpath(Path.c_str(), Resolved) ? Resolved : "";
}

std::string libraryDirectory() {
  std::string Self = realPath("/proc/self/exe");
  std::string Bin = Self.substr(0, Self.rfind('/'));
  for (const char *Candidate : {"/../lib", "/../" GMPROF_INSTALL_LIBDIR, ""}) {
    std::string Library = realPath(Bin + Candidate + "/libgmprof.so");
    if (!Library.empty())
      return Library.substr(0, Library.rfind('/'));
  }
  return "";
}

/// Returns "; did you mean heat?" for the first word of an option's value, key=word,word, that is
/// near one of its choices, and empty if all are choices.
static std::string suggestion(const RunCommand &Command, const std::string &Option) {
  const size_t Equals = Option.find('=');
  const auto Choices = Command.Choices.find(Option.substr(0, Equals));
  if (Choices == Command.Choices.end())
    return "";
  std::istringstream Words(Option.substr(Equals + 1));
  for (std::string Each; std::getline(Words, Each, ',');)
    if (std::ranges::find(Choices->second, Each) == Choices->second.end())
      return cli::suggestChoice(Each, Choices->second);
  return "";
}

int prepareOptions(const RunCommand &Command, Options &O) {
  std::vector<std::string> Mistakes;
  if (const char *Text = getenv("GMPROF_OPTIONS"))
    for (const std::string &Mistake : parseOptions(Text, O))
      Mistakes.push_back("GMPROF_OPTIONS: " + Mistake);
  for (const std::string &Option : Command.Options) {
    size_t Value = Option.find('=') + 1;
    std::string Escaped = Option.substr(0, Value);
    for (char C : Option.substr(Value))
      Escaped += C == ':' ? std::string("\\:") : std::string(1, C);
    for (const std::string &Mistake : parseOptions(Escaped, O))
      Mistakes.push_back("--" + Mistake + suggestion(Command, Option));
  }
  for (const std::string &Mistake : Mistakes)
    fail(ExitUsage, Mistake);
  return Mistakes.empty() ? 0 : ExitUsage;
}

int prepareProgram(const RunCommand &Command, Preparation &P) {
  Result<std::string> Path = findProgram(Command.Program[0]);
  if (!Path)
    return fail(ExitNotFound, Path.error());
  P.Program = *Path;
  if (const std::string Real = realPath(P.Program); Real == realPath("/proc/self/exe"))
    return fail(ExitUsage, "'" + Command.Program[0] +
                               "' is gmprof itself: name the program that it would run");
  Result<ProgramFacts> Facts = checkProgram(P.Program);
  if (!Facts)
    return fail(access(P.Program.c_str(), F_OK) == 0 ? ExitCannotRun : ExitNotFound, Facts.error());
  P.Facts = *Facts;
  return 0;
}

int prepareDevice(Preparation &P) {
  std::string Folder = libraryDirectory();
  if (Folder.empty())
    return fail(ExitOwnFailure, "libgmprof.so is not in lib/ beside this command's bin/: reinstall "
                                "GMProf");
  DeviceChoice Choice = P.TheOptions.Device;
  bool Gpu = Choice != DeviceChoice::Cpu && gpuPresent();
  if (Choice == DeviceChoice::Gpu && !Gpu)
    return fail(ExitOwnFailure, "there is no GPU that CUDA can use here: run with --device=cpu");
  P.OnCpu = !Gpu;
  if (P.OnCpu && P.Facts.OwnCudart)
    return fail(ExitCannotRun, "'" + P.Program +
                                   "' has the CUDA runtime linked in statically, so that it needs "
                                   "a GPU, and there is none that CUDA can use here: link it with "
                                   "-lcudart (nvcc: -cudart=shared) instead of -lcudart_static");
  if (P.OnCpu && P.Facts.KernelsInside && !P.Facts.BitcodeInside && !P.Facts.PtxInside)
    return fail(ExitCannotRun, "'" + P.Program +
                                   "' has no kernels for the CPU device, and there is no GPU that "
                                   "CUDA can use here: build it with gmprof-clang++, embed PTX "
                                   "(nvcc -gencode arch=compute_90,code=compute_90), or run it "
                                   "where there is a GPU");
  P.TheOptions.Device = Gpu ? DeviceChoice::Gpu : DeviceChoice::Cpu;
  std::string First = Folder + "/libgmprof.so";
  if (P.OnCpu) {
    if (access(cpuDevicePath(Folder).c_str(), R_OK) != 0)
      return fail(ExitOwnFailure, "there is no GPU that CUDA can use here and no CPU device at " +
                                      cpuDevicePath(Folder) + ": reinstall GMProf");
    First += ":" + cpuDevicePath(Folder);
  }
  if (!canBePreloaded(Folder))
    return fail(ExitOwnFailure, "GMProf cannot be loaded from '" + Folder +
                                    "': install it in a folder without colons and spaces");
  const char *Before = getenv("LD_PRELOAD");
  P.Preload = preloadWith(First, Before ? Before : "");
  const char *PythonBefore = getenv("PYTHONPATH");
  P.PythonPath = PythonBefore ? PythonBefore : "";
  if (const std::string Own = realPath(Folder + "/../share/gmprof/python"); !Own.empty())
    P.PythonPath = P.PythonPath.empty() ? Own : Own + ":" + P.PythonPath;
  return 0;
}

} // namespace gmprof::host
