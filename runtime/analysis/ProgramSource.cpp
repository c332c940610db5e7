//===- ProgramSource.cpp - Source lines of the program --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ProgramSource.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace gmprof::analysis {

bool isWrapper(const profile::Frame &F) {
  std::string_view File = F.Source.File;
  return File.ends_with("/cuda_runtime.h") || File.ends_with("/gmprof/gmprof.h") ||
         F.Function.starts_with("__device_stub__") ||
         F.Function.starts_with("c10::cuda::CUDACachingAllocator::");
}

/// Returns true for CUDA's C++ libraries, which CUDA 13 keeps in their own folder, and PyTorch's.
static bool isOfLibrary(const profile::Frame &F) {
  static constexpr const char *Folders[] = {"/include/cccl/", "/include/thrust/", "/include/cub/",
                                            "/torch/include/"};
  return std::any_of(std::begin(Folders), std::end(Folders), [&](const char *Folder) {
    return F.Source.File.find(Folder) != std::string::npos;
  });
}

namespace {

/// Whose code a frame is: the lower, the better a user knows it.
enum class Owner {
  User,
  Generated, ///< text without a file, such as <string> or <stdin>
  Installed, ///< the C++ standard library's, Python's, or a package's
};

} // namespace

/// Returns true for a file of Python's standard library, .../lib/python3.12/...
static bool isOfStandardLibrary(std::string_view File) {
  for (const std::string_view Folder : {"/lib/python3.", "/lib64/python3."})
    if (const size_t At = File.find(Folder); At != std::string_view::npos) {
      const std::string_view Minor = File.substr(At + Folder.size());
      const size_t Digits = Minor.find_first_not_of("0123456789");
      if (Digits != 0 && Digits != std::string_view::npos && Minor[Digits] == '/')
        return true;
    }
  return false;
}

// TorchInductor names files by a hash in base 32, and folders by two of its digits, as in
// 3g/c3g2yv….py, wherever TORCHINDUCTOR_CACHE_DIR is. PyTorch Geometric names them after the
// module.
bool isGeneratedFile(std::string_view File) {
  if (File.find("/torchinductor_") != std::string_view::npos)
    return true;
  const std::string_view Name = File.substr(File.rfind('/') + 1);
  if (Name.starts_with("torch_geometric."))
    return true;
  constexpr size_t HashLength = 52;
  constexpr std::string_view Digits = "abcdefghijklmnopqrstuvwxyz234567";
  return Name.size() == HashLength + 3 && Name.ends_with(".py") && Name[0] == 'c' &&
         Name.find_first_not_of(Digits) == HashLength && File.size() >= Name.size() + 3 &&
         File.substr(File.size() - Name.size() - 3, 3) == std::string(Name.substr(1, 2)) + "/";
}

/// Returns true for a header of the C++ standard library, which constructs and destroys a program's
/// objects.
static bool isStandardHeader(std::string_view File) {
  return File.find("/include/c++/") != std::string_view::npos;
}

/// Returns true for a file of the C++ standard library or a Python package, or of generated code.
static bool isInstalled(std::string_view File) {
  return isStandardHeader(File) || File.find("/site-packages/") != std::string_view::npos ||
         File.find("/dist-packages/") != std::string_view::npos || isGeneratedFile(File) ||
         isOfStandardLibrary(File);
}

static Owner ownerOf(const profile::Frame &F) {
  const std::string_view File = F.Source.File;
  if (isInstalled(File) || isInstalled(F.Image) || File.starts_with("<frozen ") ||
      File.starts_with("<eval_with_key>"))
    return Owner::Installed;
  return File.starts_with('<') && !File.starts_with("<ipython-input-") ? Owner::Generated
                                                                       : Owner::User;
}

bool isUserCode(const profile::Frame &F) { return ownerOf(F) == Owner::User; }

static bool hasProgramLine(const profile::Frame &F) {
  return !F.Source.File.empty() && F.Source.Line != 0 && !isWrapper(F) && !isOfLibrary(F);
}

bool isCallOfLibrary(const profile::CallPath &Path) {
  const auto Caller = std::ranges::find_if(
      Path.Frames, [](const profile::Frame &F) { return !F.Source.File.empty() && !isWrapper(F); });
  return Caller != Path.Frames.end() && isOfLibrary(*Caller);
}

const profile::Frame *programFrame(const profile::CallPath &Path) {
  const profile::Frame *Best = nullptr;
  for (const profile::Frame &F : Path.Frames)
    if (hasProgramLine(F) && (!Best || ownerOf(F) < ownerOf(*Best)))
      Best = &F;
  return Best;
}

std::vector<const profile::Frame *> programFrames(const profile::CallPath &Path) {
  std::vector<const profile::Frame *> Frames;
  const profile::Frame *First = programFrame(Path);
  for (const profile::Frame &F : Path.Frames)
    if (&F == First || (!Frames.empty() && hasProgramLine(F) && ownerOf(F) == ownerOf(*First)))
      Frames.push_back(&F);
  return Frames;
}

profile::SourcePosition programSource(const profile::CallPath &Path) {
  const profile::Frame *F = programFrame(Path);
  return F ? F->Source : profile::SourcePosition();
}

std::string placeText(const profile::SourcePosition &S) {
  const std::string Text = fmt::format("{}:{}", S.File.substr(S.File.rfind('/') + 1), S.Line);
  return S.Column == 0 ? Text : fmt::format("{}:{}", Text, S.Column);
}

std::vector<uint32_t> pathsBySource(const profile::Profile &P) {
  std::vector<uint32_t> First;
  std::map<std::string, uint32_t> Known;
  for (const profile::CallPath &Path : P.CallPaths) {
    const auto Index = static_cast<uint32_t>(First.size());
    std::string Key;
    for (const profile::Frame &F : Path.Frames) {
      if (isStandardHeader(F.Source.File))
        continue;
      Key += fmt::format("{}|{}:{}:{}", F.Function, F.Source.File, F.Source.Line, F.Source.Column);
      if (F.Source.Column == 0)
        Key += fmt::format("|{}+{:x}", F.Image, F.Address);
      Key += '\n';
    }
    First.push_back(Key.empty() ? Index : Known.try_emplace(Key, Index).first->second);
  }
  return First;
}

} // namespace gmprof::analysis
