//===- CompiledFiles.cpp - PTX beside machine code on disk ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CompiledFiles.h"
#include "host/instrument/ParameterNames.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>

namespace gmprof {

/// More than the PTX of any program.
static constexpr uint64_t MaxSectionBytes = uint64_t(1) << 30;

std::string contentOfFile(const std::string &Name) {
  std::ifstream File(Name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(File), {});
}

static bool read(std::ifstream &In, uint64_t At, void *To, size_t Bytes) {
  return In.seekg(static_cast<std::streamoff>(At)) &&
         In.read(static_cast<char *>(To), static_cast<std::streamsize>(Bytes));
}

std::optional<FileSection> findSection(const std::string &File, std::string_view Name) {
  std::ifstream In(File, std::ios::binary);
  Elf64_Ehdr Header;
  if (!read(In, 0, &Header, sizeof(Header)) || std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_shentsize != sizeof(Elf64_Shdr) || Header.e_shstrndx >= Header.e_shnum)
    return std::nullopt;
  std::vector<Elf64_Shdr> Sections(Header.e_shnum);
  if (!read(In, Header.e_shoff, Sections.data(), Sections.size() * sizeof(Elf64_Shdr)))
    return std::nullopt;
  const uint64_t Names = Sections[Header.e_shstrndx].sh_offset;
  for (const Elf64_Shdr &S : Sections) {
    std::string Found(Name.size() + 1, '\0');
    if (read(In, Names + S.sh_name, Found.data(), Found.size()) && Found.c_str() == Name &&
        S.sh_type != SHT_NOBITS && S.sh_size <= MaxSectionBytes)
      return FileSection{S.sh_addr, S.sh_offset, S.sh_size};
    In.clear(); // the name at the end of the file may be shorter
  }
  return std::nullopt;
}

std::string sectionOfFile(const std::string &File, std::string_view Name) {
  const std::optional<FileSection> Section = findSection(File, Name);
  if (!Section)
    return "";
  std::ifstream In(File, std::ios::binary);
  std::string Content(Section->Bytes, '\0');
  return read(In, Section->Offset, Content.data(), Content.size()) ? Content : "";
}

/// Returns the names in the head of the kernel in Triton's IR, `tt.func public @kernel(%name: type,
/// %0: type …`. A number there is no name.
static ParameterNames namesOfTriton(const std::string &Ttir) {
  constexpr std::string_view Begin = "tt.func public @";
  const size_t At = Ttir.find(Begin);
  const size_t Open = At == std::string::npos ? At : Ttir.find('(', At);
  if (Open == std::string::npos)
    return {};
  std::vector<std::string> Names;
  const std::string Line = Ttir.substr(Open, Ttir.find('\n', Open) - Open);
  for (size_t Name = Line.find('%'); Name != std::string::npos; Name = Line.find('%', Name)) {
    ++Name;
    Names.push_back(Line.substr(Name, Line.find(':', Name) - Name));
    if (Names.back().find_first_not_of("0123456789") == std::string::npos)
      Names.back().clear();
  }
  return {{Ttir.substr(At + Begin.size(), Open - At - Begin.size()), std::move(Names)}};
}

void rememberNeighbours(const std::string &Cubin, ModuleImages &Images) {
  constexpr std::string_view Extension = ".cubin";
  if (!Cubin.ends_with(Extension))
    return;
  const std::string Stem = Cubin.substr(0, Cubin.size() - Extension.size());
  if (const std::string Ptx = contentOfFile(Stem + ".ptx"); !Ptx.empty())
    Images.compiled(contentOfFile(Cubin),
                    withParameterNames(Ptx, namesOfTriton(contentOfFile(Stem + ".ttir"))));
}

bool isPtxas(const std::vector<std::string> &Command) {
  if (Command.empty())
    return false;
  const std::string_view Program = Command[0];
  return Program.substr(Program.rfind('/') + 1) == "ptxas";
}

void rememberPtxas(const std::vector<std::string> &Command, ModuleImages &Images) {
  std::string Ptx, Cubin;
  for (size_t I = 1; I < Command.size(); ++I) {
    if (Command[I] == "-o" || Command[I] == "--output-file")
      Cubin = ++I < Command.size() ? contentOfFile(Command[I]) : "";
    else if (!Command[I].starts_with('-') && Ptx.empty())
      Ptx = contentOfFile(Command[I]);
  }
  if (Ptx.find(".version") != std::string::npos)
    Images.compiledAndKept(Cubin, std::move(Ptx));
}

} // namespace gmprof
