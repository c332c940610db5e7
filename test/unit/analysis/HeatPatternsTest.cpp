//===- HeatPatternsTest.cpp -----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/HeatPatterns.h"
#include "HandMadeHeat.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <variant>

using namespace gmprof;
using namespace gmprof::analysis;
using gmprof::profile::Temperatures;
using gmprof::test::HandMadeHeat;

namespace {

constexpr GmprofAccessKind Load = GMPROF_ACCESS_LOAD, Store = GMPROF_ACCESS_STORE,
                           Atomic = GMPROF_ACCESS_ATOMIC;

std::vector<Finding> findingsOf(HandMadeHeat &H) {
  const profile::Profile &P = H.done();
  return heatFindings(P, heatUse(P));
}

/// Returns "false_sharing x:20", "hot_spot/random x:21" in alphabetical order.
std::vector<std::string> names(const std::vector<Finding> &Findings) {
  std::vector<std::string> Names;
  for (const Finding &F : Findings)
    Names.push_back(fmt::format("{}{}{} {}:{}", F.Pattern, F.Kind.empty() ? "" : "/", F.Kind,
                                F.Object, F.Source.Line));
  std::sort(Names.begin(), Names.end());
  return Names;
}
std::vector<std::string> found(HandMadeHeat &H) { return names(findingsOf(H)); }

using Names = std::vector<std::string>;

const Finding::Value *find(const Finding &F, const std::string &Name) {
  for (const auto &[Key, Value] : F.Evidence)
    if (Key == Name)
      return &Value;
  return nullptr;
}
uint64_t whole(const Finding &F, const std::string &Name) {
  const Finding::Value *V = find(F, Name);
  return V && std::holds_alternative<uint64_t>(*V) ? std::get<uint64_t>(*V) : ~uint64_t(0);
}
double real(const Finding &F, const std::string &Name) {
  const Finding::Value *V = find(F, Name);
  return V && std::holds_alternative<double>(*V) ? std::get<double>(*V) : -1;
}

/// Returns the first byte of a word.
uint64_t wordAt(int Index) { return 4 * static_cast<uint64_t>(Index); }

/// A pseudo-random sequence (Knuth, MMIX).
struct Random {
  uint64_t State = 1;
  unsigned below(unsigned N) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return unsigned(State >> 33) % N;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Figures of the paper
//===----------------------------------------------------------------------===//

TEST(HeatPatterns, Figure3) {
  const Temperatures Coalesced = {{1, 1, 1, 1, 1, 1, 1, 1}, 1};
  const Temperatures Shared = {{1, 1, 1, 1, 1, 1, 1, 1}, 8};
  EXPECT_FALSE(isFalselyShared(Coalesced));
  EXPECT_TRUE(isFalselyShared(Shared));
  EXPECT_FALSE(isHot(Coalesced, 8));
  EXPECT_FALSE(isHot(Shared, 8));
}

TEST(HeatPatterns, ClassifiesSectors) {
  // At least four warps must share the sector and access words of their own.
  EXPECT_FALSE(isFalselyShared({{1, 1, 1, 0, 0, 0, 0, 0}, 3}));
  EXPECT_TRUE(isFalselyShared({{2, 2, 0, 0, 0, 0, 0, 0}, 4}));
  EXPECT_FALSE(isFalselyShared({{3, 3, 3, 3, 3, 3, 3, 3}, 5}));
  EXPECT_TRUE(isHot({{32, 32, 32, 32, 32, 32, 32, 32}, 32}, 32));
  EXPECT_FALSE(isHot({{15, 15, 15, 15, 15, 15, 15, 15}, 15}, 32));
  EXPECT_FALSE(isHot({{3, 3, 3, 3, 3, 3, 3, 3}, 3}, 4));
  EXPECT_FALSE(isHot({{8, 8, 8, 8, 0, 0, 0, 0}, 8}, 8)) << "half of it is not used";
  EXPECT_TRUE(isSparse({{8, 8, 8, 8, 0, 0, 0, 0}, 8}));
  EXPECT_FALSE(isSparse({{1, 1, 1, 1, 1, 0, 0, 0}, 8}));
}

TEST(HeatPatterns, Figure6aPerfectCoalescing) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Read = H.site(X, Load, 20), Write = H.site(X, Store, 21);
  for (uint32_t Site : {Read, Write})
    H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, Figure6bFalseSharing) {
  HandMadeHeat H(8, 4);
  const uint32_t X = H.object("x", 1024);
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"false_sharing x:20"});
  const Finding &F = Found[0];
  EXPECT_EQ(F.Origin, "cuThermo");
  EXPECT_EQ(F.ObjectId, 1u);
  EXPECT_EQ(F.ObjectBytes, 1024u);
  EXPECT_EQ(whole(F, "falsely_shared_sectors"), 32u);
  EXPECT_EQ(real(F, "share_of_object"), 1);
  EXPECT_EQ(real(F, "mean_word_temperature"), 1);
  EXPECT_EQ(real(F, "mean_sector_temperature"), 8);
  EXPECT_EQ(whole(F, "requests"), 8u);
  EXPECT_EQ(real(F, "sectors_per_request"), 32);
  EXPECT_EQ(real(F, "ideal_sectors_per_request"), 4);
  // Eight requests transfer 32 sectors each, and use 128 bytes; in each of four blocks.
  EXPECT_EQ(whole(F, "needless_bytes"), 4u * 8 * (32 * 32 - 128));
  EXPECT_EQ(whole(F, "blocks_sampled"), 1u);
  EXPECT_EQ(whole(F, "blocks_launched"), 4u);
  EXPECT_EQ(F.Level, Severity::High);
  EXPECT_EQ(F.BytesSaved, 0u);
}

TEST(HeatPatterns, Figure6cMisaligned) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane + 4); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"misaligned_access/offset x:20"});
  EXPECT_EQ(whole(Found[0], "misaligned_requests"), 8u);
  EXPECT_EQ(real(Found[0], "extra_sectors_per_request"), 1);
  EXPECT_EQ(real(Found[0], "extra_share"), 0.25);
  EXPECT_EQ(real(Found[0], "sectors_per_request"), 5);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 8u * 32);
}

TEST(HeatPatterns, Figure6dStrided) {
  // Eight warps access one word in each of five sectors.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned I = 0; I < 5; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * (8 * I + 3); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/across_iterations x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 32u);
  EXPECT_EQ(whole(Found[0], "sparse_sectors"), 5u);
  EXPECT_EQ(real(Found[0], "words_used_per_sector"), 1);
  EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 5u * 8 * 28);
}

// A rarely taken branch: one lane of each of five warps, by chance 33 words apart.
TEST(HeatPatterns, SingleRequestsOfWarpsAreNoIterations) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned W = 0; W < 5; ++W)
    H.request(Site, W, [&](unsigned Lane) {
      return Lane == W ? std::optional<uint64_t>(4 * 33 * W) : std::nullopt;
    });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, Figure6eHot) {
  HandMadeHeat H(32);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned I = 0; I < 8; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 4 * (32 * I + Lane); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"hot_spot x:20"});
  EXPECT_EQ(whole(Found[0], "hot_sectors"), 32u);
  EXPECT_EQ(real(Found[0], "mean_word_temperature"), 32);
  EXPECT_EQ(real(Found[0], "word_variation"), 0);
  EXPECT_EQ(real(Found[0], "mean_sector_temperature"), 32);
  EXPECT_EQ(whole(Found[0], "warps_per_block"), 32u);
  // 32 warps load 32 sectors; loading each once suffices.
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 31u * 32 * 32);
  EXPECT_EQ(Found[0].Level, Severity::Medium);
}

TEST(HeatPatterns, Figure6fRandomHot) {
  HandMadeHeat H(32);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  Random R;
  for (unsigned I = 0; I < 4; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * R.below(512); });
  EXPECT_EQ(found(H), Names{"hot_spot/random x:20"});
}

TEST(HeatPatterns, RandomHotOfSeveralBlocks) {
  // Enough accesses to make all words equally hot: in one block, this is an ordinary hot spot.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  Random R;
  for (unsigned I = 0; I < 40; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * R.below(256); });
  H.done();
  EXPECT_EQ(names(heatFindings(H.P, heatUse(H.P))), Names{"hot_spot x:20"});
  for (profile::HeatRun &Run : H.P.Heat[0].Maps[0].Runs)
    Run.SeveralBlocks = true;
  EXPECT_EQ(names(heatFindings(H.P, heatUse(H.P))), Names{"hot_spot/random x:20"});
}

/// Lane L of all warps accesses word K of row L, of 64 words each.
static std::vector<Finding> columns(GmprofAccessKind Kind) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Kind, 20);
  for (unsigned K = 0; K < 64; ++K)
    H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 4 * (Lane * 64 + K); });
  return findingsOf(H);
}

TEST(HeatPatterns, UncoalescedLoad) {
  const std::vector<Finding> Found = columns(Load);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/load x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 256u);
  EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  EXPECT_EQ(real(Found[0], "sectors_per_request"), 32);
  EXPECT_EQ(real(Found[0], "ideal_sectors_per_request"), 4);
  // 8 warps make 64 requests for 28 sectors more than 4.
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 8u * 64 * 28 * 32);
  EXPECT_EQ(Found[0].Level, Severity::High);
  EXPECT_EQ(Found[0].Message, "32 sectors/request (ideal 4): lanes of a warp read `x` with a "
                              "stride of 256 bytes.");
  EXPECT_EQ(Found[0].Suggestion, "Swap the indices so that consecutive lanes (threadIdx.x) read "
                                 "consecutive elements, or transpose the data.");
}

TEST(HeatPatterns, UncoalescedStore) {
  const std::vector<Finding> Found = columns(Store);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/store x:20"});
  EXPECT_EQ(Found[0].Message, "32 sectors/request (ideal 4): lanes of a warp write `x` with a "
                              "stride of 256 bytes.");
}

TEST(HeatPatterns, AtomicsInColumnsAreAHotSpot) {
  EXPECT_EQ(names(columns(Atomic)), Names{"hot_spot x:20"});
}

//===----------------------------------------------------------------------===//
// Case studies of the paper
//===----------------------------------------------------------------------===//

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

TEST(HeatPatterns, MatrixProductWithSwappedIndices) {
  EXPECT_EQ(matrixProduct(true),
            (Names{"false_sharing B:7", "false_sharing C:8", "uncoalesced_access/load A:7"}));
}

TEST(HeatPatterns, MatrixProductWithCoalescedIndices) {
  EXPECT_EQ(matrixProduct(false), Names{"hot_spot B:7"});
}

TEST(HeatPatterns, MatrixProductInTiles) {
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

TEST(HeatPatterns, GramSchmidtKernel3) {
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

TEST(HeatPatterns, GramSchmidtKernel2) {
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

TEST(HeatPatterns, SparseMatrixTimesVector) {
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

TEST(HeatPatterns, RowsOfAThread) {
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

// A parameter without a name is called by its number, unless its allocation has a name.
TEST(HeatPatterns, AllocationsNameParametersWithoutNames) {
  const auto NameIn = [](const char *Parameter, const char *Allocation) {
    HandMadeHeat H(8);
    const uint32_t X = H.object(Parameter);
    H.P.Objects[0].Name = Allocation;
    H.everyWarp(H.site(X, Load, 6), [](unsigned W, unsigned L) { return 32 * (32 * W + L) + 8; });
    return names(findingsOf(H));
  };
  EXPECT_EQ(NameIn("argument 1", "points"), Names{"strided_access/across_threads points:6"});
  EXPECT_EQ(NameIn("argument 1", ""), Names{"strided_access/across_threads argument 1:6"});
  EXPECT_EQ(NameIn("in", "points"), Names{"strided_access/across_threads in:6"});
}

TEST(HeatPatterns, OneFieldOfStructures) {
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

/// Returns the suggestion for a histogram with atomics. Reads: the kernel also reads it.
/// UsesResults: it uses the results of some of its atomics.
static std::string suggestionForHistogram(bool Reads, bool UsesResults) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("histogram");
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

TEST(HeatPatterns, HistogramByAtomics) {
  EXPECT_EQ(suggestionForHistogram(false, false),
            "Let each block add up in shared memory, and add that to device memory once.");
  EXPECT_EQ(suggestionForHistogram(true, false),
            "Let each block add up in shared memory, and add that to device memory once, provided "
            "that no thread of the kernel reads it before.");
  EXPECT_TRUE(suggestionForHistogram(true, true)
                  .starts_with("An atomicAdd can be aggregated per "
                               "warp"));
}

//===----------------------------------------------------------------------===//
// Similar accesses without the pattern
//===----------------------------------------------------------------------===//

TEST(HeatPatterns, ABroadcastIsNoHotSpot) {
  HandMadeHeat H(8);
  const uint32_t Scalar = H.object("alpha"), Table = H.object("table"), Mask = H.object("mask");
  const uint32_t S = H.site(Scalar, Load, 6), T = H.site(Table, Load, 7), M = H.site(Mask, Load, 8);
  H.everyWarp(S, [](unsigned, unsigned) { return 0; });
  for (unsigned I = 0; I < 256; ++I)
    H.everyWarp(T, [&](unsigned, unsigned) { return 4 * I; });
  // 25 coefficients, with a different first one in each lane.
  for (unsigned I = 0; I < 25; ++I)
    H.everyWarp(M, [&](unsigned, unsigned L) { return 4 * ((L + I) % 25); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, AReductionTreeFindsNothing) {
  HandMadeHeat H(8, 64);
  const uint32_t In = H.object("in"), Out = H.object("out"),
                 S = H.array("sums", "float[256]", 1024);
  const uint32_t LoadIn = H.site(In, Load, 5), Init = H.site(S, Store, 5),
                 Other = H.site(S, Load, 7, 4, 20), Own = H.site(S, Load, 7, 4, 10),
                 Sum = H.site(S, Store, 7), Last = H.site(S, Load, 9),
                 StoreOut = H.site(Out, Store, 9);
  const auto Thread = [](unsigned W, unsigned L) { return 32 * W + L; };
  for (uint32_t Site : {LoadIn, Init})
    H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * Thread(W, L); });
  for (unsigned Distance = 128; Distance > 0; Distance /= 2) {
    const auto At = [&](unsigned Further) {
      return [&, Further](unsigned W, unsigned L) -> std::optional<uint64_t> {
        return Thread(W, L) < Distance ? std::optional<uint64_t>(4 * (Thread(W, L) + Further))
                                       : std::nullopt;
      };
    };
    H.everyWarp(Other, At(Distance));
    H.everyWarp(Own, At(0));
    H.everyWarp(Sum, At(0));
  }
  const auto First = [](unsigned L) -> std::optional<uint64_t> {
    return L == 0 ? std::optional<uint64_t>(0) : std::nullopt;
  };
  H.request(Last, 0, First);
  H.request(StoreOut, 0, First);
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, ResultsOfWarpsAreNotFalselyShared) {
  // The first lane of each warp stores the warp's sum.
  HandMadeHeat H(8);
  const uint32_t Out = H.object("out");
  const uint32_t Site = H.site(Out, Store, 9);
  for (unsigned I = 0; I < 8; ++I)
    H.everyWarp(Site, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      return L == 0 ? std::optional<uint64_t>(4 * (8 * I + W)) : std::nullopt;
    });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, AStencilIsNotMisaligned) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x"), Y = H.object("y");
  const uint32_t Left = H.site(X, Load, 6, 4, 10), Middle = H.site(X, Load, 6, 4, 20),
                 Right = H.site(X, Load, 6, 4, 30), Up = H.site(X, Load, 7, 4, 10),
                 Down = H.site(X, Load, 7, 4, 20), Write = H.site(Y, Store, 6);
  constexpr unsigned N = 64;
  const std::pair<uint32_t, int> Offsets[] = {
      {Left, -1}, {Middle, 0}, {Right, 1}, {Up, -int(N)}, {Down, int(N)}};
  for (auto [Site, Offset] : Offsets)
    H.everyWarp(Site, [&, O = Offset](unsigned W, unsigned L) {
      return wordAt(int((W + 1) * N + L + 8) + O);
    });
  H.everyWarp(Write, [&](unsigned W, unsigned L) { return 4 * ((W + 1) * N + L + 8); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, AStencilAtTheBorder) {
  // The first thread has no left neighbour: of the three loads, only the right one is misaligned.
  HandMadeHeat H(1);
  const uint32_t X = H.object("x");
  const uint32_t Left = H.site(X, Load, 6, 4, 10), Middle = H.site(X, Load, 6, 4, 20),
                 Right = H.site(X, Load, 6, 4, 30);
  for (auto [Site, Offset] : {std::pair(Left, -1), {Middle, 0}, {Right, 1}})
    H.request(Site, 0, [O = Offset](unsigned L) -> std::optional<uint64_t> {
      return L == 0 ? std::nullopt : std::optional<uint64_t>(wordAt(int(L) + O));
    });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, AWindowThatSlidesIsNotMisaligned) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 6);
  for (unsigned I = 0; I < 9; ++I)
    H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * (32 * W + L + I); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, ATileWithItsHalo) {
  // 16 x 16 threads: each loads its element, and those at the border load the halo. Rows have 48
  // elements, so that the two rows of a warp lie in different banks.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x"), Tile = H.array("tile", "float[18][48]", 18 * 48 * 4),
                 Y = H.object("y");
  const uint32_t Own = H.site(X, Load, 6), OwnTile = H.site(Tile, Store, 6),
                 West = H.site(X, Load, 7), East = H.site(X, Load, 8), North = H.site(X, Load, 9),
                 South = H.site(X, Load, 10), Use = H.site(Tile, Load, 12),
                 Write = H.site(Y, Store, 12);
  constexpr unsigned N = 64;
  const auto At = [](int Row, int Column) { return wordAt((Row + 16) * int(N) + Column + 16); };
  const auto Load = [&](uint32_t Site, auto Wants, int Down, int Right) {
    H.everyWarp(Site, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      const int Y = int(2 * W + L / 16), X = int(L % 16);
      return Wants(Y, X) ? std::optional<uint64_t>(At(Y + Down, X + Right)) : std::nullopt;
    });
  };
  Load(Own, [](int, int) { return true; }, 0, 0);
  Load(Write, [](int, int) { return true; }, 0, 0);
  Load(West, [](int, int X) { return X == 0; }, 0, -1);
  Load(East, [](int, int X) { return X == 15; }, 0, 1);
  Load(North, [](int Y, int) { return Y == 0; }, -1, 0);
  Load(South, [](int Y, int) { return Y == 15; }, 1, 0);
  const auto InTile = [](unsigned W, unsigned L, int Down, int Right) {
    return wordAt(int(2 * W + L / 16 + 1) * 48 + int(L % 16) + 1 + Down * 48 + Right);
  };
  H.everyWarp(OwnTile, [&](unsigned W, unsigned L) { return InTile(W, L, 0, 0); });
  for (auto [Down, Right] : {std::pair(0, 0), {0, -1}, {0, 1}, {-1, 0}, {1, 0}})
    H.everyWarp(Use,
                [&, D = Down, R = Right](unsigned W, unsigned L) { return InTile(W, L, D, R); });
  EXPECT_EQ(found(H), Names{});
}

namespace {

/// Transposes 32 x 32 elements with a block of 8 warps, through an array with rows of Pitch
/// elements, or directly if Pitch is 0.
Names transposition(unsigned Pitch) {
  HandMadeHeat H(8);
  const uint32_t In = H.object("in"), Out = H.object("out");
  const uint32_t Tile =
      Pitch ? H.array("tile", fmt::format("float[32][{}]", Pitch), 128u * Pitch) : 0;
  const uint32_t LoadIn = H.site(In, Load, 6), StoreOut = H.site(Out, Store, 9);
  const uint32_t ToTile = Pitch ? H.site(Tile, Store, 6) : 0,
                 OfTile = Pitch ? H.site(Tile, Load, 9) : 0;
  constexpr unsigned N = 64;
  for (unsigned I = 0; I < 32; I += 8) {
    H.everyWarp(LoadIn, [&](unsigned W, unsigned L) { return 4 * ((W + I) * N + L); });
    if (Pitch) {
      H.everyWarp(ToTile, [&](unsigned W, unsigned L) { return 4 * ((W + I) * Pitch + L); });
      H.everyWarp(OfTile, [&](unsigned W, unsigned L) { return 4 * (L * Pitch + W + I); });
    }
    H.everyWarp(StoreOut, [&](unsigned W, unsigned L) {
      return Pitch ? 4 * ((W + I) * N + L) : 4 * (L * N + W + I);
    });
  }
  return found(H);
}

} // namespace

TEST(HeatPatterns, Transpositions) {
  EXPECT_EQ(transposition(33), Names{});
  EXPECT_EQ(transposition(32), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(transposition(0), Names{"false_sharing out:9"});
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(HeatPatterns, BankConflictsAndTheirRemedy) {
  HandMadeHeat H(8, 2);
  const uint32_t Tile = H.array("tile", "float[32][32]", 4096);
  const uint32_t Column = H.site(Tile, Load, 9), Row = H.site(Tile, Store, 6);
  H.everyWarp(Row, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  H.everyWarp(Column, [](unsigned W, unsigned L) { return 4 * (32 * L + W); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
  const Finding &F = Found[0];
  EXPECT_EQ(F.Origin, "gmprof");
  EXPECT_EQ(whole(F, "requests"), 8u);
  EXPECT_EQ(real(F, "wavefronts_per_request"), 32);
  EXPECT_EQ(real(F, "ideal_wavefronts_per_request"), 1);
  EXPECT_EQ(whole(F, "needless_wavefronts"), 2u * 8 * 31);
  EXPECT_EQ(whole(F, "stride_bytes"), 128u);
  EXPECT_NE(F.Suggestion.find("float tile[32][33]"), std::string::npos) << F.Suggestion;
}

// Counters of a byte each, a row for each lane: rows that are one byte longer would still put four
// lanes into one bank.
TEST(HeatPatterns, RowsOfBytesArePaddedByAWord) {
  const auto Remedy = [](unsigned ZeroedBytes) {
    HandMadeHeat H(1);
    const uint32_t Counters = H.array("cnt", "unsigned char[32][256]", 8192, 1);
    const uint32_t Zero = H.site(Counters, Store, 6, ZeroedBytes),
                   Count = H.site(Counters, Load, 9, 1);
    H.everyWarp(Zero, [&](unsigned, unsigned L) { return ZeroedBytes * L; });
    for (uint32_t Bin = 0; Bin < 32; ++Bin)
      H.everyWarp(Count, [&](unsigned, unsigned L) { return 256 * L + Bin; });
    const std::vector<Finding> Found = findingsOf(H);
    EXPECT_EQ(names(Found), Names{"bank_conflict/load cnt:9"});
    return Found.empty() ? "" : Found[0].Suggestion;
  };
  const std::string Pad = "Pad each row by 4 elements (unsigned char cnt[32][260]), so that the "
                          "words of a column lie in different banks.";
  EXPECT_EQ(Remedy(1), Pad);
  EXPECT_EQ(Remedy(4),
            Pad + " Accesses of several elements (k.cu:6) must use the new row length, too.");
  // They would not be aligned.
  EXPECT_EQ(Remedy(16),
            "Let the lanes of a warp access words of different banks: consecutive words, an odd "
            "stride in words, or a swizzled index (column ^ row).");
}

namespace {

/// The finding about a block of 8 warps that reads columns of an array with rows of 64 elements of
/// two bytes and padding.
std::vector<Finding> columnsOfShorts(unsigned Pitch) {
  HandMadeHeat H(8);
  const uint32_t Tile = H.array("tile", fmt::format("short[64][{}]", Pitch), 128u * Pitch, 2);
  const uint32_t Column = H.site(Tile, Load, 9, 2);
  H.everyWarp(Column, [&](unsigned W, unsigned L) { return 2 * (Pitch * L + W); });
  return findingsOf(H);
}

} // namespace

// One more element of two bytes moves every second row by a bank only: 65 * L / 2 of even and odd L
// meet in one bank. With two more, rows are 33 words apart.
TEST(HeatPatterns, RowsOfSmallElementsArePaddedByAWord) {
  const std::vector<Finding> Found = columnsOfShorts(64);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(real(Found[0], "wavefronts_per_request"), 32);
  EXPECT_EQ(Found[0].Suggestion, "Pad each row by 2 elements (short tile[64][66]), so that the "
                                 "words of a column lie in different banks.");
  const std::vector<Finding> Narrow = columnsOfShorts(65);
  ASSERT_EQ(names(Narrow), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(real(Narrow[0], "wavefronts_per_request"), 2);
  EXPECT_EQ(names(columnsOfShorts(66)), Names{});
}

TEST(HeatPatterns, BankConflictsOfBarriers) {
  HandMadeHeat H(8);
  const uint32_t Barriers = H.array("barriers", "uint64_t[32][16]", 4096);
  const uint32_t Arrive = H.site(Barriers, GMPROF_ACCESS_BARRIER, 7);
  H.everyWarp(Arrive, [](unsigned, unsigned L) { return 128 * L; });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/atomic barriers:7"});
  EXPECT_TRUE(Found[0].Message.starts_with("32 wavefronts/request (ideal "));
  EXPECT_TRUE(Found[0].Message.ends_with(
      "): lanes of a warp update different words of one bank of `barriers`."));
}

TEST(HeatPatterns, SharedMemoryOfThreads) {
  // Y_shr[y] = 0; Y_shr[y] += …, each by one thread.
  HandMadeHeat H(8);
  const uint32_t Y = H.array("Y_shr", "float[256]", 1024);
  const uint32_t Init = H.site(Y, Store, 5), Read = H.site(Y, Load, 6), Write = H.site(Y, Store, 6);
  for (uint32_t Site : {Init, Read, Write})
    H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"shared_memory_abuse/thread_local Y_shr:8"});
  EXPECT_EQ(whole(Found[0], "words_of_one_thread"), 256u);
  EXPECT_EQ(real(Found[0], "words_per_thread"), 1);
  EXPECT_EQ(Found[0].BytesSaved, 1024u);
}

TEST(HeatPatterns, SharedMemoryOfWarps) {
  // One lane of each warp stores a word that all its lanes load.
  HandMadeHeat H(8);
  const uint32_t S = H.array("base", "int[8]", 32);
  const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6);
  H.everyWarp(Write, [](unsigned W, unsigned L) -> std::optional<uint64_t> {
    return L == 31 ? std::optional<uint64_t>(4 * W) : std::nullopt;
  });
  H.everyWarp(Read, [](unsigned W, unsigned) { return 4 * W; });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"shared_memory_abuse/warp_local base:8"});
  EXPECT_EQ(whole(Found[0], "words_of_one_warp"), 8u);
}

TEST(HeatPatterns, BlocksOfOneWarp) {
  // A broadcast word is reported in such blocks too; a transposed tile is not.
  for (bool Whole : {false, true}) {
    HandMadeHeat H(1);
    const uint32_t S = H.array("s", Whole ? "float[32][33]" : "float", Whole ? 32 * 33 * 4 : 4);
    const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6);
    for (unsigned I = 0; I < (Whole ? 32 : 1); ++I) {
      H.request(Write, 0, [&](unsigned L) -> std::optional<uint64_t> {
        return Whole || L == 0 ? std::optional<uint64_t>(4 * (33 * I + L)) : std::nullopt;
      });
      H.request(Read, 0, [&](unsigned L) { return Whole ? 4 * (33 * L + I) : 0; });
    }
    EXPECT_EQ(found(H), Whole ? Names{} : Names{"shared_memory_abuse/warp_local s:8"});
  }
}

TEST(HeatPatterns, NecessarySharedMemoryIsNoAbuse) {
  for (GmprofAccessKind Kind : {GMPROF_ACCESS_ASYNC_FROM, GMPROF_ACCESS_ASYNC_TO,
                                GMPROF_ACCESS_MATRIX, GMPROF_ACCESS_BARRIER, GMPROF_ACCESS_LOAD}) {
    HandMadeHeat H(8);
    const uint32_t S = H.array("s", "float[256]", 1024);
    const uint32_t Needs = H.site(S, Load, 5), Write = H.site(S, Store, 4);
    H.desc().Sites[Needs].Kind = Kind;
    for (uint32_t Site : {Write, Needs})
      H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    EXPECT_EQ(found(H),
              Kind == GMPROF_ACCESS_LOAD ? Names{"shared_memory_abuse/thread_local s:8"} : Names{})
        << Kind;
  }
}

TEST(HeatPatterns, WordsThatAreOnlyWritten) {
  HandMadeHeat H(8);
  const uint32_t S = H.array("s", "float[256]", 1024);
  const uint32_t Write = H.site(S, Store, 5);
  H.everyWarp(Write, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  EXPECT_EQ(found(H), Names{});
}

//===----------------------------------------------------------------------===//
// Merging of launches and objects
//===----------------------------------------------------------------------===//

// Findings do not depend on how the compiler inlined the function.
TEST(HeatPatterns, InlinedCallsAreOneAccess) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  H.desc().Inlines.resize(2);
  for (uint32_t Call : {0u, 1u}) {
    const uint32_t Site = H.site(X, Load, 6);
    H.desc().Sites[Site].InlinedAt = Call;
    for (unsigned Time = 0; Time <= Call; ++Time)
      H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  }
  H.done();
  const std::vector<LaunchHeat> Uses = heatUse(H.P);
  ASSERT_EQ(Uses.at(0).Accesses.size(), 1u);
  const HeatAccess &A = Uses[0].Accesses[0];
  EXPECT_EQ(A.Instructions, 2u);
  EXPECT_EQ(A.Requests.requests, 24u);
  ASSERT_EQ(A.Inlined.size(), 2u);
  EXPECT_EQ(A.Inlined.at(0).requests, 8u);
  EXPECT_EQ(A.Inlined.at(1).requests, 16u);
  EXPECT_EQ(A.Inlined.at(1).sectors, 64u);
}

TEST(HeatPatterns, ObjectsThatNoVariableNames) {
  // One of two objects accessed from one line is known; the other site accesses the other object.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x"), Y = H.object("");
  const uint32_t OfX = H.site(X, Load, 6, 4, 10), OfY = H.site(Y, Load, 6, 4, 20);
  H.everyWarp(OfX, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  H.everyWarp(OfY, [](unsigned W, unsigned L) { return 4 * (32 * W + L + 1); });
  H.done();
  H.P.Heat[0].Objects[Y] = 0;
  H.desc().Sites[OfY].Variable = profile::None;
  const std::vector<LaunchHeat> Uses = heatUse(H.P);
  ASSERT_EQ(Uses.size(), 1u);
  ASSERT_EQ(Uses[0].Objects.size(), 2u);
  ASSERT_EQ(Uses[0].Objects[1].Accesses.size(), 1u);
  EXPECT_EQ(Uses[0].Accesses[Uses[0].Objects[1].Accesses[0]].Requests.misaligned, 8u);
  const std::vector<Finding> Found = heatFindings(H.P, Uses);
  ASSERT_EQ(names(Found), Names{"misaligned_access/offset :6"});
  EXPECT_EQ(Found[0].ObjectId, 2u);
  EXPECT_EQ(Found[0].Message.find("64 of"), std::string::npos);
  EXPECT_NE(Found[0].Message.find("an allocation of 16 MiB"), std::string::npos);
}

TEST(HeatPatterns, InstructionsOfAnUnrolledLoopAreOneAccess) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  for (unsigned I = 0; I < 4; ++I)
    H.everyWarp(H.site(X, Load, 6),
                [&](unsigned W, unsigned L) { return 4 * (256 * I + 32 * W + L + 3); });
  const std::vector<LaunchHeat> Uses = heatUse(H.done());
  ASSERT_EQ(Uses[0].Accesses.size(), 1u);
  EXPECT_EQ(Uses[0].Accesses[0].Instructions, 4u);
  EXPECT_EQ(Uses[0].Accesses[0].Requests.requests, 32u);
  EXPECT_EQ(Uses[0].Sectors, 32u * 5);
  EXPECT_EQ(names(heatFindings(H.P, Uses)), Names{"misaligned_access/offset x:6"});
}

TEST(HeatPatterns, TheWorstLaunchGivesTheNumbers) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  H.launch(3);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  H.launch();
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"false_sharing x:20"});
  EXPECT_EQ(whole(Found[0], "blocks_launched"), 3u);
  EXPECT_EQ(whole(Found[0], "launches"), 2u);
  EXPECT_EQ(whole(Found[0], "launches_sampled"), 3u);
  EXPECT_EQ(Found[0].Fingerprint.size(), 16u);
}
