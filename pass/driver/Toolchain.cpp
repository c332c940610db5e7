//===- Toolchain.cpp - Finds clang and CUDA -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolchain.h"
#include "Process.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace fs = std::filesystem;

namespace gmprof::driver {

namespace {

constexpr std::string_view LlvmVersion = GMPROF_LLVM_VERSION;

std::string environment(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

bool isExecutable(const std::string &File) {
  return access(File.c_str(), X_OK) == 0 && fs::is_regular_file(File);
}

std::string findOnPath(const std::string &Name) {
  std::istringstream Path(environment("PATH"));
  for (std::string Directory; std::getline(Path, Directory, ':');)
    if (std::string File = Directory + "/" + Name; !Directory.empty() && isExecutable(File))
      return File;
  return {};
}

/// Returns "22.1.8"; empty if the program cannot be run.
std::string clangVersion(const std::string &Clang) {
  std::string Output = capture({Clang, "-dumpversion"});
  return Output.substr(0, Output.find('\n'));
}

bool isRightVersion(const std::string &Version) {
  return Version.starts_with(std::string(LlvmVersion) + ".");
}

/// Returns the path of clang++. That of the installation that GMProf was built with needs no check
/// of its version.
std::string findInstalledClang(std::string &Others) {
  if (isExecutable(GMPROF_LLVM_BIN "/clang++"))
    return GMPROF_LLVM_BIN "/clang++";
  for (const char *Name : {"clang++-" GMPROF_LLVM_VERSION, "clang++"}) {
    std::string File = findOnPath(Name);
    if (File.empty())
      continue;
    std::string Version = clangVersion(File);
    if (isRightVersion(Version))
      return File;
    Others += " (" + File + " is " + Version + ")";
  }
  return {};
}

/// A program that clang runs, and Debian's package of it.
struct ClangTool {
  const char *Name;
  const char *Package;
};

/// The tools that clang needs to compile and link CUDA, with the package of each.
constexpr ClangTool ClangTools[] = {
    {"clang-linker-wrapper", "clang-tools-" GMPROF_LLVM_VERSION},
    {"llvm-offload-binary", "llvm-" GMPROF_LLVM_VERSION},
};

/// Looks for a tool where clang does.
bool hasTool(const std::string &Clang, const ClangTool &Tool) {
  return isExecutable(fs::canonical(Clang).parent_path() / Tool.Name) ||
         !findOnPath(Tool.Name).empty();
}

} // namespace

Result<std::string> findClang(const std::string &Asked) {
  bool FromLauncher = !Asked.empty();
  if (std::string Named = FromLauncher ? Asked : environment("GMPROF_CLANG"); !Named.empty()) {
    std::string File = Named.find('/') == std::string::npos ? findOnPath(Named) : Named;
    std::string Version = isExecutable(File) ? clangVersion(File) : "";
    if (isRightVersion(Version))
      return File;
    std::string Source = FromLauncher ? "" : "GMPROF_CLANG ";
    return Error{Source + "'" + Named + "' is " +
                 (Version.empty() ? "not a clang++ that runs" : "version " + Version) +
                 "; GMProf needs clang++ " + GMPROF_LLVM_VERSION};
  }

  std::string Others;
  std::string Clang = findInstalledClang(Others);
  if (Clang.empty())
    return Error{"no clang++ " GMPROF_LLVM_VERSION " found" + Others +
                 ": install Debian's clang-" GMPROF_LLVM_VERSION ", or set GMPROF_CLANG to it"};
  for (const ClangTool &Tool : ClangTools)
    if (!hasTool(Clang, Tool))
      return Error{Clang + " has no " + Tool.Name + ": install Debian's " + Tool.Package};
  return Clang;
}

unsigned cudaVersion(const std::string &CudaPath) {
  std::ifstream Header(CudaPath + "/include/cuda.h");
  constexpr std::string_view Define = "#define CUDA_VERSION ";
  for (std::string Line; std::getline(Header, Line);)
    if (Line.starts_with(Define))
      return unsigned(std::strtoul(Line.c_str() + Define.size(), nullptr, 10));
  return 0;
}

Result<std::string> findCuda(const std::string &Asked) {
  std::vector<std::pair<std::string, std::string>> Places; // how it was named, path
  if (!Asked.empty()) {
    Places = {{"--cuda-path", Asked}};
  } else {
    for (const char *Name : {"CUDA_PATH", "CUDA_HOME"})
      if (std::string Path = environment(Name); !Path.empty())
        Places.emplace_back(Name, Path);
    if (Places.empty())
      Places = {{"the default", "/usr/local/cuda"}};
  }
  const auto &[Name, Path] = Places.front();
  unsigned Version = cudaVersion(Path);
  if (Version / 1000 == 13)
    return Path;
  if (!Version)
    return Error{"no CUDA toolkit in " + Path + " (" + Name +
                 "): install CUDA 13 there, or say where it is with --cuda-path="};
  return Error{Path + " (" + Name + ") has CUDA " + std::to_string(Version / 1000) + "." +
               std::to_string(Version % 1000 / 10) +
               "; GMProf needs CUDA 13: say where it is with --cuda-path="};
}

static fs::path installation() {
  std::error_code Ignored;
  return fs::read_symlink("/proc/self/exe", Ignored).parent_path().parent_path();
}

std::string libraryDirectory() { return (installation() / GMPROF_LIBDIR).string(); }

std::string includeDirectory() { return (installation() / "include").string(); }

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

namespace {

/// Architectures that both CUDA 13's ptxas and clang 22 support. The letter selects features of
/// this architecture alone.
constexpr std::string_view Supported[] = {
    "sm_75",   "sm_80",  "sm_86",   "sm_87",  "sm_88",   "sm_89",  "sm_90",   "sm_90a", "sm_100",
    "sm_100a", "sm_103", "sm_103a", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_121", "sm_121a"};
constexpr std::string_view Major[] = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120"};
constexpr std::string_view Default = "sm_90";

/// Returns the architectures of the machine's GPUs; empty without a GPU.
std::vector<std::string> nativeArchs(const std::string &Clang) {
  if (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0)
    return {};
  std::string Tool = fs::canonical(Clang).parent_path() / "nvptx-arch";
  std::istringstream Output(capture({Tool}));
  std::vector<std::string> Archs;
  for (std::string Arch; std::getline(Output, Arch);)
    if (Arch.starts_with("sm_"))
      Archs.push_back(Arch);
  return Archs;
}

std::string supportedList() {
  std::string List;
  for (std::string_view Arch : Supported)
    if (Arch.back() != 'a')
      List += (List.empty() ? "" : ", ") + std::string(Arch);
  return List;
}

} // namespace

Result<std::vector<std::string>> resolveArchs(const std::vector<std::string> &Asked,
                                              const std::string &Clang) {
  std::vector<std::string> Archs;
  auto Add = [&](std::string_view Arch) {
    if (std::ranges::find(Archs, Arch) == Archs.end())
      Archs.emplace_back(Arch);
  };
  auto AddAll = [&](auto &&List) {
    for (std::string_view Arch : List)
      Add(Arch);
  };

  std::vector<std::string> Names = Asked;
  if (Names.empty()) {
    if (std::string Variable = environment("GMPROF_CUDA_ARCH"); !Variable.empty())
      Names = {Variable};
    else
      AddAll(nativeArchs(Clang));
    if (Names.empty() && Archs.empty())
      Add(Default);
  }
  for (const std::string &Name : Names) {
    if (Name == "all") {
      for (std::string_view Arch : Supported)
        if (Arch.back() != 'a')
          Add(Arch);
    } else if (Name == "all-major") {
      AddAll(Major);
    } else if (Name == "native") {
      std::vector<std::string> Native = nativeArchs(Clang);
      if (Native.empty())
        return Error{"no GPU found for the architecture 'native': name one, such as -arch=sm_90"};
      AddAll(Native);
    } else {
      Add(Name);
    }
  }
  for (const std::string &Arch : Archs)
    if (std::ranges::find(Supported, Arch) == std::end(Supported))
      return Error{"cannot compile for '" + Arch + "': CUDA 13 and clang 22 support " +
                   supportedList()};
  return Archs;
}

} // namespace gmprof::driver
