//===- CompiledFilesTest.cpp - Tests of PTX beside machine code -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CompiledFiles.h"
#include "unit/TemporaryFolder.h"
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace gmprof;
using gmprof::test::TemporaryFolder;

namespace {

/// A cubin without content: the header alone.
std::string cubin() {
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_shoff = sizeof(Header);
  return std::string(reinterpret_cast<const char *>(&Header), sizeof(Header));
}

class CompiledFilesTest : public testing::Test {
protected:
  TemporaryFolder Folder;
  ModuleImages Images{""};

  void write(const std::string &Name, const std::string &Content) {
    std::ofstream(Folder.file(Name), std::ios::binary) << Content;
  }
  /// Returns the code of the module that is loaded from cubin(); empty if there is none.
  std::string code() {
    const std::string Image = cubin();
    Images.loaded(ModuleImages::Kind::Module, this, Image.data());
    const auto Code = Images.codeOf(this, {90, 90});
    return Code ? (*Code)->Text : "";
  }
};

TEST_F(CompiledFilesTest, PtxBesideACubinIsItsCode) {
  write("k.cubin", cubin());
  write("k.ptx", ".version 8.0");
  rememberNeighbours(Folder.file("k.cubin"), Images);
  EXPECT_EQ(code(), ".version 8.0");
}

TEST_F(CompiledFilesTest, ACubinWithoutPtxHasNone) {
  write("k.cubin", cubin());
  write("k.bin", cubin());
  write("other.ptx", ".version 8.0");
  rememberNeighbours(Folder.file("k.cubin"), Images);
  rememberNeighbours(Folder.file("k.bin"), Images);
  rememberNeighbours(Folder.file("missing.cubin"), Images);
  EXPECT_EQ(code(), "");
}

// Triton's IR names the parameters of the source; those that the compiler adds have none.
TEST_F(CompiledFilesTest, ParametersHaveTheNamesOfTritonsIr) {
  write("k.cubin", cubin());
  write("k.ttir",
        "#loc = loc(\"a.py\":1:0)\nmodule {\n  tt.func public @add(%x: !tt.ptr<f32> {a = 16 "
        ": i32}, %1: i32, %out_ptr: !tt.ptr<f32>) attributes {} {\n    %y: i32\n");
  write("k.ptx", ".entry add(add_param_0, add_param_1, add_param_2, add_param_10, add_param_)"
                 "[add_param_2] padd_param_0");
  rememberNeighbours(Folder.file("k.cubin"), Images);
  EXPECT_EQ(code(), ".entry add(x, add_param_1, out_ptr, add_param_10, add_param_)[out_ptr] "
                    "padd_param_0");
}

TEST_F(CompiledFilesTest, SectionsOfFilesAreReadByName) {
  // A header, the section's content, the names of sections, and three sections: none, the
  // content, the names.
  const std::string Content = "content", Names("\0.code\0.names", 14);
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_shoff = sizeof(Header) + Content.size() + Names.size();
  Header.e_shentsize = sizeof(Elf64_Shdr);
  Header.e_shnum = 3;
  Header.e_shstrndx = 2;
  Elf64_Shdr Sections[3] = {};
  Sections[1].sh_name = 1;
  Sections[1].sh_offset = sizeof(Header);
  Sections[1].sh_size = Content.size();
  Sections[2].sh_name = 7;
  Sections[2].sh_offset = sizeof(Header) + Content.size();
  Sections[2].sh_size = Names.size();
  const auto Bytes = [](const auto &Of) {
    return std::string(reinterpret_cast<const char *>(&Of), sizeof(Of));
  };
  const std::string File = Bytes(Header) + Content + Names + Bytes(Sections);
  write("file", File);
  EXPECT_EQ(sectionOfFile(Folder.file("file"), ".code"), "content");
  EXPECT_EQ(sectionOfFile(Folder.file("file"), ".cod"), "");
  EXPECT_EQ(sectionOfFile(Folder.file("file"), ".other"), "");
  EXPECT_EQ(sectionOfFile(Folder.file("missing"), ".code"), "");
  for (size_t Length = 0; Length < File.size(); ++Length) {
    write("short", File.substr(0, Length));
    EXPECT_EQ(sectionOfFile(Folder.file("short"), ".code"), "") << Length;
  }
  Sections[1].sh_size = uint64_t(1) << 40;
  write("huge", Bytes(Header) + Content + Names + Bytes(Sections));
  EXPECT_EQ(sectionOfFile(Folder.file("huge"), ".code"), "");
}

TEST_F(CompiledFilesTest, PtxasIsKnownByItsName) {
  EXPECT_TRUE(isPtxas({"ptxas"}));
  EXPECT_TRUE(isPtxas({"/usr/local/cuda/bin/ptxas", "-v"}));
  EXPECT_FALSE(isPtxas({"/usr/bin/ptxas-wrapper"}));
  EXPECT_FALSE(isPtxas({"python3", "ptxas"}));
  EXPECT_FALSE(isPtxas({}));
}

TEST_F(CompiledFilesTest, TheInputOfPtxasIsTheCodeOfItsOutput) {
  write("in", "// made by a compiler\n.version 8.0");
  write("out", cubin());
  rememberPtxas({"ptxas", "-arch=sm_90", Folder.file("in"), "-o", Folder.file("out")}, Images);
  EXPECT_EQ(code(), "// made by a compiler\n.version 8.0");
  write("in", ".version 8.1");
  rememberPtxas({"ptxas", "--output-file", Folder.file("out"), Folder.file("in")}, Images);
  EXPECT_EQ(code(), ".version 8.1");
}

TEST_F(CompiledFilesTest, ACommandOfPtxasThatMakesNoCubinLeavesNoCode) {
  write("in", ".version 8.0");
  write("text", "no PTX");
  write("out", cubin());
  rememberPtxas({"ptxas", "--version"}, Images);
  rememberPtxas({"ptxas", Folder.file("in"), "-o"}, Images);
  rememberPtxas({"ptxas", Folder.file("in"), "-o", Folder.file("missing")}, Images);
  rememberPtxas({"ptxas", Folder.file("text"), "-o", Folder.file("out")}, Images);
  EXPECT_EQ(code(), "");
}

} // namespace
