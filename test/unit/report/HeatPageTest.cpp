//===- HeatPageTest.cpp - Heat maps as web pages and pictures -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/HeatPage.h"
#include "TestHeat.h"
#include "WrittenText.h"
#include "report/formats/HeatSvg.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace gmprof;
using namespace gmprof::test;
using nlohmann::json;

namespace {

std::string dataOf(const profile::Profile &P, uint64_t MaxRows = MaxPageRows) {
  SourceText Source(0);
  return heatPageData(*heatViews(P, {}), HeatOf::Reads, "./app", Source, MaxRows);
}

std::string pageOf(const std::string &Data) {
  return writtenText([&](std::FILE *To) { return writeHeatPage(Data, To); });
}

std::string pictureOf(const profile::Profile &P, size_t MaxColumns = 0) {
  SourceText Source(0);
  auto Launches = *heatViews(P, {});
  return heatSvg(Launches[0], Launches[0].Views[0], HeatOf::All, Source, MaxColumns);
}

size_t count(const std::string &Text, const std::string &Part) {
  size_t N = 0;
  for (size_t At = Text.find(Part); At != std::string::npos; At = Text.find(Part, At + 1))
    ++N;
  return N;
}

const std::string Hostile = "</script><script>alert(1)</script><!--&";

} // namespace

TEST(HeatPage, RowsOfEachKindAndTheirPatterns) {
  TestHeat P;
  P.object("d_x", 0x1010, 2000);
  P.map({run(0, 1, {0, 0, 0, 0, 1, 1, 1, 1}, 2, 4), run(3, 5, {2, 2, 1, 0, 0, 0, 0, 0}, 2, 1234)});
  P.Heat[0].Maps[0].Runs[1].Merged = true;
  P.Heat[0].Maps[0].Runs[1].Of[GMPROF_COUNTER_WRITES] = {{0, 2, 0, 0, 0, 0, 0, 0}, 2};
  P.Heat[0].Maps[0].Runs[1].Accesses[GMPROF_COUNTER_WRITES] = 10;
  P.Heat[0].Maps[0].Runs[1].Places = 3;
  const json Data = json::parse(dataOf(P));
  EXPECT_EQ(Data.at("command"), "./app");
  EXPECT_EQ(Data.at("kind"), 1);
  ASSERT_EQ(Data.at("launches").size(), 1u);
  const json &Launch = Data["launches"][0];
  EXPECT_EQ(Launch.at("id"), 7);
  EXPECT_EQ(Launch.at("kernel"), "k(float*)");
  EXPECT_EQ(Launch.at("grid"), "(4,2)");
  EXPECT_EQ(Launch.at("sampled"), "block 3 of 8");
  EXPECT_EQ(Launch.at("hottest"), 2);
  EXPECT_EQ(Launch.at("places")[1], (json{{"file", "/s/k.cu"}, {"line", 6}, {"text", ""}}));
  EXPECT_TRUE(Launch["places"][2].is_null());
  ASSERT_EQ(Launch.at("views").size(), 1u);
  const json &View = Launch["views"][0];
  EXPECT_EQ(View.at("name"), "x (d_x)");
  EXPECT_EQ(View.at("address"), "4112");
  EXPECT_EQ(View.at("lead"), 16);
  EXPECT_EQ(View.at("lines"), 63);
  EXPECT_EQ(View.at("patterns"),
            json::parse(R"([{"t":"200001111","s":"","p":[0]},{"t":"000000000","s":"","p":[]},
                            {"t":"222100000","s":"","p":[0,1],"m":1},
                            {"t":"222100000","s":"","p":[0],"m":1},
                            {"t":"202000000","s":"","p":[1],"m":1}])"));
  EXPECT_EQ(View.at("rows"),
            json::parse("[[1,0,4, 2,1,0, 5,2,1244, 55,1,0], [1,0,4, 2,1,0, 5,3,1234, 55,1,0],"
                        " [3,1,0, 5,4,10, 55,1,0], null]"));
  EXPECT_EQ(View.at("missing"), json::parse("[0,0,0,0]"));
}

TEST(HeatPage, KindsThatAreAllAreNotRepeated) {
  TestHeat P;
  P.array("tile", 1024, 8);
  P.word(0, GMPROF_COUNTER_WRITES, 1, 1, 1);
  P.word(1, GMPROF_COUNTER_WRITES, 3, 5, GMPROF_NONE);
  const json View = json::parse(dataOf(P))["launches"][0]["views"][0];
  EXPECT_EQ(View.at("rows"), json::parse(R"([[1,0,6],null,"same",null])"));
  EXPECT_EQ(View.at("patterns")[0].at("t"), "212" + std::string(30, '0'));
  EXPECT_EQ(View.at("patterns")[0].at("s"), "TS" + std::string(30, '-'));
  EXPECT_EQ(View.at("lineBytes"), 128);
  EXPECT_EQ(View.at("shared"), true);
}

TEST(HeatPage, CountsOmittedRows) {
  TestHeat P;
  P.object("d_x", 0x1000, 1024);
  std::vector<profile::HeatRun> Runs;
  for (uint64_t I = 0; I < 10; ++I)
    Runs.push_back(run(2 * I, 1, {1, 0, 0, 0, 0, 0, 0, 0}, 1, 1));
  P.map(Runs);
  const json View = json::parse(dataOf(P, 15))["launches"][0]["views"][0];
  EXPECT_EQ(View.at("rows")[0].size(), 45u);
  EXPECT_EQ(View.at("missing")[0], 5);
}

TEST(HeatPage, NamesAreNotMarkup) {
  TestHeat P;
  P.object(Hostile, 0x1000, 32);
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 8)});
  P.Kernels[0].Demangled = Hostile;
  P.Kernels[0].Desc->Sites[0].Source.File = Hostile;
  const std::string Data = dataOf(P), Page = pageOf(Data);
  EXPECT_EQ(Data.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(Data)["launches"][0]["kernel"], Hostile);
  EXPECT_EQ(count(Page, "</script>"), 2u);
  EXPECT_EQ(count(Page, "<script"), 2u);
  EXPECT_EQ(count(Page, "innerHTML"), 0u);
  EXPECT_EQ(count(Page, Data), 1u);
  for (const char *Mark : {"@STYLE@", "@DATA@", "@SCRIPT@"})
    EXPECT_EQ(count(Page, Mark), 0u);
  // The page fetches nothing.
  EXPECT_EQ(count(Page, "default-src 'none'"), 1u);
  EXPECT_EQ(count(Page, "src=") + count(Page, "href=") + count(Page, "url("), 0u);

  const std::string Picture = pictureOf(P);
  EXPECT_EQ(count(Picture, "<script"), 0u);
  EXPECT_EQ(count(Picture, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&amp;"), 3u);
}

TEST(HeatSvg, ColumnsAreRuns) {
  TestHeat P;
  P.object("d_x", 0x1010, 92);
  P.map({run(0, 1, {0, 0, 0, 0, 1, 1, 1, 1}, 2, 4), run(1, 2, {2, 2, 1, 0, 0, 0, 0, 0}, 2, 1234)});
  const std::string Svg = pictureOf(P);
  EXPECT_TRUE(Svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"802\" "));
  EXPECT_NE(Svg.find(">x (d_x): 92 bytes</text>"), std::string::npos);
  EXPECT_NE(Svg.find("<title>0x10 to 0x4f: 2 sectors, 1,234 accesses\n/s/k.cu:5  </title>\n"
                     "<text x=\"115\" y=\"89\" class=\"m c\">\u00d72</text>\n"
                     "<rect x=\"100\" y=\"94\" width=\"29\" height=\"17\" class=\"t2\"/>"
                     "<text x=\"115\" y=\"107\" class=\"m n2\">2</text>\n"),
            std::string::npos)
      << Svg;
  // The first sector has half of its words, the last three.
  EXPECT_EQ(count(Svg, "<rect "), 3u + 5 + 9 + 4);
  EXPECT_EQ(count(Svg, "<g>"), 3u);

  const std::string Cut = pictureOf(P, 1);
  EXPECT_EQ(count(Cut, "<g>"), 1u);
  EXPECT_NE(Cut.find("; 2 columns more not drawn; k(float*)</text>"), std::string::npos);
}
