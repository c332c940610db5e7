//===- SummaryJsonTest.cpp - Reading summary.json -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "SummaryCases.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace gmprof;
using namespace gmprof::test;

TEST(SummaryJsonTest, ReadsItsOutput) {
  HandMade H = example();
  H.desc().Threshold = 6;
  H.P.Shared[0].Capped[3] = 1;
  H.P.TheRun.ConfigJson = R"({"threshold":6})";
  H.P.Devices.push_back({});
  refuse(H, "quoted \"reason\"");
  const std::string Text = toJson(buildSummary(H.P).Content);
  auto Read = parseSummary(Text, "x");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(toJson(*Read), Text);
  EXPECT_EQ(Read->config.text, R"({"threshold":6})");
}

TEST(SummaryJsonTest, BytesThatAreNoTextDoNotStopIt) {
  HandMade H = example();
  H.desc().Variables[0].Source.File = "/src/\xff.cu";
  auto Read = parseSummary(toJson(buildSummary(H.P).Content), "x");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->objects.at(0).source->file, "/src/\uFFFD.cu");
}

TEST(SummaryJsonTest, UnknownMembersAreIgnored) {
  std::string Text = toJson(buildSummary(example().P).Content);
  Text.insert(1, "\"future\": [1, {}],");
  EXPECT_TRUE(parseSummary(Text, "x"));
}

TEST(SummaryJsonTest, PlacesOfSequencesAndFunctionsAreRequired) {
  summary::Summary S = buildSummary(example().P).Content;
  S.sync.emplace().sites.resize(2);
  S.sync->sequences.emplace_back().entries = {{1, 1, 0}};
  S.sync->functions.push_back({"main", "cudaFree", {0, 1}, 0});
  EXPECT_TRUE(parseSummary(toJson(S), "x"));
  const std::string Why = "'x' is a damaged GMProf summary, or one of an older GMProf: it has no "
                          "place of a number that it names";
  summary::Summary Other = S;
  Other.sync->sequences[0].entries[0].site = 2;
  EXPECT_EQ(parseSummary(toJson(Other), "x").error(), Why);
  Other = S;
  Other.sync->functions[0].sites.push_back(2);
  EXPECT_EQ(parseSummary(toJson(Other), "x").error(), Why);
}

TEST(SummaryJsonTest, FunctionsOfCallPathsAreRequired) {
  summary::Summary S = buildSummary(example().P).Content;
  S.frames = {{"f", summary::Source{"a.cu", 7}, false, "app", 16}, {"main", {}, false, "app", 32}};
  S.call_paths = {{0, 1}, {}, {1}};
  // One line for each function and each path.
  const std::string Text = toJson(S);
  EXPECT_NE(Text.find(R"(
  "frames": [
    {"function": "f", "source": {"file": "a.cu", "line": 7}, "inlined": false, "image": "app", "address": 16},
    {"function": "main", "source": null, "inlined": false, "image": "app", "address": 32}
  ],
  "call_paths": [
    [0, 1],
    [],
    [1]
  ],
)"),
            std::string::npos)
      << Text;
  const auto Read = parseSummary(Text, "x");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->call_paths, S.call_paths);
  S.call_paths[2][0] = 2;
  EXPECT_EQ(parseSummary(toJson(S), "x").error(),
            "'x' is a damaged GMProf summary, or one of an older GMProf: it has no function of a "
            "number that it names");
}

TEST(SummaryJsonTest, EveryTruncationIsAnError) {
  const std::string Text = toJson(buildSummary(example().P).Content);
  for (size_t Size = 0; Size + 2 < Text.size(); ++Size) {
    auto Read = parseSummary(Text.substr(0, Size), "x");
    ASSERT_FALSE(Read) << Size;
    EXPECT_EQ(Read.error(),
              Size == 0 ? "'x' is empty" : "'x' is truncated: it ends in the middle of the JSON");
  }
}

TEST(SummaryJsonTest, NoMissingOrMistypedMemberIsAccepted) {
  // Each line of a text that holds one member, without it and with another type. Nothing crashes,
  // and the error says where.
  const std::string Text =
      nlohmann::ordered_json::parse(toJson(buildSummary(example().P).Content)).dump(2);
  size_t Tried = 0;
  for (size_t Begin = Text.find("\n "); Begin != std::string::npos;
       Begin = Text.find("\n ", Begin + 1)) {
    size_t Quote = Text.find_first_not_of(" \n", Begin);
    size_t Colon = Text.find("\": ", Quote);
    if (Text[Quote] != '"' || Colon > Text.find('\n', Quote))
      continue;
    ++Tried;
    std::string Renamed = Text;
    Renamed.insert(Quote + 1, "x");
    auto Read = parseSummary(Renamed, "x");
    if (Read) // attributes, config and evidence hold anything
      continue;
    EXPECT_TRUE(Read.error().find("is a damaged GMProf summary, or one of an older GMProf: ") !=
                    std::string::npos ||
                Read.error().find("is not a GMProf summary") != std::string::npos)
        << Read.error();
  }
  EXPECT_GT(Tried, 100u);
  for (const char *Wrong : {"[]", "1e30", "1.5", "true", "\"1\"", "18446744073709551615"}) {
    std::string Mistyped = Text;
    Mistyped.replace(Mistyped.find("\"pid\": "), 7, std::string("\"pid\": ") + Wrong + ",\"x\":");
    EXPECT_EQ(parseSummary(Mistyped, "x").error(),
              "'x' is a damaged GMProf summary, or one of an older GMProf: (/run/pid) not an "
              "integer in range");
  }
}
