//===- Flags.h - The command line of gmprof-clang++ -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a command line in clang's or nvcc's spelling. One entry of FlagTable.cpp per flag defines
// its translation; flags outside of the table are passed to clang unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_FLAGS_H
#define GMPROF_DRIVER_FLAGS_H

#include <string>
#include <string_view>
#include <vector>

namespace gmprof::driver {

enum class Language {
  None, ///< an object, a library, a linker script
  Cuda,
  Other, ///< any other source
};

/// The compilations that a word of the translated command line applies to.
enum class Use {
  Always,
  Device,  ///< only compiling CUDA needs it
  Linking, ///< only the link needs it: -l, -L, -Wl, …
  Input,
};

/// One or more words of clang's command line that belong together.
struct Item {
  Use For = Use::Always;
  std::vector<std::string> Words;
  Language Lang = Language::None; ///< of an input
  std::string ForcedLanguage;     ///< argument of the -x in force, in clang's spelling
};

/// The program that makes the clones of kernels.
enum class Clones {
  Default,  ///< on demand where that is possible
  Demand,   ///< by gmprof-instrument, at a kernel's first launch
  Compiled, ///< by the plugin
};

/// The last phase that clang runs.
enum class Phase {
  Query,      ///< no compilation: --version, -print-…
  Check,      ///< no code comes out: -E, -M, -fsyntax-only
  Compile,    ///< -c, -S
  DeviceLink, ///< nvcc's -dlink
  Link,
};

struct CommandLine {
  std::vector<Item> Items; ///< in order, except words that the members below hold
  Phase LastPhase = Phase::Link;
  std::string Output;                ///< of -o
  std::string ObjectDirectory;       ///< of nvcc's -odir
  std::string CudaPath;              ///< of --cuda-path
  std::string Compiler;              ///< as a launcher: the compiler to run
  std::vector<std::string> Archs;    ///< to compile for, as asked: sm_90, native, all, …
  std::vector<std::string> PtxArchs; ///< to include PTX for
  std::string VirtualArch;           ///< of nvcc's -arch=compute_XX
  bool DeviceOnly = false;           ///< --cuda-device-only, nvcc's -ptx, -cubin
  bool HostOnly = false;
  bool Relocatable = false;     ///< -r: the link makes an object
  bool DebugInfo = false;       ///< some -g flag was given
  bool FullDebugInfo = false;   ///< the last flag requests more than lines
  bool OptimisedDevice = false; ///< device code is compiled above -O0
  bool Verbose = false;
  Clones From = Clones::Default; ///< --gmprof-clones
  bool HostAccesses = false;     ///< --gmprof-host-accesses
  bool Off = false;              ///< --gmprof-off
  bool PrintOnly = false;        ///< --gmprof-print
  bool Help = false, Version = false;
  std::vector<std::string> PluginOptions; ///< -mllvm options from --gmprof-…

  std::vector<std::string> Errors;
  std::vector<std::string> Warnings; ///< always shown
  std::vector<std::string> Notes;    ///< shown with -v
};

CommandLine parse(const std::vector<std::string> &Arguments);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_FLAGS_H
