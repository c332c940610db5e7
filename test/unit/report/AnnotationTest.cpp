//===- AnnotationTest.cpp - Tests of source annotations -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/Annotation.h"
#include "../TemporaryFolder.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::summary;

namespace {

Kernel kernel(uint32_t Id, const std::string &Demangled) {
  Kernel K;
  K.id = Id;
  K.demangled = Demangled;
  return K;
}

HeatAccess load(unsigned Line, uint64_t Lanes, uint64_t Requests, uint64_t Sectors) {
  HeatAccess A;
  A.access = "load";
  A.source = Source{"a.cu", Line};
  A.lanes = Lanes;
  A.requests = Requests;
  A.sectors = Sectors;
  A.bytes_used = 4 * Lanes;
  return A;
}

Site site(const char *Access, unsigned Line, const char *Rule = "counted") {
  Site S;
  S.access = Access;
  S.space = "global";
  S.source = Source{"a.cu", Line};
  S.rule = Rule;
  return S;
}

Annotation annotated(Summary S, const AnnotationChoice &Choice = {}) {
  Result<Annotation> A = annotate(std::move(S), Choice);
  EXPECT_TRUE(A) << A.error();
  return std::move(*A);
}

/// Returns the content of a column for a line; ? if the column does not exist.
std::string shown(const Annotation &A, unsigned Line, const std::string &Group,
                  const std::string &Title, bool Brief = false) {
  const auto Found = A.Files.at(0).Lines.find(Line);
  if (Found != A.Files[0].Lines.end())
    for (const FigureColumn &C : figureColumns())
      if (C.Group == Group && C.Title == Title)
        return C.Text(Found->second.Figures, Brief);
  return "?";
}

} // namespace

TEST(AnnotationTest, KernelsAreViewsOfALine) {
  Summary S;
  for (uint32_t Id : {3, 5}) {
    Kernel K = kernel(Id, Id == 3 ? "void f<int>(int*)" : "void f<long>(long*)");
    K.heat.emplace();
    HeatObject &O = K.heat->objects.emplace_back();
    O.name = "in";
    O.lines = {load(7, 64 * Id, 2, 4 * Id)};
    O.lines[0].function = "f<int>";
    O.lines[0].column = 5;
    K.heat->other_lines = {load(7, 32, 1, 2)};
    K.heat->other_lines[0].column = 3;
    S.kernels.push_back(K);
  }
  const Annotation A = annotated(S);
  ASSERT_EQ(A.Files.size(), 1u);
  EXPECT_EQ(A.Files[0].Path, "a.cu");
  EXPECT_EQ(A.Files[0].Kernels, (std::vector<uint32_t>{3, 5}));
  // 64*3 + 64*5 + 2*32 accesses, 6 requests, 12 + 20 + 2*2 sectors of which 4*576 of 36*32 bytes.
  EXPECT_EQ(shown(A, 7, "device memory", "reads"), "576");
  EXPECT_EQ(shown(A, 7, "device memory", "requests"), "6");
  EXPECT_EQ(shown(A, 7, "device memory", "sect/req"), "6.00");
  EXPECT_EQ(shown(A, 7, "device memory", "used"), "200 %");
  EXPECT_EQ(shown(A, 7, "device memory", "writes"), "");
  const std::map<uint32_t, LineView> &Views = A.Files[0].Lines.at(7).Kernels;
  ASSERT_EQ(Views.size(), 2u);
  EXPECT_EQ(Views.at(5).Name, "f<long>");
  EXPECT_EQ(Views.at(5).Figures.Reads.Value, 64 * 5 + 32);
  ASSERT_EQ(Views.at(5).Accesses.size(), 2u);
  EXPECT_EQ(Views.at(5).Accesses[0].Name, "load ?, column 3");
  EXPECT_EQ(Views.at(5).Accesses[1].Name, "load in, column 5");
}

// f(int*) calls inner in line 30, and outer in line 31, which calls inner in line 20.
static const InlineChain Direct = {{"inner", Source{"/src/a.cu", 30}, 1}};
static const InlineChain Nested = {{"inner", Source{"/src/a.cu", 20}, 1},
                                   {"outer", Source{"/src/b.cu", 31}, 1}};

TEST(AnnotationTest, InlinedFunctionsAreViewsOfAKernel) {
  Summary S;
  S.kernels = {kernel(4, "f(int*)")};
  HeatUse &H = S.kernels[0].heat.emplace();
  HeatObject &O = H.objects.emplace_back();
  O.name = "in";
  O.lines = {load(7, 96, 3, 12), load(8, 32, 1, 4)};
  O.lines[0].function = O.lines[1].function = "inner";
  O.lines[0].inlined = {{Nested, 2, 64, 8, 8, 256}, {Direct, 1, 32, 4, 4, 128}};
  O.lines[1].inlined = {{Nested, 1, 32, 4, 4, 128}};
  H.other_lines = {load(7, 10, 2, 3)};
  H.other_lines[0].inlined = {{Direct, 1, 5, 2, 1, 20}, {{}, 1, 5, 1, 1, 20}};
  const Annotation A = annotated(S);
  const LineView &Both = A.Files.at(0).Lines.at(7).Kernels.at(4);
  EXPECT_EQ(Both.Name, "f > inner");
  EXPECT_EQ(Both.Figures.Requests, 5u);
  ASSERT_EQ(Both.Inlined.size(), 3u);
  EXPECT_EQ(Both.Inlined[0].Name, "inner at a.cu:30");
  EXPECT_EQ(Both.Inlined[0].Figures.Reads.Value, 32 + 5);
  EXPECT_EQ(Both.Inlined[0].Figures.Sectors, 4u + 2);
  EXPECT_EQ(Both.Inlined[1].Name, "not inlined");
  EXPECT_EQ(Both.Inlined[1].Figures.Requests, 1u);
  EXPECT_EQ(Both.Inlined[2].Name, "outer at b.cu:31 > inner at a.cu:20");
  EXPECT_EQ(Both.Inlined[2].Figures.Requests, 2u);
  EXPECT_EQ(Both.Inlined[2].Figures.BytesUsed, 256u);
  const LineView &One = A.Files.at(0).Lines.at(8).Kernels.at(4);
  EXPECT_EQ(One.Name, "f > outer at b.cu:31 > inner at a.cu:20");
  EXPECT_TRUE(One.Inlined.empty());
}

TEST(AnnotationTest, ElementsOfInlinedFunctionsAreUnknown) {
  Summary S;
  S.kernels = {kernel(4, "f(int*)")};
  GlobalObjectUse &U = S.kernels[0].global_memory.emplace().objects.emplace_back();
  U.reads.emplace().accesses_estimated = {40, false};
  U.sites = {site("load", 7), site("load", 7)};
  U.sites[0].inlined_at = Direct;
  U.sites[1].inlined_at = Nested;
  const LineView View = annotated(S).Files.at(0).Lines.at(7).Kernels.at(4);
  EXPECT_EQ(View.Figures.Reads.Value, 40);
  ASSERT_EQ(View.Inlined.size(), 2u);
  EXPECT_EQ(View.Inlined[0].Name, "inner at a.cu:30");
  EXPECT_FALSE(View.Inlined[0].Figures.Reads.Known);
}

TEST(AnnotationTest, BankConflictsAreWavefrontsInExcess) {
  Summary S;
  Kernel K = kernel(0, "f(int*)");
  K.heat.emplace();
  BankAccess B;
  B.access = "atomic";
  B.source = Source{"a.cu", 2};
  B.lanes = 96;
  B.requests = 3;
  B.wavefronts = 12;
  B.ideal_wavefronts = 3;
  K.heat->arrays.emplace_back().lines = {B};
  K.heat->arrays[0].lines_omitted = 2;
  S.kernels = {K};
  const Annotation A = annotated(S);
  EXPECT_EQ(shown(A, 2, "shared memory", "atomics"), "96");
  EXPECT_EQ(shown(A, 2, "shared memory", "wave/req"), "4.00");
  EXPECT_EQ(shown(A, 2, "shared memory", "conflicts"), "75 %");
  ASSERT_EQ(A.Notes.size(), 1u);
  EXPECT_EQ(A.Notes[0], "2 places with little to do: not in the summary, and so on no line");
}

TEST(AnnotationTest, LinesThatShareAnObjectHaveItsCountTogether) {
  Summary S;
  Kernel K = kernel(0, "f(int*)");
  K.global_memory.emplace();
  GlobalObjectUse &U = K.global_memory->objects.emplace_back();
  U.names = {"p"};
  U.reads.emplace().accesses_estimated = {300, false};
  U.writes.emplace().accesses_estimated = {40, true};
  U.sites = {site("load", 3),  site("load", 4),  site("load", 4),
             site("store", 5), site("store", 5), site("store", 6, "skipped")};
  S.kernels = {K};
  Annotation A = annotated(S);
  EXPECT_EQ(shown(A, 3, "device memory", "reads"), "300*");
  EXPECT_EQ(shown(A, 4, "device memory", "reads"), "300*");
  // Both stores are on one line.
  EXPECT_EQ(shown(A, 5, "device memory", "writes"), ">=40");
  EXPECT_EQ(shown(A, 6, "device memory", "writes"), "?");
  ASSERT_EQ(A.Notes.size(), 1u);
  EXPECT_TRUE(A.Notes[0].starts_with("*: of all lines"));

  // Stores with an unknown target may be to the same object.
  S.kernels[0].global_memory->other_sites = {site("store", 9)};
  EXPECT_EQ(shown(annotated(S), 5, "device memory", "writes"), ">=40*");
}

TEST(AnnotationTest, CachesHaveHitRates) {
  Summary S;
  S.kernels = {kernel(4, "f(int*)")};
  CacheKernel &K = S.cache.emplace().kernels.emplace_back();
  K.kernel = 4;
  K.lines_omitted = 1;
  for (const char *Access : {"load", "store"}) {
    CacheLine L;
    L.source = Source{"a.cu", 8};
    L.access = Access;
    L.traffic.requests = 10;
    L.traffic.sectors = 40;
    L.traffic.bytes_used = 640;
    L.traffic.l1_lookups = 40;
    L.traffic.l1_hits = 10;
    L.traffic.l2_reads = 20;
    L.traffic.l2_writes = 6;
    L.traffic.l2_atomics = 4;
    L.traffic.l2_hits = 27;
    L.traffic.dram_bytes = 96;
    K.lines.push_back(L);
  }
  const Annotation A = annotated(S);
  EXPECT_EQ(shown(A, 8, "device memory", "sect/req"), "4.00");
  EXPECT_EQ(shown(A, 8, "device memory", "used"), "50 %");
  EXPECT_EQ(shown(A, 8, "caches", "L1 hits"), "25 %");
  EXPECT_EQ(shown(A, 8, "caches", "L2 hits"), "90 %");
  EXPECT_EQ(shown(A, 8, "caches", "DRAM bytes"), "192");
  EXPECT_EQ(A.Files.at(0).Lines.at(8).Kernels.at(4).Accesses.at(1).Name, "store");
  EXPECT_EQ(A.Notes.at(0), "1 place with little to do: not in the summary, and so on no line");
}

TEST(AnnotationTest, ShortNumbersHaveFiveCharacters) {
  Summary S;
  Object O;
  O.alloc.emplace().source = Source{"a.cu", 1};
  for (const auto &[Bytes, Text] : std::map<uint64_t, const char *>{{9'999, "9,999"},
                                                                    {10'000, "10k"},
                                                                    {131'072, "131k"},
                                                                    {999'499, "999k"},
                                                                    {999'500, "1M"},
                                                                    {4'194'304, "4.19M"}}) {
    O.bytes = Bytes;
    S.objects = {O};
    EXPECT_EQ(shown(annotated(S), 1, "made", "bytes", true), Text);
  }
}

TEST(AnnotationTest, ShowsLinesAroundThose) {
  AnnotatedFile File;
  File.Lines[5];
  File.Lines[6];
  File.Lines[4'000'000'000];
  using Lines = std::vector<unsigned>;
  EXPECT_EQ(shownLines(File, 8, {1, false, false}), (Lines{4, 5, 6, 7, 4'000'000'000}));
  EXPECT_EQ(shownLines(File, 6, {0, false, false}), (Lines{5, 6, 4'000'000'000}));
  EXPECT_EQ(shownLines(File, 0, {3, true, false}), (Lines{5, 6, 4'000'000'000}));
  EXPECT_EQ(shownLines(File, 3, {~0u, false, false}), (Lines{1, 2, 3, 5, 6, 4'000'000'000}));
}

TEST(AnnotationTest, ListsFiguresWithoutALine) {
  Summary S;
  Kernel K = kernel(0, "f(int*)");
  K.heat.emplace();
  K.heat->other_lines = {load(0, 32, 1, 4), load(3, 32, 1, 4)};
  S.kernels = {K};
  S.findings.resize(2);
  S.findings[0].pattern = "hot_spot";
  S.findings[0].source = Source{"a.cu", 3};
  Annotation A = annotated(S);
  EXPECT_EQ(A.Notes,
            (std::vector<std::string>{
                "1 finding without a line: gmreport shows all",
                "accesses and calls without a line: 1 (compile with -g or -gline-tables-only)"}));
  ASSERT_EQ(A.Files.at(0).Lines.at(3).Findings.size(), 1u);
  EXPECT_EQ(A.Files[0].Lines.at(3).Findings[0]->pattern, "hot_spot");

  EXPECT_EQ(annotate(S, {"", "b\\.cu", ""}).error(),
            "no source file matches 'b\\.cu'; there are: a.cu");
  EXPECT_EQ(annotate(S, {"", "", "leak"}).error(), "no finding at a line matches 'leak'");
  EXPECT_EQ(annotate(Summary(), {}).error(),
            "it knows nothing of any line: was the program compiled with -g or "
            "-gline-tables-only, and did it run kernels?");
}

TEST(AnnotationTest, SourceIsText) {
  const test::TemporaryFolder Folder;
  const std::string Path = Folder.file("a.cu");
  std::ofstream(Path) << "\tif (a < b) \x1b[2J\x01 return; // <script>\r\n";
  Summary S;
  S.run.command = {"app"};
  Kernel K = kernel(0, "f(int*)");
  K.heat.emplace();
  HeatAccess L = load(1, 32, 1, 4);
  L.source->file = Path;
  K.heat->other_lines = {L};
  S.kernels = {K};
  const Annotation A = annotated(S);
  SourceText Source(0);
  TextOptions Options;
  const std::string Text = annotationText(A, Source, {}, Options);
  EXPECT_NE(Text.find("   1      if (a < b) ?[2J? return; // <script>\n"), std::string::npos)
      << Text;
  const std::string Page = annotationPage(A, Source, {});
  EXPECT_NE(Page.find(">\tif (a &lt; b) ?[2J? return; // &lt;script&gt;"), std::string::npos);

  // The run began before the file was written.
  S.run.start = "2001-09-09T01:46:40.000Z";
  EXPECT_EQ(startUnixNs(S.run), 1'000'000'000'000'000'000u);
  S.run.start = "yesterday";
  EXPECT_EQ(startUnixNs(S.run), 0u);
  SourceText Later(1'000'000'000'000'000'000u);
  EXPECT_EQ(Later.state(Path), SourceText::State::Changed);
  EXPECT_EQ(Source.state(Path), SourceText::State::Read);
  EXPECT_EQ(Source.state("/"), SourceText::State::Missing);
}
