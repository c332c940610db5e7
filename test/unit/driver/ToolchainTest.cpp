//===- ToolchainTest.cpp - Tests of finding the toolchain -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolchain.h"
#include "../TemporaryFolder.h"
#include "Process.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace gmprof::driver;
using testing::ElementsAre;
using testing::StartsWith;

namespace {

class Cuda : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(Root + "/include"); }
  void writeVersion(int Version) {
    std::ofstream(Root + "/include/cuda.h") << "/* */\n#define CUDA_VERSION " << Version << "\n";
  }
  gmprof::test::TemporaryFolder Own;
  const std::string Root = Own.file("cuda");
};

TEST_F(Cuda, Version13IsFound) {
  writeVersion(13020);
  const gmprof::Result<std::string> Found = findCuda(Root);
  ASSERT_TRUE(Found);
  EXPECT_EQ(*Found, Root);
  EXPECT_EQ(cudaVersion(Root), 13020u);
}

TEST_F(Cuda, OtherVersionsAreRefused) {
  writeVersion(12080);
  const gmprof::Result<std::string> Found = findCuda(Root);
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.error(),
            Root + " (--cuda-path) has CUDA 12.8; GMProf needs CUDA 13: say where it is "
                   "with --cuda-path=");
}

TEST_F(Cuda, MissingToolkitIsRefused) {
  const gmprof::Result<std::string> Found = findCuda(Root);
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.error(), "no CUDA toolkit in " + Root +
                               " (--cuda-path): install CUDA 13 there, or say where it is with "
                               "--cuda-path=");
}

TEST(Clang, OtherProgramsAreRefused) {
  const gmprof::Result<std::string> Found = findClang("/bin/false");
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.error(), "'/bin/false' is not a clang++ that runs; GMProf needs clang++ 22");
}

TEST(Archs, AreUniqueAndSupported) {
  const auto Named = resolveArchs({"sm_90", "sm_80", "sm_90"}, "/clang++");
  ASSERT_TRUE(Named);
  EXPECT_THAT(*Named, ElementsAre("sm_90", "sm_80"));
  const auto Major = resolveArchs({"all-major"}, "/clang++");
  ASSERT_TRUE(Major);
  EXPECT_THAT(*Major, ElementsAre("sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120"));
  const auto Old = resolveArchs({"sm_70"}, "/clang++");
  ASSERT_FALSE(Old);
  EXPECT_THAT(Old.error(),
              StartsWith("cannot compile for 'sm_70': CUDA 13 and clang 22 support sm_75, "));
}

TEST(Process, StatusAndOutput) {
  EXPECT_EQ(run({"true"}), 0);
  EXPECT_EQ(run({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}), 137);
  EXPECT_EQ(run({"/no/such/program"}), 127);
  EXPECT_EQ(capture({"echo", "a b"}), "a b\n");
  EXPECT_EQ(capture({"sh", "-c", "echo x; exit 1"}), "");
}

TEST(Process, QuotesForTheShell) {
  EXPECT_EQ(quoted({"a", "b c", "it's", "", "-O2"}), "a 'b c' 'it'\\''s' '' -O2");
}

TEST(Process, TemporaryDirectoryIsRemoved) {
  std::string Path;
  {
    TemporaryDirectory Directory;
    Path = Directory.path();
    std::ofstream(Path + "/file") << "x";
    EXPECT_TRUE(std::filesystem::exists(Path + "/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(Path));
}

} // namespace
