//===- SerializedConstantLoadTest.cpp - Loads of constants by lane --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"

using namespace gmprof;
using namespace gmprof::test;

namespace {

/// A launched kernel whose machine code loads a constant.
class Kernel : public HandMadeHeat {
public:
  explicit Kernel(int32_t LaneStride) : HandMadeHeat(8, 4) {
    profile::Variable V;
    V.Name = "weights";
    V.Kind = GMPROF_VARIABLE_CONSTANT;
    V.Bytes = 1024;
    desc().Variables.push_back(V);
    load().Kind = GMPROF_INSTRUCTION_CONSTANT_LOAD;
    load().Variable = 0;
    load().Source = {"/src/k.cu", 9, 0};
    load().Count = 2;
    load().Index = GMPROF_INDEX_RUN_TIME;
    load().LaneStride = LaneStride;
  }
  profile::CodeInstruction &load() {
    std::vector<profile::CodeInstruction> &All = P.Machine[0].Instructions;
    return All.empty() ? All.emplace_back() : All.front();
  }
  uint64_t passes() { return constantPasses(P, 0, load()); }
  std::vector<Finding> findings() { return serializedConstantLoads(done()); }
};

} // namespace

TEST(SerializedConstantLoadTest, ReportsLanesOfDifferentWords) {
  Kernel K(4);
  const std::vector<Finding> Found = K.findings();
  ASSERT_EQ(Found.size(), 1u);
  const Finding &F = Found.front();
  EXPECT_EQ(F.Pattern, "serialized_constant_load");
  EXPECT_EQ(F.Object, "weights");
  EXPECT_EQ(F.ObjectBytes, 1024u);
  EXPECT_EQ(F.Source.Line, 9u);
  EXPECT_EQ(F.Level, Severity::Medium);
  EXPECT_EQ(whole(F, "passes_per_request"), 32u);
  EXPECT_EQ(whole(F, "ideal_passes_per_request"), 1u);
  EXPECT_EQ(whole(F, "lane_stride_bytes"), 4u);
  EXPECT_EQ(whole(F, "instructions"), 2u);
  EXPECT_EQ(whole(F, "launches"), 1u);
  EXPECT_EQ(F.Message, "32 passes/request of a full warp (ideal 1): lanes load different words of "
                       "`weights`, and the constant cache serves one word at a time.");
  EXPECT_TRUE(F.Suggestion.starts_with("Declare `weights` as __device__ instead of __constant__"));
}

TEST(SerializedConstantLoadTest, CountsTheWordsOfAWarp) {
  EXPECT_EQ(Kernel(-4).passes(), 32u);
  EXPECT_EQ(Kernel(64).passes(), 32u);
  EXPECT_EQ(Kernel(2).passes(), 16u); // two lanes to a word
  EXPECT_EQ(Kernel(1).passes(), 8u);  // four
  EXPECT_EQ(Kernel(0).passes(), 0u);  // data decides
}

TEST(SerializedConstantLoadTest, ReportsNothingThatIsNotKnown) {
  EXPECT_TRUE(Kernel(0).findings().empty());
  // A warp has rows of 16 threads, whose lanes have common words or not.
  Kernel Rows(4);
  Rows.done();
  Rows.P.Launches[0].Block = {16, 16, 1};
  EXPECT_EQ(Rows.passes(), 0u);
  EXPECT_TRUE(serializedConstantLoads(Rows.P).empty());
  Kernel OfTexture(4);
  OfTexture.load().Kind = GMPROF_INSTRUCTION_TEXTURE_FETCH;
  EXPECT_TRUE(OfTexture.findings().empty());
  Kernel OfShared(4);
  OfShared.P.TheRun.Profiles = {"shared"};
  EXPECT_TRUE(OfShared.findings().empty());
}
