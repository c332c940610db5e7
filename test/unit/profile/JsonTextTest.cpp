//===- JsonTextTest.cpp - JSON that is written without a library ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/JsonText.h"
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace gmprof {
namespace {

using nlohmann::json;

TEST(JsonTextTest, WritesEachKindOfValue) {
  EXPECT_EQ(JsonText(true).str(), "true");
  EXPECT_EQ(JsonText(false).str(), "false");
  EXPECT_EQ(JsonText(std::numeric_limits<uint64_t>::max()).str(), "18446744073709551615");
  EXPECT_EQ(JsonText(std::numeric_limits<int64_t>::min()).str(), "-9223372036854775808");
  EXPECT_EQ(JsonText(uint8_t(65)).str(), "65");
  EXPECT_EQ(JsonText("text").str(), "\"text\"");
  EXPECT_EQ(JsonText(std::string()).str(), "\"\"");
  EXPECT_EQ(JsonText::array(std::array<uint32_t, 3>{1, 2, 3}).str(), "[1,2,3]");
  EXPECT_EQ(JsonText::array(std::vector<std::string>{"a", "b"}).str(), "[\"a\",\"b\"]");
  EXPECT_EQ(JsonText::array(std::vector<int>()).str(), "[]");
  EXPECT_EQ(JsonText::object({}).str(), "{}");
  EXPECT_EQ(JsonText::object({{"b", 1}, {"a", JsonText::object({{"x", "y"}})}}).str(),
            R"({"b":1,"a":{"x":"y"}})");
}

TEST(JsonTextTest, NumbersReadBackAsTheSame) {
  EXPECT_EQ(JsonText(0.1).str(), "0.1");
  EXPECT_EQ(JsonText(0.0).str(), "0.0");
  EXPECT_EQ(JsonText(-3.0).str(), "-3.0");
  EXPECT_EQ(JsonText(std::numeric_limits<double>::infinity()).str(), "null");
  EXPECT_EQ(JsonText(std::numeric_limits<double>::quiet_NaN()).str(), "null");
  for (const double Value : {1e300, 5e-324, 1.0 / 3, 123456789012345678.0, -2.5e-7}) {
    const json Read = json::parse(JsonText(Value).str());
    EXPECT_TRUE(Read.is_number_float());
    EXPECT_EQ(Read.get<double>(), Value);
  }
}

/// The JSON library writes the same, for strings of any bytes.
TEST(JsonTextTest, StringsAreThoseOfTheJsonLibrary) {
  std::vector<std::string> Texts = {"\"\\/\b\f\n\r\t\x01\x1f\x7f",
                                    std::string("a\0b", 3),
                                    "µ € 😀",
                                    "\xc0\xaf",
                                    "\xed\xa0\x80",
                                    "\xf4\x90\x80\x80",
                                    "\xe2\x82",
                                    "\xf0\x9f\x98",
                                    "\xe2\x82(",
                                    "\xf0\x80\x80\x80",
                                    "\xff\xfe"};
  // Bytes that begin, continue and end sequences more often than random ones would.
  constexpr unsigned char Bytes[] = {'a',  '"',  0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2,
                                     0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};
  std::mt19937 Random(1); // NOLINT: the same in every run
  for (int I = 0; I < 20000; ++I) {
    std::string Text(Random() % 6, ' ');
    for (char &C : Text)
      C = static_cast<char>(Bytes[Random() % std::size(Bytes)]);
    Texts.push_back(Text);
  }
  for (const std::string &Text : Texts)
    ASSERT_EQ(JsonText(Text).str(),
              json(Text).dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace
} // namespace gmprof
