//===- ModuleImages.cpp - The code that modules were loaded from ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/ModuleImages.h"
#include "host/instrument/CloneProtocol.h"
#include "host/instrument/CompiledFiles.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cstring>
#include <elf.h>

namespace gmprof {
namespace {

std::shared_ptr<const ModuleCode> makeCode(std::string Text, std::string MachineCode = {}) {
  std::string Hash = moduleHash(Text, MachineCode);
  return std::make_shared<const ModuleCode>(std::move(Text), std::move(MachineCode),
                                            std::move(Hash));
}

/// Returns the bytes of a cubin: its tables of sections and segments come last.
std::string_view cubinOf(const void *Image) {
  Elf64_Ehdr Header;
  std::memcpy(&Header, Image, sizeof(Header));
  const uint64_t Sections = Header.e_shoff + uint64_t(Header.e_shentsize) * Header.e_shnum;
  const uint64_t Segments = Header.e_phoff + uint64_t(Header.e_phentsize) * Header.e_phnum;
  return {static_cast<const char *>(Image), std::max(Sections, Segments)};
}

std::string architectures(const std::vector<FatBinaryEntry> &Ptx) {
  std::string List;
  for (const FatBinaryEntry &E : Ptx)
    List += (List.empty() ? "compute_" : ", compute_") + std::to_string(E.Architecture);
  return List;
}

} // namespace

ModuleImages &moduleImages() {
  static auto &All = *new ModuleImages; // modules are unloaded until the process ends
  return All;
}

ModuleImages::Image ModuleImages::imageOf(const void *Bytes) {
  Image I;
  switch (imageKind(Bytes)) {
  case ImageKind::Text:
    I.Code = makeCode(static_cast<const char *>(Bytes));
    break;
  case ImageKind::Elf:
    I.CubinHash = moduleHash(cubinOf(Bytes));
    break;
  case ImageKind::Wrapper:
  case ImageKind::FatBinary: {
    const std::optional<std::string_view> Binary = fatBinaryOf(Bytes);
    if (!Binary)
      break;
    Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(*Binary);
    if (!Entries) {
      I.Error = Entries.error();
      break;
    }
    // A loaded file stays as long as its modules do.
    const std::string File = loadedFile(Binary->data());
    I.Name = moduleName(File);
    for (FatBinaryEntry &E : *Entries)
      if (E.Is == FatBinaryEntry::Kind::Ptx) {
        if (File.empty())
          I.Copies.emplace_back(E.Content);
        I.Ptx.push_back(E);
      } else if (E.Is == FatBinaryEntry::Kind::Elf && !File.empty()) {
        I.Cubins.push_back(E);
      }
    for (size_t Copy = 0; Copy < I.Copies.size(); ++Copy)
      I.Ptx[Copy].Content = I.Copies[Copy];
    if (I.Ptx.empty())
      I.LinkedIn = File;
    if (!File.empty())
      I.FatBinary = Binary->data();
    break;
  }
  }
  return I;
}

void ModuleImages::loaded(Kind Is, const void *Handle, const void *Bytes) {
  if (!Handle || !Bytes)
    return;
  Image New = imageOf(Bytes);
  New.Is = Is;
  New.Source = SourcePlace::ofThread();
  const LockGuard Guard(Lock);
  Images[Handle] = std::move(New);
}

void ModuleImages::unloaded(const void *Handle) {
  const LockGuard Guard(Lock);
  Images.erase(Handle);
}

/// Returns the hash of a cubin; empty if Bytes is none.
static std::string hashOfCubin(std::string_view Bytes) {
  if (Bytes.size() < sizeof(Elf64_Ehdr) || imageKind(Bytes.data()) != ImageKind::Elf)
    return "";
  const std::string_view Cubin = cubinOf(Bytes.data());
  return Cubin.size() <= Bytes.size() ? moduleHash(Cubin) : "";
}

/// Returns the key of a cubin's code in the cache.
static std::string keyOfCode(const std::string &CubinHash) { return "code-" + CubinHash; }

void ModuleImages::compiledAndKept(std::string_view Cubin, std::string Code) {
  if (const std::string Hash = hashOfCubin(Cubin); !Hash.empty())
    Cache.store(keyOfCode(Hash), Code);
  compiled(Cubin, std::move(Code));
}

/// Returns the code that a cubin was compiled from, now or in an earlier process; null if it is not
/// known.
std::shared_ptr<const ModuleCode> ModuleImages::codeOfCubin(const std::string &Hash) {
  std::shared_ptr<const ModuleCode> &Code = ByCubin[Hash];
  if (std::optional<std::string> Kept = Code ? std::nullopt : Cache.find(keyOfCode(Hash)))
    Code = makeCode(*std::move(Kept));
  return Code;
}

void ModuleImages::compiled(std::string_view Cubin, std::string Code) {
  std::string Hash = hashOfCubin(Cubin);
  if (Hash.empty())
    return;
  std::shared_ptr<const ModuleCode> New =
      makeCode(std::move(Code), std::string(cubinOf(Cubin.data())));
  const LockGuard Guard(Lock);
  ByCubin[std::move(Hash)] = std::move(New);
}

void ModuleImages::compiledFromUnknown(std::string_view Cubin, std::string Reason) {
  if (std::string Hash = hashOfCubin(Cubin); !Hash.empty()) {
    const LockGuard Guard(Lock);
    UnknownByCubin[std::move(Hash)] = std::move(Reason);
  }
}

/// Returns text up to its null character.
static std::string_view textOf(std::string_view Input) { return Input.substr(0, Input.find('\0')); }

void ModuleImages::named(std::string_view Ptx, std::string Named) {
  const LockGuard Guard(Lock);
  NamedByPtx[moduleHash(textOf(Ptx))] = std::move(Named);
}

std::string ModuleImages::ptxOfInput(std::string_view Input, unsigned Architecture) {
  if (Input.size() < sizeof(uint32_t))
    return "";
  switch (imageKind(Input.data())) {
  case ImageKind::Text: {
    const std::string_view Text = textOf(Input);
    if (Text.find(".version") == std::string_view::npos)
      return "";
    const LockGuard Guard(Lock);
    const auto Named = NamedByPtx.find(moduleHash(Text));
    return Named == NamedByPtx.end() ? std::string(Text) : Named->second;
  }
  case ImageKind::Elf: {
    const std::string Hash = hashOfCubin(Input);
    const LockGuard Guard(Lock);
    const std::shared_ptr<const ModuleCode> Code = Hash.empty() ? nullptr : codeOfCubin(Hash);
    return Code && !Code->isBitcode() ? Code->Text : "";
  }
  case ImageKind::FatBinary: {
    const Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(Input);
    const std::optional<FatBinaryEntry> Ptx =
        Entries ? choosePtx(*Entries, Architecture) : std::nullopt;
    Result<std::string> Text = Ptx ? contentOf(*Ptx) : Error{"the fat binary has no PTX"};
    return Text ? *std::move(Text) : "";
  }
  case ImageKind::Wrapper:
    break;
  }
  return "";
}

bool ModuleImages::knows(const void *Handle) const {
  const LockGuard Guard(Lock);
  return Images.contains(Handle);
}

std::vector<const void *> ModuleImages::libraries() const {
  std::vector<const void *> Found;
  const LockGuard Guard(Lock);
  for (const auto &[Handle, I] : Images)
    if (I.Is == Kind::Library)
      Found.push_back(Handle);
  return Found;
}

/// Returns the PTX of the translation units that a file was linked from, separated by null
/// characters: nvcc -rdc=true keeps it in a section of the file. Empty if there is none.
static std::string ptxOfUnits(const std::string &File, unsigned Architecture) {
  const std::string Section = sectionOfFile(File, "__nv_relfatbin");
  const Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(Section);
  std::string Units;
  if (Entries)
    for (const FatBinaryEntry &E : *Entries)
      if (E.Is == FatBinaryEntry::Kind::Ptx && E.Architecture == Architecture)
        if (const Result<std::string> Text = contentOf(E))
          Units += *Text + '\0';
  return Units;
}

/// Returns the cubin of an architecture; empty if there is none.
static std::string cubinFor(const std::vector<FatBinaryEntry> &Cubins, unsigned Architecture) {
  const auto Wanted = std::ranges::find(Cubins, Architecture, &FatBinaryEntry::Architecture);
  Result<std::string> Bytes =
      Wanted == Cubins.end() ? Result<std::string>(Error{"none"}) : contentOf(*Wanted);
  return Bytes ? *std::move(Bytes) : "";
}

Result<std::shared_ptr<const ModuleCode>> ModuleImages::codeOf(const void *Handle,
                                                               CompiledFor Architectures) {
  const LockGuard Guard(Lock);
  const auto It = Images.find(Handle);
  if (It == Images.end())
    return Error{"the module was loaded in a way that GMProf does not see"};
  Image &I = It->second;
  if (!I.Error.empty())
    return Error{I.Error};
  const unsigned Architecture = Architectures.Virtual;
  if (I.Code && (!I.Architectures.Virtual || I.Architectures == Architectures))
    return I.Code;
  const auto Remember = [&](std::string Text) {
    I.Code = makeCode(std::move(Text), cubinFor(I.Cubins, Architectures.Real));
    I.Architectures = Architectures;
    return I.Code;
  };
  if (I.FatBinary) {
    Result<std::vector<std::string>> Bitcode = bitcodeOf(bitcodeBehind(I.FatBinary), Architecture);
    if (!Bitcode)
      return Error{Bitcode.error()};
    if (!Bitcode->empty())
      return Remember(std::move(Bitcode->front()));
  }
  if (!I.CubinHash.empty()) {
    if (std::shared_ptr<const ModuleCode> Code = codeOfCubin(I.CubinHash)) {
      if (I.Source.File.empty())
        return Code;
      return I.Code = makeCode(withSourcePlace(Code->Text, I.Source), Code->MachineCode);
    }
    if (const auto Unknown = UnknownByCubin.find(I.CubinHash); Unknown != UnknownByCubin.end())
      return Error{Unknown->second};
  }
  if (!I.LinkedIn.empty())
    if (std::string Units = ptxOfUnits(I.LinkedIn, Architecture); !Units.empty())
      return Remember(std::move(Units));
  if (I.Ptx.empty())
    return Error{I.Name +
                 " has no PTX, only machine code (nvcc embeds both with -gencode "
                 "arch=compute_" +
                 std::to_string(Architecture) + ",code=[sm_" + std::to_string(Architecture) +
                 ",compute_" + std::to_string(Architecture) + "])"};
  const auto Wanted = std::ranges::find(I.Ptx, Architecture, &FatBinaryEntry::Architecture);
  if (Wanted == I.Ptx.end())
    return Error{I.Name + " has PTX of " + architectures(I.Ptx) +
                 ", but the machine code that runs was compiled for compute_" +
                 std::to_string(Architecture) + ": embed that, too (nvcc -gencode arch=compute_" +
                 std::to_string(Architecture) + ",code=compute_" + std::to_string(Architecture) +
                 ")"};
  Result<std::string> Text = contentOf(*Wanted);
  if (!Text)
    return Error{Text.error()};
  return Remember(*std::move(Text));
}

} // namespace gmprof
