//===- PageProtectionsTest.cpp --------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/PageProtections.h"
#include <gtest/gtest.h>
#include <string>

using gmprof::host::PageProtections;

namespace {

constexpr uint64_t Page = 4096;

void set(uint64_t First, uint64_t End, bool Limited) {
  PageProtections::set(First * Page, (End - First) * Page, Limited);
}

/// One character for each of the first pages.
std::string pages() {
  std::string Text;
  for (uint64_t I = 0; I < 12; ++I)
    Text += PageProtections::limited(I * Page, (I + 1) * Page) ? 'x' : '.';
  return Text;
}

class PageProtectionsTest : public testing::Test {
protected:
  void SetUp() override { PageProtections::set(0, uint64_t(1) << 40, false); }
};

TEST_F(PageProtectionsTest, NothingIsLimitedAtFirst) { EXPECT_EQ(pages(), "............"); }

TEST_F(PageProtectionsTest, PartsAreTakenOut) {
  set(2, 9, true);
  EXPECT_EQ(pages(), "..xxxxxxx...");
  set(4, 6, false);
  EXPECT_EQ(pages(), "..xx..xxx...");
  set(0, 3, false);
  EXPECT_EQ(pages(), "...x..xxx...");
  set(8, 12, false);
  EXPECT_EQ(pages(), "...x..xx....");
  set(3, 7, false);
  EXPECT_EQ(pages(), ".......x....");
}

TEST_F(PageProtectionsTest, OneCoversSeveral) {
  set(1, 2, true);
  set(3, 4, true);
  set(6, 8, true);
  set(3, 7, true);
  EXPECT_EQ(pages(), ".x.xxxxx....");
  set(0, 12, false);
  EXPECT_EQ(pages(), "............");
}

TEST_F(PageProtectionsTest, BytesOfAPageAreThePage) {
  PageProtections::set(3 * Page, 1, true);
  EXPECT_EQ(pages(), "...x........");
  EXPECT_TRUE(PageProtections::limited(4 * Page - 1, 5 * Page));
  EXPECT_FALSE(PageProtections::limited(2 * Page, 3 * Page));
}

// Adjacent ranges share an entry: a collector's protections, set page by page, fit.
TEST_F(PageProtectionsTest, ManyNeighboursAreOne) {
  for (uint64_t I = 0; I < 10000; ++I)
    set(I, I + 1, true);
  EXPECT_FALSE(PageProtections::limited(10000 * Page, 10001 * Page));
  EXPECT_TRUE(PageProtections::limited(9999 * Page, 10000 * Page));
}

} // namespace
