//===- AlignedAccessTest.cpp - Accesses that are aligned enough -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

// Lanes read every third byte: consecutive words, but not consecutive bytes.
TEST(HeatPatterns, BytesWithGapsAreNotMisaligned) {
  HandMadeHeat H(8);
  const uint32_t In = H.object("in");
  const uint32_t Site = H.site(In, Load, 6, 1);
  H.everyWarp(Site, [](unsigned W, unsigned L) { return 1 + 96 * W + 3 * L; });
  for (const Finding &F : findingsOf(H))
    EXPECT_NE(F.Pattern, "misaligned_access");
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
