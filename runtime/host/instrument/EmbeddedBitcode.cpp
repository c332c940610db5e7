//===- EmbeddedBitcode.cpp - Finds a program's device bitcode -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/EmbeddedBitcode.h"
#include "host/instrument/CompiledFiles.h"
#include "host/instrument/FatBinary.h"
#include <dlfcn.h>
#include <link.h>
#include <zstd.h>

namespace gmprof {
namespace {

/// A segment that the loader mapped.
struct Segment {
  uintptr_t Address = 0; ///< that it is asked for
  uintptr_t End = 0;     ///< 0: no segment holds the address
  uintptr_t Base = 0;    ///< load address that the file's addresses are relative to
};

int findSegment(dl_phdr_info *Object, size_t, void *Data) {
  Segment &S = *static_cast<Segment *>(Data);
  for (unsigned I = 0; I != Object->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Each = Object->dlpi_phdr[I];
    const uintptr_t Start = Object->dlpi_addr + Each.p_vaddr;
    if (Each.p_type != PT_LOAD || S.Address - Start >= Each.p_memsz)
      continue;
    S.End = Start + Each.p_memsz;
    S.Base = Object->dlpi_addr;
    return 1;
  }
  return 0;
}

/// More than the device code of any translation unit.
constexpr uint64_t MaxBitcodeBytes = uint64_t(1) << 30;

Result<std::string> contentOf(const BitcodeRecord &R) {
  constexpr std::string_view Bitcode = "BC\xc0\xde";
  if (R.Content.starts_with(Bitcode))
    return std::string(R.Content);
  const unsigned long long Bytes = ZSTD_getFrameContentSize(R.Content.data(), R.Content.size());
  std::string Content;
  if (Bytes <= MaxBitcodeBytes) { // else it is an error, or unknown
    Content.resize(Bytes);
    if (ZSTD_decompress(Content.data(), Bytes, R.Content.data(), R.Content.size()) == Bytes)
      return Content;
  }
  return Error{"the device bitcode in the program is malformed"};
}

} // namespace

static constexpr const char *Executable = "/proc/self/exe";

std::string loadedFile(const void *Address) {
  Dl_info Info = {};
  link_map *Map = nullptr;
  if (!dladdr1(Address, &Info, reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP))
    return "";
  return *Map->l_name ? Map->l_name : Executable; // the executable has no name there
}

std::string moduleName(const std::string &File) {
  return File.empty() || File == Executable ? "the module" : File.substr(File.rfind('/') + 1);
}

std::vector<BitcodeRecord> bitcodeBehind(const void *FatBinary) {
  const std::optional<std::string_view> Binary = fatBinaryOf(FatBinary);
  if (!Binary)
    return {};
  const size_t Skipped = (Binary->size() + 7) / 8 * 8;
  Segment S = {.Address = reinterpret_cast<uintptr_t>(Binary->data())};
  dl_iterate_phdr(findSegment, &S);
  const uintptr_t Begin = S.Address + Skipped;
  if (S.End < Begin)
    return {};
  std::vector<BitcodeRecord> Found = bitcodeRecords({Binary->data() + Skipped, S.End - Begin});
  if (Found.empty())
    return {};
  // The section of relocatable device code may follow the fat binary directly.
  const std::optional<FileSection> Section =
      findSection(loadedFile(Binary->data()), GMPROF_BITCODE_SECTION);
  if (Section)
    std::erase_if(Found, [&](const BitcodeRecord &R) {
      const auto At = reinterpret_cast<uintptr_t>(R.Content.data());
      return At - (S.Base + Section->Address) < Section->Bytes;
    });
  return Found;
}

std::string bitcodeSection(const void *Address) {
  return sectionOfFile(loadedFile(Address), GMPROF_BITCODE_SECTION);
}

unsigned newestArchitecture(const std::vector<BitcodeRecord> &Records) {
  unsigned Newest = 0;
  for (const BitcodeRecord &R : Records)
    Newest = std::max(Newest, R.Architecture);
  return Newest;
}

Result<std::vector<std::string>> bitcodeOf(const std::vector<BitcodeRecord> &Records,
                                           unsigned Architecture) {
  std::vector<std::string> Units;
  for (const BitcodeRecord &R : Records) {
    if (R.Architecture != Architecture)
      continue;
    Result<std::string> Content = contentOf(R);
    if (!Content)
      return Error{Content.error()};
    Units.push_back(*std::move(Content));
  }
  return Units;
}

} // namespace gmprof
