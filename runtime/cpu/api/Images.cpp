//===- Images.cpp - Images that programs load as modules ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Images.h"
#include "cpu/api/Architecture.h"
#include "cpu/api/Errors.h"
#include "host/instrument/CompiledFiles.h"
#include "host/instrument/EmbeddedBitcode.h"
#include "host/instrument/FatBinary.h"
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

namespace gmprof::cpu::api {

namespace {

using Entry = FatBinaryEntry;

/// Returns "sm_80 and sm_90".
std::string architectures(const std::vector<Entry> &Entries) {
  std::set<unsigned> Numbers;
  for (const Entry &E : Entries)
    Numbers.insert(E.Architecture);
  std::string Text;
  for (unsigned N : Numbers)
    Text += (Text.empty()             ? "sm_"
             : N == *Numbers.rbegin() ? " and sm_"
                                      : ", sm_") +
            std::to_string(N);
  return Text;
}

std::optional<Entry> lowestPtx(const std::vector<Entry> &Entries) {
  std::optional<Entry> Best;
  for (const Entry &E : Entries)
    if (E.Is == Entry::Kind::Ptx && (!Best || E.Architecture < Best->Architecture))
      Best = E;
  return Best;
}

/// The longest header that tells the size of an image.
constexpr size_t HeaderBytes = 16;
constexpr uint32_t BitcodeMagic = 0xdec04342;
/// LLVM's wrapper of bitcode.
struct BitcodeWrapper {
  uint32_t Magic, Version, Offset, Bytes;
};
constexpr uint32_t BitcodeWrapperMagic = 0x0b17c0de;

uint32_t magicOf(const void *Data) {
  uint32_t Magic;
  memcpy(&Magic, Data, sizeof(Magic));
  return Magic;
}

/// Returns the size of a text or of wrapped bitcode.
size_t sizeOf(const void *Data) {
  if (magicOf(Data) != BitcodeWrapperMagic)
    return strlen(static_cast<const char *>(Data));
  BitcodeWrapper Wrapper;
  memcpy(&Wrapper, Data, sizeof(Wrapper));
  return size_t(Wrapper.Offset) + Wrapper.Bytes;
}

cudaError_t refuse(cudaError_t Error, const std::string &Line) {
  complain(Line);
  return Error;
}

/// PTX of a fat binary, or why there is none.
struct EmbeddedPtx {
  std::string Text;
  int Architecture = 0;
  std::string Missing; ///< "has no PTX, only code for sm_80", or empty
};

/// Returns the PTX of a fat binary that suits the device best: that of the highest architecture up
/// to the device's, else that of the lowest one. FatBinary may be a wrapper.
EmbeddedPtx ptxOf(const void *FatBinary) {
  EmbeddedPtx Ptx;
  const std::optional<std::string_view> Bytes = fatBinaryOf(FatBinary);
  const auto Entries = fatBinaryEntries(Bytes.value_or(""));
  if (!Entries) {
    Ptx.Missing = "cannot be read: " + Entries.error();
    return Ptx;
  }
  std::optional<Entry> Best = choosePtx(*Entries, architecture().compute());
  if (!Best)
    Best = lowestPtx(*Entries);
  if (!Best) {
    Ptx.Missing = "has no PTX";
    if (!Entries->empty())
      Ptx.Missing += ", only code for " + architectures(*Entries);
    return Ptx;
  }
  auto Text = contentOf(*Best);
  if (!Text) {
    Ptx.Missing = "cannot be read: " + Text.error();
    return Ptx;
  }
  Ptx.Text = std::move(*Text);
  Ptx.Architecture = static_cast<int>(Best->Architecture);
  return Ptx;
}

/// Returns the PTX of the translation units that a registered fat binary was linked from
/// (nvcc -rdc=true): nvcc keeps it in a section of the program.
std::vector<EmbeddedPtx> relocatablePtxOf(const void *Wrapper) {
  const std::string Section = sectionOfFile(loadedFile(Wrapper), "__nv_relfatbin");
  std::vector<EmbeddedPtx> Units;
  for (std::string_view Left = Section; Left.size() >= HeaderBytes;) {
    if (imageKind(Left.data()) != ImageKind::FatBinary) {
      Left.remove_prefix(sizeof(uint64_t)); // padding
      continue;
    }
    const std::optional<std::string_view> FatBinary = fatBinaryOf(Left.data());
    if (FatBinary->size() > Left.size())
      break;
    if (EmbeddedPtx Ptx = ptxOf(Left.data()); Ptx.Missing.empty())
      Units.push_back(std::move(Ptx));
    Left.remove_prefix(FatBinary->size());
  }
  return Units;
}

EmbeddedCode ptxOfWrapper(const void *Wrapper) {
  std::vector<EmbeddedPtx> Units = {ptxOf(Wrapper)};
  const std::string Missing = Units[0].Missing;
  if (!Missing.empty())
    Units = relocatablePtxOf(Wrapper);
  EmbeddedCode Code;
  if (Units.empty()) {
    Code.Missing = Missing;
    return Code;
  }
  Code.Architecture = Units[0].Architecture;
  Code.IsPtx = true;
  for (EmbeddedPtx &Unit : Units)
    Code.Units.push_back(std::move(Unit.Text));
  return Code;
}

std::shared_ptr<Image> makeImage(std::string_view Code, const std::string &Name,
                                 int Architecture = 0) {
  const uint32_t Magic = Code.size() < sizeof(uint32_t) ? 0 : magicOf(Code.data());
  const bool IsBitcode = Magic == BitcodeMagic || Magic == BitcodeWrapperMagic;
  return std::make_shared<Image>(std::vector{std::string(Code)}, Name,
                                 IsBitcode ? cudaErrorInvalidKernelImage : cudaErrorInvalidPtx,
                                 Architecture);
}

/// Makes an image of Data, which has Bytes, or a size of its own.
Result<std::shared_ptr<Image>> makeImage(const void *Data, std::optional<size_t> Bytes,
                                         const std::string &Name) {
  switch (imageKind(Data)) {
  case ImageKind::Elf:
    return refuse(cudaErrorNoKernelImageForDevice,
                  Name + " is a cubin, but the CPU device runs PTX; " + HowToEmbedPtx);
  case ImageKind::Wrapper:
  case ImageKind::FatBinary: {
    EmbeddedPtx Ptx = ptxOf(Data);
    if (!Ptx.Missing.empty())
      return refuse(cudaErrorNoKernelImageForDevice,
                    Name + " " + Ptx.Missing + "; " + HowToEmbedPtx);
    return makeImage(Ptx.Text, Name, Ptx.Architecture);
  }
  case ImageKind::Text:
    return makeImage({static_cast<const char *>(Data), Bytes ? *Bytes : sizeOf(Data)}, Name);
  }
}

} // namespace

const char *const HowToEmbedPtx =
    "build it with gmprof-clang++, or embed PTX with nvcc -gencode arch=compute_90,code=compute_90";

std::string objectFile(const void *Address) {
  const std::string File = loadedFile(Address);
  if (File != "/proc/self/exe")
    return File.empty() ? "the program" : File;
  return program_invocation_name;
}

EmbeddedCode codeOf(const void *Wrapper) {
  std::string Section; // outlives the records in it
  std::vector<BitcodeRecord> Records = bitcodeBehind(Wrapper);
  if (Records.empty())
    Records = bitcodeRecords(Section = bitcodeSection(Wrapper));
  if (Records.empty())
    return ptxOfWrapper(Wrapper);
  const unsigned Newest = newestArchitecture(Records);
  gmprof::Result<std::vector<std::string>> Units = bitcodeOf(Records, Newest);
  EmbeddedCode Code;
  Code.Architecture = static_cast<int>(Newest);
  if (Units)
    Code.Units = *std::move(Units);
  else
    Code.Missing = "cannot be read: " + Units.error();
  return Code;
}

Result<std::shared_ptr<Image>> copyImage(const void *Data) {
  return makeImage(Data, std::nullopt, "module image");
}

Result<std::shared_ptr<Image>> readImage(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  if (!In)
    return cudaErrorFileNotFound;
  std::vector<char> Contents{std::istreambuf_iterator<char>(In), {}};
  const size_t Bytes = Contents.size();
  Contents.resize(Bytes + HeaderBytes); // so that all headers can be read
  const bool IsWrapper = imageKind(Contents.data()) == ImageKind::Wrapper; // has a pointer
  const auto FatBinary = IsWrapper ? std::nullopt : fatBinaryOf(Contents.data());
  if (IsWrapper || (FatBinary && FatBinary->size() > Bytes))
    return refuse(cudaErrorInvalidKernelImage, File + " is no whole fat binary");
  return makeImage(Contents.data(), Bytes, File);
}

} // namespace gmprof::cpu::api
