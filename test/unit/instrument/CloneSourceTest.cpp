//===- CloneSourceTest.cpp - Tests of how clones are asked for ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneSource.h"
#include "unit/TemporaryFolder.h"
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::host;
using gmprof::test::TemporaryFolder;
using testing::ElementsAre;

namespace {

struct CloneSourceTest : testing::Test {
  TemporaryFolder Folder;
  const std::string Helper = Folder.file("helper");

  CloneSourceTest() { std::filesystem::copy_file(GMPROF_FAKE_INSTRUMENT, Helper); }

  CloneSource::Settings settings(std::chrono::milliseconds Timeout = std::chrono::minutes(1)) {
    return {Helper, Folder.file("cache"), Timeout};
  }
  /// Returns what the helper noted of each request.
  std::string requests() const {
    std::ifstream Log(Helper + ".log");
    return std::string(std::istreambuf_iterator<char>(Log), {});
  }
};

CloneRequest request(std::string_view Kernel, std::string_view Module = "module") {
  CloneRequest R;
  R.Module = Module;
  R.Kernel = Kernel;
  R.Profiles = {"heat"};
  R.Architecture = "sm_90";
  return R;
}

TEST_F(CloneSourceTest, SendsAModuleOnce) {
  CloneSource Source(settings());
  const auto A = Source.get(request("a"));
  ASSERT_TRUE(A) << A.error();
  EXPECT_EQ(A->Code, "a heat sm_90");
  EXPECT_THAT(A->Variables, ElementsAre("first", "second"));
  const auto B = Source.get(request("b"));
  ASSERT_TRUE(B) << B.error();
  EXPECT_EQ(B->Code, "b heat sm_90");
  EXPECT_TRUE(Source.get(request("a", "another")));
  EXPECT_EQ(requests(), "MhM");
}

TEST_F(CloneSourceTest, SendsAForgottenModuleAgain) {
  CloneSource Source(settings());
  EXPECT_TRUE(Source.get(request("a")));
  EXPECT_TRUE(Source.get(request("forget")));
  EXPECT_EQ(requests(), "MhM");
}

TEST_F(CloneSourceTest, TakesClonesOfEarlierRunsFromTheCache) {
  EXPECT_TRUE(CloneSource(settings()).get(request("a")));
  CloneSource Source(settings());
  const auto A = Source.get(request("a"));
  ASSERT_TRUE(A) << A.error();
  EXPECT_EQ(A->Code, "a heat sm_90");
  EXPECT_THAT(A->Variables, ElementsAre("first", "second"));
  EXPECT_EQ(requests(), "M");
  // Whatever the clone depends on is in the key.
  CloneRequest Other = request("a");
  Other.Options = {"-gm-level=basic"};
  EXPECT_TRUE(Source.get(Other));
  Other.Options = {"-gm-level=basic", "-gm-threshold=1"};
  EXPECT_TRUE(Source.get(Other));
  Other.Architecture = "sm_80";
  EXPECT_TRUE(Source.get(Other));
  Other.Profiles = {"cache"};
  EXPECT_TRUE(Source.get(Other));
  Other.Module = "another";
  EXPECT_TRUE(Source.get(Other));
  EXPECT_EQ(requests(), "M"
                        "MhhhM");
}

TEST_F(CloneSourceTest, AnotherHelperMakesOtherClones) {
  EXPECT_TRUE(CloneSource(settings()).get(request("a")));
  std::ofstream(Helper, std::ios::app) << "another version";
  EXPECT_TRUE(CloneSource(settings()).get(request("a")));
  EXPECT_EQ(requests(), "MM");
}

TEST_F(CloneSourceTest, ARefusalIsTheReason) {
  CloneSource Source(settings());
  for (unsigned Time = 0; Time < CloneSource::MaxFailures + 1; ++Time)
    EXPECT_EQ(Source.get(request("refuse")).error(), "the kernel cannot be cloned");
  EXPECT_TRUE(Source.get(request("a")));
  EXPECT_EQ(requests(), "Mhhhh");
}

TEST_F(CloneSourceTest, AHelperThatDiesIsStartedAgain) {
  CloneSource Source(settings());
  EXPECT_EQ(Source.get(request("die")).error(), "gmprof-instrument ended without an answer");
  EXPECT_TRUE(Source.get(request("a")));
  EXPECT_TRUE(Source.get(request("b")));
  EXPECT_EQ(requests(), "MMh"); // the new one knows no module
}

TEST_F(CloneSourceTest, AHelperThatHangsIsEnded) {
  CloneSource Source(settings(std::chrono::milliseconds(50)));
  EXPECT_EQ(Source.get(request("hang")).error(), "gmprof-instrument did not answer within 50 ms");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "it is still a child";
}

TEST_F(CloneSourceTest, ARequestUnderWayCanBeCancelled) {
  CloneSource Source(settings(std::chrono::hours(1)));
  std::thread Canceller([&] {
    while (requests().empty())
      std::this_thread::yield();
    Source.cancel();
  });
  EXPECT_EQ(Source.get(request("hang")).error(), "gmprof-instrument ended without an answer");
  Canceller.join();
  EXPECT_EQ(Source.get(request("a")).error(), "gmprof-instrument was ended");
  EXPECT_EQ(requests(), "M");
}

TEST_F(CloneSourceTest, AHelperThatDoesNotReadIsEnded) {
  std::ofstream(Helper, std::ios::trunc) << "#!/bin/sh\nread line < \"$0.fifo\"\n";
  ASSERT_EQ(::mkfifo((Helper + ".fifo").c_str(), 0600), 0);
  CloneSource Source(settings(std::chrono::milliseconds(50)));
  // More than a socket holds.
  EXPECT_EQ(Source.get(request("a", std::string(4 << 20, 'x'))).error(),
            "gmprof-instrument did not answer within 50 ms");
}

TEST_F(CloneSourceTest, GarbageIsNoAnswer) {
  CloneSource Source(settings());
  EXPECT_EQ(Source.get(request("garbage")).error(), "gmprof-instrument gave an invalid answer");
  EXPECT_EQ(Source.get(request("long")).error(), "gmprof-instrument gave an invalid answer");
  EXPECT_TRUE(Source.get(request("a")));
}

TEST_F(CloneSourceTest, IsNotStartedAgainAfterThreeFailures) {
  CloneSource Source(settings());
  for (unsigned Time = 0; Time < CloneSource::MaxFailures; ++Time)
    EXPECT_EQ(Source.get(request("die")).error(), "gmprof-instrument ended without an answer");
  EXPECT_EQ(Source.get(request("a")).error(), "gmprof-instrument failed 3 times in a row");
  EXPECT_EQ(requests(), "MMM");
}

TEST_F(CloneSourceTest, WithoutHelperThereAreNoClones) {
  CloneSource None({"", "", std::chrono::minutes(1)});
  EXPECT_EQ(None.get(request("a")).error(), "gmprof-instrument is not installed");
  CloneSource Missing({"/nowhere/helper", "", std::chrono::minutes(1)});
  EXPECT_EQ(Missing.get(request("a")).error(), "'/nowhere/helper' cannot be executed");
}

TEST_F(CloneSourceTest, AFileThatIsNoProgramEndsWithoutAnswer) {
  std::ofstream(Helper, std::ios::trunc) << "\x7f"
                                            "ELF, but no more";
  CloneSource Source(settings());
  EXPECT_EQ(Source.get(request("a")).error(), "gmprof-instrument ended without an answer");
}

TEST_F(CloneSourceTest, AForkHasAHelperOfItsOwn) {
  CloneSource Source(settings());
  EXPECT_TRUE(Source.get(request("a")));
  const pid_t Child = ::fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    const auto B = Source.get(request("b"));
    ::_exit(B && B->Code == "b heat sm_90" ? 0 : 1);
  }
  int Status = -1;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  const auto C = Source.get(request("c"));
  ASSERT_TRUE(C) << C.error();
  EXPECT_EQ(C->Code, "c heat sm_90");
  EXPECT_EQ(requests(), "MMh");
}

// A daemon closes all descriptors; the next file that it opens has the number of the socket.
TEST_F(CloneSourceTest, WritesToNoDescriptorOfTheProgram) {
  CloneSource Source(settings());
  EXPECT_TRUE(Source.get(request("a")));
  for (int Descriptor = 3; Descriptor < 64; ++Descriptor)
    ::close(Descriptor);
  const std::string Mine = Folder.file("mine");
  std::vector<FILE *> Files;
  for (int Number = 3; Number < 64; ++Number)
    Files.push_back(std::fopen(Mine.c_str(), "w+"));
  EXPECT_TRUE(Source.get(request("b")));
  EXPECT_EQ(std::filesystem::file_size(Mine), 0u);
  for (FILE *File : Files)
    EXPECT_EQ(std::fclose(File), 0); // nobody else has closed it
}

TEST_F(CloneSourceTest, AnswersManyThreads) {
  CloneSource Source(settings());
  std::vector<std::thread> Threads;
  std::atomic<int> Right = 0;
  for (int Number = 0; Number < 8; ++Number)
    Threads.emplace_back([&, Name = "k" + std::to_string(Number)] {
      for (int Time = 0; Time < 10; ++Time) {
        const auto Clone = Source.get(request(Name));
        Right += Clone && Clone->Code == Name + " heat sm_90";
      }
    });
  for (std::thread &Each : Threads)
    Each.join();
  EXPECT_EQ(Right, 80);
}

} // namespace
