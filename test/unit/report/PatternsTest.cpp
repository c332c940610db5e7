//===- PatternsTest.cpp - The table of patterns ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Patterns.h"
#include <gtest/gtest.h>
#include <set>

using namespace gmprof;

TEST(PatternsTest, RowsAreCompleteAndDistinct) {
  std::set<std::string> Names, Titles, Profiles;
  for (const ProfileChecks &C : allProfileChecks())
    Profiles.insert(C.Profile);
  for (const PatternInfo &P : allPatterns()) {
    EXPECT_TRUE(Names.insert(P.Name).second) << P.Name;
    EXPECT_TRUE(Titles.insert(P.Title).second) << P.Name;
    EXPECT_TRUE(Profiles.count(P.Profile)) << P.Name;
    EXPECT_TRUE(std::string(P.Description).ends_with('.')) << P.Name;
    EXPECT_STRNE(P.Method, "") << P.Name;
    EXPECT_STRNE(P.Compared, "") << P.Name;
    const std::string Rule = severityRule(P);
    EXPECT_GE(severityRank(Rule.substr(0, Rule.find_first_of(" :,"))), 0) << P.Name;
    EXPECT_EQ(findPattern(P.Name), &P);
    EXPECT_EQ(patternTitle(P.Name), P.Title);
  }
  EXPECT_EQ(findPattern("cold_spot"), nullptr);
  EXPECT_EQ(patternTitle("cold_spot"), "cold_spot");
}

TEST(PatternsTest, NamesOfEvidenceTellUnits) {
  for (const char *Name : {"bytes", "needless_bytes", "bytes_per_block", "l2_bytes_before"})
    EXPECT_EQ(evidenceUnit(Name), EvidenceUnit::Bytes) << Name;
  for (const char *Name : {"wait_seconds", "seconds_saved"})
    EXPECT_EQ(evidenceUnit(Name), EvidenceUnit::Seconds) << Name;
  for (const char *Name : {"share_of_object", "l1_hit_rate", "fragmentation", "word_variation",
                           "bytes_used_of_fetched"})
    EXPECT_EQ(evidenceUnit(Name), EvidenceUnit::Percent) << Name;
  EXPECT_EQ(evidenceUnit("dram_bytes_per_second"), EvidenceUnit::BytesPerSecond);
  for (const char *Name : {"requests", "sectors_per_request", "bytes_per_block_exact"})
    EXPECT_EQ(evidenceUnit(Name), EvidenceUnit::Number) << Name;
}
