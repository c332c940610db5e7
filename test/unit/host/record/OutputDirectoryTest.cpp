//===- OutputDirectoryTest.cpp - Where results go -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/OutputDirectory.h"
#include "../../TemporaryFolder.h"
#include "cache/TraceWriter.h"
#include "profile/EventLogWriter.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

namespace fs = std::filesystem;

struct OutputDirectoryTest : testing::Test {
  test::TemporaryFolder Own;
  const std::string Folder = Own.path();

  void write(const std::string &Name, const std::string &Text) {
    std::ofstream(Folder + "/" + Name) << Text;
  }
  std::string errorOf(const std::string &Path) {
    auto D = OutputDirectory::open(Path);
    return D ? "" : D.error();
  }
};

TEST_F(OutputDirectoryTest, MakesParentFolders) {
  auto D = OutputDirectory::open(Folder + "/a/b/");
  ASSERT_TRUE(bool(D));
  EXPECT_EQ((*D)->path(), Folder + "/a/b");
  EXPECT_EQ((*D)->newLogPath(), Folder + "/a/b/events.gmlog");
}

TEST_F(OutputDirectoryTest, SecondUserHasOneOfItsOwn) {
  auto First = OutputDirectory::open(Folder), Second = OutputDirectory::open(Folder);
  ASSERT_TRUE(bool(Second));
  EXPECT_EQ((*Second)->path(), Folder + "/" + std::to_string(getpid()));
}

TEST_F(OutputDirectoryTest, LogsBelowGmprofRunHaveProcessIds) {
  auto Parent = OutputDirectory::open(Folder);
  auto Child = OutputDirectory::openForLog(Folder);
  ASSERT_TRUE(bool(Child));
  std::string Base = Folder + "/events-" + std::to_string(getpid());
  EXPECT_EQ((*Child)->newLogPath(), Base + ".gmlog");
  ASSERT_TRUE(bool(EventLogWriter::create(Base + ".gmlog")));
  EXPECT_EQ((*Child)->newLogPath(), Base + "-2.gmlog"); // after exec
  EXPECT_EQ((*Parent)->logs(), std::vector<std::string>{Base + ".gmlog"});
}

TEST_F(OutputDirectoryTest, OldResultsGo) {
  ASSERT_TRUE(bool(EventLogWriter::create(Folder + "/events.gmlog")));
  write("summary.json", "{\"schema\": \"gmprof.summary/3\"}");
  write("notes.txt", "mine");
  EXPECT_EQ(errorOf(Folder), "");
  EXPECT_FALSE(fs::exists(Folder + "/events.gmlog"));
  EXPECT_FALSE(fs::exists(Folder + "/summary.json"));
  EXPECT_TRUE(fs::exists(Folder + "/notes.txt"));
}

TEST_F(OutputDirectoryTest, ForeignFilesStay) {
  ASSERT_TRUE(bool(EventLogWriter::create(Folder + "/events.gmlog")));
  write("summary.json", "{}");
  EXPECT_EQ(errorOf(Folder), "'" + Folder +
                                 "/summary.json' is not a result of GMProf and is not "
                                 "overwritten: choose another output directory, or move the file "
                                 "away");
  EXPECT_TRUE(fs::exists(Folder + "/events.gmlog"));
  fs::remove(Folder + "/summary.json");
  write("events-1.gmlog", "not a log");
  EXPECT_NE(errorOf(Folder), "");
  EXPECT_TRUE(fs::exists(Folder + "/events.gmlog"));
}

TEST_F(OutputDirectoryTest, LinksAreNotFollowed) {
  write("target", "{\"schema\": \"gmprof.summary/3\"}");
  fs::create_symlink("target", Folder + "/summary.json");
  EXPECT_NE(errorOf(Folder), "");
  EXPECT_TRUE(fs::exists(Folder + "/target"));
}

mode_t modeOf(const std::string &Path) {
  struct stat Facts = {};
  return stat(Path.c_str(), &Facts) == 0 ? Facts.st_mode & 07777 : 0;
}

TEST_F(OutputDirectoryTest, OthersSeeNothing) {
  const mode_t Before = umask(0);
  auto D = OutputDirectory::open(Folder + "/a");
  auto Log = EventLogWriter::create((*D)->newLogPath());
  auto Trace = cache::TraceWriter::create(Folder + "/a/events.gmtrace", {});
  umask(Before);
  EXPECT_EQ(modeOf(Folder + "/a"), 0700u);
  EXPECT_EQ(modeOf(Folder + "/a/events.gmlog"), 0600u);
  EXPECT_EQ(modeOf(Folder + "/a/events.gmtrace"), 0600u);
}

TEST_F(OutputDirectoryTest, LogsAndTracesAreNewFiles) {
  write("target", "mine");
  auto D = OutputDirectory::open(Folder);
  fs::create_symlink("target", Folder + "/events.gmlog");
  fs::create_symlink("target", Folder + "/events-2.gmtrace");
  EXPECT_EQ((*D)->newLogPath(), Folder + "/events-3.gmlog");
  EXPECT_FALSE(bool(EventLogWriter::create(Folder + "/events.gmlog")));
  EXPECT_FALSE(bool(cache::TraceWriter::create(Folder + "/events-2.gmtrace", {})));
  EXPECT_FALSE(bool(cache::TraceWriter::create(Folder + "/target", {}, cache::IfExists::Refuse)));
  EXPECT_EQ(fs::file_size(Folder + "/target"), 4u);
}

TEST_F(OutputDirectoryTest, FoldersThatOthersHaveOpenedToAllAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  constexpr uid_t Nobody = 65534;
  ASSERT_EQ(chown(Folder.c_str(), Nobody, Nobody), 0);
  ASSERT_EQ(chmod(Folder.c_str(), 0777), 0);
  EXPECT_EQ(errorOf(Folder), "the output directory '" + Folder +
                                 "' belongs to another user and everyone can write to it; choose "
                                 "another one");
  ASSERT_EQ(chmod(Folder.c_str(), 01777), 0); // like /tmp: users cannot replace files of others
  EXPECT_EQ(errorOf(Folder), "");
}

TEST_F(OutputDirectoryTest, FileInTheWay) {
  write("file", "");
  EXPECT_EQ(errorOf(Folder + "/file"), "cannot open the output directory '" + Folder +
                                           "/file': Not a directory; choose another one");
}

} // namespace
} // namespace gmprof::host
