//===- PackedAccessesTest.cpp - Sets of accesses in the event log ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/PackedAccesses.h"
#include "gtest/gtest.h"

namespace gmprof {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> Values) {
  std::vector<std::byte> All;
  for (int V : Values)
    All.push_back(std::byte(V));
  return All;
}

TEST(PackedAccesses, ObjectsAreDifferences) {
  // 3 reads: 3 * 4 + 1; 5 writes: (5 - 3) * 4 + 2; 100 both: 95 * 4 + 3 = 0x17f; 101 neither.
  const std::vector<log::ObjectAccess> Accesses = {{3, 1, 0}, {5, 0, 1}, {100, 1, 1}, {101, 0, 0}};
  const std::vector<std::byte> Packed = bytes({0x0d, 0x0a, 0xff, 0x02, 0x04});
  EXPECT_EQ(packAccesses(Accesses), Packed);
  const auto Back = unpackAccesses(Packed, 4);
  ASSERT_TRUE(Back && Back->size() == 4);
  for (size_t I = 0; I < 4; ++I) {
    EXPECT_EQ((*Back)[I].object, Accesses[I].object);
    EXPECT_EQ((*Back)[I].reads, Accesses[I].reads);
    EXPECT_EQ((*Back)[I].writes, Accesses[I].writes);
  }
  EXPECT_TRUE(packAccesses({}).empty());
  EXPECT_TRUE(unpackAccesses({}, 0));
}

TEST(PackedAccesses, DamagedSetsAreRefused) {
  EXPECT_FALSE(unpackAccesses(bytes({0x0d}), 2));             // too few
  EXPECT_FALSE(unpackAccesses(bytes({0x0d, 0x0a}), 1));       // too many
  EXPECT_FALSE(unpackAccesses(bytes({0x0d, 0x03}), 2));       // an object twice
  EXPECT_FALSE(unpackAccesses(bytes({0x03}), 1));             // no object
  EXPECT_FALSE(unpackAccesses(bytes({0x0d, 0xff}), 2));       // cut off
  EXPECT_FALSE(unpackAccesses(bytes({0x0d}), SIZE_MAX / 16)); // a count that memory has not
}

} // namespace
} // namespace gmprof
