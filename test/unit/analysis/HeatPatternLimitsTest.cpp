//===- HeatPatternLimitsTest.cpp - Accesses that are like a pattern -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"
#include <fmt/format.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

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

/// Warp w accesses word w of each of 32 sectors, and two warps each word of 32 others, if they are
/// Unlike.
static HandMadeHeat sharedByWarps(bool Unlike) {
  HandMadeHeat H(8, 4);
  const uint32_t X = H.object("x", 2048);
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  H.everyWarp(Site, [&](unsigned W, unsigned Lane) {
    return 4 * (8 * (32 + Lane) + (Unlike ? W / 2 : W));
  });
  return H;
}

// Words of one temperature are those of columns; words of several are no pattern of an index: the
// mean of 256 words of temperature 1 and 128 of 2 is 4/3, the standard deviation sqrt(2)/3.
TEST(HeatPatterns, WordsOfUnlikeTemperaturesAreNotFalselyShared) {
  for (const bool Unlike : {false, true}) {
    HandMadeHeat H = sharedByWarps(Unlike);
    const std::vector<LaunchHeat> Uses = heatUse(H.done());
    EXPECT_EQ(falselySharedSectors(Uses[0], Uses[0].Objects[0]), Unlike ? 0u : 64u);
    EXPECT_EQ(falseSharing(Uses[0], Uses[0].Objects[0]).has_value(), !Unlike);
  }
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

TEST(HeatPatterns, CountersOfWarpsAreFalselyShared) {
  // The first lane of each warp loads and stores the warp's counter in each of 64 steps.
  HandMadeHeat H(8);
  const uint32_t Busy = H.object("busy");
  const uint32_t Read = H.site(Busy, Load, 9, 4, 10), Write = H.site(Busy, Store, 9, 4, 20);
  for (unsigned Step = 0; Step < 64; ++Step)
    for (uint32_t Site : {Read, Write})
      H.everyWarp(Site, [](unsigned W, unsigned L) -> std::optional<uint64_t> {
        return L == 0 ? std::optional<uint64_t>(4 * W) : std::nullopt;
      });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"false_sharing/counter busy:9"});
  EXPECT_EQ(Found[0].Level, Severity::Medium);
  EXPECT_EQ(real(Found[0], "updates_per_warp"), 128);
  EXPECT_EQ(Found[0].Message, "8 warps of a block share each sector of `busy`: one lane of each "
                              "accesses the warp's own word 128 times.");
  EXPECT_EQ(Found[0].Suggestion,
            "Keep the word in a register and store it after the loop, provided that nothing else "
            "reads it before; or give the word of each warp a sector (32 bytes) of its own.");
}

// 16 x 16 threads store four bytes each, one after the other (a pixel), in two rows per warp.
TEST(HeatPatterns, BytesOfAPixel) {
  for (bool AsOne : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t Out = H.object("out");
    for (unsigned Byte = 0; Byte < (AsOne ? 1u : 4u); ++Byte) {
      const uint32_t Site = H.site(Out, Store, 9 + Byte, AsOne ? 4 : 1);
      H.everyWarp(Site, [&](unsigned W, unsigned L) {
        return 4096 * (2 * W + L / 16) + 4 * (L % 16) + Byte;
      });
    }
    const std::vector<Finding> Found = findingsOf(H);
    if (AsOne) {
      EXPECT_EQ(names(Found), Names{});
      continue;
    }
    ASSERT_EQ(names(Found), Names{"strided_access/per_thread out:9"});
    EXPECT_EQ(Found[0].Level, Severity::Low);
    EXPECT_EQ(Found[0].Message,
              "Each thread accesses its own piece of `out`: a request uses a part of each sector, "
              "and other requests of the warp the rest, 4 sectors/request (ideal 1).");
  }
}

// Data selects one of 16 bins of a thread's histogram: no vector access covers them.
TEST(HeatPatterns, BinsOfThreads) {
  HandMadeHeat H(8);
  const uint32_t Copies = H.object("copies");
  const uint32_t Site = H.site(Copies, Store, 7);
  for (unsigned Step = 0; Step < 16; ++Step)
    H.everyWarp(Site, [&](unsigned W, unsigned L) {
      return 64 * (32 * W + L) + 4 * ((Step + L * L * 5) % 16);
    });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/per_thread copies:7"});
  EXPECT_EQ(Found[0].Suggestion,
            "Interleave the pieces so that consecutive threads access consecutive words (a "
            "structure of arrays for an array of structures); or let the warp load consecutive "
            "words to shared memory, and read the pieces there.");
}

// Each thread reads a row of its own, of another length than the others; or each warp reads one,
// which begins inside a sector.
TEST(HeatPatterns, RowsOfDifferentLengths) {
  const auto LengthOf = [](unsigned Row) { return 40 + Row * 13 % 17; };
  for (bool OfThread : {true, false}) {
    HandMadeHeat H(8);
    const uint32_t Values = H.object("values"), Site = H.site(Values, Load, 7);
    std::vector<unsigned> Begin = {0};
    for (unsigned Row = 0; Row < 256; ++Row)
      Begin.push_back(Begin.back() + LengthOf(Row));
    for (unsigned Step = 0; Step < 64; ++Step)
      H.everyWarp(Site, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
        const unsigned Row = OfThread ? 32 * W + L : W;
        const unsigned I = Begin[Row] + (OfThread ? Step : 32 * Step + L);
        return I < Begin[Row + 1] ? std::optional<uint64_t>(4 * I) : std::nullopt;
      });
    const std::vector<Finding> Found = findingsOf(H);
    EXPECT_EQ(names(Found), Names{OfThread ? "strided_access/per_thread values:7"
                                           : "misaligned_access/offset values:7"});
    if (!OfThread)
      continue;
    // Rows of 48 floats on average are more than caches hold for all threads.
    EXPECT_EQ(Found[0].Level, Severity::Medium);
    EXPECT_EQ(Found[0].Suggestion,
              "Let the threads of a warp work on one piece together, one word each; or interleave "
              "the pieces so that consecutive threads access consecutive words.");
  }
}

// Each thread reads two floats, one after the other; or structures of three or of 64 floats.
TEST(HeatPatterns, TheRemedyOfPiecesDependsOnTheirSize) {
  const auto SuggestionFor = [](unsigned Floats) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    for (unsigned I = 0; I < Floats; ++I) {
      const uint32_t Site = H.site(In, Load, 6, 4, 1 + I);
      H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * (Floats * (32 * W + L) + I); });
    }
    const std::vector<Finding> Found = findingsOf(H);
    return Found.size() == 1 ? Found[0].Suggestion : std::to_string(Found.size());
  };
  EXPECT_EQ(SuggestionFor(2), "Access the 2 elements of a thread by one vector load or store "
                              "(float2, int2), provided that they begin at a multiple of 8 bytes.");
  EXPECT_EQ(SuggestionFor(3).substr(0, 58),
            "Interleave the pieces so that consecutive threads access c");
  EXPECT_EQ(SuggestionFor(64).substr(0, 54),
            "Let the threads of a warp work on one piece together, ");
}

// Thread i compares a[i] with the element at a distance: 1 in the first launch, so that a thread
// has two adjacent elements. In the others they are apart, unless these launches are the same.
TEST(HeatPatterns, VectorAccessesNeedTheSameStrideInAllLaunches) {
  for (const unsigned Other : {1u, 64u}) {
    HandMadeHeat H(8);
    const uint32_t A = H.object("a");
    const uint32_t First = H.site(A, Load, 6, 4, 1), Second = H.site(A, Load, 6, 4, 2);
    for (unsigned Launch = 0; Launch < 3; ++Launch) {
      if (Launch != 0)
        H.launch();
      const unsigned Distance = Launch == 0 ? 1 : Other;
      const auto Lower = [=](unsigned W, unsigned L) {
        const unsigned Thread = 32 * W + L;
        return Thread / Distance * 2 * Distance + Thread % Distance;
      };
      H.everyWarp(First, [&](unsigned W, unsigned L) { return 4 * Lower(W, L); });
      H.everyWarp(Second, [&](unsigned W, unsigned L) { return 4 * (Lower(W, L) + Distance); });
    }
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"strided_access/per_thread a:6"});
    const std::string Same = "Each thread accesses its own piece of `a`, with a stride of 8 bytes "
                             "between threads, 8 sectors/request (ideal 4).";
    if (Other == 1) {
      EXPECT_EQ(Found[0].Message, Same);
      EXPECT_EQ(Found[0].Suggestion,
                "Access the 2 elements of a thread by one vector load or store (float2, int2), "
                "provided that they begin at a multiple of 8 bytes.");
      continue;
    }
    EXPECT_EQ(Found[0].Message, Same + " 1 of the 3 sampled launches that access it does so.");
    EXPECT_EQ(Found[0].Suggestion,
              "Where a thread's elements are adjacent, let consecutive threads move consecutive "
              "elements between device memory and shared memory, and access the pieces there.");
  }
}

// A few lanes of each warp read elements that are far apart, as after a test that most lanes fail.
TEST(HeatPatterns, AFewLanesHaveNoStride) {
  for (const unsigned Lanes : {3u, 8u}) {
    HandMadeHeat H(8);
    const uint32_t A = H.object("a"), Site = H.site(A, Load, 6);
    for (unsigned I = 0; I < 8; ++I)
      H.everyWarp(Site, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
        return L < Lanes ? std::optional<uint64_t>(32 * (32 * W + L) + 4 * I) : std::nullopt;
      });
    EXPECT_EQ(found(H), Lanes == 8 ? Names{"strided_access/per_thread a:6"} : Names{});
  }
}

// Threads add to every seventh counter: several threads share each, and none can be staged.
TEST(HeatPatterns, AtomicsHaveNoPiecesOfThreads) {
  for (GmprofAccessKind Kind : {Load, Atomic}) {
    HandMadeHeat H(8);
    const uint32_t Bins = H.object("bins");
    const uint32_t Site = H.site(Bins, Kind, 6);
    H.everyWarp(Site, [&](unsigned W, unsigned L) { return 4 * ((32 * W + L) * 7 % 1024); });
    EXPECT_EQ(found(H), Kind == Atomic ? Names{} : Names{"strided_access/per_thread bins:6"});
  }
}

// Each thread reads 32 or 16 bytes, float by float in the source, which the machine code joins into
// instructions of Width bytes.
TEST(HeatPatterns, NoVectorLoadsWhereTheMachineCodeHasThem) {
  const auto SuggestionFor = [](unsigned Piece, unsigned Width) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    for (unsigned At = 0; At < Piece; At += Width) {
      const uint32_t Site = H.site(In, Load, 6, 4, 1 + At);
      H.everyWarp(Site, [&](unsigned W, unsigned L) { return Piece * (32 * W + L) + At; }, Width);
    }
    const std::vector<Finding> Found = findingsOf(H);
    return Found.size() == 1 ? Found[0].Suggestion : std::to_string(Found.size());
  };
  const std::string Interleave =
      "Interleave the pieces so that consecutive threads access consecutive words (a structure of "
      "arrays for an array of structures); or let the warp load consecutive words to shared "
      "memory, and read the pieces there.";
  EXPECT_EQ(SuggestionFor(16, 4), "Access the 4 elements of a thread by one vector load or store "
                                  "(float4, int4), provided that they begin at a multiple of 16 "
                                  "bytes.");
  EXPECT_EQ(SuggestionFor(16, 8), Interleave);
  EXPECT_EQ(SuggestionFor(16, 16), "0"); // consecutive
  EXPECT_EQ(SuggestionFor(32, 16), Interleave);
}

// Offsets of rows can be stored in pairs. A pair of a grid's elements would store each of them
// twice.
TEST(HeatPatterns, NeighboursInAGridAreNoPairs) {
  for (const char *Type : {"int const", "float const", "double"}) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    H.P.Kernels[0].Demangled = std::string("k(") + Type + "*)";
    H.desc().Variables[In].Parameter = 0;
    const uint32_t Own = H.site(In, Load, 6, 4, 1), Next = H.site(In, Load, 6, 4, 2);
    for (const uint32_t Site : {Own, Next})
      H.everyWarp(
          Site, [&](unsigned W, unsigned L) { return 4 * (32 * W + L + (Site == Next ? 1 : 0)); });
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"misaligned_access/neighbour in:6"});
    EXPECT_EQ(Found[0].Suggestion.starts_with("Store the two elements"),
              Type == std::string("int const"));
  }
}

// Each thread loads the key of its pair, and stores the value: no instruction can do both.
TEST(HeatPatterns, ALoadAndAStoreAreNoVector) {
  for (const bool LoadsBoth : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t Pairs = H.object("pairs");
    const auto Member = [&](unsigned Index) {
      return [=](unsigned W, unsigned L) { return 8 * (32 * W + L) + 4 * Index; };
    };
    H.everyWarp(H.site(Pairs, Load, 6), Member(0));
    H.everyWarp(H.site(Pairs, LoadsBoth ? Load : GMPROF_ACCESS_STORE, 7), Member(1));
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"strided_access/per_thread pairs:6"});
    EXPECT_EQ(Found[0].Suggestion.starts_with("Access the 2 elements of a thread by one vector"),
              LoadsBoth);
    EXPECT_EQ(Found[0].Suggestion.starts_with("Interleave the pieces"), !LoadsBoth);
  }
}

// Each thread reads its pair of floats and that of the next thread, each by one instruction
// already.
TEST(HeatPatterns, NoVectorLoadsOfNeighboursWhereTheMachineCodeHasThem) {
  for (const unsigned Width : {4u, 8u}) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    const uint32_t Own = H.site(In, Load, 6, 4, 1), Next = H.site(In, Load, 6, 4, 2);
    for (const uint32_t Site : {Own, Next})
      H.everyWarp(
          Site,
          [&](unsigned W, unsigned L) { return Width * (32 * W + L + (Site == Next ? 1 : 0)); },
          Width);
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"misaligned_access/neighbour in:6"});
    EXPECT_EQ(Found[0].Suggestion,
              Width == 8
                  ? "Take the neighbour's element from the adjacent lane (__shfl_up_sync for "
                    "x[i - 1], __shfl_down_sync for x[i + 1]), and load it where no active lane of "
                    "the warp has it."
                  : "Store the two elements that a thread reads side by side, so that one vector "
                    "load (int2, float2) reads both; or take the neighbour's element from the "
                    "adjacent lane (__shfl_up_sync for x[i - 1], __shfl_down_sync for x[i + 1]), "
                    "and load it where no active lane of the warp has it.");
  }
}

// Each thread copies a float4 by one assignment, which clang compiles to instructions of 4 bytes;
// or nothing tells the machine code.
TEST(HeatPatterns, CopiesThatClangSplits) {
  for (const bool Known : {true, false}) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    const uint32_t Site = H.site(In, GMPROF_ACCESS_COPY_FROM, 6, 16);
    H.desc().Sites[Site].MachineWidth = Known;
    for (unsigned At = 0; At < 16; At += 4)
      H.everyWarp(Site, [&](unsigned W, unsigned L) { return 16 * (32 * W + L) + At; }, 4);
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"strided_access/per_thread in:6"});
    const std::string Message =
        "Each thread accesses its own piece of `in`, with a stride of 16 bytes between threads, 16 "
        "sectors/request (ideal 4).";
    if (!Known) {
      EXPECT_EQ(Found[0].Message, Message);
      EXPECT_EQ(Found[0].Suggestion.substr(0, 21), "Interleave the pieces");
      continue;
    }
    EXPECT_EQ(
        Found[0].Message,
        Message +
            " clang splits this copy of 16 bytes into 4 accesses of 4 bytes; nvcc makes one.");
    EXPECT_EQ(Found[0].Suggestion,
              "Copy the members one by one instead of the whole structure (float4: "
              "make_float4(v.x, v.y, v.z, v.w)), provided that its type is aligned to 16 bytes: "
              "clang then makes one access of 16 bytes.");
  }
}

// Tiles of a matrix, two rows of 16 float4 per warp: split copies need 16 sectors, but other parts
// use the rest of these. Where the rows are not whole sectors apart, the indices are the cause.
TEST(HeatPatterns, CopiesOfRowsThatClangSplits) {
  for (const unsigned Distance : {16u, 48u}) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    const uint32_t Site = H.site(In, GMPROF_ACCESS_COPY_FROM, 6, 16);
    H.desc().Sites[Site].MachineWidth = true;
    H.desc().HeatForms.emplace_back().Site = Site;
    for (unsigned At = 0; At < 16; At += 4)
      H.everyWarp(
          Site,
          [&](unsigned W, unsigned L) {
            return 1024 * (2 * W + L / 16) + uint64_t(Distance) * (L % 16) + At;
          },
          4);
    H.done();
    H.P.Heat[0].ClosedForms = true;
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"uncoalesced_access/load in:6"});
    EXPECT_NE(Found[0].Message.find("clang splits this copy of 16 bytes into 4 accesses of 4"),
              std::string::npos);
    EXPECT_EQ(Found[0].Level, Distance == 16 ? Severity::Low : Severity::High);
    EXPECT_EQ(Found[0].Suggestion.starts_with("Copy the members one by one"), Distance == 16);
  }
}

// Blocks read labels[blockIdx.x + 16 k]: other blocks use the rest of the sector.
TEST(HeatPatterns, AGridStrideOfBlocksIsNoStride) {
  for (unsigned Stride : {16u, 32u}) {
    HandMadeHeat H(8, 16);
    const uint32_t Labels = H.object("labels");
    const uint32_t Site = H.site(Labels, Load, 6);
    for (unsigned K = 0; K < 64; ++K)
      H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * Stride * K; });
    EXPECT_EQ(found(H),
              Stride == 16 ? Names{} : Names{"strided_access/across_iterations labels:6"});
  }
}

// The first of two channels: a thread accesses one byte of two. If it accesses both, one vector
// load reads them.
TEST(HeatPatterns, AChannelIsNoPieceOfAThread) {
  for (const unsigned Channels : {1u, 2u}) {
    HandMadeHeat H(8);
    const uint32_t In = H.object("in");
    for (unsigned Channel = 0; Channel < Channels; ++Channel) {
      const uint32_t Site = H.site(In, Load, 6, 1, 10 * (Channel + 1));
      H.everyWarp(Site, [&](unsigned W, unsigned L) { return 64 * W + 2 * L + Channel; });
    }
    EXPECT_EQ(found(H), Channels == 1 ? Names{} : Names{"strided_access/per_thread in:6"});
  }
}

// A thread stores 8 adjacent words of its row by two vector stores, and the threads of a warp cover
// two rows: no stride, and swapping indices would not help. With rows of a word per thread, other
// warps use the rest of the sectors.
TEST(HeatPatterns, VectorsOfAThreadAreItsPiece) {
  HandMadeHeat H(8);
  const uint32_t C = H.object("c");
  const uint32_t Low = H.site(C, Store, 6, 16, 10), High = H.site(C, Store, 6, 16, 20);
  for (const auto &[Site, At] : {std::pair(Low, 0u), {High, 16u}})
    H.everyWarp(
        Site,
        [Offset = At](unsigned W, unsigned L) {
          return 2048 * (2 * W + L / 16) + 32 * (L % 16) + Offset;
        },
        16);
  H.done();
  H.P.Heat[0].ClosedForms = true;
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/per_thread c:6"});
  EXPECT_EQ(Found[0].Suggestion.find("Swap"), std::string::npos);
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
  EXPECT_EQ(transposition(0), Names{"uncoalesced_access/store out:9"});
}
