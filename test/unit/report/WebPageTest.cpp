//===- WebPageTest.cpp - What gmreport html puts into its page ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/WebPage.h"
#include "../TemporaryFolder.h"
#include "../analysis/HandMade.h"
#include "WrittenText.h"
#include "report/builder/SummaryBuilder.h"
#include "report/model/SummaryJson.h"
#include "report/page/PageColumns.h"
#include "report/page/PageSource.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <zlib.h>

using namespace gmprof;
using gmprof::test::HandMade;
using gmprof::test::TemporaryFolder;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

std::string unzipped(const std::string &Zipped) {
  z_stream Stream = {};
  EXPECT_EQ(::inflateInit2(&Stream, MAX_WBITS + 16), Z_OK);
  std::string In = Zipped, Out;
  Stream.next_in = reinterpret_cast<unsigned char *>(In.data());
  Stream.avail_in = static_cast<uInt>(In.size());
  int Status = Z_OK;
  while (Status == Z_OK) {
    unsigned char Room[4096];
    Stream.next_out = Room;
    Stream.avail_out = sizeof(Room);
    Status = ::inflate(&Stream, Z_NO_FLUSH);
    Out.append(reinterpret_cast<char *>(Room), sizeof(Room) - Stream.avail_out);
  }
  EXPECT_EQ(Status, Z_STREAM_END);
  ::inflateEnd(&Stream);
  return Out;
}

std::string fromBase64(const std::string &Text) {
  const std::string Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(Text.size() % 4, 0u);
  std::string Bytes;
  unsigned Bits = 0, Count = 0;
  for (char C : Text.substr(0, Text.find('='))) {
    const size_t Digit = Digits.find(C);
    EXPECT_NE(Digit, std::string::npos) << C;
    Bits = Bits << 6 | static_cast<unsigned>(Digit);
    Count += 6;
    if (Count >= 8) {
      Count -= 8;
      Bytes += static_cast<char>(Bits >> Count);
    }
  }
  return Bytes;
}

std::string pageOf(const std::vector<PageSection> &Sections) {
  return test::writtenText([&](std::FILE *To) { return writeWebPage(Sections, To); });
}

/// Returns the data in the page's sections.
std::map<std::string, std::string> sectionsOf(const std::string &Page) {
  const std::string Begin = "<script type=\"application/gzip\" id=\"data-", End = "</script>";
  std::map<std::string, std::string> Sections;
  for (size_t At = Page.find(Begin); At != std::string::npos; At = Page.find(Begin, At)) {
    At += Begin.size();
    const size_t Quote = Page.find("\">", At), Close = Page.find(End, At);
    Sections[Page.substr(At, Quote - At)] =
        unzipped(fromBase64(Page.substr(Quote + 2, Close - Quote - 2)));
  }
  return Sections;
}

size_t count(const std::string &Text, const std::string &Part) {
  size_t N = 0;
  for (size_t At = Text.find(Part); At != std::string::npos; At = Text.find(Part, At + 1))
    ++N;
  return N;
}

const std::string Hostile = "</script><script>alert(1)</script><!--&\x80";

} // namespace

TEST(WebPage, HoldsItsSectionsExactly) {
  std::string Large;
  for (unsigned I = 0; I < 200'000; ++I)
    Large += static_cast<char>(I * I >> 3);
  const auto Sections =
      sectionsOf(pageOf({{"a", ""}, {"b", "x"}, {"c", "xy"}, {"d", "xyz"}, {"e", Large}}));
  EXPECT_EQ(Sections, (std::map<std::string, std::string>{
                          {"a", ""}, {"b", "x"}, {"c", "xy"}, {"d", "xyz"}, {"e", Large}}));
}

TEST(WebPage, NothingOfTheProgramIsMarkup) {
  const std::string Without = pageOf({{"summary", ""}}), With = pageOf({{"summary", Hostile}});
  for (const char *Part : {"<script", "</script", "<!--", "alert"})
    EXPECT_EQ(count(With, Part), count(Without, Part)) << Part;
  EXPECT_EQ(sectionsOf(With).at("summary"), Hostile);
}

TEST(WebPage, ForbidsTheNetworkAndOtherScripts) {
  const std::string Page = pageOf({});
  const size_t At = Page.find("http-equiv=\"Content-Security-Policy\"");
  ASSERT_NE(At, std::string::npos);
  const std::string Policy = Page.substr(At, Page.find('>', At) - At);
  EXPECT_NE(Policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(Policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(Policy.find("http:"), std::string::npos);
  EXPECT_LT(Page.size(), 400u * 1024);
}

TEST(WebPage, AgreesWithTheText) {
  HandMade H;
  H.P.TheRun.Command = {"./app"};
  H.P.TheRun.Ended = true;
  H.P.Kernels[0].Demangled = "k" + Hostile + "()";
  const uint32_t V = H.variable("tile", "float[4][4]", 4, 64);
  H.site(V, GMPROF_ACCESS_STORE);
  H.launch(2, std::vector<uint64_t>(16, 12), {1024});
  const summary::Summary S = buildSummary(H.P).Content;
  const auto Sections = sectionsOf(pageOf(pageSections(S, {"No <b>."}, "/src")));
  EXPECT_EQ(Sections.at("summary"), toJson(S));
  const json Texts = json::parse(Sections.at("texts"));
  EXPECT_EQ(Texts.at("not_shown"), json({"No <b>."}));
  EXPECT_EQ(Texts.at("folder"), "/src");
  EXPECT_EQ(Texts.at("findings").size(), S.findings.size());
  EXPECT_EQ(Texts.at("figures").front(),
            json({"Shared memory", "1 array in 1 kernel, 192 accesses; all of 64 bytes accessed"}));
  EXPECT_EQ(Texts.at("patterns").at("memory_leak").at("title"), "Memory leak");
  EXPECT_EQ(Texts.at("patterns").at("memory_leak").at("profile"), "objects");
}

TEST(PageColumns, AreLeb128) {
  PageColumns Columns;
  Columns.add("n", {0, 127, 128, 300, UINT64_MAX});
  Columns.addDifferences("d", {5, 3, 3, 1003});
  const std::string Text = Columns.text({{"what", "x"}});
  const size_t End = Text.find('\n');
  EXPECT_EQ(json::parse(Text.substr(0, End)), json::parse(R"({"what":"x","columns":[
              {"name":"n","code":"numbers","rows":5,"bytes":16},
              {"name":"d","code":"differences","rows":4,"bytes":5}]})"));
  // 5, -2, 0 and 1000: twice the number, or one less than twice its amount.
  EXPECT_EQ(Text.substr(End + 1), std::string("\0\x7f\x80\x01\xac\x02"
                                              "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                              "\x0a\x03\0\xd0\x0f",
                                              21));
}

TEST(PageStrings, AreNumberedOnce) {
  PageStrings Strings;
  EXPECT_EQ(Strings.numberOf("a"), 0u);
  EXPECT_EQ(Strings.numberOf("b\x1b"), 1u);
  EXPECT_EQ(Strings.numberOf("a"), 0u);
  EXPECT_EQ(Strings.all(), (std::vector<std::string>{"a", "b?"}));
}

namespace {

/// Lines 1 to Count, each its number.
std::string numberedFile(const TemporaryFolder &Folder, const char *Name, int Count) {
  std::ofstream Out(Folder.file(Name));
  for (int I = 1; I <= Count; ++I)
    Out << "line " << I << "\n";
  return Folder.file(Name);
}

summary::Summary namingLines(const std::string &File, const std::vector<unsigned> &Lines) {
  summary::Summary S;
  for (unsigned Line : Lines) {
    summary::Finding &F = S.findings.emplace_back();
    F.source = summary::Source{File, Line};
  }
  return S;
}

} // namespace

TEST(PageSource, LinesAroundThoseThatAreNamed) {
  const TemporaryFolder Folder;
  const std::string File = numberedFile(Folder, "a.cu", 300);
  SourceText Source(0);
  const json J = json::parse(pageSource(namingLines(File, {10, 50, 200, 0, 999}), Source));
  ASSERT_EQ(J.at("files").size(), 1u);
  EXPECT_EQ(J["files"][0].at("path"), File);
  const json &Parts = J["files"][0].at("parts");
  // 10 and 50 have 1 to 40 and 20 to 80 around them.
  ASSERT_EQ(Parts.size(), 2u);
  EXPECT_EQ(Parts[0][0], 1);
  EXPECT_EQ(Parts[0][1].size(), 80u);
  EXPECT_EQ(Parts[0][1][79], "line 80");
  EXPECT_EQ(Parts[1][0], 170);
  EXPECT_EQ(Parts[1][1].size(), 61u);
  EXPECT_EQ(J.at("lines_left_out"), 0);
}

TEST(PageSource, CountsOmittedLines) {
  const TemporaryFolder Folder;
  const std::string File = numberedFile(Folder, "a.cu", 9);
  SourceText Source(0);
  const json J = json::parse(pageSource(namingLines(File, {5}), Source, 6 * 3 + 5));
  EXPECT_EQ(J.at("files")[0].at("parts")[0][1], json({"line 1", "line 2", "line 3"}));
  EXPECT_EQ(J.at("lines_left_out"), 6);
}

TEST(PageSource, OmitsFilesChangedAfterTheRun) {
  const TemporaryFolder Folder;
  const std::string File = numberedFile(Folder, "a.cu", 9);
  SourceText Source(1'000'000'000);
  EXPECT_EQ(json::parse(pageSource(namingLines(File, {5}), Source)).at("files"), json::array());
}
