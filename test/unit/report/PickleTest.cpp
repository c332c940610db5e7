//===- PickleTest.cpp - Reading pickled data ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/Pickle.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace std::string_view_literals;
using Kind = PickleValue::Kind;

namespace {

std::string errorOf(std::string_view Data) {
  const Result<Pickle> P = Pickle::parse(Data);
  return P ? "none" : P.error();
}

} // namespace

// pickletools.dis of Python: PROTO, EMPTY_LIST, MEMOIZE, MARK, BININT1 7, BININT2 258, BININT -2,
// LONG1 of 5 and of 9 bytes, NEWTRUE, NEWFALSE, NONE, BINFLOAT, SHORT_BINUNICODE, MEMOIZE, BINGET,
// EMPTY_TUPLE, TUPLE1, EMPTY_DICT, SETITEM, APPENDS, STOP.
TEST(PickleTest, ReadsAllKindsOfData) {
  const auto Data = "\x80\x04]\x94(K\x07M\x02\x01J\xfe\xff\xff\xff\x8a\x05\x00\x00\x00\x00\x01"
                    "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x88\x89N"
                    "G\x3f\xf0\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94h\x01)\x85}h\x01K\x03se."sv;
  const Result<Pickle> P = Pickle::parse(Data);
  ASSERT_TRUE(P) << P.error();
  ASSERT_EQ(P->root().Of, Kind::List);
  const auto All = P->list(P->root());
  ASSERT_EQ(All.size(), 13u);
  EXPECT_EQ(All[0].Integer, 7);
  EXPECT_EQ(All[1].Integer, 258);
  EXPECT_EQ(All[2].Integer, -2);
  EXPECT_EQ(All[3].Integer, int64_t(1) << 32);
  EXPECT_EQ(All[4].Of, Kind::LargeInteger); // 2^63
  EXPECT_EQ(All[5].Of, Kind::Bool);
  EXPECT_EQ(All[5].Integer, 1);
  EXPECT_EQ(All[6].Integer, 0);
  EXPECT_EQ(All[7].Of, Kind::None);
  EXPECT_EQ(All[8].Of, Kind::Real);
  EXPECT_EQ(P->text(All[9]), "hi");
  EXPECT_EQ(All[10].Index, All[9].Index);
  ASSERT_EQ(All[11].Of, Kind::Tuple);
  ASSERT_EQ(P->list(All[11]).size(), 1u);
  EXPECT_TRUE(P->list(P->list(All[11])[0]).empty());
  const auto Members = P->dictionary(All[12]);
  ASSERT_EQ(Members.size(), 1u);
  EXPECT_EQ(P->text(Members[0].first), "hi");
  EXPECT_EQ(Members[0].second.Integer, 3);
}

// Protocol 2 with BINUNICODE and numbered values, as PyTorch's C++ pickler writes it.
TEST(PickleTest, ReadsProtocol2) {
  const Result<Pickle> P =
      Pickle::parse("\x80\x02}q\x00(X\x01\x00\x00\x00"
                    "aq\x01\x8a\x08\xff\xff\xff\xff\xff\xff\xff\xffX\x01\x00\x00\x00"
                    "br\x02\x00\x00\x00j\x01\x00\x00\x00u."sv);
  ASSERT_TRUE(P) << P.error();
  const auto Members = P->dictionary(P->root());
  ASSERT_EQ(Members.size(), 2u);
  EXPECT_EQ(Members[0].second.Integer, -1);
  EXPECT_EQ(P->text(Members[1].second), "a");
}

TEST(PickleTest, AListMayHoldItself) {
  const Result<Pickle> P = Pickle::parse("\x80\x04]\x94h\x00"
                                         "a."sv);
  ASSERT_TRUE(P) << P.error();
  EXPECT_EQ(P->list(P->root())[0].Index, P->root().Index);
}

// Each opcode that names or calls Python code, in place of a value.
TEST(PickleTest, RunsNoCode) {
  constexpr std::pair<std::string_view, const char *> Opcodes[] = {
      {"cos\nsystem\n"sv, "GLOBAL"},
      {"\x93"sv, "STACK_GLOBAL"},
      {"R"sv, "REDUCE"},
      {"b"sv, "BUILD"},
      {"ios\nsystem\n"sv, "INST"},
      {"o"sv, "OBJ"},
      {"\x81"sv, "NEWOBJ"},
      {"\x92"sv, "NEWOBJ_EX"},
      {"\x82\x01"sv, "EXT1"},
      {"\x83\x01\x00"sv, "EXT2"},
      {"\x84\x01\x00\x00\x00"sv, "EXT4"},
      {"P1\n"sv, "PERSID"},
      {"Q"sv, "BINPERSID"}};
  for (const auto &[Bytes, Name] : Opcodes)
    EXPECT_EQ(errorOf("\x80\x04N" + std::string(Bytes) + "."),
              std::string("it names Python code to run, which GMProf never runs (") + Name +
                  ") at byte 3");
}

TEST(PickleTest, RefusesDamagedPickles) {
  EXPECT_EQ(errorOf(""), "it does not begin as a pickle of protocol 2 to 5");
  EXPECT_EQ(errorOf("PK\x03\x04"), "it does not begin as a pickle of protocol 2 to 5");
  EXPECT_EQ(errorOf("\x80\x01."sv), "it is of pickle protocol 1; 2 to 5 are supported");
  EXPECT_EQ(errorOf("\x80\x06."sv), "it is of pickle protocol 6; 2 to 5 are supported");
  EXPECT_EQ(errorOf("\x80\x04"sv), "it is cut off after 2 bytes");
  EXPECT_EQ(errorOf("\x80\x04J\x01\x02"sv), "it is cut off after 5 bytes");
  EXPECT_EQ(errorOf("\x80\x04."sv), "it ends with other than one value at byte 2");
  EXPECT_EQ(errorOf("\x80\x04NN."sv), "it ends with other than one value at byte 4");
  EXPECT_EQ(errorOf("\x80\x04(N."sv), "it ends with other than one value at byte 4");
  EXPECT_EQ(errorOf("\x80\x04\x98."sv), "it has the unsupported opcode 0x98 at byte 2");
  EXPECT_EQ(errorOf("\x80\x04I7\n."sv), "it has the unsupported opcode 0x49 at byte 2");
  // Lengths of 2^32 - 1 and 2^64 - 1 bytes: of text, bytes, an integer and a frame.
  for (const std::string_view Start :
       {"X\xff\xff\xff\xff"sv, "B\xff\xff\xff\xff"sv, "\x8b\xff\xff\xff\xff"sv})
    EXPECT_EQ(errorOf("\x80\x04" + std::string(Start) + "ab"),
              "it is cut off: 2 bytes follow byte 7, where 4294967295 are announced");
  for (const char Start : {'\x8d', '\x8e', '\x95'})
    EXPECT_EQ(errorOf(std::string("\x80\x04") + Start + std::string(8, '\xff') + "ab"),
              "it is cut off: 2 bytes follow byte 11, where 18446744073709551615 are announced");
  // Values that are not kept, and kept out of order.
  EXPECT_EQ(errorOf("\x80\x04Nq\x00h\x01."sv), "value 1 is used, of 1 that are kept at byte 5");
  EXPECT_EQ(errorOf("\x80\x04Nj\xff\xff\xff\xff."sv),
            "value 4294967295 is used, of 0 that are kept at byte 3");
  EXPECT_EQ(errorOf("\x80\x04Nr\xff\xff\xff\xff."sv),
            "value 4294967295 is kept before value 0 at byte 3");
  // A stack with too few values, or with others.
  EXPECT_EQ(errorOf("\x80\x04\x94."sv), "its stack has too few values at byte 2");
  EXPECT_EQ(errorOf("\x80\x04N\x86."sv), "its stack has too few values at byte 3");
  EXPECT_EQ(errorOf("\x80\x04N(\x85."sv), "its stack has too few values at byte 4");
  EXPECT_EQ(errorOf("\x80\x04Ne."sv), "a mark is missing at byte 3");
  EXPECT_EQ(errorOf("\x80\x04(e."sv), "its stack has too few values at byte 3");
  EXPECT_EQ(errorOf("\x80\x04NNa."sv), "elements are added to what is no list at byte 4");
  EXPECT_EQ(errorOf("\x80\x04]NNs."sv), "members are added to what is no dictionary at byte 5");
  EXPECT_EQ(errorOf("\x80\x04}(Nu."sv), "a key has no value at byte 5");
}
