//===- CheckTest.cpp - Rules, amounts and suppressions --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/model/Measures.h"
#include "report/model/Patterns.h"
#include <gtest/gtest.h>

using namespace gmprof;
using summary::Finding;
using summary::Summary;

namespace {

Finding finding(const std::string &Pattern, const std::string &Severity,
                const std::string &Object = "", uint64_t Bytes = 0) {
  Finding F;
  F.pattern = Pattern;
  F.severity = Severity;
  F.fingerprint = Pattern + Object;
  F.bytes_saved = Bytes;
  if (!Object.empty())
    F.object = {0, Object, "device"};
  return F;
}

std::string rejected(const std::string &Rule) {
  Result<CheckRule> R = parseCheckRule(Rule);
  return R ? "accepted" : R.error();
}

/// Returns a summary with a kernel reduce<float, 256> that reads 1000 elements of 4 bytes of `in`.
Summary summaryWithReads() {
  Summary S;
  S.config.text = R"({"profile":"global"})";
  summary::Kernel &K = S.kernels.emplace_back();
  K.demangled = "void reduce<float, 256>(float const*)";
  K.launch_counts.seen = 2;
  S.coverage.launches.seen = 2;
  K.global_memory.emplace();
  summary::GlobalObjectUse &U = K.global_memory->objects.emplace_back();
  U.names = {"in"};
  U.element_bytes = 4;
  U.reads.emplace();
  U.reads->accesses_estimated.value = 1000;
  return S;
}

std::string holds(const Summary &S, const std::string &Budget) {
  Result<CheckRule> R = parseCheckRule(Budget);
  if (!R)
    return R.error();
  Result<double> Value = measured(S, *R);
  return !Value ? Value.error() : R->holds(*Value) ? "holds" : "broken";
}

} // namespace

TEST(QuantityTest, Units) {
  const auto Of = [](const char *Text) {
    Result<Quantity> Q = parseQuantity(Text);
    return Q ? std::pair(Q->Of, Q->Value) : std::pair(Quantity::Unit::Number, -1.0);
  };
  using Unit = Quantity::Unit;
  EXPECT_EQ(Of("12"), std::pair(Unit::Number, 12.0));
  EXPECT_EQ(Of("80%"), std::pair(Unit::Number, 0.8));
  EXPECT_EQ(Of("2GiB"), std::pair(Unit::Bytes, 2147483648.0));
  EXPECT_EQ(Of("1.5 MiB"), std::pair(Unit::Bytes, 1572864.0));
  EXPECT_EQ(Of("512M"), std::pair(Unit::Bytes, 536870912.0));
  EXPECT_EQ(Of("3MB"), std::pair(Unit::Bytes, 3e6));
  EXPECT_EQ(Of("1.5ms"), std::pair(Unit::Seconds, 0.0015));
  for (const char *Text : {"", "x", "1x", "-1", "1e5", "nan", "inf", "1..2", "0x10", "GiB"})
    EXPECT_EQ(Of(Text), std::pair(Unit::Number, -1.0)) << Text;
}

TEST(CheckRuleTest, SeveritiesMeanThatOrWorse) {
  const CheckRule Low = *parseCheckRule("low");
  EXPECT_TRUE(Low.selects(finding("hot_spot", "high")));
  EXPECT_TRUE(Low.selects(finding("hot_spot", "low")));
  EXPECT_FALSE(Low.selects(finding("hot_spot", "info")));
  EXPECT_TRUE(parseCheckRule("any")->selects(finding("hot_spot", "info")));
}

TEST(CheckRuleTest, PatternsWithKinds) {
  Finding F = finding("bank_conflict", "info");
  F.kind = "store";
  EXPECT_TRUE(parseCheckRule("bank_conflict")->selects(F));
  EXPECT_TRUE(parseCheckRule("no:bank_conflict/store")->selects(F));
  EXPECT_FALSE(parseCheckRule("bank_conflict/load")->selects(F));
  EXPECT_FALSE(parseCheckRule("hot_spot")->selects(F));
}

TEST(CheckRuleTest, FurtherPatternsOfAFindingCount) {
  Finding F = finding("unused_allocation", "low");
  F.also = {"memory_leak"};
  EXPECT_TRUE(parseCheckRule("unused_allocation")->selects(F));
  EXPECT_TRUE(parseCheckRule("memory_leak")->selects(F));
  EXPECT_FALSE(parseCheckRule("dead_write")->selects(F));
  F.also.clear();
  EXPECT_FALSE(parseCheckRule("memory_leak")->selects(F));
}

TEST(CheckTest, RulesNeedAProfileThatLooksForThem) {
  const auto Checked = [](const char *Config, const char *Pattern) {
    Summary S;
    S.config.text = Config;
    const std::vector<CheckRule> Rules = {*parseCheckRule(Pattern)};
    const Result<CheckResult> R = check({S, Rules, nullptr, {}});
    return R ? "checked" : R.error();
  };
  const char *Overview =
      R"({"profile":"overview","profiles":["objects","shared","heat","sync"],"sync_stage":"baseline"})";
  EXPECT_EQ(Checked("{}", "hot_spot"), "checked");
  EXPECT_EQ(Checked(Overview, "memory_leak"), "checked");
  EXPECT_EQ(Checked(Overview, "bank_conflict"), "checked");
  EXPECT_EQ(Checked(Overview, "overallocation"),
            "'overallocation': this is a profile of --profile heat,objects,shared,sync, and "
            "--profile elements looks for it");
  // A baseline run of sync makes no checks.
  EXPECT_EQ(Checked(Overview, "duplicate_transfer"),
            "'duplicate_transfer': this is a profile of --profile heat,objects,shared,sync, and "
            "--profile sync looks for it");
  EXPECT_EQ(Checked(R"({"profile":"sync","sync_stage":"memory"})", "duplicate_transfer"),
            "checked");
  EXPECT_EQ(Checked(R"({"profile":"elements"})", "memory_leak"), "checked");
  EXPECT_EQ(Checked(R"({"profile":"heat"})", "memory_leak"),
            "'memory_leak': this is a profile of --profile heat, and --profile objects looks for "
            "it");
}

TEST(CheckRuleTest, FirstSightHasNoBudgetOfSavings) {
  Summary S;
  S.config.text = R"({"profiles":["objects","sync"],"sync_stage":"baseline"})";
  summary::SyncSite &Site = S.sync.emplace().sites.emplace_back();
  Site.waits = 3;
  Site.wait_seconds = 0.5;
  EXPECT_EQ(holds(S, "waits<4"), "holds");
  EXPECT_EQ(holds(S, "wait_time<400ms"), "broken");
  EXPECT_EQ(
      holds(S, "could_save<1s"),
      "'could_save<1s': the summary has no could_save: gmprof run --profile sync measures it");
  S.config.text = R"({"profiles":["sync"]})";
  EXPECT_EQ(holds(S, "could_save<1s"), "holds");
}

TEST(CheckRuleTest, ErrorsNameTheMistake) {
  EXPECT_EQ(rejected("peak<"), "'peak<': '' is no amount: write it as 64KiB, 2GiB, 1.5ms, 80% or "
                               "12");
  EXPECT_EQ(rejected("peak=<2"), "'peak=<2': '=<' is no comparison: <, <=, >, >=, == and != are");
  EXPECT_EQ(rejected("reads(k<2"), "'reads(k<2': ) is missing before <");
  EXPECT_EQ(rejected("time<3"), "'time<3': time is compared with time, as 5ms");
  EXPECT_EQ(rejected("launches<3B"), "'launches<3B': launches is compared with a number");
  EXPECT_EQ(rejected("peak<3ms"), "'peak<3ms': peak is compared with bytes, as 2GiB");
  EXPECT_EQ(rejected("time<0"), "accepted");
  EXPECT_EQ(rejected("peak<100"), "accepted");
  EXPECT_EQ(rejected("l3_hit(jacobi.in)>0.8").substr(0, 62),
            "'l3_hit(jacobi.in)>0.8': there is no number named 'l3_hit': th");
  for (const char *Bad : {"", "<2", "leak", "no:", "hot_spot<2", "saving<2", "saving(k)<2KiB"})
    EXPECT_NE(rejected(Bad), "accepted") << Bad;
}

TEST(CheckRuleTest, BudgetsOfKernelsAndObjects) {
  const Summary S = summaryWithReads();
  EXPECT_EQ(holds(S, "reads==1000"), "holds");
  EXPECT_EQ(holds(S, "reads<1000"), "broken");
  EXPECT_EQ(holds(S, "reads(reduce<float, 256>)<=1000"), "holds");
  EXPECT_EQ(holds(S, "reads(reduce<float, 256>.in)>999"), "holds");
  EXPECT_EQ(holds(S, "traffic!=4000"), "broken");
  EXPECT_EQ(holds(S, "launches>=2"), "holds");
  EXPECT_EQ(holds(S, "writes<1"), "holds");
  EXPECT_EQ(holds(S, "saving<1KiB"), "holds");
  EXPECT_EQ(holds(S, "reads(scan)<1"),
            "'reads(scan)<1': there is no reads(scan): there are those of reduce<float, 256>, "
            "reduce<float, 256>.in");
  EXPECT_EQ(holds(S, "waits<1"),
            "'waits<1': the summary has no waits: gmprof run --profile sync measures it");
}

TEST(SuppressionsTest, Templates) {
  EXPECT_TRUE(matchesTemplate("d_table", "table"));
  EXPECT_TRUE(matchesTemplate("d_table", "^d_"));
  EXPECT_TRUE(matchesTemplate("d_table", "^d*le$"));
  EXPECT_TRUE(matchesTemplate("d_table", "*"));
  EXPECT_TRUE(matchesTemplate("aba", "^a*a$"));
  EXPECT_TRUE(matchesTemplate("libcublas.so.13", "lib*blas*13"));
  EXPECT_TRUE(matchesTemplate("abcb", "b$"));
  EXPECT_FALSE(matchesTemplate("a", "^a*a$"));
  EXPECT_FALSE(matchesTemplate("d_table", "^table"));
  EXPECT_FALSE(matchesTemplate("d_table2", "^d*le$"));
  EXPECT_FALSE(matchesTemplate("d_table", "^d_tab$"));
  EXPECT_FALSE(matchesTemplate("xab", "^ab$"));
  EXPECT_FALSE(matchesTemplate("acb", "b*c"));
}

TEST(SuppressionsTest, ReasonsAndCounts) {
  Result<std::vector<Suppression>> Those =
      parseSuppressions("# first\n#   reason\nmemory_leak:^a$\nmemory_leak:b\r\n\n"
                        "bank_conflict/store:*\n# other\nfingerprint:hot_spotc\nany:zzz",
                        "file");
  ASSERT_TRUE(Those);
  ASSERT_EQ(Those->size(), 5u);
  EXPECT_EQ((*Those)[0].Reason, "first reason");
  EXPECT_EQ((*Those)[1].Reason, "first reason");
  EXPECT_EQ((*Those)[1].Text, "memory_leak:b");
  EXPECT_EQ((*Those)[2].Reason, "");
  EXPECT_EQ((*Those)[3].Reason, "other");

  Summary S;
  S.findings = {finding("memory_leak", "high", "a"), finding("memory_leak", "high", "aa"),
                finding("hot_spot", "high", "c"), finding("bank_conflict", "high", "a"),
                finding("memory_leak", "info", "b")};
  const std::vector<CheckRule> Rules = {*parseCheckRule("low")};
  Result<CheckResult> R = check({S, Rules, nullptr, *Those});
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Matches, (std::vector<size_t>{1, 1, 0, 1, 0}));
  std::vector<bool> Fails;
  for (const CheckedFinding &F : R->Findings)
    Fails.push_back(F.fails());
  EXPECT_EQ(Fails, (std::vector<bool>{false, true, false, true, false}));
  EXPECT_EQ(R->failures(), 2u);
}

TEST(SuppressionsTest, ErrorsNameTheLine) {
  const auto Wrong = [](const char *Text) {
    Result<std::vector<Suppression>> Those = parseSuppressions(Text, "s");
    return Those ? "accepted" : Those.error();
  };
  EXPECT_EQ(Wrong("# why\nmemory_leak"),
            "'s', line 2: write it as PATTERN:TEMPLATE, as memory_leak:d_table");
  EXPECT_EQ(Wrong("memory_leak:"),
            "'s', line 1: write it as PATTERN:TEMPLATE, as memory_leak:d_table");
  EXPECT_EQ(Wrong("leak:x"),
            "'s', line 1: there is no pattern named 'leak'; any stands for all of them");
}

TEST(CheckTest, CallsAreMatchedByTheirPath) {
  Summary S;
  S.sync.emplace();
  S.sync->sites.emplace_back().api = "cudaFree";
  S.sync->sites[0].call_path = 0;
  S.frames = {{"std::vector<int>::~vector()", std::nullopt, false, "/usr/lib/libtool.so", 16}};
  S.call_paths = {{0}};
  Finding F = finding("unnecessary_synchronization", "high");
  F.site = 0;
  const auto Matches = [&](const std::string &Template) {
    return suppresses({"", "", "", "", Template, false}, F.pattern, F, S);
  };
  EXPECT_TRUE(Matches("^cudaFree$"));
  EXPECT_TRUE(Matches("libtool.so"));
  EXPECT_TRUE(Matches("~vector"));
  EXPECT_FALSE(Matches("other"));
}

// An unused allocation that is never freed is also a leak.
TEST(CheckTest, ASuppressedPatternLeavesTheOthersOfItsFinding) {
  Summary S;
  S.config.text = R"({"profile":"objects"})";
  S.findings = {finding("unused_allocation", "high", "c")};
  S.findings[0].kind = "kind";
  S.findings[0].also = {"memory_leak"};
  const auto Checked = [&](const std::string &Suppressed, const char *Rule) {
    const std::vector<CheckRule> Rules = {*parseCheckRule(Rule)};
    Result<CheckResult> R = check({S, Rules, nullptr, *parseSuppressions(Suppressed, "s")});
    const CheckedFinding &F = R->Findings.at(0);
    std::string Text = F.fails() ? "fails" : F.Selected ? "suppressed" : "not selected";
    for (const std::string &Pattern : {F.Found->pattern, F.Found->kind})
      Text += " " + Pattern;
    for (const std::string &Also : F.Found->also)
      Text += " also " + Also;
    for (const size_t Count : R->Matches)
      Text += " " + std::to_string(Count);
    return Text;
  };
  const std::string Leak = "memory_leak:c\n", Unused = "unused_allocation:c\n";
  EXPECT_EQ(Checked("", "high"), "fails unused_allocation kind also memory_leak");
  EXPECT_EQ(Checked(Leak, "high"), "fails unused_allocation kind 1");
  EXPECT_EQ(Checked(Leak, "memory_leak"), "not selected unused_allocation kind 1");
  EXPECT_EQ(Checked(Unused, "high"), "fails memory_leak  1");
  EXPECT_EQ(Checked(Unused, "memory_leak"), "fails memory_leak  1");
  EXPECT_EQ(Checked(Unused, "unused_allocation"), "not selected memory_leak  1");
  EXPECT_EQ(Checked("unused_allocation/other:c", "high"),
            "fails unused_allocation kind also memory_leak 0");
  EXPECT_EQ(Checked(Unused + Leak, "high"),
            "suppressed unused_allocation kind also memory_leak 1 1");
  EXPECT_EQ(Checked("any:c", "high"), "suppressed unused_allocation kind also memory_leak 1");
  EXPECT_EQ(Checked("memory_leak:d", "high"), "fails unused_allocation kind also memory_leak 0");
  EXPECT_EQ(Checked("fingerprint:" + S.findings[0].fingerprint, "memory_leak"),
            "suppressed unused_allocation kind also memory_leak 1");
}

TEST(CheckTest, TheBaselineKnowsFindingsByFingerprint) {
  Summary Before, After;
  Before.config.text = After.config.text = R"({"profile":"objects"})";
  Before.findings = {finding("memory_leak", "high", "a"), finding("memory_leak", "high", "b")};
  // Two findings about a, one of which is in the baseline.
  After.findings = {finding("memory_leak", "high", "a"), finding("memory_leak", "high", "a")};
  const std::vector<CheckRule> Rules = {*parseCheckRule("high")};
  Result<CheckResult> R = check({After, Rules, &Before, {}});
  ASSERT_TRUE(R);
  EXPECT_TRUE(R->Findings[0].InBaseline);
  EXPECT_FALSE(R->Findings[1].InBaseline);
  EXPECT_EQ(R->failures(), 1u);
}

TEST(CheckTest, PatternsOutsideTheProfileFail) {
  Summary S;
  S.config.text = R"({"profile":"elements"})";
  const auto Checked = [&](const char *Rule) {
    const std::vector<CheckRule> Rules = {*parseCheckRule(Rule)};
    Result<CheckResult> R = check({S, Rules, nullptr, {}});
    return R ? "" : R.error();
  };
  EXPECT_EQ(Checked("memory_leak"), "");
  EXPECT_EQ(Checked("shared_memory_candidate"), "");
  EXPECT_EQ(Checked("hot_spot"), "'hot_spot': this is a profile of --profile elements, and "
                                 "--profile heat looks for it");
}
