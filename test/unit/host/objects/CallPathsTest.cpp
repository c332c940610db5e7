//===- CallPathsTest.cpp - Where in the program a call was made -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace gmprof::host {
namespace {

/// Functions that are not merged and keep their frames until they return.
[[gnu::noinline]] void *one() {
  void *Pointer = nullptr;
  cudaMalloc(&Pointer, 16);
  asm volatile("" : "+r"(Pointer));
  return Pointer;
}
[[gnu::noinline]] void *other() {
  void *Pointer = nullptr;
  cudaMalloc(&Pointer, 32);
  asm volatile("nop" : "+r"(Pointer));
  return Pointer;
}
[[gnu::noinline]] void *through(void *(*Allocate)()) {
  void *Pointer = Allocate();
  asm volatile("" : "+r"(Pointer));
  return Pointer;
}

class CallPathsTest : public HostTest {};

const profile::CallPath &pathOf(const profile::Profile &P, size_t Object) {
  return P.CallPaths.at(P.Objects.at(Object).Made.CallPath);
}

bool isIn(uint64_t Address, void *(*Function)()) {
  auto Begin = reinterpret_cast<uint64_t>(Function);
  return Address > Begin && Address < Begin + 128;
}

TEST_F(CallPathsTest, SamePlaceHasOnePath) {
#pragma clang loop unroll(disable)
  for (void *(*Allocate)() : {one, other, one, other})
    through(Allocate); // from here, and nowhere else
  profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 4u);
  ASSERT_EQ(P.CallPaths.size(), 2u);
  EXPECT_EQ(P.Objects[0].Made.CallPath, P.Objects[2].Made.CallPath);
  EXPECT_EQ(P.Objects[1].Made.CallPath, P.Objects[3].Made.CallPath);
  // The program's functions come first, none of ours.
  EXPECT_TRUE(isIn(pathOf(P, 0).Addresses[0], one));
  EXPECT_TRUE(isIn(pathOf(P, 1).Addresses[0], other));
  EXPECT_EQ(pathOf(P, 0).Addresses[1], pathOf(P, 1).Addresses[1]);
  EXPECT_GT(pathOf(P, 0).Addresses.size(), 3u);
}

/// Equal frames with different return addresses, outside of the same innermost ones.
[[gnu::noinline]] void *nested(unsigned Ways) {
  void *Pointer = nullptr;
  if (Ways == 1)
    return through(one);
  if (Ways % 2 == 0) {
    Pointer = nested(Ways / 2);
    asm volatile("" : "+r"(Pointer));
  } else {
    Pointer = nested(Ways / 2);
    asm volatile("nop" : "+r"(Pointer));
  }
  return Pointer;
}

// More paths than fit in a small cache, whose innermost functions are at the same place of the
// stack.
TEST_F(CallPathsTest, PathsThatDifferOutsideAreKeptApart) {
  constexpr unsigned Paths = 256;
  for (unsigned Round = 0; Round < 3; ++Round)
#pragma clang loop unroll(disable)
    for (unsigned Way = Paths; Way < 2 * Paths; ++Way)
      nested(Way);
  const profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 3 * Paths);
  ASSERT_EQ(P.CallPaths.size(), Paths);
  for (unsigned I = 0; I < 3 * Paths; ++I)
    EXPECT_EQ(P.Objects[I].Made.CallPath, I % Paths);
}

TEST_F(CallPathsTest, ReleasesHavePaths) {
  void *Pointer = one();
  cudaFree(Pointer);
  cudaDeviceReset();
  profile::Profile P = finish();
  ASSERT_EQ(P.CallPaths.size(), 2u);
  EXPECT_EQ(P.Objects[0].Released->CallPath, 1u);
}

TEST_F(CallPathsTest, AreCutAtTheDepth) {
  settings().TheOptions.Unwind = 2;
  through(one);
  profile::Profile P = finish();
  ASSERT_EQ(pathOf(P, 0).Addresses.size(), 2u);
  EXPECT_TRUE(isIn(pathOf(P, 0).Addresses[0], one));
}

TEST_F(CallPathsTest, Off) {
  settings().TheOptions.Unwind = 0;
  cudaFree(one());
  profile::Profile P = finish();
  EXPECT_EQ(P.Objects[0].Made.CallPath, profile::None);
  EXPECT_TRUE(P.CallPaths.empty());
  EXPECT_TRUE(P.Images.empty());
}

TEST_F(CallPathsTest, ImagesComeBeforeThePathsThatNeedThem) {
  one();
  other();
  profile::Profile P = finish();
  std::set<std::string> Paths;
  for (const profile::Image &I : P.Images) {
    EXPECT_TRUE(Paths.insert(I.Path).second) << I.Path;
    EXPECT_EQ(I.Path[0], '/');
  }
  EXPECT_TRUE(Paths.count(std::filesystem::canonical("/proc/self/exe")));
  for (const profile::CallPath &Path : P.CallPaths) {
    EXPECT_EQ(Path.ImageCount, P.Images.size());
    for (uint64_t Address : Path.Addresses)
      EXPECT_TRUE(std::any_of(P.Images.begin(), P.Images.end(), [&](const profile::Image &I) {
        return Address >= I.Address && Address - I.Address < I.Bytes;
      }));
  }
}

TEST_F(CallPathsTest, VariablesHaveNone) {
  one();
  Session::current()->objects().noteVariable(0, log::ObjectKind::Constant, "c", 0x5000, 4);
  EXPECT_EQ(finish().Objects[1].Made.CallPath, profile::None);
}

} // namespace
} // namespace gmprof::host
