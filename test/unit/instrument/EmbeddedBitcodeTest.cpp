//===- EmbeddedBitcodeTest.cpp - Tests of bitcode in programs -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/EmbeddedBitcode.h"
#include "host/instrument/ModuleImages.h"
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

using namespace gmprof;
using testing::ElementsAre;

namespace {

const std::string Bitcode80 = "BC\xc0\xde of sm_80", Bitcode90 = "BC\xc0\xde of sm_90";

std::string compressed(const std::string &Content) {
  std::string Frame(ZSTD_compressBound(Content.size()), '\0');
  Frame.resize(ZSTD_compress(Frame.data(), Frame.size(), Content.data(), Content.size(), 3));
  return Frame;
}

/// A fat binary without entries, and what is behind it. It needs static storage: no more is read
/// than the loader mapped.
struct alignas(8) FatBinary {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 0;
  std::array<char, 512> Behind = {};

  void put(const std::string &Bytes) {
    Behind = {};
    std::copy(Bytes.begin(), Bytes.end(), Behind.begin());
  }
} Binary;

struct Wrapper {
  uint32_t Magic = 0x466243b1, Version = 1;
  const void *Data = &Binary;
  void *Unused = nullptr;
} OfBinary;

TEST(EmbeddedBitcode, ModulesOfLibrariesHaveTheirNames) {
  EXPECT_EQ(moduleName(loadedFile(&Binary)), "the module");
  EXPECT_EQ(moduleName(""), "the module");
  EXPECT_EQ(moduleName("/usr/lib/libtorch_cuda.so"), "libtorch_cuda.so");
  EXPECT_EQ(moduleName("extension.so"), "extension.so");
}

TEST(EmbeddedBitcode, RecordsAreSplitAndChecked) {
  const std::string First = encode(BitcodeRecord{80, "content"}), // 24 + 7 bytes, and padding
      Second = encode(BitcodeRecord{90, "12345678"});
  EXPECT_EQ(First.size(), 32u);
  EXPECT_EQ(Second.size(), 32u);
  const std::string Bytes = First + Second;
  const auto Found = bitcodeRecords(Bytes);
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].Architecture, 80u);
  EXPECT_EQ(Found[0].Content, "content");
  EXPECT_EQ(Found[1].Architecture, 90u);
  EXPECT_EQ(Found[1].Content, "12345678");
  EXPECT_EQ(bitcodeRecords(Bytes.substr(0, 63)).size(), 1u); // cut off
  EXPECT_EQ(bitcodeRecords(Bytes.substr(0, 31)).size(), 1u); // without padding
  EXPECT_EQ(bitcodeRecords(Bytes.substr(0, 23)).size(), 0u);
  EXPECT_EQ(bitcodeRecords("0" + Bytes.substr(1)).size(), 0u);
}

TEST(EmbeddedBitcode, IsBehindTheFatBinary) {
  Binary.put(encode(BitcodeRecord{80, compressed(Bitcode80)}) +
             encode(BitcodeRecord{90, Bitcode90}));
  for (const void *Place :
       {static_cast<const void *>(&Binary), static_cast<const void *>(&OfBinary)}) {
    const auto Records = bitcodeBehind(Place);
    ASSERT_EQ(Records.size(), 2u);
    EXPECT_EQ(newestArchitecture(Records), 90u);
    EXPECT_THAT(*bitcodeOf(Records, 80), ElementsAre(Bitcode80));
    EXPECT_THAT(*bitcodeOf(Records, 90), ElementsAre(Bitcode90));
    EXPECT_THAT(*bitcodeOf(Records, 75), ElementsAre());
  }
  Binary.put("");
  EXPECT_TRUE(bitcodeBehind(&Binary).empty());
  EXPECT_EQ(newestArchitecture({}), 0u);
  EXPECT_EQ(bitcodeSection(&Binary), "");
}

TEST(EmbeddedBitcode, DamagedContentIsAnError) {
  const std::string Frame = compressed(Bitcode90);
  for (const std::string &Damaged : {std::string("neither"), Frame.substr(0, Frame.size() - 1)}) {
    const auto Units = bitcodeOf({{90, Damaged}}, 90);
    ASSERT_FALSE(Units);
    EXPECT_EQ(Units.error(), "the device bitcode in the program is malformed");
  }
}

TEST(EmbeddedBitcode, IsTheCodeOfItsModule) {
  Binary.put(encode(BitcodeRecord{80, compressed(Bitcode80)}) +
             encode(BitcodeRecord{90, compressed(Bitcode90)}));
  ModuleImages Images("");
  Images.loaded(ModuleImages::Kind::Library, &Images, &OfBinary);
  for (const auto &[Architecture, Bitcode] : {std::pair(90u, Bitcode90), {80u, Bitcode80}}) {
    const auto Code = Images.codeOf(&Images, {Architecture, Architecture});
    ASSERT_TRUE(Code) << Code.error();
    EXPECT_EQ((*Code)->Text, Bitcode);
    EXPECT_TRUE((*Code)->isBitcode());
  }
  EXPECT_FALSE(Images.codeOf(&Images, {75, 75}));
}

} // namespace
