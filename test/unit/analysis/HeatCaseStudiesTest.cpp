//===- HeatCaseStudiesTest.cpp - Case studies of the paper ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"
#include <cmath>
#include <fmt/format.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

namespace {

/// C = A * B with 64 x 64 matrices and blocks of 32 x 32 threads. Swapped exchanges the thread
/// indices of row and column.
Names matrixProduct(bool Swapped) {
  HandMadeHeat H(32);
  const uint32_t A = H.object("A"), B = H.object("B"), C = H.object("C");
  const uint32_t LoadA = H.site(A, Load, 7, 4, 10), LoadB = H.site(B, Load, 7, 4, 30),
                 LoadC = H.site(C, Load, 8), StoreC = H.site(C, Store, 8);
  constexpr unsigned N = 64;
  const auto Row = [&](unsigned W, unsigned Lane) { return Swapped ? Lane : W; };
  const auto Column = [&](unsigned W, unsigned Lane) { return Swapped ? W : Lane; };
  for (unsigned K = 0; K < N; ++K) {
    H.everyWarp(LoadA, [&](unsigned W, unsigned L) { return 4 * (Row(W, L) * N + K); });
    H.everyWarp(LoadB, [&](unsigned W, unsigned L) { return 4 * (K * N + Column(W, L)); });
  }
  for (uint32_t Site : {LoadC, StoreC})
    H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * (Row(W, L) * N + Column(W, L)); });
  return found(H);
}

} // namespace

TEST(HeatCaseStudies, MatrixProductWithSwappedIndices) {
  EXPECT_EQ(matrixProduct(true), (Names{"false_sharing B:7", "uncoalesced_access/load A:7",
                                        "uncoalesced_access/load_and_store C:8"}));
}

TEST(HeatCaseStudies, MatrixProductWithCoalescedIndices) {
  EXPECT_EQ(matrixProduct(false), Names{"hot_spot B:7"});
}

TEST(HeatCaseStudies, MatrixProductInTiles) {
  HandMadeHeat H(32);
  const uint32_t A = H.object("A"), B = H.object("B"), C = H.object("C");
  const uint32_t As = H.array("As", "float[32][32]", 4096),
                 Bs = H.array("Bs", "float[32][32]", 4096);
  const uint32_t LoadA = H.site(A, Load, 7), StoreA = H.site(As, Store, 7),
                 LoadB = H.site(B, Load, 8), StoreB = H.site(Bs, Store, 8),
                 UseA = H.site(As, Load, 10, 4, 10), UseB = H.site(Bs, Load, 10, 4, 20),
                 StoreC = H.site(C, Store, 12);
  constexpr unsigned N = 64;
  for (unsigned Tile = 0; Tile < N; Tile += 32) {
    H.everyWarp(LoadA, [&](unsigned W, unsigned L) { return 4 * (W * N + Tile + L); });
    H.everyWarp(LoadB, [&](unsigned W, unsigned L) { return 4 * ((Tile + W) * N + L); });
    for (uint32_t Site : {StoreA, StoreB})
      H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    for (unsigned K = 0; K < 32; ++K) {
      H.everyWarp(UseA, [&](unsigned W, unsigned) { return 4 * (32 * W + K); });
      H.everyWarp(UseB, [&](unsigned, unsigned L) { return 4 * (32 * K + L); });
    }
  }
  H.everyWarp(StoreC, [&](unsigned W, unsigned L) { return 4 * (W * N + L); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatCaseStudies, GramSchmidtKernel3) {
  for (bool Transposed : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t A = H.object("a"), R = H.object("r"), Q = H.object("q");
    const uint32_t LoadQ = H.site(Q, Load, 6, 4, 20), LoadA = H.site(A, Load, 6, 4, 30),
                   StoreR = H.site(R, Store, 6, 4, 10), LoadQAgain = H.site(Q, Load, 8),
                   StoreA = H.site(A, Store, 8);
    constexpr unsigned N = 256, K = 5;
    for (unsigned I = 0; I < N; ++I) {
      const auto OfQ = [&](unsigned, unsigned) { return 4 * (Transposed ? K * N + I : I * N + K); };
      const auto OfA = [&](unsigned W, unsigned L) { return 4 * (I * N + 32 * W + L); };
      H.everyWarp(LoadQ, OfQ);
      H.everyWarp(LoadA, OfA);
      H.everyWarp(StoreR, [&](unsigned W, unsigned L) { return 4 * (K * N + 32 * W + L); });
      H.everyWarp(LoadQAgain, OfQ);
      H.everyWarp(StoreA, OfA);
    }
    const std::vector<Finding> Found = findingsOf(H);
    if (Transposed) {
      EXPECT_EQ(names(Found), Names{});
      continue;
    }
    ASSERT_EQ(names(Found), Names{"strided_access/across_iterations q:6"});
    EXPECT_EQ(whole(Found[0], "stride_bytes"), 1024u);
    EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  }
}

TEST(HeatCaseStudies, GramSchmidtKernel2) {
  // q[i * NJ + k] = a[i * NJ + k] / r[k * NJ + k]
  HandMadeHeat H(8);
  const uint32_t A = H.object("a"), R = H.object("r"), Q = H.object("q");
  const uint32_t LoadA = H.site(A, Load, 6, 4, 20), LoadR = H.site(R, Load, 6, 4, 30),
                 StoreQ = H.site(Q, Store, 6, 4, 10);
  for (uint32_t Site : {LoadA, StoreQ})
    H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * ((32 * W + L) * 256 + 5); });
  H.everyWarp(LoadR, [](unsigned, unsigned) { return 4 * (5 * 256 + 5); });
  EXPECT_EQ(found(H),
            (Names{"strided_access/across_threads a:6", "strided_access/across_threads q:6"}));
}

TEST(HeatCaseStudies, SparseMatrixTimesVector) {
  HandMadeHeat H(8);
  const uint32_t Rows = H.object("row_offsets"), Columns = H.object("columns"),
                 Values = H.object("values"), X = H.object("x"), Y = H.object("y");
  const uint32_t Begin = H.site(Rows, Load, 5, 4, 10), End = H.site(Rows, Load, 5, 4, 30),
                 LoadColumn = H.site(Columns, Load, 6), LoadValue = H.site(Values, Load, 7, 4, 10),
                 LoadX = H.site(X, Load, 7, 4, 30), StoreY = H.site(Y, Store, 8);
  Random R;
  std::vector<unsigned> Offsets = {0};
  for (unsigned Row = 0; Row < 256; ++Row)
    Offsets.push_back(Offsets.back() + 8 + R.below(16));
  std::vector<unsigned> Column;
  for (unsigned I = 0; I < Offsets.back(); ++I)
    Column.push_back(R.below(512));
  const auto RowOf = [](unsigned W, unsigned L) { return 32 * W + L; };
  H.everyWarp(Begin, [&](unsigned W, unsigned L) { return 4 * RowOf(W, L); });
  H.everyWarp(End, [&](unsigned W, unsigned L) { return 4 * (RowOf(W, L) + 1); });
  for (unsigned Step = 0; Step < 24; ++Step) {
    const auto At = [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      const unsigned I = Offsets[RowOf(W, L)] + Step;
      return I < Offsets[RowOf(W, L) + 1] ? std::optional<uint64_t>(I) : std::nullopt;
    };
    const auto Word = [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      auto I = At(W, L);
      return I ? std::optional<uint64_t>(4 * *I) : std::nullopt;
    };
    H.everyWarp(LoadColumn, Word);
    H.everyWarp(LoadValue, Word);
    H.everyWarp(LoadX, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      auto I = At(W, L);
      return I ? std::optional<uint64_t>(4 * Column[*I]) : std::nullopt;
    });
  }
  H.everyWarp(StoreY, [&](unsigned W, unsigned L) { return 4 * RowOf(W, L); });
  EXPECT_EQ(found(H), (Names{"hot_spot/random x:7", "misaligned_access/neighbour row_offsets:5"}));
}

TEST(HeatCaseStudies, RowsOfAThread) {
  // tmp[i] += A[i * N + j] * x[j]
  HandMadeHeat H(8);
  const uint32_t A = H.object("A"), X = H.object("x"), T = H.object("tmp");
  const uint32_t LoadA = H.site(A, Load, 6, 4, 20), LoadX = H.site(X, Load, 6, 4, 30),
                 StoreT = H.site(T, Store, 6, 4, 10);
  for (unsigned J = 0; J < 64; ++J) {
    H.everyWarp(LoadA, [&](unsigned W, unsigned L) { return 4 * ((32 * W + L) * 64 + J); });
    H.everyWarp(LoadX, [&](unsigned, unsigned) { return 4 * J; });
    H.everyWarp(StoreT, [&](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  }
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/per_thread A:6"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 256u);
  EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  EXPECT_EQ(real(Found[0], "sectors_per_request"), 32);
}

// A parameter without a name is called by its number, unless its allocation has a name; those of
// library kernels have names that the program does not contain.
TEST(HeatCaseStudies, AllocationsNameParametersWithoutNames) {
  const auto NameIn = [](const char *Parameter, const char *Allocation,
                         const char *Kernel = "k(float*)") {
    HandMadeHeat H(8);
    H.P.Kernels[0].Demangled = Kernel;
    const uint32_t X = H.object(Parameter);
    H.P.Objects[0].Name = Allocation;
    H.everyWarp(H.site(X, Load, 6), [](unsigned W, unsigned L) { return 32 * (32 * W + L) + 8; });
    return names(findingsOf(H));
  };
  EXPECT_EQ(NameIn("argument 1", "points"), Names{"strided_access/across_threads points:6"});
  EXPECT_EQ(NameIn("argument 1", ""), Names{"strided_access/across_threads argument 1:6"});
  EXPECT_EQ(NameIn("in", "points"), Names{"strided_access/across_threads in:6"});
  const char *OfLibrary = "void cub::detail::kernel<float>(float*)";
  EXPECT_EQ(NameIn("op+0", "points", OfLibrary), Names{"strided_access/across_threads points:6"});
  EXPECT_EQ(NameIn("op+0", "", OfLibrary), Names{"strided_access/across_threads op+0:6"});
}

TEST(HeatCaseStudies, OneFieldOfStructures) {
  // Structures of 32 bytes; all launches are equal.
  HandMadeHeat H(8);
  const uint32_t X = H.object("particles");
  const uint32_t Site = H.site(X, Load, 6);
  for (unsigned Launch = 0; Launch < 3; ++Launch) {
    if (Launch != 0)
      H.launch();
    H.everyWarp(Site, [](unsigned W, unsigned L) { return 32 * (32 * W + L) + 8; });
  }
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/across_threads particles:6"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 32u);
  EXPECT_EQ(whole(Found[0], "launches"), 3u);
  EXPECT_EQ(whole(Found[0], "launches_sampled"), 3u);
}

// Blocks of one size access sectors by one warp each, blocks of another by all: one cause.
TEST(HeatPatterns, LaunchesOfTwoSizesHaveOneCausePerLine) {
  const auto Found = [](unsigned Strided, unsigned Shared, unsigned LineOfShared) {
    HandMadeHeat H(8);
    const uint32_t X = H.object("x");
    const uint32_t First = H.site(X, Load, 20),
                   Second = LineOfShared == 20 ? First : H.site(X, Load, LineOfShared);
    for (unsigned I = 0; I < Strided; ++I)
      H.everyWarp(First, [](unsigned W, unsigned L) { return 32 * (32 * W + L); });
    H.launch();
    for (unsigned I = 0; I < Shared; ++I)
      H.everyWarp(Second, [](unsigned W, unsigned L) { return 4 * (8 * L + W); });
    return found(H);
  };
  EXPECT_EQ(Found(2, 1, 20), Names{"strided_access/across_threads x:20"});
  EXPECT_EQ(Found(1, 2, 20), Names{"uncoalesced_access/load x:20"});
  EXPECT_EQ(Found(1, 2, 21),
            (Names{"strided_access/across_threads x:20", "uncoalesced_access/load x:21"}));
}

/// Returns the suggestion for a histogram with atomics. Reads: the kernel also reads it.
/// UsesResults: it uses the results of some of its atomics.
static std::string suggestionForHistogram(bool Reads, bool UsesResults) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("histogram");
  H.P.Kernels[0].Demangled = "count(unsigned int*)";
  H.desc().Variables[X].Parameter = 0;
  const uint32_t Site = H.site(X, Atomic, 6), Read = H.site(X, Load, 7),
                 Other = H.site(X, Atomic, 8);
  H.desc().Sites[Site].Reduction = true;
  Random R;
  const auto Anywhere = [&](unsigned, unsigned) { return 4 * R.below(256); };
  for (unsigned I = 0; I < 40; ++I)
    H.everyWarp(Site, Anywhere);
  if (Reads)
    H.everyWarp(Read, Anywhere);
  if (UsesResults)
    H.everyWarp(Other, Anywhere);
  const std::vector<Finding> Found = findingsOf(H);
  EXPECT_EQ(names(Found), Names{"hot_spot histogram:6"});
  return Found.empty() ? "" : Found[0].Suggestion;
}

TEST(HeatCaseStudies, HistogramByAtomics) {
  EXPECT_EQ(suggestionForHistogram(false, false),
            "Let each block accumulate in shared memory, and apply the result to device memory "
            "once, by the same atomic operation.");
  EXPECT_EQ(suggestionForHistogram(true, false),
            "Let each block accumulate in shared memory, and apply the result to device memory "
            "once, by the same atomic operation, provided that no thread of the kernel reads it "
            "before.");
  EXPECT_TRUE(suggestionForHistogram(true, true)
                  .starts_with("An atomicAdd can be aggregated per "
                               "warp"));
}
