//===- Program.cpp - Facts about a program's file -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Program.h"
#include "gmprof/abi.h"
#include "host/instrument/BitcodeRecords.h"
#include "host/instrument/FatBinary.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

/// Reads an ELF file that may be damaged: ranges outside the file are empty.
class ElfReader {
public:
  explicit ElfReader(std::span<const unsigned char> File) : File(File) {}
  ProgramFacts facts();

private:
  std::span<const unsigned char> part(uint64_t Offset, uint64_t Bytes) const {
    if (Offset > File.size() || Bytes > File.size() - Offset)
      return {};
    return File.subspan(Offset, Bytes);
  }
  template <typename T> static std::vector<T> array(std::span<const unsigned char> Bytes) {
    std::vector<T> Elements(Bytes.size() / sizeof(T));
    if (!Elements.empty())
      std::memcpy(Elements.data(), Bytes.data(), Elements.size() * sizeof(T));
    return Elements;
  }
  std::span<const unsigned char> contents(const Elf64_Shdr &S) const {
    return S.sh_type == SHT_NOBITS ? std::span<const unsigned char>()
                                   : part(S.sh_offset, S.sh_size);
  }
  static std::string_view text(std::span<const unsigned char> Strings, uint64_t Offset) {
    if (Offset >= Strings.size())
      return {};
    auto *Begin = reinterpret_cast<const char *>(Strings.data()) + Offset;
    return {Begin, strnlen(Begin, Strings.size() - Offset)};
  }
  const Elf64_Shdr *section(std::string_view Name) const;
  std::span<const unsigned char> linked(const Elf64_Shdr &S) const {
    return S.sh_link < Sections.size() ? contents(Sections[S.sh_link])
                                       : std::span<const unsigned char>();
  }
  void readDynamic(ProgramFacts &To) const;
  bool importsRegistration() const;

  std::span<const unsigned char> File;
  std::vector<Elf64_Shdr> Sections;
  std::span<const unsigned char> Names;
};

const Elf64_Shdr *ElfReader::section(std::string_view Name) const {
  for (const Elf64_Shdr &S : Sections)
    if (text(Names, S.sh_name) == Name)
      return &S;
  return nullptr;
}

void ElfReader::readDynamic(ProgramFacts &To) const {
  for (const Elf64_Shdr &S : Sections)
    if (S.sh_type == SHT_DYNAMIC)
      for (const Elf64_Dyn &D : array<Elf64_Dyn>(contents(S)))
        if (D.d_tag == DT_NEEDED)
          To.Needed.emplace_back(text(linked(S), D.d_un.d_val));
}

/// Returns whether the program registers its kernels with a shared libcudart.
bool ElfReader::importsRegistration() const {
  for (const Elf64_Shdr &S : Sections)
    if (S.sh_type == SHT_DYNSYM)
      for (const Elf64_Sym &Symbol : array<Elf64_Sym>(contents(S)))
        if (Symbol.st_shndx == SHN_UNDEF &&
            text(linked(S), Symbol.st_name) == "__cudaRegisterFatBinary")
          return true;
  return false;
}

/// Returns whether a section contains a bitcode record (docs/architecture.md).
bool holdsBitcode(std::span<const unsigned char> Section) {
  const std::string_view Bytes(reinterpret_cast<const char *>(Section.data()), Section.size());
  for (size_t At = 0; At < Bytes.size(); At += 8)
    if (const auto Records = bitcodeRecords(Bytes.substr(At));
        !Records.empty() && !Records[0].Content.empty())
      return true;
  return false;
}

/// Returns whether a section of fat binaries contains PTX.
bool holdsPtx(std::span<const unsigned char> Section) {
  const Result<std::vector<FatBinaryEntry>> Entries =
      fatBinaryEntries({reinterpret_cast<const char *>(Section.data()), Section.size()});
  return Entries && std::ranges::any_of(*Entries, [](const FatBinaryEntry &E) {
           return E.Is == FatBinaryEntry::Kind::Ptx;
         });
}

ProgramFacts ElfReader::facts() {
  ProgramFacts Facts;
  Elf64_Ehdr Header = {};
  if (File.size() < sizeof(Header) || std::memcmp(File.data(), ELFMAG, SELFMAG) != 0)
    return Facts;
  std::memcpy(&Header, File.data(), sizeof(Header));
  Facts.Elf = true;
  Facts.Foreign = Header.e_ident[EI_CLASS] != ELFCLASS64 ||
                  Header.e_ident[EI_DATA] != ELFDATA2LSB || Header.e_machine != EM_X86_64;
  if (Facts.Foreign)
    return Facts;
  auto Segments =
      array<Elf64_Phdr>(part(Header.e_phoff, uint64_t(Header.e_phnum) * sizeof(Elf64_Phdr)));
  Facts.StaticallyLinked = std::none_of(Segments.begin(), Segments.end(),
                                        [](const Elf64_Phdr &P) { return P.p_type == PT_INTERP; });
  Sections = array<Elf64_Shdr>(part(Header.e_shoff, uint64_t(Header.e_shnum) * sizeof(Elf64_Shdr)));
  if (Header.e_shstrndx < Sections.size())
    Names = contents(Sections[Header.e_shstrndx]);
  readDynamic(Facts);
  const Elf64_Shdr *FatBinary = section(".nv_fatbin");
  const Elf64_Shdr *Bitcode = section(GMPROF_BITCODE_SECTION);
  Facts.KernelsInside = FatBinary != nullptr;
  Facts.OwnCudart = Facts.KernelsInside && !importsRegistration();
  Facts.BitcodeInside = (FatBinary && holdsBitcode(contents(*FatBinary))) ||
                        (Bitcode && holdsBitcode(contents(*Bitcode)));
  const Elf64_Shdr *Relocatable = section("__nv_relfatbin"); // of nvcc -rdc=true
  Facts.PtxInside = (FatBinary && holdsPtx(contents(*FatBinary))) ||
                    (Relocatable && holdsPtx(contents(*Relocatable)));
  return Facts;
}

} // namespace

ProgramFacts examineElf(std::span<const unsigned char> File) { return ElfReader(File).facts(); }

static bool isRegularFile(const std::string &Path) {
  struct stat Facts = {};
  return stat(Path.c_str(), &Facts) == 0 && S_ISREG(Facts.st_mode);
}

static bool isDirectory(const std::string &Path) {
  struct stat Facts = {};
  return stat(Path.c_str(), &Facts) == 0 && S_ISDIR(Facts.st_mode);
}

Result<std::string> findProgram(const std::string &Name) {
  if (Name.find('/') != std::string::npos)
    return Name;
  const char *Variable = getenv("PATH");
  std::string Path = Variable ? Variable : "/usr/local/bin:/usr/bin:/bin";
  for (size_t Begin = 0; Begin <= Path.size();) {
    size_t End = std::min(Path.find(':', Begin), Path.size());
    std::string Folder = Path.substr(Begin, End - Begin);
    std::string File = (Folder.empty() ? "." : Folder) + "/" + Name;
    if (isRegularFile(File) && access(File.c_str(), X_OK) == 0)
      return File;
    Begin = End + 1;
  }
  if (isRegularFile(Name))
    return Error{"there is no program '" + Name + "' in PATH; did you mean './" + Name + "'?"};
  return Error{"there is no program '" + Name + "' in PATH"};
}

Result<ProgramFacts> checkProgram(const std::string &Path) {
  if (isDirectory(Path))
    return Error{"'" + Path + "' is a folder: name a program"};
  if (!isRegularFile(Path))
    return Error{"there is no program '" + Path + "'"};
  if (access(Path.c_str(), X_OK) != 0)
    return Error{"'" + Path + "' is not executable: chmod +x it, or name the program that runs it"};
  ProgramFacts Facts;
  int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat Status = {};
  if (Fd < 0) // executable but not readable: its facts are unknown
    return Facts;
  if (fstat(Fd, &Status) == 0 && Status.st_size > 0) {
    auto Bytes = static_cast<size_t>(Status.st_size);
    void *File = mmap(nullptr, Bytes, PROT_READ, MAP_PRIVATE, Fd, 0);
    if (File != MAP_FAILED) {
      Facts = examineElf({static_cast<const unsigned char *>(File), Bytes});
      munmap(File, Bytes);
    }
  }
  close(Fd);
  if (Facts.Foreign)
    return Error{"'" + Path + "' is not a program for x86-64 Linux"};
  if (Facts.Elf && Facts.StaticallyLinked)
    return Error{"'" + Path +
                 "' is linked statically, so that GMProf cannot be loaded with it: link it with "
                 "shared libraries"};
  return Facts;
}

} // namespace gmprof::host
