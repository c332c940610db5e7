//===- Bitcode.cpp - Lookup of a program's device bitcode -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Bitcode.h"
#include "gmprof/abi.h"
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <optional>

namespace gmprof::cpu::api {

namespace {

/// Argument of `__cudaRegisterFatBinary`.
struct FatBinaryWrapper {
  uint32_t Magic, Version;
  const char *Data;
  void *Unused;
};
constexpr uint32_t WrapperMagic = 0x466243b1;

struct FatBinaryHeader {
  uint32_t Magic;
  uint16_t Version, HeaderBytes;
  uint64_t Bytes; ///< size behind the header
};
constexpr uint32_t HeaderMagic = 0xba55ed50;

struct RecordHeader {
  uint64_t Magic, Bytes;
};

struct Mapping {
  const void *Address;
  std::string File;
  uintptr_t SegmentEnd = 0; ///< 0: no object holds the address
  uintptr_t Base = 0;       ///< load address that the file's addresses are relative to
};

int findMapping(dl_phdr_info *Object, size_t, void *Data) {
  Mapping &M = *static_cast<Mapping *>(Data);
  uintptr_t Address = reinterpret_cast<uintptr_t>(M.Address);
  for (unsigned I = 0; I != Object->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Segment = Object->dlpi_phdr[I];
    uintptr_t Start = Object->dlpi_addr + Segment.p_vaddr;
    if (Segment.p_type != PT_LOAD || Address - Start >= Segment.p_memsz)
      continue;
    M.SegmentEnd = Start + Segment.p_memsz;
    M.Base = Object->dlpi_addr;
    // The program itself has an empty name.
    M.File = *Object->dlpi_name ? Object->dlpi_name : "/proc/self/exe";
    return 1;
  }
  return 0;
}

Mapping mappingOf(const void *Address) {
  Mapping M{Address, {}};
  dl_iterate_phdr(findMapping, &M);
  return M;
}

template <typename T> bool read(std::ifstream &In, uint64_t Offset, T *Out, size_t Count) {
  In.seekg(static_cast<std::streamoff>(Offset));
  In.read(reinterpret_cast<char *>(Out), static_cast<std::streamsize>(Count * sizeof(T)));
  return static_cast<bool>(In);
}

/// Returns a section of an ELF file; nothing if it is missing or malformed.
std::optional<Elf64_Shdr> findSection(std::ifstream &In, const char *Name) {
  Elf64_Ehdr Header;
  if (!In || !read(In, 0, &Header, 1) || memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  std::vector<Elf64_Shdr> Sections(Header.e_shnum);
  if (Header.e_shstrndx >= Sections.size() ||
      !read(In, Header.e_shoff, Sections.data(), Sections.size()))
    return std::nullopt;
  const Elf64_Shdr &NameTable = Sections[Header.e_shstrndx];
  std::string Names(NameTable.sh_size, '\0');
  if (!read(In, NameTable.sh_offset, Names.data(), Names.size()))
    return std::nullopt;
  for (const Elf64_Shdr &S : Sections)
    if (S.sh_type != SHT_NOBITS && S.sh_name < Names.size() &&
        Names.c_str() + S.sh_name == std::string(Name))
      return S;
  return std::nullopt;
}

/// Returns whether an address is in this section of the mapped file.
bool isInSection(const Mapping &M, uintptr_t Address, const char *Name) {
  std::ifstream In(M.File, std::ios::binary);
  const std::optional<Elf64_Shdr> S = findSection(In, Name);
  return S && Address - (M.Base + S->sh_addr) < S->sh_size;
}

} // namespace

std::string objectFile(const void *Address) {
  std::string File = mappingOf(Address).File;
  if (File != "/proc/self/exe")
    return File.empty() ? "the program" : File;
  return program_invocation_name;
}

std::vector<std::span<const char>> bitcodeRecords(std::span<const char> Bytes) {
  std::vector<std::span<const char>> Found;
  RecordHeader Header;
  while (Bytes.size() >= sizeof Header) {
    memcpy(&Header, Bytes.data(), sizeof Header);
    Bytes = Bytes.subspan(sizeof Header);
    if (Header.Magic != GMPROF_BITCODE_MAGIC || Header.Bytes > Bytes.size())
      break;
    Found.push_back(Bytes.first(Header.Bytes));
    uint64_t Padded = (Header.Bytes + 7) / 8 * 8;
    if (Padded > Bytes.size())
      break;
    Bytes = Bytes.subspan(Padded);
  }
  return Found;
}

std::vector<std::span<const char>> bitcodeBehind(const void *Address) {
  FatBinaryWrapper Wrapper;
  memcpy(&Wrapper, Address, sizeof Wrapper);
  if (Wrapper.Magic != WrapperMagic || !Wrapper.Data)
    return {};
  FatBinaryHeader Header;
  memcpy(&Header, Wrapper.Data, sizeof Header);
  if (Header.Magic != HeaderMagic)
    return {};
  uintptr_t Start = reinterpret_cast<uintptr_t>(Wrapper.Data);
  uintptr_t Record = (Start + Header.HeaderBytes + Header.Bytes + 7) / 8 * 8;
  const Mapping Mapped = mappingOf(Wrapper.Data);
  const uintptr_t End = Mapped.SegmentEnd;
  if (End < Record)
    return {};
  // At most one record: another fat binary or constant follows it.
  std::vector<std::span<const char>> Found =
      bitcodeRecords({Wrapper.Data + (Record - Start), End - Record});
  // Excludes records of the bitcode section, which may directly follow the fat binary.
  if (!Found.empty() && isInSection(Mapped, Record, GMPROF_BITCODE_SECTION))
    return {};
  if (Found.size() > 1)
    Found.resize(1);
  return Found;
}

std::vector<char> sectionOf(const void *Address, const char *Name) {
  std::ifstream In(mappingOf(Address).File, std::ios::binary);
  const std::optional<Elf64_Shdr> S = findSection(In, Name);
  std::vector<char> Section(S ? S->sh_size : 0);
  if (!S || !read(In, S->sh_offset, Section.data(), Section.size()))
    return {};
  return Section;
}

std::vector<std::vector<char>> bitcodeInSection(const void *Address) {
  std::vector<std::vector<char>> Copies;
  const std::vector<char> Section = sectionOf(Address, GMPROF_BITCODE_SECTION);
  for (std::span<const char> Record : bitcodeRecords(Section))
    Copies.emplace_back(Record.begin(), Record.end());
  return Copies;
}

} // namespace gmprof::cpu::api
