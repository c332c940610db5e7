//===- NpyFileTest.cpp - Arrays in files of NumPy -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/NpyFile.h"
#include <gtest/gtest.h>

using namespace gmprof::kernel;

namespace {

/// Returns a file of version 1 (a 16-bit length) or 2 (32 bits).
std::string npy(const std::string &Header, const std::string &Elements, char Major = 1) {
  std::string Bytes = "\x93NUMPY" + std::string{Major, 0};
  Bytes += static_cast<char>(Header.size());
  Bytes += std::string(Major == 1 ? 1 : 3, '\0');
  return Bytes + Header + Elements;
}

std::string header(const std::string &Type, const std::string &Shape) {
  return "{'descr': '" + Type + "', 'fortran_order': False, 'shape': " + Shape + ", }  \n";
}

std::string errorOf(const std::string &Bytes) {
  const auto Array = decodeNpy(Bytes);
  return Array ? "no error" : Array.error();
}

} // namespace

TEST(NpyFile, HasTypeShapeAndElements) {
  const std::string Elements("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  for (const char Major : {1, 2}) {
    const std::string Bytes = npy(header("<i2", "(2, 3)"), Elements, Major);
    const auto Array = decodeNpy(Bytes);
    ASSERT_TRUE(Array) << Array.error();
    EXPECT_EQ(Array->Type, "<i2");
    EXPECT_EQ(Array->Shape, (std::vector<uint64_t>{2, 3}));
    EXPECT_EQ(Array->Elements, Elements);
    EXPECT_EQ(Array->Header + Array->Elements, Bytes);
  }
}

TEST(NpyFile, ShapesOfAllDimensions) {
  EXPECT_EQ(decodeNpy(npy(header("|b1", "()"), "x"))->Shape, std::vector<uint64_t>{});
  EXPECT_EQ(decodeNpy(npy(header("|u1", "(3,)"), "xyz"))->Shape, std::vector<uint64_t>{3});
  EXPECT_EQ(decodeNpy(npy(header("<c16", "(0,)"), ""))->Shape, std::vector<uint64_t>{0});
}

TEST(NpyFile, OthersAreErrors) {
  EXPECT_EQ(errorOf(""), "is not an .npy file");
  EXPECT_EQ(errorOf("PK\3\4 and more"), "is not an .npy file"); // .npz
  EXPECT_EQ(errorOf(npy("", "", 3)), "has version 3 of the .npy format, not 1 or 2");
  EXPECT_EQ(errorOf(npy(header("<f4", "(1,)"), "").substr(0, 30)), "ends in its header");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4'}", "")),
            "has a header without descr, fortran_order or shape");
  for (const char *Type : {">f4", "<U4", "|O", "<f3", "|i4", "<f16"})
    EXPECT_EQ(errorOf(npy(header(Type, "(1,)"), "1234")),
              "has elements of type '" + std::string(Type) +
                  "', not little-endian numbers: convert it with astype('<f4')");
  EXPECT_EQ(
      errorOf(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      "has elements of type record, not little-endian numbers: convert it with "
      "astype('<f4')");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "1234")),
            "is in Fortran order: save numpy.ascontiguousarray of it");
  EXPECT_EQ(errorOf(npy(header("<f4", "(-1,)"), "1234")), "has a malformed shape");
  EXPECT_EQ(errorOf(npy(header("<f4", "(99999999999, 99999999999)"), "1234")),
            "has a malformed shape");
  EXPECT_EQ(errorOf(npy(header("<f4", "(2,)"), "1234")),
            "has 4 bytes of elements, but its shape and type need 8");
}
