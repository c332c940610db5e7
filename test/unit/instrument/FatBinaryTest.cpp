//===- FatBinaryTest.cpp - Tests of the reader of fat binaries ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/FatBinary.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace gmprof;

namespace {

using Kind = FatBinaryEntry::Kind;
using Compression = FatBinaryEntry::Compression;

std::string input(const std::string &Name) {
  std::ifstream In(GMPROF_FAT_BINARIES "/" + Name, std::ios::binary);
  EXPECT_TRUE(In) << Name;
  return std::string(std::istreambuf_iterator<char>(In), {});
}

/// Returns a file of PTX as fatbinary packs it: without comments and tabs.
std::string packed(const std::string &Name) {
  std::istringstream Lines(input(Name));
  std::string Text;
  for (std::string Line; std::getline(Lines, Line);) {
    Line.resize(std::min(Line.find("//"), Line.size()));
    std::erase(Line, '\t');
    Text += Line + '\n';
  }
  return Text;
}

// nvcc -fatbin packs the PTX that nvcc -ptx writes.
TEST(FatBinary, HasThePtxThatNvccWrites) {
  const std::pair<const char *, Compression> Files[] = {{"sum.none.fatbin", Compression::None},
                                                        {"sum.speed.fatbin", Compression::Lz4},
                                                        {"sum.size.fatbin", Compression::Zstd}};
  for (const auto &[Name, Compressed] : Files) {
    SCOPED_TRACE(Name);
    const std::string Bytes = input(Name);
    const auto Entries = fatBinaryEntries(Bytes);
    ASSERT_TRUE(Entries) << Entries.error();
    ASSERT_EQ(Entries->size(), 3u);
    const auto &[Ptx80, Elf, Ptx90] = std::tie((*Entries)[0], (*Entries)[1], (*Entries)[2]);
    EXPECT_EQ(Ptx80.Is, Kind::Ptx);
    EXPECT_EQ(Ptx80.Architecture, 80u);
    EXPECT_EQ(Ptx80.Compressed, Compressed);
    const auto Text80 = contentOf(Ptx80), Text90 = contentOf(Ptx90);
    ASSERT_TRUE(Text80) << Text80.error();
    EXPECT_EQ(*Text80, packed("sum.80.ptx"));
    EXPECT_EQ(Ptx90.Is, Kind::Ptx);
    EXPECT_EQ(Ptx90.Architecture, 90u);
    ASSERT_TRUE(Text90) << Text90.error();
    EXPECT_EQ(*Text90, packed("sum.90.ptx"));
    EXPECT_EQ(Elf.Is, Kind::Elf);
    EXPECT_EQ(Elf.Architecture, 90u);
    const auto Cubin = contentOf(Elf);
    ASSERT_TRUE(Cubin) << Cubin.error();
    EXPECT_EQ(imageKind(Cubin->data()), ImageKind::Elf);
  }
}

TEST(FatBinary, TheDriverCompilesTheNewestPtxThatTheDeviceHas) {
  const std::string Bytes = input("sum.none.fatbin");
  const auto Entries = fatBinaryEntries(Bytes);
  ASSERT_TRUE(Entries);
  EXPECT_EQ(choosePtx(*Entries, 120)->Architecture, 90u);
  EXPECT_EQ(choosePtx(*Entries, 90)->Architecture, 90u);
  EXPECT_EQ(choosePtx(*Entries, 89)->Architecture, 80u);
  EXPECT_FALSE(choosePtx(*Entries, 79));
  EXPECT_FALSE(choosePtx({}, 90));
}

TEST(FatBinary, AWrapperLeadsToIt) {
  const std::string Bytes = input("sum.size.fatbin");
  struct {
    uint32_t Magic = 0x466243b1, Version = 1;
    const void *Data = nullptr;
    const void *Name = nullptr;
  } Wrapper;
  EXPECT_EQ(imageKind(&Wrapper), ImageKind::Wrapper);
  EXPECT_FALSE(fatBinaryOf(&Wrapper));
  Wrapper.Data = Bytes.data();
  const std::string Longer = Bytes + "what is behind";
  for (const void *Image : {static_cast<const void *>(&Wrapper), (const void *)Longer.data()}) {
    const std::optional<std::string_view> Found = fatBinaryOf(Image);
    ASSERT_TRUE(Found);
    EXPECT_EQ(*Found, Bytes);
  }
  EXPECT_EQ(imageKind(".version 8.0"), ImageKind::Text);
  EXPECT_EQ(imageKind("\x7f"
                      "ELF"),
            ImageKind::Elf);
  EXPECT_EQ(imageKind(Bytes.data()), ImageKind::FatBinary);
  EXPECT_FALSE(fatBinaryOf(".version 8.0"));
  EXPECT_FALSE(fatBinaryOf(nullptr));
}

TEST(FatBinary, ASectionHoldsSeveral) {
  const std::string Section = input("sum.none.fatbin") + std::string(40, '\0') +
                              input("sum.size.fatbin") + std::string(8, '\0');
  const auto Entries = fatBinaryEntries(Section);
  ASSERT_TRUE(Entries) << Entries.error();
  EXPECT_EQ(Entries->size(), 6u);
  const auto None = fatBinaryEntries("");
  ASSERT_TRUE(None);
  EXPECT_TRUE(None->empty());
}

TEST(FatBinary, ATruncatedOneIsMalformed) {
  const std::string Bytes = input("sum.size.fatbin");
  for (size_t Size = 1; Size < Bytes.size(); ++Size)
    EXPECT_FALSE(fatBinaryEntries(Bytes.substr(0, Size))) << Size;
  EXPECT_EQ(fatBinaryEntries(Bytes.substr(0, 15)).error(),
            "the fat binary is malformed at byte 0: no header");
  EXPECT_EQ(fatBinaryEntries(Bytes.substr(0, 100)).error(),
            "the fat binary is malformed at byte 0: its size exceeds the image");
  std::string Short = Bytes;
  Short[8] = 63; // of the entries
  Short[9] = 0;
  EXPECT_EQ(fatBinaryEntries(Short.substr(0, 16 + 63)).error(),
            "the fat binary is malformed at byte 16: half a header of an entry");
  std::string Long = Bytes;
  Long[16 + 15] = 1; // of the first entry's content
  EXPECT_EQ(fatBinaryEntries(Long).error(),
            "the fat binary is malformed at byte 16: the entry exceeds the fat binary");
}

FatBinaryEntry lz4(std::string_view Content, uint64_t Bytes) {
  FatBinaryEntry E;
  E.Compressed = Compression::Lz4;
  E.Content = Content;
  E.Bytes = Bytes;
  return E;
}

// From the description of LZ4's block format: a token has the number of literals, and that of
// matched bytes less four.
TEST(FatBinary, DecompressesLz4) {
  const auto Decompress = [](const std::string &Content, uint64_t Bytes) {
    const auto Result = contentOf(lz4(Content, Bytes));
    return Result ? *Result : "malformed";
  };
  EXPECT_EQ(Decompress("\x30"
                       "abc",
                       3),
            "abc");
  EXPECT_EQ(Decompress(std::string("\x11"
                                   "a\1\0\x10"
                                   "b",
                                   6),
                       7),
            "aaaaaab"); // overlaps
  EXPECT_EQ(Decompress(std::string("\x34"
                                   "abc\3\0\x00",
                                   7),
                       11),
            "abcabcabcab");
  const std::string Letters(15 + 255 + 2, 'x');
  EXPECT_EQ(Decompress("\xf0\xff\x02" + Letters, Letters.size()), Letters);
  EXPECT_EQ(Decompress(std::string("\x1f"
                                   "a\1\0\x03\x00",
                                   6),
                       1 + 15 + 3 + 4),
            std::string(23, 'a'));
  for (const std::string &Bad : {std::string("\x30"
                                             "ab"),
                                 std::string("\xf0"), std::string("\xf0\xff"),
                                 std::string("\x11"
                                             "a\2\0",
                                             4),
                                 std::string("\x11"
                                             "a\0\0",
                                             4),
                                 std::string("\x11"
                                             "a\1",
                                             3),
                                 std::string("\x30"
                                             "abcd")})
    EXPECT_EQ(Decompress(Bad, 6), "malformed");
  EXPECT_EQ(Decompress("\x30"
                       "abc",
                       2),
            "malformed");
  EXPECT_EQ(Decompress("\x30"
                       "abc",
                       4),
            "malformed");
  EXPECT_EQ(contentOf(lz4("\x30"
                          "abc",
                          uint64_t(1) << 28))
                .error(),
            "an entry of the fat binary cannot be decompressed");
  EXPECT_EQ(contentOf(lz4("\x30"
                          "abc",
                          uint64_t(1) << 40))
                .error(),
            "an entry of the fat binary exceeds 512 MiB");
}

} // namespace
