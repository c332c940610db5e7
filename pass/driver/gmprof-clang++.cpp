//===- gmprof-clang++.cpp - clang++ that compiles with GMProf -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A drop-in for clang++ and, in its usage, for nvcc: compiles CUDA with
// GMProf's plugin and links GMProf's runtime. Started with a compiler as first
// argument it stands in for that compiler (CMake's compiler launcher).
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Hints.h"
#include "Plan.h"
#include "Process.h"
#include "ResponseFiles.h"
#include "Toolchain.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using namespace gmprof::driver;

namespace {

constexpr const char *Help = R"(gmprof-clang++: clang++ that compiles CUDA programs for GMProf
usage: gmprof-clang++ [options of clang++ or nvcc] file...
       gmprof-clang++ COMPILER [its options]        (as a compiler launcher)

  --gmprof-clones=WHEN      when instrumented clones of kernels are made: demand (by
                            gmprof-instrument at a kernel's first launch, the default) or
                            compiled (now, for machines without gmprof-instrument; slower
                            compilation, larger program). With -rdc=true, -ptx and -cubin
                            they are always compiled
  --gmprof-profile=WHAT     compile the clones of some profiles only: some of
                            shared,global,objects,heat,cache
  --gmprof-level=LEVEL      how memory accesses are counted: basic, sa, sa-na, sa-na-sm,
                            sa-na-sm-th (the default)
  --gmprof-counter-bits=N   width of a counter of shared memory: 8, 16 or 32
  --gmprof-counter-updates=HOW  plain (may lose counts) or atomic (not with 8 bits)
  --gmprof-threshold=N      stop counting a word of a block at N accesses
  --gmprof-global-counter-bits=N  width of a counter of global memory: 8, 16 or 32
  --gmprof-global-threshold=N  stop counting an element of a launch at N accesses
  --gmprof-kernels=REGEX    instrument only kernels whose name matches
  --gmprof-host-accesses    have host code say when it uses what the GPU wrote to stacks and
                            beside other data, for --profile sync
  --gmprof-off              compile without instrumentation, link without libgmprof.so
  --gmprof-print            print the clang++ commands instead of running them
  -v                        say which flags have no effect, and clang's own -v
  --version                 the versions of GMProf and clang

environment:
  GMPROF_CLANG              the clang++ 22 to use
  GMPROF_CUDA_ARCH          the architecture when none is given (otherwise that of the
                            machine's GPUs, or sm_90)
  CUDA_PATH, CUDA_HOME      the CUDA 13 toolkit, when not in /usr/local/cuda

Then: gmprof run -o prof -- ./program; gmreport prof/summary.json
)";

int fail(const std::string &Message) {
  std::fprintf(stderr, "gmprof-clang++: error: %s\n", Message.c_str());
  return 1;
}

bool isNvcc(const std::string &Compiler) { return fs::path(Compiler).filename() == "nvcc"; }

bool isClang(const std::string &Compiler) {
  std::string Name = fs::path(Compiler).filename();
  return Name.starts_with("clang") || Name.starts_with("gmprof-clang++");
}

/// Returns whether GMProf runs as a launcher: the first argument is a program, not a source or an
/// object.
bool isLauncher(const std::vector<std::string> &Arguments) {
  if (Arguments.empty() || Arguments[0].starts_with("-") || Arguments[0].starts_with("@"))
    return false;
  std::string Name = fs::path(Arguments[0]).filename();
  bool IsKnown = isNvcc(Name) || isClang(Name) || Name == "g++" || Name == "gcc" || Name == "c++" ||
                 Name == "cc";
  return fs::path(Name).extension() != ".cu" &&
         (IsKnown || (fs::is_regular_file(Arguments[0]) && !Name.ends_with(".so") &&
                      access(Arguments[0].c_str(), X_OK) == 0));
}

/// Makes clang write its diagnostics to a file, in addition to standard error. Returns false if the
/// user already sends them elsewhere.
bool logDiagnostics(const std::string &File) {
  return !std::getenv("CC_LOG_DIAGNOSTICS") && setenv("CC_LOG_DIAGNOSTICS", "1", 1) == 0 &&
         setenv("CC_LOG_DIAGNOSTICS_FILE", File.c_str(), 1) == 0;
}

/// Returns the compiler that a launcher runs as clang++; empty for GMProf's. clang is clang++ under
/// another name.
std::string compilerOfLauncher(const std::string &Compiler) {
  return isNvcc(Compiler) || Compiler.find("gmprof-clang++") != std::string::npos ? "" : Compiler;
}

int runAll(const std::vector<Command> &Commands) {
  for (const Command &C : Commands)
    if (int Status = run(C)) {
      if (Status == 127)
        return fail("cannot run " + C.front());
      return Status;
    }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> Arguments(argv + 1, argv + argc);
  std::string Compiler;
  bool IsLaunched = isLauncher(Arguments);
  if (IsLaunched) {
    Compiler = Arguments.front();
    Arguments.erase(Arguments.begin());
  }
  CommandLine Line = parse(expandResponseFiles(Arguments));

  if (IsLaunched && !isNvcc(Compiler) && !isClang(Compiler)) {
    // Host code is left to the project's own compiler.
    if (generatesDeviceCode(Line))
      return fail("'" + Compiler + "' cannot compile CUDA with GMProf: launch clang++ 22 or nvcc");
    Command Unchanged(argv + 1, argv + argc);
    return runAll({Unchanged});
  }

  if (Line.Help) {
    std::fputs(Help, stdout);
    return 0;
  }
  if (Line.Version) {
    std::puts("gmprof-clang++ " GMPROF_VERSION);
    std::fflush(stdout);
    Line.Items.push_back({Use::Always, {"--version"}, Language::None, {}});
  }

  Toolchain Tools;
  gmprof::Result<std::string> Clang = findClang(compilerOfLauncher(Compiler));
  if (!Clang)
    return fail(Clang.error());
  Tools.Clang = *Clang;
  Tools.LibraryDirectory = libraryDirectory();
  Tools.IncludeDirectory = includeDirectory();
  gmprof::Result<std::vector<std::string>> Archs = std::vector<std::string>();
  if (Line.LastPhase != Phase::Query) {
    gmprof::Result<std::string> Cuda = findCuda(Line.CudaPath);
    if (!Cuda)
      return fail(Cuda.error());
    Tools.CudaPath = *Cuda;
    if (generatesDeviceCode(Line) || !Line.Archs.empty())
      Archs = resolveArchs(Line.Archs, Tools.Clang);
    if (!Archs)
      return fail(Archs.error());
    if (!Line.PtxArchs.empty())
      if (const auto Ptx = resolveArchs(Line.PtxArchs, Tools.Clang); !Ptx)
        return fail(Ptx.error());
  }

  TemporaryDirectory Temporary;
  if (Temporary.path().empty())
    return fail("cannot make a temporary folder: set TMPDIR to a folder that can be written");
  std::vector<Command> Commands = planCommands(Line, Tools, *Archs, Temporary.path());
  if (!Line.Errors.empty())
    return fail(Line.Errors.front());
  for (const std::string &Warning : Line.Warnings)
    std::fprintf(stderr, "gmprof-clang++: warning: %s\n", Warning.c_str());
  if (Line.Verbose)
    for (const std::string &Note : Line.Notes)
      std::fprintf(stderr, "gmprof-clang++: note: %s\n", Note.c_str());

  if (Line.PrintOnly) {
    for (const Command &C : Commands)
      std::puts(quoted(C).c_str());
    return 0;
  }
  if (!Line.Off && Line.LastPhase >= Phase::Compile)
    for (auto [Library, IsNeeded] : {std::pair("libGMPass.so", generatesDeviceCode(Line)),
                                     std::pair("libgmprof.so", Line.LastPhase == Phase::Link)})
      if (IsNeeded && !fs::exists(Tools.LibraryDirectory + "/" + Library))
        return fail(Tools.LibraryDirectory + " has no " + Library +
                    ": build or install GMProf completely");
  const std::string Log = Temporary.path() + "/diagnostics";
  const bool IsLogging = logDiagnostics(Log);
  const int Status = runAll(Commands);
  if (Status && IsLogging)
    for (const std::string &Hint : hintsFor(readDiagnostics(Log)))
      std::fprintf(stderr, "gmprof-clang++: note: %s\n", Hint.c_str());
  return Status;
}
