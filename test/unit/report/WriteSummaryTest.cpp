//===- WriteSummaryTest.cpp - Writing summary.json safely -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/WriteSummary.h"
#include "../TemporaryFolder.h"
#include "../profile/TestLog.h"
#include "report/SummaryJson.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>

using namespace gmprof;
using namespace gmprof::test;
namespace fs = std::filesystem;

namespace {

class WriteSummaryTest : public ::testing::Test {
protected:
  void SetUp() override {
    LogBytes L;
    L.run();
    DescriptorWriter D("_Z1kPf");
    D.variable("tile", "float[2]", 4, 8);
    L.kernel(1, "_Z1kPf", D.bytes(), 8);
    L.launch(1, 1, 1, 1, 32);
    LogBytes::Counts C;
    C.Sums = {5, 6};
    C.Addresses = {1024};
    L.counts(C);
    L.end();
    Log = Folder / "events.log";
    std::ofstream(Log, std::ios::binary)
        .write(reinterpret_cast<const char *>(L.Bytes.data()), std::streamsize(L.Bytes.size()));
  }

  static std::string read(const fs::path &Path) {
    std::ostringstream Text;
    Text << std::ifstream(Path).rdbuf();
    return Text.str();
  }
  static void write(const fs::path &Path, const std::string &Text) { std::ofstream(Path) << Text; }
  static size_t filesIn(const fs::path &Path) {
    return size_t(std::distance(fs::directory_iterator(Path), fs::directory_iterator()));
  }

  TemporaryFolder Own;
  const fs::path Folder = Own.path();
  fs::path Log;
};

} // namespace

TEST_F(WriteSummaryTest, WritesAFolderOfItsOwn) {
  auto Written = writeSummary(Log, Folder / "out", 3);
  ASSERT_TRUE(Written) << Written.error();
  EXPECT_EQ(Written->Path, Folder / "out/summary.json");
  EXPECT_EQ(Written->Content.run.exit_status, 3);
  EXPECT_EQ(filesIn(Folder / "out"), 2u); // and no temporary ones
  EXPECT_EQ(read(Folder / "out/shared_counts.csv"),
            "kernel,object,index,accesses,blocks_at_threshold\n0,0,0,5,0\n0,0,1,6,0\n");
  auto Read = readSummary(Written->Path);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->kernels.at(0).objects.at(0).accesses.value, 11);
  for (const char *Name : {"summary.json", "shared_counts.csv"}) {
    struct stat Status = {};
    ASSERT_EQ(::stat((Folder / "out" / Name).c_str(), &Status), 0);
    EXPECT_EQ(Status.st_mode & 0777, 0600u) << Name;
  }
}

TEST_F(WriteSummaryTest, ReplacesItsOwn) {
  ASSERT_TRUE(writeSummary(Log, Folder, 3));
  auto Written = writeSummary(Log, Folder, 4);
  ASSERT_TRUE(Written) << Written.error();
  EXPECT_EQ(readSummary(Written->Path)->run.exit_status, 4);
}

TEST_F(WriteSummaryTest, ReplacesNothingElse) {
  const std::string End = "', which GMProf did not write: choose another output folder";
  for (const char *Name : {"summary.json", "shared_counts.csv"}) {
    fs::path Out = Folder / (std::string("out-") + Name);
    fs::create_directory(Out);
    for (const char *Foreign : {"{\"schema\": \"other/1\"}", "", "kernel"}) {
      write(Out / Name, Foreign);
      auto Written = writeSummary(Log, Out);
      ASSERT_FALSE(Written);
      EXPECT_EQ(Written.error(), "refusing to replace '" + (Out / Name).string() + End);
      EXPECT_EQ(read(Out / Name), Foreign);
      EXPECT_EQ(filesIn(Out), 1u); // not even the other file
    }
  }

  // Not through a link either, even to one of ours.
  ASSERT_TRUE(writeSummary(Log, Folder / "ours"));
  fs::create_directory(Folder / "linked");
  fs::create_symlink(Folder / "ours/summary.json", Folder / "linked/summary.json");
  EXPECT_FALSE(writeSummary(Log, Folder / "linked", 9));
  EXPECT_EQ(readSummary(Folder / "ours/summary.json")->run.exit_status, 0);

  fs::create_directories(Folder / "folder/summary.json");
  EXPECT_FALSE(writeSummary(Log, Folder / "folder"));
}

TEST_F(WriteSummaryTest, SaysWhyItCannot) {
  const std::string Missing = Folder / "missing/out";
  EXPECT_EQ(writeSummary(Log, Missing).error(),
            "cannot create the folder '" + Missing + "': No such file or directory");
  write(Folder / "file", "x");
  EXPECT_EQ(writeSummary(Log, Folder / "file").error(),
            "cannot write '" + (Folder / "file").string() + "/shared_counts.csv': Not a directory");
  EXPECT_EQ(writeSummary(Folder / "file", Folder / "out").error(),
            "'" + (Folder / "file").string() + "' is not a GMProf event log");
  EXPECT_FALSE(fs::exists(Folder / "out"));
}

TEST_F(WriteSummaryTest, ATruncatedLogGivesASummaryOrAnError) {
  const std::string Bytes = read(Log);
  size_t Summaries = 0;
  for (size_t Size = 0; Size < Bytes.size(); Size += 11) {
    std::ofstream(Log, std::ios::binary) << Bytes.substr(0, Size);
    auto Written = writeSummary(Log, Folder);
    if (!Written) {
      EXPECT_FALSE(Written.error().empty());
      continue;
    }
    ++Summaries;
    auto Read = readSummary(Written->Path);
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(!Read->run.complete || Size + 8 > Bytes.size());
  }
  EXPECT_GT(Summaries, 10u);
}
