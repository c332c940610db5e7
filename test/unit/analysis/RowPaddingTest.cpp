//===- RowPaddingTest.cpp - Rows of shared arrays without conflicts -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/RowPadding.h"
#include <gtest/gtest.h>
#include <vector>

namespace gmprof::analysis {
namespace {

using Accesses = std::vector<RowAccess>;

// a[x][y], 16 x 16 threads: 16 x + y has the banks 0, 1, 16 and 17, with eight words each. 17 x + y
// meets in bank 0 (x = y = 0; x = 15, y = 1), 18 x + y has all banks once.
TEST(RowPadding, ColumnsOfSixteenWords) {
  const auto P = rowPadding(16, 16, Accesses{{100, 8}});
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Words, 2u);
  EXPECT_EQ(P->Before, 8);
  EXPECT_EQ(P->After, 1);
}

// Rows of 18 words: the second one begins in bank 18 and has two words in banks of the first.
TEST(RowPadding, TranspositionOfSixteenWords) {
  const auto P = rowPadding(16, 16, Accesses{{100, 1}, {100, 8}});
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Words, 2u);
  EXPECT_EQ(P->Before, 4.5);
  EXPECT_EQ(P->After, 1.5);
}

TEST(RowPadding, NothingToGain) {
  EXPECT_FALSE(rowPadding(16, 16, Accesses{{100, 1}}));
  EXPECT_FALSE(rowPadding(17, 16, Accesses{{100, 2}, {100, 2}})); // rows or columns
  EXPECT_FALSE(rowPadding(18, 16, Accesses{{100, 1}, {100, 2}})); // 1.5: no padding is better
}

// Data, diagonals and vectors: no rows and no columns.
TEST(RowPadding, OtherAccessesAreUnknown) {
  EXPECT_FALSE(rowPadding(16, 16, Accesses{{100, 8}, {100, 3.5}}));
  EXPECT_FALSE(rowPadding(16, 16, Accesses{{100, 4}}));
  EXPECT_FALSE(rowPadding(16, 32, Accesses{{100, 16}}));
  EXPECT_FALSE(rowPadding(8, 16, Accesses{{100, 8}}));
}

} // namespace
} // namespace gmprof::analysis
