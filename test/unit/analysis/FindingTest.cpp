//===- FindingTest.cpp ----------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Finding.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

class JoinCauses : public testing::Test {
protected:
  JoinCauses() {
    for (const char *Name : {"void scale<float>(float *, int)", "void scale<double>(double *, int)",
                             "copy(float *)"}) {
      P.Kernels.emplace_back();
      P.Kernels.back().Demangled = Name;
    }
  }

  Finding found(uint32_t Kernel, unsigned Line, uint64_t Bytes, const char *Fingerprint) const {
    Finding F;
    F.Pattern = "uncoalesced_access";
    F.Kind = "load";
    F.Origin = "cuThermo";
    F.Object = "x";
    F.Kernel = Kernel;
    F.Source.File = "/a.cu";
    F.Source.Line = Line;
    F.Evidence = {{"needless_bytes", Bytes}};
    F.Message = "Uncoalesced.";
    F.Fingerprint = Fingerprint;
    return F;
  }
  profile::Profile P;
};

} // namespace

TEST_F(JoinCauses, InstancesOfATemplate) {
  std::vector<Finding> Found = {found(0, 7, 10, "b"), found(1, 7, 20, "a")};
  joinCauses(Found, P);
  ASSERT_EQ(Found.size(), 1u);
  // The worst one, by the least fingerprint.
  EXPECT_EQ(Found[0].Kernel, 1u);
  EXPECT_EQ(Found[0].Fingerprint, "a");
  EXPECT_EQ(Found[0].Message,
            "Uncoalesced. 2 instances of the kernel have it: `scale<double>`, `scale<float>`.");
  ASSERT_EQ(Found[0].Evidence.size(), 2u);
  EXPECT_EQ(Found[0].Evidence[0].second, Finding::Value(uint64_t(20)));
  EXPECT_EQ(Found[0].Evidence[1], std::pair(std::string("instances"), Finding::Value(uint64_t(2))));
}

TEST_F(JoinCauses, CopiesOfALine) {
  std::vector<Finding> Found = {found(0, 7, 30, "a"), found(0, 7, 20, "b"), found(0, 7, 10, "c")};
  joinCauses(Found, P);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Message, "Uncoalesced. The line has 3 such accesses.");
}

TEST_F(JoinCauses, NotOfOtherLinesKernelsOrVariables) {
  std::vector<Finding> Found = {found(0, 7, 10, "a"), found(0, 8, 10, "b"), found(2, 7, 10, "c"),
                                found(0, 7, 10, "d"), found(0, 0, 10, "e"), found(0, 0, 10, "f")};
  Found[3].Object = "y";
  joinCauses(Found, P);
  EXPECT_EQ(Found.size(), 6u);
  for (const Finding &F : Found)
    EXPECT_EQ(F.Message, "Uncoalesced.");
}
