//===- FlagActions.cpp - What becomes of a flag ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagActions.h"
#include "ResponseFiles.h"
#include <charconv>
#include <cstdint>
#include <set>

namespace gmprof::driver {

static std::vector<std::string> splitWords(std::string_view List, char Separator) {
  std::vector<std::string> Words;
  while (!List.empty()) {
    size_t End = std::min(List.find(Separator), List.size());
    if (End)
      Words.emplace_back(List.substr(0, End));
    List.remove_prefix(std::min(End + 1, List.size()));
  }
  return Words;
}

static std::vector<std::string> substitute(std::string_view Pattern, const std::string &Value) {
  std::vector<std::string> Words = splitWords(Pattern, ' ');
  for (std::string &Word : Words)
    if (size_t Position = Word.find('%'); Position != std::string::npos)
      Word.replace(Position, 1, Value);
  return Words;
}

void addCodes(Parser &P, const std::string &Name, std::string_view List) {
  if (List.starts_with("[") && List.ends_with("]"))
    List = List.substr(1, List.size() - 2);
  for (std::string &Code : splitWords(List, ',')) {
    if (Code.starts_with("compute_")) {
      Code.replace(0, 8, "sm_");
      P.Result.PtxArchs.push_back(Code);
    } else if (Code.starts_with("lto_")) {
      P.Result.Errors.push_back(Name + " asks for '" + Code +
                                "', which clang cannot make: use sm_" + Code.substr(4));
      continue;
    }
    P.Result.Archs.push_back(std::move(Code));
  }
}

namespace actions {

//===----------------------------------------------------------------------===//
// Actions for flags
//===----------------------------------------------------------------------===//

/// Adds clang's flag of another name, or several flags.
void replace(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  P.add(Use::Always, substitute(F.To, Value));
}

void replaceForDevice(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  P.add(Use::Device, substitute(F.To, Value));
}

void replaceInLink(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  P.add(Use::Linking, substitute(F.To, Value));
}

/// Replaces each element of a comma-separated list by To.
void replaceEach(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  for (const std::string &Element : splitWords(Value, ','))
    P.add(Use::Always, substitute(F.To, Element));
}

void replaceEachForDevice(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  for (const std::string &Element : splitWords(Value, ','))
    P.add(Use::Device, substitute(F.To, Element));
}

void replaceEachInLink(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  for (const std::string &Element : splitWords(Value, ','))
    P.add(Use::Linking, substitute(F.To, Element));
}

/// Translates nvcc's name=true or name=false: To is "flag if true|flag if false".
void choose(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  size_t Bar = F.To.find('|');
  if (Value == "true" || Value == "1")
    P.add(Use::Device, substitute(F.To.substr(0, Bar), Value));
  else if (Value == "false" || Value == "0")
    P.add(Use::Device, substitute(F.To.substr(Bar + 1), Value));
  else
    P.Result.Errors.push_back(Name + " takes true or false, not '" + Value + "'");
}

/// Accepts a flag that has no effect; To says why.
void accept(Parser &P, const Flag &F, const std::string &Name, const std::string &) {
  P.Result.Notes.push_back(Name + " has no effect: " + std::string(F.To));
}

/// Ignores a flag whose effect clang lacks.
void ignore(Parser &P, const Flag &F, const std::string &Name, const std::string &) {
  P.Result.Warnings.push_back("ignoring " + Name + ": " +
                              (F.To.empty() ? "clang has no such option" : std::string(F.To)));
}

void reject(Parser &P, const Flag &F, const std::string &Name, const std::string &) {
  P.Result.Errors.push_back(Name + " is not supported: " + std::string(F.To));
}

/// Keeps the flag as written, with its value in the place that clang expects.
void keep(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  switch (F.Takes) {
  case Value::None:
    return P.add(Use::Always, {Name});
  case Value::Separated:
    return P.add(Use::Always, {Name, Value});
  case Value::Equals:
  case Value::Either:
    return P.add(Use::Always, {Name + "=" + Value});
  case Value::Joined:
  case Value::Glued:
    return P.add(Use::Always, {Name + Value});
  }
}

void keepForDevice(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keep(P, F, Name, Value);
  P.Result.Items.back().For = Use::Device;
}

void keepInLink(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keep(P, F, Name, Value);
  P.Result.Items.back().For = Use::Linking;
}

/// Keeps a path; nvcc also takes -I=path.
void keepPath(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keep(P, F, Name, Value.starts_with("=") ? Value.substr(1) : Value);
}

void keepPathInLink(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keepPath(P, F, Name, Value);
  P.Result.Items.back().For = Use::Linking;
}

static void setPhase(Parser &P, Phase Last, const Flag &F) {
  P.stopAfter(Last);
  for (const std::string &Word : splitWords(F.To, ' '))
    P.add(Word == "-fgpu-rdc" || Word == "--cuda-device-only" ? Use::Device : Use::Always, {Word});
}
void query(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  setPhase(P, Phase::Query, F);
  P.add(Use::Always, {Name + Value});
}
void check(Parser &P, const Flag &F, const std::string &, const std::string &) {
  setPhase(P, Phase::Check, F);
}
void compile(Parser &P, const Flag &F, const std::string &, const std::string &) {
  setPhase(P, Phase::Compile, F);
}
void deviceLink(Parser &P, const Flag &F, const std::string &, const std::string &) {
  setPhase(P, Phase::DeviceLink, F);
}
void compileDeviceOnly(Parser &P, const Flag &F, const std::string &, const std::string &) {
  setPhase(P, Phase::Compile, F);
  P.Result.DeviceOnly = true;
}

void setOutput(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  P.Result.Output = Value;
}
void setObjectDirectory(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  P.Result.ObjectDirectory = Value;
}
void setCudaPath(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  P.Result.CudaPath = Value;
}
void setRelocatable(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.Relocatable = true;
  P.add(Use::Linking, {"-r"});
}
void setDeviceOnly(Parser &P, const Flag &, const std::string &Name, const std::string &) {
  P.Result.DeviceOnly = true;
  P.add(Use::Device, {Name});
}
void setHostOnly(Parser &P, const Flag &, const std::string &Name, const std::string &) {
  P.Result.HostOnly = true;
  P.add(Use::Device, {Name});
}
static bool isFullDebugInfo(const std::string &Flag) {
  static const std::set<std::string> OnlyLines = {"-g0", "-g1", "-gmlt", "-ggdb0", "-ggdb1"};
  return !OnlyLines.count(Flag) && !Flag.starts_with("-gline") && !Flag.starts_with("-gno");
}

void debugInfo(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  P.Result.DebugInfo = true;
  P.Result.FullDebugInfo = isFullDebugInfo(F.To.empty() ? Name + Value : std::string(F.To));
  P.add(Use::Always,
        F.To.empty() ? std::vector<std::string>{Name + Value} : substitute(F.To, Value));
}
/// Translates nvcc's -G: device code is not optimised either.
void deviceDebugInfo(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.DebugInfo = P.Result.FullDebugInfo = P.UnoptimisedDevice = true;
  P.add(Use::Always, {"-g"});
}
void setVerbose(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.Verbose = true;
  P.add(Use::Always, {"-v"});
}

void setLanguage(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  P.ForcedLanguage = Value == "cu" ? "cuda" : Value == "none" ? "" : Value;
}

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// Translates clang's --cuda-gpu-arch= and --offload-arch=.
void addArch(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  for (std::string &Arch : splitWords(Value, ','))
    P.Result.Archs.push_back(std::move(Arch));
}

/// Translates nvcc's -arch=: a real architecture, or with -code a virtual one.
void setNvccArch(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  if (Value.starts_with("compute_"))
    P.Result.VirtualArch = Value;
  else
    addCodes(P, Name, Value);
}

void setNvccCode(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  addCodes(P, Name, Value);
}

/// Translates nvcc's -gencode arch=compute_XX,code=….
void addGencode(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  size_t Code = Value.find("code=");
  if (Code == std::string::npos) {
    if (Value.starts_with("arch=compute_"))
      return addCodes(P, Name, Value.substr(5));
    P.Result.Errors.push_back(Name + " '" + Value +
                              "' is not of the form arch=compute_XX,code=sm_XX");
    return;
  }
  std::string_view List = std::string_view(Value).substr(Code + 5);
  // The list may be quoted for the shell: code=\"sm_80,compute_80\".
  if (List.starts_with("\"") && List.ends_with("\"") && List.size() > 1)
    List = List.substr(1, List.size() - 2);
  addCodes(P, Name, List);
}

//===----------------------------------------------------------------------===//
// Options for the host compiler and the linker
//===----------------------------------------------------------------------===//

/// Splits a comma-separated list as nvcc does, but -Wl,… stays whole. nvcc runs
/// the host compiler through the shell, which also splits at spaces.
void toHostCompiler(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  for (const std::string &Words : readWords(Value)) {
    bool IsWhole = Words.starts_with("-Wl,") || Words.starts_with("-Wa,");
    for (const std::string &Word : IsWhole ? std::vector{Words} : splitWords(Words, ',')) {
      bool IsLinking = Word.starts_with("-Wl,") || Word.starts_with("-l") || Word.starts_with("-L");
      if (Word.starts_with("-g") && !Word.starts_with("-gcc")) {
        P.Result.DebugInfo = true;
        P.Result.FullDebugInfo = isFullDebugInfo(Word);
      }
      P.add(IsLinking ? Use::Linking : Use::Always, {Word});
    }
  }
}

void setCudart(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  if (Value == "static")
    P.Result.Errors.push_back(Name + "=static: " + StaticCudart);
  else if (Value != "shared")
    P.Result.Errors.push_back(Name + " takes 'shared', not '" + Value + "'");
}

void addLibrary(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  if (Value == "cudart_static" || Value == ":libcudart_static.a")
    P.Result.Errors.push_back("-l" + Value + ": " + StaticCudart);
  else
    P.add(Use::Linking, {"-l" + Value});
}

void setDefaultStream(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  // clang takes its own option for CUDA only in cc1.
  if (Value == "per-thread")
    P.add(Use::Device,
          {"-Xclang", "-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  else if (Value != "legacy" && Value != "null")
    P.Result.Errors.push_back(Name + " takes legacy, null or per-thread, not '" + Value + "'");
}

/// Translates -Werror= with nvcc's kinds of warnings; all others are clang's.
void setWerror(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  static const std::set<std::string> OnlyNvcc = {"cross-execution-space-call",
                                                 "default-stream-launch", "missing-launch-bounds",
                                                 "ext-lambda-captures-this"};
  for (const std::string &Kind : splitWords(Value, ','))
    if (Kind == "all-warnings")
      P.add(Use::Always, {"-Werror"});
    else if (OnlyNvcc.count(Kind))
      P.Result.Warnings.push_back("ignoring " + Name + "=" + Kind + ": clang has no such warning");
    else
      P.add(Use::Always, {"-Werror=" + Kind});
}

//===----------------------------------------------------------------------===//
// GMProf's own options
//===----------------------------------------------------------------------===//

void setPluginOption(Parser &P, const Flag &F, const std::string &, const std::string &Value) {
  P.Result.PluginOptions.push_back(std::string(F.To) + Value);
}
void setClones(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  if (Value == "demand")
    P.Result.From = Clones::Demand;
  else if (Value == "compiled")
    P.Result.From = Clones::Compiled;
  else
    P.Result.Errors.push_back(Name + " takes demand or compiled, not '" + Value + "'");
}

void setHostAccesses(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.HostAccesses = true;
}

void setOff(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.Off = true;
}
void setPrintOnly(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.PrintOnly = true;
}
void setHelp(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.Help = true;
}
void setVersion(Parser &P, const Flag &, const std::string &, const std::string &) {
  P.Result.Version = true;
  P.stopAfter(Phase::Query);
}

void setLevel(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  static const std::set<std::string> Levels = {"basic", "sa", "sa-na", "sa-na-sm", "sa-na-sm-th"};
  if (Levels.count(Value))
    P.Result.PluginOptions.push_back("-gm-level=" + Value);
  else
    P.Result.Errors.push_back(Name + " takes basic, sa, sa-na, sa-na-sm or sa-na-sm-th, not '" +
                              Value + "'");
}

void setCounterBits(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  if (Value == "8" || Value == "16" || Value == "32")
    P.Result.PluginOptions.push_back(std::string(F.To) + Value);
  else
    P.Result.Errors.push_back(Name + " takes 8, 16 or 32, not '" + Value + "'");
}

void setThreshold(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  uint32_t Number;
  auto [End, Error] = std::from_chars(Value.data(), Value.data() + Value.size(), Number);
  if (Error == std::errc() && End == Value.data() + Value.size() && Number != 0)
    P.Result.PluginOptions.push_back(std::string(F.To) + Value);
  else
    P.Result.Errors.push_back(Name + " takes a number from 1 to what a counter holds, not '" +
                              Value + "'");
}

/// Returns the profiles that the plugin knows.
static std::vector<std::string> profilesWithClones() {
  std::vector<std::string> Names;
#define GMPROF_PROFILE(name, choice, Recorder, hasClones, ...)                                     \
  if (hasClones)                                                                                   \
    Names.push_back(#name);
#include "gmprof/profiles.def"
  return Names;
}

void setProfile(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  const std::vector<std::string> Known = profilesWithClones();
  std::string List;
  for (const std::string &Each : Known)
    List += (List.empty() ? "" : ",") + Each;
  for (const std::string &Profile : splitWords(Value, ','))
    if (std::ranges::find(Known, Profile) == Known.end())
      P.Result.Errors.push_back(Name + " takes some of " + List + ", not '" + Value + "'");
  P.Result.PluginOptions.push_back(std::string(F.To) + Value);
}

void unknownOwn(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  P.Result.Errors.push_back("unknown option " + Name + Value + ": see --help");
}

} // namespace actions

} // namespace gmprof::driver
