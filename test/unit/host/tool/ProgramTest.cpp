//===- ProgramTest.cpp - Tests of facts about programs --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Program.h"
#include "gmprof/abi.h"
#include "host/core/DeviceChoice.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace gmprof::host {
namespace {

struct Section {
  std::string Name;
  unsigned Type;
  std::string Contents;
  unsigned Link = 0;
};

template <typename T> std::string raw(const T &Struct) {
  return {reinterpret_cast<const char *>(&Struct), sizeof(Struct)};
}

/// An ELF file of these sections; the first is number 1.
std::vector<unsigned char> elf(std::vector<Section> Sections, bool Dynamic = true) {
  std::string Names(1, '\0'), Body;
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_ident[EI_DATA] = ELFDATA2LSB;
  Header.e_machine = EM_X86_64;
  Elf64_Phdr Segment = {};
  Segment.p_type = Dynamic ? PT_INTERP : PT_LOAD;
  Header.e_phoff = sizeof(Header);
  Header.e_phnum = 1;
  size_t At = sizeof(Header) + sizeof(Segment);

  Sections.push_back({".shstrtab", SHT_STRTAB, ""});
  for (const Section &S : Sections)
    Names += S.Name + '\0';
  Sections.back().Contents = Names;
  std::string Table = raw(Elf64_Shdr());
  size_t NameAt = 1;
  for (const Section &S : Sections) {
    Elf64_Shdr H = {};
    H.sh_name = static_cast<unsigned>(NameAt);
    H.sh_type = S.Type;
    H.sh_offset = At + Body.size();
    H.sh_size = S.Contents.size();
    H.sh_link = S.Link;
    NameAt += S.Name.size() + 1;
    Body += S.Contents;
    Table += raw(H);
  }
  Header.e_shoff = At + Body.size();
  Header.e_shnum = static_cast<unsigned short>(Sections.size() + 1);
  Header.e_shstrndx = static_cast<unsigned short>(Sections.size());
  std::string All = raw(Header) + raw(Segment) + Body + Table;
  return {All.begin(), All.end()};
}

const std::string Strings = std::string("\0__cudaRegisterFatBinary\0libcudart.so.13\0", 42);

std::string importedSymbol() {
  Elf64_Sym Symbol = {};
  Symbol.st_name = 1;
  return raw(Elf64_Sym()) + raw(Symbol);
}

std::string needed() {
  Elf64_Dyn D = {};
  D.d_tag = DT_NEEDED;
  D.d_un.d_val = 25;
  return raw(D);
}

std::string bitcode() {
  gmprof_u64 Record[] = {GMPROF_BITCODE_MAGIC, 8, 90, 0};
  return std::string(16, 'f') + raw(Record);
}

/// A program with kernels that loads libcudart.
std::vector<unsigned char> wholeProgram() {
  return elf({{".nv_fatbin", SHT_PROGBITS, bitcode()},
              {".dynstr", SHT_STRTAB, Strings},
              {".dynsym", SHT_DYNSYM, importedSymbol(), 2},
              {".dynamic", SHT_DYNAMIC, needed(), 2}});
}

TEST(Program, SharedCudart) {
  ProgramFacts F = examineElf(wholeProgram());
  EXPECT_TRUE(F.Elf);
  EXPECT_FALSE(F.Foreign);
  EXPECT_FALSE(F.StaticallyLinked);
  EXPECT_TRUE(F.KernelsInside);
  EXPECT_FALSE(F.OwnCudart);
  EXPECT_TRUE(F.BitcodeInside);
  EXPECT_EQ(F.Needed, std::vector<std::string>{"libcudart.so.13"});
}

TEST(Program, StaticCudart) {
  EXPECT_TRUE(examineElf(elf({{".nv_fatbin", SHT_PROGBITS, "fat"}})).OwnCudart);
}

TEST(Program, NoKernels) {
  ProgramFacts F = examineElf(elf({{".text", SHT_PROGBITS, "code"}}));
  EXPECT_FALSE(F.KernelsInside);
  EXPECT_FALSE(F.OwnCudart);
  EXPECT_FALSE(F.BitcodeInside);
}

TEST(Program, StaticallyLinked) {
  EXPECT_TRUE(examineElf(elf({{".text", SHT_PROGBITS, "code"}}, false)).StaticallyLinked);
}

TEST(Program, BitcodeOfRelocatableDeviceCode) {
  EXPECT_TRUE(examineElf(elf({{GMPROF_BITCODE_SECTION, SHT_PROGBITS, bitcode()}})).BitcodeInside);
}

TEST(Program, BitcodeMagicWithoutRecord) {
  std::string Short = bitcode();
  Short.resize(Short.size() - 8);
  EXPECT_FALSE(examineElf(elf({{".nv_fatbin", SHT_PROGBITS, Short}})).BitcodeInside);
}

TEST(Program, PtxOfAFatBinary) {
  // A header of 16 bytes, and an entry of 64 and 8 bytes. Kinds: 1: PTX, 2: cubin.
  const auto FatBinary = [](uint16_t Kind) {
    std::string Bytes(16 + 64 + 8, '\0');
    const auto Put = [&](size_t At, auto Number) {
      std::memcpy(&Bytes[At], &Number, sizeof(Number));
    };
    Put(0, uint32_t(0xba55ed50));
    Put(6, uint16_t(16));
    Put(8, uint64_t(72));
    Put(16, Kind);
    Put(20, uint32_t(64));
    Put(24, uint64_t(8));
    return Bytes;
  };
  const auto HasPtx = [](const std::string &Section) {
    return examineElf(elf({{".nv_fatbin", SHT_PROGBITS, Section}})).PtxInside;
  };
  EXPECT_TRUE(HasPtx(FatBinary(1)));
  EXPECT_FALSE(HasPtx(FatBinary(2)));
  EXPECT_TRUE(HasPtx(FatBinary(2) + FatBinary(1))); // of two objects
  EXPECT_FALSE(HasPtx(FatBinary(1).substr(0, 80)));
  EXPECT_TRUE(examineElf(elf({{".nv_fatbin", SHT_PROGBITS, FatBinary(2)},
                              {"__nv_relfatbin", SHT_PROGBITS, FatBinary(1)}}))
                  .PtxInside);
}

TEST(Program, ScriptsAreNotElf) {
  const unsigned char Script[] = "#!/bin/sh\n";
  EXPECT_FALSE(examineElf(Script).Elf);
  EXPECT_FALSE(examineElf({}).Elf);
}

/// Examines a file whose last byte is the last one before a page that cannot be read.
ProgramFacts examineBeforeGuard(std::span<const unsigned char> File) {
  constexpr size_t Page = 4096;
  const size_t Pages = (File.size() + Page - 1) / Page * Page;
  void *Memory = ::mmap(nullptr, Pages + Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto *Begin = static_cast<unsigned char *>(Memory) + Pages - File.size();
  EXPECT_EQ(::mprotect(Memory, Pages, PROT_READ | PROT_WRITE), 0);
  std::ranges::copy(File, Begin);
  const ProgramFacts Facts = examineElf({Begin, File.size()});
  ::munmap(Memory, Pages + Page);
  return Facts;
}

TEST(Program, TruncatedFilesHaveNoSections) {
  const std::vector<unsigned char> Whole = wholeProgram();
  for (size_t Bytes = 1; Bytes < Whole.size(); ++Bytes) {
    SCOPED_TRACE(Bytes);
    const ProgramFacts F = examineBeforeGuard({Whole.data(), Bytes});
    EXPECT_EQ(F.Elf, Bytes >= sizeof(Elf64_Ehdr));
    EXPECT_FALSE(F.Foreign);
    EXPECT_EQ(F.StaticallyLinked, F.Elf && Bytes < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
    // The table of sections is the end of the file.
    EXPECT_FALSE(F.KernelsInside || F.OwnCudart || F.BitcodeInside);
    EXPECT_TRUE(F.Needed.empty());
  }
}

TEST(Program, DamagedBytesAreNotFollowedOutOfTheFile) {
  const std::vector<unsigned char> Whole = wholeProgram();
  constexpr size_t Machine = offsetof(Elf64_Ehdr, e_machine);
  for (size_t At = 0; At < Whole.size(); ++At)
    for (unsigned char Value : {0x00, 0x7f, 0xff}) {
      SCOPED_TRACE(testing::Message() << "byte " << At << " is " << int(Value));
      std::vector<unsigned char> Damaged = Whole;
      Damaged[At] = Value;
      const ProgramFacts F = examineBeforeGuard(Damaged);
      const bool Changed = Value != Whole[At];
      const bool OfMachine = At == EI_CLASS || At == EI_DATA || At == Machine || At == Machine + 1;
      EXPECT_EQ(F.Elf, !(Changed && At < SELFMAG));
      EXPECT_EQ(F.Foreign, Changed && OfMachine);
      if (!Changed || (At >= EI_VERSION && At < EI_NIDENT)) { // nothing that is read
        EXPECT_TRUE(F.KernelsInside && F.BitcodeInside && !F.OwnCudart && !F.StaticallyLinked);
        EXPECT_EQ(F.Needed, std::vector<std::string>{"libcudart.so.13"});
      }
    }
}

TEST(Program, NotFound) {
  EXPECT_EQ(findProgram("no-such-program-anywhere").error(),
            "there is no program 'no-such-program-anywhere' in PATH");
  EXPECT_EQ(checkProgram("/no/such/file").error(), "there is no program '/no/such/file'");
  EXPECT_EQ(checkProgram("/etc/passwd").error(),
            "'/etc/passwd' is not executable: chmod +x it, or name the program that runs it");
  EXPECT_EQ(*findProgram("sh"), *findProgram("sh"));
}

TEST(DeviceChoice, PreloadKeepsOthersAndReplacesOurs) {
  EXPECT_EQ(preloadWith("/g/libgmprof.so:/g/cpu/libcudart.so.13", ""),
            "/g/libgmprof.so:/g/cpu/libcudart.so.13");
  EXPECT_EQ(preloadWith("/g/libgmprof.so", "/lib/libjemalloc.so /old/libgmprof.so:"
                                           "/old/libcudart.so.13:/x/other.so"),
            "/g/libgmprof.so:/lib/libjemalloc.so:/x/other.so");
}

} // namespace
} // namespace gmprof::host
