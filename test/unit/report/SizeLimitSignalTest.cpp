//===- SizeLimitSignalTest.cpp - Tests of SizeLimitSignal.h ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SizeLimitSignal.h"
#include "../TemporaryFolder.h"
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace gmprof;

namespace {

/// Returns whether a process of its own can write the fifth byte of a file limited to four.
bool writesTooMuch(const std::string &Path) {
  const rlimit Limit = {4, 4};
  ::setrlimit(RLIMIT_FSIZE, &Limit);
  const int File = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  return ::write(File, "four", 4) == 4 && ::write(File, "5", 1) == 1;
}

TEST(NoSizeLimitSignalTest, AWriteFails) {
  const test::TemporaryFolder Folder;
  EXPECT_EXIT(
      {
        const NoSizeLimitSignal Guard;
        ::_exit(writesTooMuch(Folder.file("a")) ? 1 : errno);
      },
      testing::ExitedWithCode(EFBIG), "");
}

TEST(NoSizeLimitSignalTest, TheSignalDoesNotComeLater) {
  const test::TemporaryFolder Folder;
  EXPECT_EXIT(
      {
        {
          const NoSizeLimitSignal Guard;
          writesTooMuch(Folder.file("a"));
        }
        ::_exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(NoSizeLimitSignalTest, TheNextOneDoes) {
  const test::TemporaryFolder Folder;
  EXPECT_EXIT(
      {
        {
          const NoSizeLimitSignal Guard;
        }
        writesTooMuch(Folder.file("a"));
        ::_exit(7);
      },
      testing::KilledBySignal(SIGXFSZ), "");
}

} // namespace
