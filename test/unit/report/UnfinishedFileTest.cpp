//===- UnfinishedFileTest.cpp - Tests of UnfinishedFile.h -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/UnfinishedFile.h"
#include "../TemporaryFolder.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::test;
namespace fs = std::filesystem;

namespace {

class UnfinishedFileTest : public ::testing::Test {
protected:
  std::string read(const std::string &Name) const {
    std::ostringstream Text;
    Text << std::ifstream(Folder.file(Name)).rdbuf();
    return Text.str();
  }
  long files() const {
    return std::distance(fs::directory_iterator(Folder.path()), fs::directory_iterator());
  }
  /// Runs in a process of its own, which has finished one of three files when it gets the signal.
  [[noreturn]] void interrupted(int Signal, sighandler_t Before) const {
    std::signal(Signal, Before);
    endWhenInterrupted("interrupted\n");
    UnfinishedFile A(Folder.file("a")), B(Folder.file("b")), C(Folder.file("c"));
    write(A, "new");
    write(B, "new");
    write(C, "new");
    B.finish();
    std::raise(Signal);
    A.finish();
    C.finish();
    std::_Exit(0);
  }
  static void write(const UnfinishedFile &To, const char *Text) {
    const auto Length = static_cast<ssize_t>(std::strlen(Text));
    EXPECT_EQ(::write(To.descriptor(), Text, std::strlen(Text)), Length);
    ::close(To.descriptor());
  }

  const TemporaryFolder Folder;
};

} // namespace

TEST_F(UnfinishedFileTest, ReplacesWhenItIsFinished) {
  std::ofstream(Folder.file("a")) << "old";
  UnfinishedFile A(Folder.file("a"));
  write(A, "new");
  EXPECT_EQ(read("a"), "old");
  EXPECT_TRUE(A.finish());
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(UnfinishedFileTest, RemovesUnfinishedFiles) {
  std::ofstream(Folder.file("a")) << "old";
  {
    const UnfinishedFile A(Folder.file("a"));
    write(A, "new");
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(UnfinishedFileTest, SaysWhyItCannotBeCreated) {
  errno = 0;
  const UnfinishedFile None(Folder.file("none/a"));
  EXPECT_EQ(None.descriptor(), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(UnfinishedFileTest, InterruptRemovesTheFile) {
  for (auto [Signal, Status] : {std::pair(SIGINT, 130), {SIGTERM, 143}, {SIGHUP, 129}}) {
    std::ofstream(Folder.file("a")) << "old";
    fs::remove(Folder.file("b"));
    EXPECT_EXIT(interrupted(Signal, SIG_DFL), testing::ExitedWithCode(Status), "^interrupted\n$");
    EXPECT_EQ(read("a"), "old");
    EXPECT_EQ(read("b"), "new");
    EXPECT_EQ(files(), 2);
  }
}

// Ignored as under nohup.
TEST_F(UnfinishedFileTest, ContinuesIfTheSignalIsIgnored) {
  EXPECT_EXIT(interrupted(SIGHUP, SIG_IGN), testing::ExitedWithCode(0), "^$");
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(files(), 3);
}
