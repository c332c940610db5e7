//===- Flags.cpp - The command line of gmprof-clang++ ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace gmprof::driver {

namespace {

std::vector<std::string> splitWords(std::string_view List, char Separator) {
  std::vector<std::string> Words;
  while (!List.empty()) {
    size_t End = std::min(List.find(Separator), List.size());
    if (End)
      Words.emplace_back(List.substr(0, End));
    List.remove_prefix(std::min(End + 1, List.size()));
  }
  return Words;
}

/// The words of a response file: separated by white space, with quotes and
/// backslashes as in the shell.
std::vector<std::string> readWords(std::string_view Text) {
  std::vector<std::string> Words;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && Quote != '\'' && I + 1 < Text.size()) {
      C = Text[++I];
      InWord = true;
      if (C != '\n')
        Word += C;
    } else if (Quote ? C == Quote : C == '"' || C == '\'') {
      Quote = Quote ? 0 : C;
      InWord = true;
    } else if (!Quote && (C == ' ' || C == '\t' || C == '\n' || C == '\r')) {
      if (InWord)
        Words.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Words.push_back(std::move(Word));
  return Words;
}

Language languageOfName(std::string_view Name) {
  if (Name == "cuda" || Name == "cuda-cpp-output")
    return Language::Cuda;
  return Language::Other;
}

Language languageOfFile(const std::string &File) {
  static const std::set<std::string> Sources = {".c",   ".C",   ".cc", ".cp", ".cpp", ".cxx",
                                                ".CPP", ".c++", ".i",  ".m",  ".mm",  ".ii",
                                                ".s",   ".S",   ".sx", ".ll", ".bc",  ".cppm"};
  std::string Extension = std::filesystem::path(File).extension();
  if (Extension == ".cu" || Extension == ".cui")
    return Language::Cuda;
  return Sources.count(Extension) || File == "-" ? Language::Other : Language::None;
}

bool isObjectOrLibrary(const std::string &File) {
  static const std::set<std::string> Extensions = {".o", ".obj", ".a", ".so", ".lo"};
  return Extensions.count(std::filesystem::path(File).extension()) ||
         File.find(".so.") != std::string::npos;
}

struct Flag;

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

std::vector<std::string> substitute(std::string_view Pattern, const std::string &Value) {
  std::vector<std::string> Words = splitWords(Pattern, ' ');
  for (std::string &Word : Words)
    if (size_t Position = Word.find('%'); Position != std::string::npos)
      Word.replace(Position, 1, Value);
  return Words;
}

//===----------------------------------------------------------------------===//
// What can become of a flag
//===----------------------------------------------------------------------===//

/// Clang's flag under another name, or several flags.
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

/// nvcc's name=true or name=false: To is "flag if true|flag if false".
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

/// nvcc also takes -I=path.
void keepPath(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keep(P, F, Name, Value.starts_with("=") ? Value.substr(1) : Value);
}

void keepPathInLink(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  keepPath(P, F, Name, Value);
  P.Result.Items.back().For = Use::Linking;
}

void setPhase(Parser &P, Phase Last, const Flag &F) {
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
bool isFullDebugInfo(const std::string &Flag) {
  static const std::set<std::string> OnlyLines = {"-g0", "-g1", "-gmlt", "-ggdb0", "-ggdb1"};
  return !OnlyLines.count(Flag) && !Flag.starts_with("-gline") && !Flag.starts_with("-gno");
}

void debugInfo(Parser &P, const Flag &F, const std::string &Name, const std::string &Value) {
  P.Result.DebugInfo = true;
  P.Result.FullDebugInfo = isFullDebugInfo(F.To.empty() ? Name + Value : std::string(F.To));
  P.add(Use::Always,
        F.To.empty() ? std::vector<std::string>{Name + Value} : substitute(F.To, Value));
}
/// nvcc's -G: device code is not optimised either.
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

/// clang's --cuda-gpu-arch=, --offload-arch=.
void addArch(Parser &P, const Flag &, const std::string &, const std::string &Value) {
  for (std::string &Arch : splitWords(Value, ','))
    P.Result.Archs.push_back(std::move(Arch));
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

/// nvcc's -arch=: a real architecture, or with -code a virtual one.
void setNvccArch(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  if (Value.starts_with("compute_"))
    P.Result.VirtualArch = Value;
  else
    addCodes(P, Name, Value);
}

void setNvccCode(Parser &P, const Flag &, const std::string &Name, const std::string &Value) {
  addCodes(P, Name, Value);
}

/// nvcc's -gencode arch=compute_XX,code=….
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

/// A comma-separated list, as nvcc splits it; but -Wl,… stays whole. nvcc runs
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

constexpr const char *StaticCudart =
    "a program with the static CUDA runtime could not run on the CPU device: link the shared one "
    "(-cudart=shared or -lcudart; in CMake CUDA_RUNTIME_LIBRARY Shared and CUDA::cudart)";

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

/// -Werror=: nvcc's kinds of warnings, and everything else is clang's.
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
std::vector<std::string> profilesWithClones() {
  std::vector<std::string> Names;
#define GMPROF_PROFILE(name, choice, hasClones, ...)                                               \
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

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

constexpr std::string_view HostIsClang = "clang compiles the host code too";
constexpr std::string_view OnlyCudafe = "it is for nvcc's front end";

// Within each group in the order of nvcc's manual.
const Flag Flags[] = {
    // GMProf
    {"--gmprof-clones", Value::Either, setClones},
    {"--gmprof-level", Value::Either, setLevel},
    {"--gmprof-profile", Value::Either, setProfile, "-gm-profile="},
    {"--gmprof-counter-bits", Value::Either, setCounterBits, "-gm-counter-bits="},
    {"--gmprof-threshold", Value::Either, setThreshold, "-gm-threshold="},
    {"--gmprof-global-counter-bits", Value::Either, setCounterBits, "-gm-global-counter-bits="},
    {"--gmprof-global-threshold", Value::Either, setThreshold, "-gm-global-threshold="},
    {"--gmprof-kernels", Value::Either, setPluginOption, "-gm-kernels="},
    {"--gmprof-counter-updates", Value::Either, setPluginOption, "-gm-counter-updates="},
    {"--gmprof-host-accesses", Value::None, setHostAccesses},
    {"--gmprof-off", Value::None, setOff},
    {"--gmprof-print", Value::None, setPrintOnly},
    {"--gmprof", Value::Glued, unknownOwn},
    {"--help -help -h", Value::None, setHelp},
    {"--version", Value::None, setVersion},
    {"-V", Value::None, setVersion},

    // Phases
    {"-c --compile", Value::None, compile, "-c"},
    {"-S", Value::None, compile, "-S"},
    {"-dc --device-c", Value::None, compile, "-fgpu-rdc -c"},
    {"-dw --device-w", Value::None, compile, "-c"},
    {"-dlink --device-link", Value::None, deviceLink},
    {"-ptx --ptx", Value::None, compileDeviceOnly, "--cuda-device-only -S"},
    {"-cubin --cubin", Value::None, compileDeviceOnly, "--cuda-device-only -c"},
    {"-optix-ir --optix-ir -ltoir --ltoir", Value::None, reject, "clang does not make it"},
    {"-code-ls --list-gpu-code -arch-ls --list-gpu-arch", Value::None, reject, "ask nvcc"},
    {"-fdevice-syntax-only --fdevice-syntax-only", Value::None, check,
     "--cuda-device-only -fsyntax-only"},
    {"-r --relocatable-link", Value::None, setRelocatable},
    {"-fatbin --fatbin", Value::None, reject, "make an object with -c"},
    {"-cuda --cuda", Value::None, reject, "clang has no intermediate C++ file; use -c"},
    {"-lib --lib", Value::None, reject, "compile with -c, then make the library with ar"},
    {"-link --link", Value::None, accept, "linking is what happens without -c"},
    {"-run --run", Value::None, reject, "run the program with gmprof run"},
    {"-run-args --run-args", Value::Either, reject, "run the program with gmprof run"},
    {"-clean --clean-targets", Value::None, reject, "remove the files with rm"},
    {"-E --preprocess", Value::None, check, "-E"},
    {"-M --generate-dependencies", Value::None, check, "-M"},
    {"-MM --generate-nonsystem-dependencies", Value::None, check, "-MM"},
    {"-fsyntax-only", Value::None, check, "-fsyntax-only"},
    {"-dumpversion -dumpmachine", Value::None, query},
    {"-print- --print-", Value::Glued, query},

    // Files and paths
    {"-o", Value::Joined, setOutput},
    {"--output-file", Value::Either, setOutput},
    {"-odir --output-directory", Value::Either, setObjectDirectory},
    {"-x", Value::Joined, setLanguage},
    {"--x", Value::Either, setLanguage},
    {"--cuda-path", Value::Either, setCudaPath},
    {"-include --pre-include", Value::Separated, replace, "-include %"},
    {"--include-path", Value::Either, replaceEach, "-I%"},
    {"--system-include", Value::Either, replaceEach, "-isystem %"},
    {"--define-macro", Value::Either, replaceEach, "-D%"},
    {"--undefine-macro", Value::Either, replaceEach, "-U%"},
    {"-I -isystem", Value::Joined, keepPath},
    {"-D -U", Value::Joined, keep},
    {"-iquote -idirafter -isysroot", Value::Joined, keep},
    {"-imacros -iprefix -MF -MT -MQ", Value::Separated, keep},
    {"--dependency-output", Value::Either, replace, "-MF %"},
    {"--dependency-target-name", Value::Either, replace, "-MT %"},
    {"--generate-dependencies-with-compile", Value::None, replace, "-MD"},
    {"--generate-nonsystem-dependencies-with-compile", Value::None, replace, "-MMD"},
    {"--generate-dependency-targets", Value::None, replace, "-MP"},

    // Libraries and the linker
    {"-l", Value::Joined, addLibrary},
    {"--library", Value::Either, addLibrary},
    {"-L", Value::Joined, keepPathInLink},
    {"--library-path", Value::Either, replaceEachInLink, "-L%"},
    {"-cudart --cudart", Value::Either, setCudart},
    {"-cudadevrt --cudadevrt", Value::Either, accept, "clang decides by what the program uses"},
    {"-shared --shared", Value::None, replaceInLink, "-shared"},
    {"-Xlinker --linker-options", Value::Either, replaceEachInLink, "-Xlinker %"},
    {"-Xnvlink --nvlink-options", Value::Either, replaceEachInLink, "-Xoffload-linker %"},
    {"-Wl,", Value::Glued, keepInLink},
    {"-T -u -z", Value::Separated, keepInLink},
    {"-Xarchive --archive-options", Value::Either, accept, "nothing is archived"},

    // Architectures
    {"--cuda-gpu-arch --offload-arch", Value::Equals, addArch},
    {"-arch --gpu-architecture", Value::Either, setNvccArch},
    {"-code --gpu-code", Value::Either, setNvccCode},
    {"-gencode --generate-code", Value::Either, addGencode},

    // Relocatable device code
    {"-rdc --relocatable-device-code", Value::Either, choose, "-fgpu-rdc|-fno-gpu-rdc"},
    {"-dlto --dlink-time-opt", Value::None, replaceForDevice, "-foffload-lto"},
    {"-lto --lto", Value::None, ignore, "use -dlto"},

    // Host compiler
    {"-ccbin --compiler-bindir", Value::Either, accept, HostIsClang},
    {"-Xcompiler --compiler-options", Value::Either, toHostCompiler},
    {"-allow-unsupported-compiler --allow-unsupported-compiler", Value::None, accept, HostIsClang},
    {"-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-forward-unknown-to-host-linker --forward-unknown-to-host-linker", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-forward-unknown-opts --forward-unknown-opts", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-m64 --m64", Value::None, replace, "-m64"},
    {"-m --machine", Value::Either, replace, "-m%"},
    {"-std --std", Value::Either, replace, "-std=%"},
    {"--optimize", Value::Either, replace, "-O%"},
    {"-Ofc --Ofast-compile", Value::Either, ignore},
    {"-ftemplate-backtrace-limit --ftemplate-backtrace-limit", Value::Either, replace,
     "-ftemplate-backtrace-limit=%"},
    {"-ftemplate-depth --ftemplate-depth", Value::Either, replace, "-ftemplate-depth=%"},
    {"-frandom-seed --frandom-seed", Value::Either, accept, "clang needs no seed"},
    {"-noeh --no-exceptions", Value::None, replace, "-fno-exceptions"},
    {"-nohdinitlist --no-host-device-initializer-list -nohdmoveforward "
     "--no-host-device-move-forward",
     Value::None, ignore, "clang follows the standard library"},
    {"-static-global-template-stub --static-global-template-stub", Value::Either, accept,
     "clang's host stubs do not collide"},
    {"-device-entity-has-hidden-visibility --device-entity-has-hidden-visibility", Value::Either,
     ignore},
    {"-sanitize --sanitize", Value::Either, ignore, "it is for compute-sanitizer"},
    {"-arbin --archiver-binary", Value::Either, accept, "nothing is archived"},
    {"-ldir --libdevice-directory", Value::Either, ignore, "libdevice is that of --cuda-path"},
    {"-target-dir --target-directory", Value::Either, ignore, "say --cuda-path"},
    {"-idp --input-drive-prefix -ddp --dependency-drive-prefix -dp --drive-prefix", Value::Either,
     accept, "it is for Windows"},
    {"-use-local-env --use-local-env -force-cl-env-setup --force-cl-env-setup "
     "--no-align-double",
     Value::None, accept, "it is for Windows"},

    // Debugging
    {"-G --device-debug", Value::None, deviceDebugInfo},
    {"-lineinfo --generate-line-info", Value::None, debugInfo, "-gline-tables-only"},
    {"--debug", Value::None, debugInfo, "-g"},
    {"-gcc-toolchain", Value::Separated, keep},
    {"-gcc-install-dir", Value::Separated, keep},
    {"-g", Value::Glued, debugInfo},
    {"-src-in-ptx --source-in-ptx", Value::None, ignore},
    {"-opt-info --optimization-info", Value::Either, replace, "-Rpass=%"},
    {"-pg --profile", Value::None, replace, "-pg"},

    // Code generation
    {"-use_fast_math --use_fast_math", Value::None, replaceForDevice,
     "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero -Xarch_device "
     "-mllvm=-nvptx-prec-divf32=0 -Xarch_device -mllvm=-nvptx-prec-sqrtf32=0 -Xarch_device "
     "-ffp-contract=fast"},
    {"-ftz --ftz", Value::Either, choose,
     "-fgpu-flush-denormals-to-zero|-fno-gpu-flush-denormals-to-zero"},
    {"-prec-div --prec-div", Value::Either, choose,
     "-Xarch_device -mllvm=-nvptx-prec-divf32=2|-Xarch_device -mllvm=-nvptx-prec-divf32=1"},
    {"-prec-sqrt --prec-sqrt", Value::Either, choose,
     "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=1|-Xarch_device -mllvm=-nvptx-prec-sqrtf32=0"},
    {"-fmad --fmad", Value::Either, choose,
     "-Xarch_device -ffp-contract=fast|-Xarch_device -ffp-contract=off"},
    {"-maxrregcount --maxrregcount", Value::Either, replaceForDevice,
     "-Xcuda-ptxas -maxrregcount=%"},
    {"-split-compile --split-compile", Value::Either, replaceForDevice,
     "-Xcuda-ptxas --split-compile=%"},
    {"-Xptxas --ptxas-options", Value::Either, replaceEachForDevice, "-Xcuda-ptxas %"},
    {"-res-usage --resource-usage", Value::None, replaceForDevice, "-Xcuda-ptxas -v"},
    {"-default-stream --default-stream", Value::Either, setDefaultStream},
    {"-extra-device-vectorization --extra-device-vectorization", Value::None, ignore},
    {"-astoolspatch --compile-as-tools-patch", Value::None, ignore},
    {"--entries", Value::Either, ignore},
    {"-keep-device-functions --keep-device-functions -ewp --extensible-whole-program -reloc-ptx "
     "--relocatable-ptx",
     Value::None, ignore},
    {"-jtd --jump-table-density -device-stack-protector --device-stack-protector", Value::Either,
     ignore},
    {"-qpp-config --qpp-config", Value::Either, accept, HostIsClang},
    {"-hls --host-linker-script", Value::Either, ignore},
    {"-aug-hls --augment-host-linker-script", Value::None, ignore},
    {"-restrict --restrict", Value::None, ignore, "mark the pointers with __restrict__"},

    // CUDA C++
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", Value::None, accept,
     "clang always lets device code call constexpr functions"},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda", Value::None,
     accept, "clang always allows __device__ lambdas"},

    // Messages
    {"-v --verbose", Value::None, setVerbose},
    {"-dryrun --dryrun", Value::None, replace, "-###"},
    {"-w --disable-warnings", Value::None, replace, "-w"},
    {"-Werror --Werror", Value::Equals, setWerror},
    {"--Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets", Value::None, accept,
     "unsupported architectures are errors"},
    {"--Wno-deprecated-declarations", Value::None, replace, "-Wno-deprecated-declarations"},
    {"-Wreorder --Wreorder", Value::None, replace, "-Wreorder"},
    {"-Wext-lambda-captures-this --Wext-lambda-captures-this -Wdefault-stream-launch "
     "--Wdefault-stream-launch -Wmissing-launch-bounds --Wmissing-launch-bounds",
     Value::None, ignore, "clang has no such warning"},
    {"-Xcudafe --cudafe-options", Value::Either, accept, OnlyCudafe},
    {"-diag-suppress --diag-suppress -diag-error --diag-error -diag-warn --diag-warn "
     "-diag-once --diag-once",
     Value::Either, accept, OnlyCudafe},
    {"-err-no --display-error-number -no-err-no --no-display-error-number", Value::None, accept,
     OnlyCudafe},

    // The compilation itself
    {"-t --threads", Value::Either, accept, "architectures are compiled one after the other"},
    {"-split-compile-extended --split-compile-extended", Value::Either, accept,
     "the link does not optimise"},
    {"-keep --keep", Value::None, replace, "-save-temps"},
    {"-save-temps --save-temps", Value::None, replace, "-save-temps"},
    {"-keep-dir --keep-dir", Value::Either, ignore, "clang keeps files beside the output"},
    {"-objtemp --objdir-as-tempdir", Value::None, accept, "temporary files are removed"},
    {"-time --time", Value::Either, ignore, "use -ftime-report"},
    {"-compress-mode --compress-mode", Value::Either, ignore},
    {"-no-compress --no-compress", Value::None, accept, "fat binaries are not compressed"},
    {"-noprof --dont-use-profile", Value::None, accept, "there is no nvcc.profile"},
    {"-nodlink --no-device-link", Value::None, ignore, "the link also links device code"},
    {"-jobserver --jobserver", Value::None, accept, "architectures are compiled in turn"},
    {"-fdevice-time-trace --fdevice-time-trace", Value::Either, ignore, "use -ftime-trace"},
    {"-brief-diag --brief-diagnostics", Value::Either, accept, "messages are clang's"},
    {"-arch-list --arch-list", Value::Either, ignore},
    {"-gen-opt-lto --gen-opt-lto", Value::None, ignore},
    {"-dopt --dopt", Value::Either, ignore},
    {"-minimal --minimal", Value::None, ignore},

    // Clang's own options that matter here or take the next word
    {"--cuda-device-only --offload-device-only", Value::None, setDeviceOnly},
    {"--cuda-host-only --offload-host-only", Value::None, setHostOnly},
    {"-Xclang -Xpreprocessor -Xassembler -Xarch_host -mllvm -target --param -dumpdir --sysroot -A "
     "-B",
     Value::Separated, keep},
    {"-Xarch_device -Xcuda-ptxas -Xcuda-fatbinary", Value::Separated, keepForDevice},
    {"-fgpu-rdc -fno-gpu-rdc -fcuda-flush-denormals-to-zero -fgpu-flush-denormals-to-zero "
     "-fcuda-approx-transcendentals -fgpu-approx-transcendentals",
     Value::None, keepForDevice},
    {"-Xoffload-linker -rpath", Value::Separated, keepInLink},
};

/// Finds the entry for an argument and splits off its value. The longest name
/// wins: -lineinfo is not the library ineinfo.
struct Match {
  const Flag *Entry = nullptr;
  std::string Name;
  std::string Value;
  bool NeedsNext = false;
};

void tryName(const Flag &F, std::string_view Name, const std::string &Argument, Match &Best) {
  if (!Argument.starts_with(Name) || Name.size() < Best.Name.size())
    return;
  std::string_view Rest = std::string_view(Argument).substr(Name.size());
  bool IsWhole = Rest.empty();
  bool HasEquals = Rest.starts_with("=");
  switch (F.Takes) {
  case Value::None:
    if (IsWhole)
      Best = {&F, std::string(Name), {}, false};
    return;
  case Value::Separated:
    if (IsWhole)
      Best = {&F, std::string(Name), {}, true};
    return;
  case Value::Equals:
    if (HasEquals)
      Best = {&F, std::string(Name), std::string(Rest.substr(1)), false};
    return;
  case Value::Either:
    if (IsWhole || HasEquals)
      Best = {&F, std::string(Name), std::string(IsWhole ? Rest : Rest.substr(1)), IsWhole};
    return;
  case Value::Joined:
    Best = {&F, std::string(Name), std::string(Rest), IsWhole};
    return;
  case Value::Glued:
    Best = {&F, std::string(Name), std::string(Rest), false};
    return;
  }
}

Match findFlag(const std::string &Argument) {
  Match Best;
  for (const Flag &F : Flags)
    for (std::string_view Names = F.Names; !Names.empty();) {
      size_t End = std::min(Names.find(' '), Names.size());
      tryName(F, Names.substr(0, End), Argument, Best);
      Names.remove_prefix(std::min(End + 1, Names.size()));
    }
  return Best;
}

void Parser::addInput(const std::string &File) {
  Item Input{Use::Input, {File}, languageOfFile(File), {}};
  if (File.ends_with("libcudart_static.a"))
    Result.Errors.push_back(File + ": " + StaticCudart);
  if (!ForcedLanguage.empty() && !isObjectOrLibrary(File)) {
    Input.Lang = languageOfName(ForcedLanguage);
    Input.ForcedLanguage = ForcedLanguage;
  }
  Result.Items.push_back(std::move(Input));
}

void expandInto(const std::vector<std::string> &Arguments, unsigned Depth,
                std::vector<std::string> &Result) {
  // The depth limit stops a response file that includes itself.
  constexpr unsigned MaxDepth = 16;
  for (size_t I = 0; I < Arguments.size(); ++I) {
    std::string Argument = Arguments[I];
    std::string File;
    if (Argument.starts_with("@"))
      File = Argument.substr(1);
    else if (Argument.starts_with("--options-file="))
      File = Argument.substr(std::string_view("--options-file=").size());
    else if ((Argument == "-optf" || Argument == "--options-file") && I + 1 < Arguments.size())
      File = Arguments[I + 1];
    std::ifstream Stream(File);
    if (File.empty() || Depth == MaxDepth || !Stream) {
      Result.push_back(std::move(Argument));
      continue;
    }
    if (Argument == "-optf" || Argument == "--options-file")
      ++I;
    std::string Text{std::istreambuf_iterator<char>(Stream), {}};
    expandInto(readWords(Text), Depth + 1, Result);
  }
}

} // namespace

std::vector<std::string> expandResponseFiles(const std::vector<std::string> &Arguments) {
  std::vector<std::string> Result;
  expandInto(Arguments, 0, Result);
  return Result;
}

CommandLine parse(const std::vector<std::string> &Arguments) {
  Parser P;
  bool OnlyInputs = false; // after --
  for (size_t I = 0; I < Arguments.size(); ++I) {
    const std::string &Argument = Arguments[I];
    if (OnlyInputs || Argument == "-" || !Argument.starts_with("-")) {
      P.addInput(Argument);
      continue;
    }
    if (Argument == "--") {
      OnlyInputs = true;
      continue;
    }
    Match Found = findFlag(Argument);
    if (!Found.Entry) {
      P.add(Use::Always, {Argument});
      continue;
    }
    if (Found.NeedsNext) {
      if (I + 1 == Arguments.size()) {
        P.Result.Errors.push_back(Argument + " needs a value");
        break;
      }
      Found.Value = Arguments[++I];
    }
    Found.Entry->Do(P, *Found.Entry, Found.Name, Found.Value);
  }
  for (const Item &I : P.Result.Items)
    if (I.Words.front().starts_with("-O"))
      P.Result.OptimisedDevice = I.Words.front() != "-O0" && !P.UnoptimisedDevice;
  if (P.UnoptimisedDevice) // the last one holds
    P.add(Use::Device, {"-Xarch_device", "-O0"});
  // -arch=compute_90 alone stands for code that runs there.
  if (!P.Result.VirtualArch.empty() && P.Result.Archs.empty())
    addCodes(P, "-arch", P.Result.VirtualArch);
  return P.Result;
}

} // namespace gmprof::driver
