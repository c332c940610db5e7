//===- HotAtomicsTest.cpp - Words that many lanes update ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

namespace {

constexpr unsigned Warps = 8; // 256 threads

/// A kernel whose threads load an element each, and update one that UpdatedBy returns.
class Kernel {
public:
  Kernel(const char *Type, uint64_t Bytes, bool Accumulates = true)
      : Sums(H.object("sums", Bytes)) {
    H.P.Kernels[0].Demangled = std::string("k(") + Type + "*, float const*)";
    H.desc().Variables[Sums].Parameter = 0;
    const uint32_t In = H.object("in");
    const uint32_t Load = H.site(In, GMPROF_ACCESS_LOAD, 6);
    H.everyWarp(Load, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    Update = H.site(Sums, GMPROF_ACCESS_ATOMIC, 7);
    H.desc().Sites[Update].Reduction = Accumulates;
  }

  std::vector<Finding>
  update(const std::function<std::optional<uint64_t>(unsigned Warp, unsigned Lane)> &Element,
         unsigned Times = 1) {
    for (unsigned I = 0; I < Times; ++I)
      H.everyWarp(Update, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
        const std::optional<uint64_t> E = Element(W, L);
        return E ? std::optional(4 * *E) : std::nullopt;
      });
    return findingsOf(H);
  }

  HandMadeHeat H{Warps};
  uint32_t Sums, Update = 0;
};

const auto Alone = [](unsigned, unsigned) { return 0; };

// 256 threads add a float to one word: 255 of the 256 updates are needless, beside 8 * 4 sectors of
// loads and 8 of atomics.
TEST(HotAtomics, SumOfAllThreads) {
  const std::vector<Finding> Found = Kernel("float", 4).update(Alone);
  ASSERT_EQ(names(Found), Names{"hot_spot/atomics sums:7"});
  EXPECT_EQ(Found[0].Level, Severity::Medium);
  EXPECT_EQ(whole(Found[0], "atomics"), 256u);
  EXPECT_EQ(whole(Found[0], "elements"), 1u);
  EXPECT_EQ(real(Found[0], "atomics_per_element_and_block"), 256);
  EXPECT_EQ(real(Found[0], "share_of_updates_and_sectors"), 255.0 / (256 + 32 + 8));
  EXPECT_EQ(Found[0].Message,
            "256 atomics of a block update 1 element of `sums`, 256 times each, one after the "
            "other. On average, 32 lanes of a warp update the same element.");
  EXPECT_EQ(Found[0].Suggestion,
            "Let each thread accumulate in a register and the block in shared memory "
            "(cub::BlockReduce), and update it once per block. Floating-point additions then come "
            "in another order, and round otherwise.");
}

// ptxas makes one atomic of each warp: 8 per block. A loop of 4 iterations has 32.
TEST(HotAtomics, IntegersAtOneAddressAreAddedByWarp) {
  EXPECT_EQ(names(Kernel("int", 4).update(Alone, 3)), Names{});
  const std::vector<Finding> Found = Kernel("int", 4).update(Alone, 4);
  ASSERT_EQ(names(Found), Names{"hot_spot/atomics sums:7"});
  EXPECT_EQ(
      Found[0].Message,
      "32 atomics of a block update 1 element of `sums`, 32 times each, one after the other.");
}

// 256 updates of 8 elements are 32 of each; of 9, fewer.
TEST(HotAtomics, FewElements) {
  const auto Of = [](unsigned Elements) {
    return Kernel("int", 64).update(
        [&](unsigned W, unsigned L) { return (32 * W + L) % Elements; });
  };
  const std::vector<Finding> Found = Of(8);
  ASSERT_EQ(names(Found), Names{"hot_spot/atomics sums:7"});
  EXPECT_EQ(Found[0].Message,
            "256 atomics of a block update 8 elements of `sums`, 32 times each, one after the "
            "other. On average, 4 lanes of a warp update the same element.");
  EXPECT_EQ(Found[0].Suggestion,
            "Let each block update a copy in shared memory, which begins with the atomic "
            "operation's neutral value (0 of atomicAdd), and apply the copy to device memory by "
            "the same operation at its end.");
  EXPECT_EQ(names(Of(9)), Names{});
}

// Entries of a sorted sparse matrix, 64 per row: the rows of other blocks do not fit into a copy.
TEST(HotAtomics, RowsOfALargeArray) {
  const std::vector<Finding> Found =
      Kernel("float", 1 << 20).update([](unsigned W, unsigned L) { return (32 * W + L) / 64; });
  ASSERT_EQ(names(Found), Names{"hot_spot/atomics sums:7"});
  EXPECT_EQ(Found[0].Suggestion,
            "Let the lanes of a warp that update the same element accumulate first "
            "(__match_any_sync, or a segmented scan by shuffles if such lanes are neighbours), and "
            "one of them update it. Floating-point additions then come in another order, and round "
            "otherwise.");
}

TEST(HotAtomics, AnElementThatIsReadHasACondition) {
  Kernel K("float", 4);
  K.H.everyWarp(K.H.site(K.Sums, GMPROF_ACCESS_LOAD, 9), [](unsigned, unsigned) { return 0; });
  const std::vector<Finding> Found = K.update(Alone);
  ASSERT_EQ(names(Found), Names{"hot_spot/atomics sums:7"});
  EXPECT_NE(Found[0].Suggestion.find("provided that no thread of the kernel reads it before"),
            std::string::npos);
}

TEST(HotAtomics, InnocentNeighbours) {
  // One lane per warp adds the warp's sum.
  EXPECT_EQ(names(Kernel("float", 4).update([](unsigned, unsigned L) -> std::optional<uint64_t> {
              return L == 0 ? std::optional(0) : std::nullopt;
            })),
            Names{});
  // Each thread has its own element.
  EXPECT_EQ(names(Kernel("float", 1024).update([](unsigned W, unsigned L) { return 32 * W + L; })),
            Names{});
  // Results are used.
  EXPECT_EQ(names(Kernel("float", 4, false).update(Alone)), Names{});
  // 255 of 256 + 8 + 32 + 5,000 updates and sectors are 4.8 %.
  Kernel K("float", 4);
  const uint32_t Much = K.H.site(K.H.object("much"), GMPROF_ACCESS_LOAD, 8);
  for (unsigned I = 0; I < 1250; ++I)
    K.H.request(Much, 0, [&](unsigned L) { return 4 * (32 * I + L); });
  EXPECT_EQ(names(K.update(Alone)), Names{});
}

// Heads of hash buckets: the words of warps are mixed, but data decides where.
TEST(HotAtomics, ScatteredAtomicsAreNotFalselyShared) {
  for (const GmprofAccessKind Kind : {GMPROF_ACCESS_ATOMIC, GMPROF_ACCESS_STORE}) {
    HandMadeHeat H(Warps);
    const uint32_t Site = H.site(H.object("heads"), Kind, 7);
    // Lane L of warp W updates word W of the sector that a permutation without stride chooses.
    H.everyWarp(Site, [](unsigned W, unsigned L) { return 32 * (L * L * 5 % 97) + 4 * W; });
    EXPECT_EQ(names(findingsOf(H)),
              Kind == GMPROF_ACCESS_ATOMIC ? Names{} : Names{"false_sharing heads:7"});
  }
}

} // namespace
