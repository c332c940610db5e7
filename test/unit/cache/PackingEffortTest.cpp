//===- PackingEffortTest.cpp - Tests of the choice of zstd's level --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/PackingEffort.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gmprof::cache {
namespace {

/// Returns '+' for each chunk that is compressed thoroughly, '.' for the others. `Packed` has the
/// compressed size of each 300 bytes of the chunks, `Raw` their size.
std::string looks(const std::vector<size_t> &Packed, size_t Raw = 30000) {
  PackingEffort Effort;
  const int Closely = Effort.level();
  std::string Looks;
  for (const size_t Bytes : Packed) {
    Looks += Effort.level() == Closely ? '+' : '.';
    Effort.packed(Raw, Raw / 300 * Bytes);
  }
  return Looks;
}

TEST(PackingEffort, LooksOnlyNowAndThenWhereLittleIsFound) {
  EXPECT_EQ(looks(std::vector<size_t>(18, 199)), "++++++++++++++++++");
  EXPECT_EQ(looks(std::vector<size_t>(18, 200)), "+.......+.......+.");
  std::vector<size_t> Some(20, 100);
  Some[3] = 250; // thorough again from the next compressible try on
  EXPECT_EQ(looks(Some), "++++....++++++++++++");
  // The outcome of quick compression is ignored.
  Some[3] = Some[8] = 250;
  EXPECT_EQ(looks(Some), "++++....+.......++++");
  // A chunk of a few requests is packed in the same way.
  EXPECT_EQ(looks(std::vector<size_t>(18, 250), 300), "++++++++++++++++++");
}

} // namespace
} // namespace gmprof::cache
