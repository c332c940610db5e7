//===- SessionTest.cpp - Beginning and end of profiling a process ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/launch/Launch.h"
#include "report/model/SummaryJson.h"
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

namespace fs = std::filesystem;

class SessionTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.LogOnly = false;
    settings().TheOptions.Quiet = true;
    addKernel(&StubA, "add");
  }
  std::string in(const std::string &Name) { return Folder + "/" + Name; }
  static std::string read(const std::string &Path) {
    std::ifstream File(Path);
    return std::string((std::istreambuf_iterator<char>(File)), {});
  }
  static void write(const std::string &Path, const std::string &Text) {
    fs::create_directories(fs::path(Path).parent_path());
    std::ofstream(Path) << Text;
  }
};

TEST_F(SessionTest, OneClosingLine) {
  settings().TheOptions.Quiet = false;
  addKernel(&StubB, "sub");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  launch(&StubA, 1);
  launch(&StubA, 1);
  launch(&StubB, 1);
  Session::finishCurrent(3);
  Session::finishCurrent(4); // a second exit handler changes nothing
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: wrote " + in("out/summary.json") + " (2 kernels, 3 launches)\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  std::string Summary = read(in("out/summary.json"));
  EXPECT_NE(Summary.find("\"exit_status\": 3"), std::string::npos);
  EXPECT_NE(Summary.find("\"complete\": true"), std::string::npos);
}

TEST_F(SessionTest, Quiet) {
  testing::internal::CaptureStderr();
  launch(&StubA, 1);
  Session::finishCurrent(0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(fs::exists(in("out/summary.json")));
}

TEST_F(SessionTest, FilesAreThePrivateOnesOfTheUser) {
  launch(&StubA, 1);
  EXPECT_EQ(fs::status(in("out")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(in("out/events.gmlog")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SessionTest, ProfilingOff) {
  settings().Enabled = false;
  EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(fake::launches().back().What->Name, "add");
  EXPECT_EQ(fake::calls("cudaGetFuncBySymbol"), 0);
  EXPECT_FALSE(fs::exists(in("out")));
}

TEST_F(SessionTest, UnwritableOutputIsReportedOnceAndTheProgramRuns) {
  write(in("file"), "x");
  settings().TheOptions.Output = in("file/out");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: cannot make the output directory '" + in("file/out") +
                "': Not a directory; choose another one (GMPROF_OPTIONS=output=DIR); the program "
                "runs without profiling\n");
  EXPECT_EQ(Out, 4);
}

TEST_F(SessionTest, ForeignSummaryIsNotOverwritten) {
  write(in("out/summary.json"), "{\"mine\": 1}");
  testing::internal::CaptureStderr();
  launch(&StubA, 1);
  Session::finishCurrent(0);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is not a result of GMProf"),
            std::string::npos);
  EXPECT_EQ(read(in("out/summary.json")), "{\"mine\": 1}");
}

TEST_F(SessionTest, SecondRunReplacesTheFirst) {
  for (int Launches : {3, 1}) {
    for (int I = 0; I < Launches; ++I)
      launch(&StubA, 1);
    Session::finishCurrent(0);
    // The lock on the directory ends with the process: releases it in this process.
    Session::forget();
    settings().TheOptions.Output = in("out");
    if (Launches == 3)
      fs::rename(in("out"), in("old")), fs::copy(in("old"), in("out"));
  }
  EXPECT_NE(read(in("out/summary.json")).find("\"seen\": 1"), std::string::npos);
}

TEST_F(SessionTest, MistakenOptionsAreInTheCoverage) {
  settings().Mistakes = {"block-sample must be a whole number from 1 to 4294967295, not 'x'"};
  launch(&StubA, 1);
  profile::Profile P = finish();
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "options");
  EXPECT_EQ(P.Gaps[0].Reason, settings().Mistakes[0]);
}

TEST_F(SessionTest, LaunchesAfterTheEndAreCounted) {
  launch(&StubA, 1);
  Session::finishCurrent(0);
  EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(Out, 4);
  EXPECT_EQ(fake::launches().back().What->Name, "add");
  Session::reportLate();
  EXPECT_NE(
      read(in("out/summary.json")).find("the program launched them after its exit handlers began"),
      std::string::npos);
}

TEST_F(SessionTest, ForkedChildDoesNotAffectTheParent) {
  launch(&StubA, 1);
  std::string Log = Session::current()->log().path();
  pid_t Child = fork();
  if (Child == 0) {
    bool Apart = Session::current() == nullptr;
    launch(&StubA, 1);
    Apart &= Session::current() && Session::current()->log().path() != Log;
    Session::finishCurrent(0);
    _exit(Apart ? 0 : 1);
  }
  int Status = 0;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(finish().Launches.size(), 1u);
  EXPECT_TRUE(fs::exists(in("out/" + std::to_string(Child) + "/summary.json")));
}

TEST_F(SessionTest, ForkedChildExitsSilently) {
  settings().TheOptions.Quiet = false;
  testing::internal::CaptureStderr();
  launch(&StubA, 1);
  pid_t Child = fork();
  if (Child == 0) {
    Session::finishCurrent(0); // as its inherited exit handler does
    _exit(0);
  }
  waitpid(Child, nullptr, 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(SessionTest, CallsOfTheRuntimeAreNotTheProgrammes) {
  Inside Guard;
  EXPECT_EQ(launch(&StubA, 1), cudaSuccess);
  EXPECT_EQ(fake::launches().back().What->Name, "add");
  EXPECT_EQ(Session::current(), nullptr);
}

} // namespace
} // namespace gmprof::host
