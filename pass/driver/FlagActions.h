//===- FlagActions.h - What becomes of a flag -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the actions that the table of flags refers to. Each adds words, a setting or a message
// to the command line that is being read.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_FLAGACTIONS_H
#define GMPROF_DRIVER_FLAGACTIONS_H

#include "Flags.h"
#include <algorithm>

namespace gmprof::driver {

/// The state of reading a command line.
struct Parser {
  CommandLine Result;
  std::string ForcedLanguage;
  bool UnoptimisedDevice = false; ///< whatever -O says

  void add(Use For, std::vector<std::string> Words) {
    Result.Items.push_back({For, std::move(Words), Language::None, {}});
  }
  void addInput(const std::string &File);
  /// Keeps the earliest of the phases that flags ask for.
  void stopAfter(Phase Last) { Result.LastPhase = std::min(Result.LastPhase, Last); }
};

/// The form in which a flag takes its value.
enum class Value {
  None,
  Separated, ///< -name value
  Equals,    ///< -name=value
  Either,    ///< -name value, -name=value
  Joined,    ///< -name value, -namevalue
  Glued,     ///< -namevalue, also when empty
};

/// One flag. Names are separated by spaces. Do gets the value, and To is its parameter: usually
/// clang's spelling, in which % represents the value.
struct Flag {
  std::string_view Names;
  Value Takes;
  void (*Do)(Parser &P, const Flag &F, const std::string &Name, const std::string &Value);
  std::string_view To = {};
};

inline constexpr const char *StaticCudart =
    "a program with the static CUDA runtime could not run on the CPU device: link the shared one "
    "(-cudart=shared or -lcudart; in CMake CUDA_RUNTIME_LIBRARY Shared and CUDA::cudart)";

/// Adds the architectures of a list as in nvcc's -code=[sm_90,compute_90].
void addCodes(Parser &P, const std::string &Name, std::string_view List);

namespace actions {

using Action = void(Parser &P, const Flag &F, const std::string &Name, const std::string &Value);

/// Clang's flag under another name, or several flags.
Action replace, replaceForDevice, replaceInLink, replaceEach, replaceEachForDevice,
    replaceEachInLink, choose;
/// Flags that change nothing, or end in an error.
Action accept, ignore, reject;
/// The flag as written.
Action keep, keepForDevice, keepInLink, keepPath, keepPathInLink;
/// Phases.
Action query, check, compile, deviceLink, compileDeviceOnly;
/// Settings of the whole command line.
Action setOutput, setObjectDirectory, setCudaPath, setRelocatable, setDeviceOnly, setHostOnly,
    debugInfo, deviceDebugInfo, setVerbose, setLanguage;
/// Architectures.
Action addArch, setNvccArch, setNvccCode, addGencode;
/// The host compiler and the linker.
Action toHostCompiler, setCudart, addLibrary, setDefaultStream, setWerror;
/// GMProf's own options.
Action setPluginOption, setClones, setHostAccesses, setOff, setPrintOnly, setHelp, setVersion,
    setLevel, setCounterBits, setThreshold, setProfile, unknownOwn;

} // namespace actions

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_FLAGACTIONS_H
