//===- ModuleImagesTest.cpp - Tests of the code of modules ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/ModuleImages.h"
#include "host/instrument/CloneProtocol.h"
#include "unit/TemporaryFolder.h"
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gmprof;
using gmprof::test::TemporaryFolder;
using testing::UnorderedElementsAre;

namespace {

using Kind = ModuleImages::Kind;

std::string input(const std::string &Name) {
  std::ifstream In(GMPROF_FAT_BINARIES "/" + Name, std::ios::binary);
  EXPECT_TRUE(In) << Name;
  return std::string(std::istreambuf_iterator<char>(In), {});
}

/// Returns a cubin of 200 bytes: the header, content, and a table of one section.
std::string cubin(char Content) {
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_shoff = 200 - sizeof(Elf64_Shdr);
  Header.e_shentsize = sizeof(Elf64_Shdr);
  Header.e_shnum = 1;
  std::string Bytes(200, Content);
  std::memcpy(Bytes.data(), &Header, sizeof(Header));
  return Bytes;
}

const char A = 0, B = 0;

TEST(ModuleImages, TextIsItsCode) {
  ModuleImages Images("");
  std::string Text = ".version 8.0";
  Images.loaded(Kind::Module, &A, Text.c_str());
  Text.assign(Text.size(), '#'); // released
  const auto Code = Images.codeOf(&A, {90, 90});
  ASSERT_TRUE(Code) << Code.error();
  EXPECT_EQ((*Code)->Text, ".version 8.0");
  EXPECT_EQ((*Code)->Hash, moduleHash(".version 8.0"));
  EXPECT_EQ((*Images.codeOf(&A, {80, 80}))->Text, ".version 8.0");
}

TEST(ModuleImages, AFatBinaryHasTheCodeOfTheArchitectureThatRuns) {
  ModuleImages Images("");
  std::string Bytes = input("sum.size.fatbin");
  Images.loaded(Kind::Library, &A, Bytes.data());
  const auto Entries = fatBinaryEntries(Bytes);
  ASSERT_TRUE(Entries);
  const std::string Ptx80 = *contentOf((*Entries)[0]), Ptx90 = *contentOf((*Entries)[2]);
  ASSERT_NE(Ptx80, Ptx90);
  Bytes.assign(Bytes.size(), '#'); // released
  for (const auto &[Architecture, Ptx] : {std::pair(90u, Ptx90), {80u, Ptx80}, {90u, Ptx90}}) {
    const auto Code = Images.codeOf(&A, {Architecture, Architecture});
    ASSERT_TRUE(Code) << Code.error();
    EXPECT_EQ((*Code)->Text, Ptx);
  }
  const auto Other = Images.codeOf(&A, {86, 86});
  ASSERT_FALSE(Other);
  EXPECT_EQ(Other.error(),
            "the module has PTX of compute_80, compute_90, but the machine code that "
            "runs was compiled for compute_86: embed that, too (nvcc -gencode "
            "arch=compute_86,code=compute_86)");
}

TEST(ModuleImages, ACubinHasTheCodeThatItWasCompiledFrom) {
  ModuleImages Images("");
  const std::string Compiled = cubin('c'), Other = cubin('o');
  Images.compiled(Compiled, "code");
  Images.loaded(Kind::Module, &A, Compiled.data());
  Images.loaded(Kind::Module, &B, Other.data());
  const auto Code = Images.codeOf(&A, {90, 90});
  ASSERT_TRUE(Code) << Code.error();
  EXPECT_EQ((*Code)->Text, "code");
  const auto None = Images.codeOf(&B, {90, 90});
  ASSERT_FALSE(None);
  EXPECT_EQ(None.error(),
            "the module has no PTX, only machine code (nvcc embeds both with -gencode "
            "arch=compute_90,code=[sm_90,compute_90])");
  // A buffer that ends before the cubin does is ignored.
  Images.compiled(std::string_view(Other).substr(0, 199), "code");
  EXPECT_FALSE(Images.codeOf(&B, {90, 90}));
}

TEST(ModuleImages, KeepsTheCodeOfCubinsForLaterProcesses) {
  const TemporaryFolder Folder;
  const std::string Kept = cubin('k'), NotKept = cubin('n');
  ModuleImages First(Folder.file("cache"));
  First.compiledAndKept(Kept, "code");
  First.compiled(NotKept, "code");
  ModuleImages Second(Folder.file("cache"));
  Second.loaded(Kind::Module, &A, Kept.data());
  Second.loaded(Kind::Module, &B, NotKept.data());
  const auto Code = Second.codeOf(&A, {90, 90});
  ASSERT_TRUE(Code) << Code.error();
  EXPECT_EQ((*Code)->Text, "code");
  EXPECT_FALSE(Second.codeOf(&B, {90, 90}));
}

TEST(ModuleImages, ACubinHasLinesOfThePlaceWhereItWasLoaded) {
  const std::string Text = ".loc 1 2 3\n.file 1 \"/tmp/gone.cu\"\n";
  const std::string Compiled = cubin('c');
  ModuleImages Images("");
  Images.compiled(Compiled, Text);
  SourcePlace::ofThread() = {"app.py", 5, true};
  Images.loaded(Kind::Module, &A, Compiled.data());
  SourcePlace::ofThread() = {};
  Images.loaded(Kind::Module, &B, Compiled.data());
  EXPECT_EQ((*Images.codeOf(&A, {}))->Text, ".loc 1 6 3\n.file 1 \"app.py\"\n");
  EXPECT_EQ((*Images.codeOf(&B, {}))->Text, Text);
}

TEST(ModuleImages, ACubinOfUnknownCodeHasAReason) {
  ModuleImages Images("");
  const std::string Linked = cubin('l');
  Images.compiledFromUnknown(Linked, "the reason");
  Images.loaded(Kind::Module, &A, Linked.data());
  const auto None = Images.codeOf(&A, {90, 90});
  ASSERT_FALSE(None);
  EXPECT_EQ(None.error(), "the reason");
  Images.compiled(Linked, "code");
  const auto Code = Images.codeOf(&A, {90, 90});
  ASSERT_TRUE(Code) << Code.error();
  EXPECT_EQ((*Code)->Text, "code");
}

TEST(ModuleImages, InputsOfLinkersHavePtx) {
  ModuleImages Images("");
  EXPECT_EQ(Images.ptxOfInput(std::string(".version 8.0\0behind", 19)), ".version 8.0");
  EXPECT_EQ(Images.ptxOfInput("no version"), "");
  EXPECT_EQ(Images.ptxOfInput("\xed\x43\x4e"), "");
  // A cubin has what it was compiled from, unless that is bitcode.
  const std::string Compiled = cubin('c'), OfBitcode = cubin('b'), Unknown = cubin('u');
  Images.compiled(Compiled, ".version 8.0 // compiled");
  Images.compiled(OfBitcode, "BC\xc0\xde");
  EXPECT_EQ(Images.ptxOfInput(Compiled), ".version 8.0 // compiled");
  EXPECT_EQ(Images.ptxOfInput(OfBitcode), "");
  EXPECT_EQ(Images.ptxOfInput(Unknown), "");
  // A fat binary has PTX of compute_80 and compute_90.
  const std::string Fat = input("sum.size.fatbin");
  const auto Entries = fatBinaryEntries(Fat);
  ASSERT_TRUE(Entries);
  EXPECT_EQ(Images.ptxOfInput(Fat, 89), *contentOf((*Entries)[0]));
  EXPECT_EQ(Images.ptxOfInput(Fat, 90), *contentOf((*Entries)[2]));
  EXPECT_EQ(Images.ptxOfInput(Fat, 70), "");
}

TEST(ModuleImages, InputsOfLinkersHaveTheirNames) {
  ModuleImages Images("");
  Images.named(".version 8.0 // k_param_0", ".version 8.0 // x");
  using namespace std::string_view_literals;
  EXPECT_EQ(Images.ptxOfInput(".version 8.0 // k_param_0\0"sv), ".version 8.0 // x");
  EXPECT_EQ(Images.ptxOfInput(".version 8.0 // k_param_1"), ".version 8.0 // k_param_1");
}

TEST(ModuleImages, ADamagedFatBinaryHasAReasonInsteadOfCode) {
  ModuleImages Images("");
  std::string Bytes = input("sum.none.fatbin");
  Bytes[16 + 8 + 7] = '\x7f'; // size of the first entry
  Images.loaded(Kind::Module, &A, Bytes.data());
  const auto Code = Images.codeOf(&A, {90, 90});
  ASSERT_FALSE(Code);
  EXPECT_EQ(Code.error(),
            "the fat binary is malformed at byte 16: the entry exceeds the fat binary");
}

TEST(ModuleImages, AnUnloadedModuleIsForgotten) {
  ModuleImages Images("");
  Images.loaded(Kind::Module, &A, "text");
  Images.loaded(Kind::Library, &B, "text");
  EXPECT_TRUE(Images.knows(&A));
  EXPECT_THAT(Images.libraries(), UnorderedElementsAre(&B));
  Images.unloaded(&A);
  Images.unloaded(&B);
  EXPECT_FALSE(Images.knows(&A));
  EXPECT_THAT(Images.libraries(), UnorderedElementsAre());
  EXPECT_FALSE(Images.codeOf(&A, {90, 90}));
}

TEST(ModuleImages, ModulesWithoutHandleOrImageAreNone) {
  ModuleImages Images("");
  Images.loaded(Kind::Module, nullptr, "text");
  Images.loaded(Kind::Module, &A, nullptr);
  EXPECT_FALSE(Images.knows(nullptr));
  EXPECT_FALSE(Images.knows(&A));
}

} // namespace
