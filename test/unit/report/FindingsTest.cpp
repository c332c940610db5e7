//===- FindingsTest.cpp - Order and causes of findings --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Findings.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::summary;

namespace {

Finding finding(const std::string &Severity, const std::string &Fingerprint,
                uint64_t BytesSaved = 0) {
  Finding F;
  F.severity = Severity;
  F.fingerprint = Fingerprint;
  F.bytes_saved = BytesSaved;
  return F;
}

Finding withSeconds(Finding F, double Seconds) {
  F.seconds_saved = Seconds;
  return F;
}

Finding withShare(Finding F, double Share) {
  F.evidence.emplace_back("kernel_time_share", Share);
  return F;
}

Finding about(const std::string &Pattern, uint32_t Kernel, uint32_t Object,
              const std::string &Severity = "medium") {
  Finding F = finding(Severity, Pattern);
  F.pattern = Pattern;
  F.kind = Pattern == "shared_memory_candidate" ? "move_in" : "";
  F.kernel = KernelRef{Kernel, "", {}};
  F.object = ObjectRef{Object, "", "device"};
  return F;
}

std::string order(std::vector<Finding> Findings) {
  rank(Findings);
  std::string Order;
  uint64_t Number = 0;
  for (const Finding &F : Findings) {
    Order += F.fingerprint;
    EXPECT_EQ(F.id, ++Number);
  }
  return Order;
}

} // namespace

TEST(FindingsTest, SeverityRanksBeforeSavings) {
  EXPECT_EQ(order({finding("info", "i", 9000), finding("medium", "m", 10), finding("high", "h", 1),
                   finding("medium", "n", 20), finding("low", "l", 8000)}),
            "hnmli");
}

TEST(FindingsTest, TimeRanksBeforeBytes) {
  EXPECT_EQ(order({finding("low", "b", 100), withSeconds(finding("low", "s"), 0.001),
                   withSeconds(finding("low", "t"), 0.002)}),
            "tsb");
}

TEST(FindingsTest, EqualSavingsAreRankedByTheShareOfTheKernelTime) {
  EXPECT_EQ(
      order({withShare(finding("high", "1"), 0.1), withShare(finding("high", "2"), 0.9),
             withShare(finding("high", "3", 1), 0.05), finding("high", "5"), finding("high", "4")}),
      "32145");
}

TEST(FindingsTest, EqualSharesAreRankedByTheTrafficOfAllLaunches) {
  const auto With = [](const char *Fingerprint, const char *Name, uint64_t Value,
                       uint64_t Launches) {
    Finding F = withShare(finding("low", Fingerprint), 0.5);
    F.evidence.emplace_back(Name, Value);
    F.evidence.emplace_back("launches", Launches);
    return F;
  };
  // 1,000, 1,200, 1,152 and 1,280 bytes.
  EXPECT_EQ(order({With("1", "needless_bytes", 1000, 1), With("2", "needless_bytes", 300, 4),
                   With("3", "needless_wavefronts", 9, 1), With("4", "needless_wavefronts", 5, 2),
                   withShare(finding("low", "0"), 0.5)}),
            "42310");
}

// The bytes of a candidate are accesses; those of an array that makes room are memory of a block.
// Reports list findings with a benefit, whose numbers are then consecutive.
TEST(FindingsTest, FindingsWithoutBenefitAreLast) {
  Finding Hot = finding("info", "z");
  Hot.evidence.emplace_back("needless_bytes", uint64_t(0));
  EXPECT_EQ(order({finding("info", "a"), Hot, finding("low", "l"), finding("info", "b", 10)}),
            "lbza");
}

TEST(FindingsTest, AccessesThatSharedMemorySavesAreTraffic) {
  Finding Candidate = about("shared_memory_candidate", 1, 2);
  Candidate.fingerprint = "c";
  Candidate.bytes_saved = 1000;
  Finding Strided = about("strided_access", 1, 3), Less = about("strided_access", 1, 4);
  Strided.fingerprint = "s";
  Strided.evidence.emplace_back("needless_bytes", uint64_t(1001));
  Less.fingerprint = "l";
  Less.evidence.emplace_back("needless_bytes", uint64_t(999));
  EXPECT_EQ(order({Candidate, Less, Strided, finding("medium", "m", 10)}), "mscl");
  Candidate.kind = "move_out";
  EXPECT_EQ(order({Candidate, Less, Strided, finding("medium", "m", 10)}), "cmsl");
}

TEST(FindingsTest, AHotSpotIsPartOfTheCandidateForSharedMemory) {
  std::vector<Finding> Findings = {about("hot_spot", 1, 2, "high"),
                                   about("shared_memory_candidate", 1, 2)};
  joinPatterns(Findings);
  ASSERT_EQ(Findings.size(), 1u);
  EXPECT_EQ(Findings[0].pattern, "shared_memory_candidate");
  EXPECT_EQ(Findings[0].also, std::vector<std::string>{"hot_spot"});
  EXPECT_EQ(Findings[0].severity, "high");
  // The same again has no effect.
  joinPatterns(Findings);
  EXPECT_EQ(Findings[0].also.size(), 1u);
}

// Half-used sectors are why L1 caches fetch them for different bytes; a working set that is too
// large is another cause.
TEST(FindingsTest, SectorsThatAStridedAccessSplitsAreOneFinding) {
  for (const char *Kind : {"split_among_l1s", "lost_in_l1"}) {
    Finding Strided = about("strided_access", 1, 2), Cache = about("poor_cache_locality", 1, 3);
    Cache.kind = Kind;
    Strided.source = Cache.source = summary::Source{"a.cu", 7};
    std::vector<Finding> Findings = {Cache, Strided};
    Cache.source->line = 8;
    Findings.push_back(Cache);
    joinPatterns(Findings);
    EXPECT_EQ(Findings.size(), Kind == std::string_view("split_among_l1s") ? 2u : 3u);
    EXPECT_EQ(Findings.back().source->line, 8u);
  }
}

// Loads of several lines have no place.
TEST(FindingsTest, SectorsThatSeveralLinesSplitAreJoinedByTheirObject) {
  for (const uint32_t Object : {2U, 3U}) {
    Finding Strided = about("strided_access", 1, 2),
            Cache = about("poor_cache_locality", 1, Object);
    Cache.kind = "split_among_l1s";
    Strided.source = summary::Source{"a.cu", 7};
    std::vector<Finding> Findings = {Cache, Strided, about("strided_access", 2, Object)};
    joinPatterns(Findings);
    EXPECT_EQ(Findings.size(), Object == 2U ? 2u : 3u);
  }
}

TEST(FindingsTest, OtherAccessesAreNotJoined) {
  const Finding Hot = about("hot_spot", 1, 2);
  Finding Constant = about("shared_memory_candidate", 1, 2),
          DoesNotFit = about("shared_memory_candidate", 1, 2, "info"),
          NoObject = about("shared_memory_candidate", 1, 2);
  Constant.kind = "constant";
  NoObject.object.reset();
  for (const Finding &Other :
       {about("shared_memory_candidate", 0, 2), about("shared_memory_candidate", 1, 3),
        about("bank_conflict", 1, 2), Constant, DoesNotFit, NoObject}) {
    std::vector<Finding> Findings = {Hot, Other};
    joinPatterns(Findings);
    EXPECT_EQ(Findings.size(), 2u);
    EXPECT_TRUE(Findings[1].also.empty());
  }
}

TEST(FindingsTest, FindingsWithoutBenefit) {
  EXPECT_TRUE(isWithoutBenefit(finding("info", "")));
  EXPECT_TRUE(isWithoutBenefit(withSeconds(finding("info", ""), 0)));
  EXPECT_FALSE(isWithoutBenefit(withSeconds(finding("info", ""), 1e-9)));
  EXPECT_FALSE(isWithoutBenefit(finding("info", "", 1)));
  EXPECT_FALSE(isWithoutBenefit(finding("low", "")));
  Finding Traffic = finding("info", "");
  Traffic.evidence.emplace_back("needless_bytes", uint64_t(32));
  EXPECT_FALSE(isWithoutBenefit(Traffic));
}
