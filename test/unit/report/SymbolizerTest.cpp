//===- SymbolizerTest.cpp - From addresses to functions and lines ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The known binary is this one. It is compiled with lines, and its build id is
// c0ffee42 (CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "report/symbols/Symbolizer.h"
#include "../TemporaryFolder.h"
#include "profile/OwnThread.h"
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace gmprof;
using profile::Frame;

namespace known {

struct Place {
  uint64_t Return;
  unsigned Line;
};

[[gnu::noinline]] uint64_t returnAddress() {
  return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

[[gnu::always_inline]] inline Place inner() { return {returnAddress(), __LINE__}; }

[[gnu::noinline]] Place outer(int) {
  Place P = inner();
  asm volatile("" : "+r"(P.Line));
  return P;
}
constexpr unsigned LineInOuter = __LINE__ - 4;

} // namespace known

// NOLINTBEGIN(readability-identifier-naming): as in a program that nvcc has linked with its runtime
extern "C" {
[[gnu::noinline]] int libcudart_static_0f1e(int I) { return I + 1; }
[[gnu::noinline]] int libcudart_static_2d3c(int I) { return I + 2; }
[[gnu::noinline]] int cudaOfTest(int I) { return I + 3; }
}
// NOLINTEND(readability-identifier-naming)

namespace {

/// Returns an address in the function, as if it were called from its first instruction.
uint64_t returnInto(int (*Function)(int)) { return reinterpret_cast<uint64_t>(Function) + 1; }

profile::Image self() {
  Dl_info Info = {};
  dladdr(reinterpret_cast<const void *>(&known::returnAddress), &Info);
  auto Base = reinterpret_cast<uint64_t>(Info.dli_fbase);
  return {std::filesystem::canonical("/proc/self/exe"), "c0ffee42", Base, 1u << 30, 0};
}

profile::Profile profileOf(const std::vector<profile::Image> &Images,
                           const std::vector<uint64_t> &Addresses) {
  profile::Profile P;
  P.Images = Images;
  P.CallPaths.push_back({Addresses, static_cast<uint32_t>(Images.size()), {}});
  return P;
}

} // namespace

TEST(SymbolizerTest, NamesFunctionsAndLines) {
  known::Place Place = known::outer(1);
  profile::Profile P = profileOf({self()}, {Place.Return});
  Symbols().name(P);
  EXPECT_TRUE(P.Gaps.empty());
  const std::vector<Frame> &Frames = P.CallPaths[0].Frames;
  ASSERT_EQ(Frames.size(), 2u);
  EXPECT_EQ(Frames[0].Function, "known::inner()");
  EXPECT_EQ(std::filesystem::path(Frames[0].Source.File).filename(), "SymbolizerTest.cpp");
  EXPECT_EQ(Frames[0].Source.Line, Place.Line);
  EXPECT_TRUE(Frames[0].Inlined);
  EXPECT_EQ(Frames[1].Function, "known::outer(int)");
  EXPECT_EQ(Frames[1].Source.Line, known::LineInOuter);
  EXPECT_FALSE(Frames[1].Inlined);
  EXPECT_EQ(Frames[1].Image, self().Path);
  EXPECT_EQ(Frames[1].Address, Place.Return - 1 - self().Address);
}

TEST(SymbolizerTest, PathsBeginBehindAStaticRuntime) {
  const uint64_t Return = known::outer(1).Return;
  profile::Profile P =
      profileOf({self()}, {returnInto(libcudart_static_0f1e), returnInto(libcudart_static_2d3c),
                           returnInto(cudaOfTest), Return});
  P.CallPaths.push_back({{returnInto(cudaOfTest), Return}, 1, {}});
  P.CallPaths.push_back({{returnInto(libcudart_static_0f1e), returnInto(cudaOfTest)}, 1, {}});
  Symbols().name(P);
  ASSERT_EQ(P.CallPaths[0].Frames.size(), 2u);
  EXPECT_EQ(P.CallPaths[0].Frames[0].Function, "known::inner()");
  // The function may belong to the program, so it keeps its name.
  ASSERT_EQ(P.CallPaths[1].Frames.size(), 3u);
  EXPECT_EQ(P.CallPaths[1].Frames[0].Function, "cudaOfTest");
  ASSERT_EQ(P.CallPaths[2].Frames.size(), 1u);
  EXPECT_EQ(P.CallPaths[2].Frames[0].Function, "cudaOfTest");
}

TEST(SymbolizerTest, ChangedImageIsIgnored) {
  uint64_t Return = known::outer(1).Return;
  profile::Image Other = self(), Stripped = self(), Gone = self();
  Other.BuildId = "c0ffee43";
  Stripped.BuildId = "";
  Gone.Path = "/nowhere";
  for (const profile::Image &Changed : {Other, Stripped, Gone}) {
    profile::Profile P = profileOf({Changed}, {Return});
    Symbols().name(P);
    ASSERT_EQ(P.CallPaths[0].Frames.size(), 1u);
    EXPECT_EQ(P.CallPaths[0].Frames[0].Function, "");
    EXPECT_EQ(P.CallPaths[0].Frames[0].Image, Changed.Path);
    EXPECT_EQ(P.CallPaths[0].Frames[0].Address, Return - 1 - Changed.Address);
    ASSERT_EQ(P.Gaps.size(), 1u);
    EXPECT_EQ(P.Gaps[0].What, "addresses in call paths");
    EXPECT_EQ(P.Gaps[0].Reason,
              "executables or libraries are not there any more, or have changed since");
    EXPECT_EQ(P.Gaps[0].Count, 1u);
  }
}

TEST(SymbolizerTest, WithoutItAddressesRemain) {
  uint64_t Return = known::outer(1).Return;
  for (const char *Path : {"", "/nowhere/gmprof-symbolizer", "/bin/true"}) {
    profile::Profile P = profileOf({self()}, {Return});
    Symbols(Path).name(P);
    EXPECT_EQ(P.CallPaths[0].Frames.at(0).Image, self().Path);
    ASSERT_EQ(P.Gaps.size(), 1u);
    EXPECT_EQ(P.Gaps[0].Reason, "gmprof-symbolizer, which names functions and lines, cannot run");
  }
}

/// A symbolizer for which the shell does something for each line that it reads, and First.
std::string symbolizerThat(const test::TemporaryFolder &Folder, const std::string &Does,
                           const std::string &First = "") {
  std::string Path = Folder.file("symbolizer");
  std::ofstream(Path) << "#!/bin/sh\n" + First + "\nwhile read -r _; do " + Does + "; done\n";
  std::filesystem::permissions(Path, std::filesystem::perms::owner_all);
  return Path;
}

std::vector<std::string> functionsOf(const profile::Profile &P) {
  std::vector<std::string> Functions;
  for (const profile::CallPath &Path : P.CallPaths)
    for (const profile::Frame &F : Path.Frames)
      Functions.push_back(F.Function);
  return Functions;
}

TEST(SymbolizerTest, LooksUpEachAddressOnce) {
  const test::TemporaryFolder Folder;
  const uint64_t One = known::outer(1).Return, Other = returnInto(cudaOfTest);
  Symbols Known(symbolizerThat(Folder, "n=_$n; echo \"[[\\\"$n\\\",\\\"\\\",0,0]]\""));
  Known.lookUp(profileOf({self()}, {One}));
  profile::Profile P = profileOf({self()}, {One, Other, One});
  Known.name(P);
  EXPECT_THAT(functionsOf(P), testing::ElementsAre("_", "__", "_"));
  EXPECT_TRUE(P.Gaps.empty());
}

TEST(SymbolizerTest, RunsBeforeItIsNeeded) {
  const test::TemporaryFolder Folder;
  const std::string Pipe = Folder.file("pipe");
  ASSERT_EQ(::mkfifo(Pipe.c_str(), 0600), 0);
  const std::string Path =
      symbolizerThat(Folder, "echo '[[\"there\",\"\",0,0]]'", "echo runs >" + Pipe);
  Symbols Started(Path);
  Started.start();
  std::string Said;
  std::getline(std::ifstream(Pipe), Said); // waits for it
  EXPECT_EQ(Said, "runs");
  std::filesystem::remove(Path);
  profile::Profile P = profileOf({self()}, {known::outer(1).Return});
  Started.name(P);
  EXPECT_THAT(functionsOf(P), testing::ElementsAre("there"));
}

TEST(SymbolizerTest, RunsAgainWhenItHasEnded) {
  const test::TemporaryFolder Folder;
  const uint64_t One = known::outer(1).Return, Other = returnInto(cudaOfTest);
  Symbols Known(symbolizerThat(Folder, "echo '[[\"one\",\"\",0,0]]'; exit"));
  Known.lookUp(profileOf({self()}, {One}));
  profile::Profile P = profileOf({self()}, {One, Other});
  Known.name(P);
  EXPECT_THAT(functionsOf(P), testing::ElementsAre("one", "one"));
  EXPECT_TRUE(P.Gaps.empty());
}

TEST(SymbolizerTest, AnswersAsManyAsThereAre) {
  const test::TemporaryFolder Folder;
  std::vector<uint64_t> Returns(5000);
  for (size_t I = 0; I < Returns.size(); ++I)
    Returns[I] = known::outer(1).Return + I;
  const std::string Long(100, 'n');
  Symbols Known(symbolizerThat(Folder, "echo '[[\"" + Long + "\",\"\",0,0]]'"));
  profile::Profile P = profileOf({self()}, Returns);
  Known.name(P);
  EXPECT_EQ(functionsOf(P), std::vector(Returns.size(), Long));
}

TEST(SymbolizerTest, RetriesUnansweredRequests) {
  const uint64_t Return = known::outer(1).Return;
  const test::TemporaryFolder Folder;
  const std::string Path = Folder.file("gmprof-symbolizer");
  profile::Profile P = profileOf({self()}, {Return});
  Symbols Known(Path);
  Known.lookUp(P);
  std::filesystem::create_symlink(symbolizerPath(), Path);
  Known.name(P);
  EXPECT_EQ(P.CallPaths[0].Frames.at(0).Function, "known::inner()");
  EXPECT_TRUE(P.Gaps.empty());
}

TEST(SymbolizerTest, SignalsCanEndItThoughTheyAreBlockedHere) {
  const test::TemporaryFolder Folder;
  // Says which signals are blocked.
  const std::string Path =
      symbolizerThat(Folder, "mask=$(grep SigBlk /proc/self/status | tr -dc 0-9a-f); "
                             "echo \"[[\\\"$mask\\\",\\\"\\\",0,0]]\"");
  profile::Profile P = profileOf({self()}, {known::outer(1).Return});
  {
    const SignalsBlocked Blocked;
    Symbols(Path).name(P);
  }
  EXPECT_EQ(P.CallPaths[0].Frames.at(0).Function, "0000000000000000");
}

TEST(SymbolizerTest, AddressOutsideOfImagesStaysUnchanged) {
  profile::Profile P = profileOf({self()}, {0x10});
  Symbols().name(P);
  ASSERT_EQ(P.CallPaths[0].Frames.size(), 1u);
  EXPECT_EQ(P.CallPaths[0].Frames[0].Image, "");
  EXPECT_EQ(P.CallPaths[0].Frames[0].Address, 0xfu);
  EXPECT_TRUE(P.Gaps.empty());
}

TEST(SymbolizerTest, TheLastImageInAPlaceCounts) {
  uint64_t Return = known::outer(1).Return;
  profile::Image Gone = self();
  Gone.Path = "/gone";
  profile::Profile P = profileOf({Gone, self()}, {Return});
  P.CallPaths.push_back(P.CallPaths[0]);
  P.CallPaths[1].ImageCount = 1; // seen before the second one came
  Symbols().name(P);
  EXPECT_EQ(P.CallPaths[0].Frames.at(0).Function, "known::inner()");
  EXPECT_EQ(P.CallPaths[1].Frames.at(0).Image, "/gone");
}
