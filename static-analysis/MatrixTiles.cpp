//===- MatrixTiles.cpp - Tiles that wmma.load and wmma.store access -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas makes mma instructions of wmma.mma, and loads and stores fragments in the order of their
// operands (PTX ISA, "Matrix Fragments for mma"): lane l holds row l / 4 and neighbouring columns
// from l % 4 on. If neighbours in memory are in one register, four lanes share a row in memory; if
// not, eight do, with an element each. ptxas 13.0 for sm_90 does so for f16, bytes and sums.
//
//===----------------------------------------------------------------------===//

#include "MemoryInstructions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gmprof;

namespace {

/// Shape of wmma instructions: m16n16k16.
struct MatrixShape {
  unsigned M = 0, N = 0, K = 0;
};

} // namespace

static std::optional<MatrixShape> readShape(StringRef Text) {
  MatrixShape S;
  if (!Text.consume_front("m") || Text.consumeInteger(10, S.M) || !Text.consume_front("n") ||
      Text.consumeInteger(10, S.N) || !Text.consume_front("k") || Text.consumeInteger(10, S.K))
    return std::nullopt;
  return S;
}

static unsigned bitsOf(StringRef Type) {
  return StringSwitch<unsigned>(Type)
      .Cases({"f16", "bf16"}, 16)
      .Cases({"f32", "tf32", "s32"}, 32)
      .Case("f64", 64)
      .Cases({"u8", "s8"}, 8)
      .Cases({"u4", "s4"}, 4)
      .Case("b1", 1)
      .Default(0);
}

/// Sets how lanes share the rows of a tile.
static void setLanes(WarpTile &Tile, const MatrixShape &S, StringRef Fragment, bool IsRowMajor,
                     unsigned Bits) {
  constexpr unsigned RegisterBytes = 4;
  const unsigned Bytes = Bits / 8;
  const bool IsResult = Fragment != "a" && Fragment != "b";
  // An instruction has 16 rows of the result: it computes the transposed matrices if there are 8.
  const bool IsTransposed = S.M == 8 && S.N == 32;
  const bool IsByRows = Fragment == "b" ? !IsRowMajor : IsRowMajor;
  const bool HasNeighbours =
      Bits <= 4 || Bits == 16 || (IsResult && IsTransposed ? !IsByRows : IsByRows);
  if (HasNeighbours)
    Tile.InGlobal = {4, IsResult && Bits >= 32 ? 2 * Bytes : std::max(Bytes, RegisterBytes), 1};
  else
    Tile.InGlobal = {8, Bytes, IsResult ? 2 : std::max(RegisterBytes / Bytes, 1u)};
  // ldmatrix reads the operands: a lane's address is that of a row of 16 bytes.
  const bool IsByLdmatrix = !IsResult && HasNeighbours && Bits <= 16;
  Tile.InShared = IsByLdmatrix ? TileLanes() : Tile.InGlobal;
}

std::optional<WarpTile> gmprof::tileOfFragment(StringRef Shape, StringRef Fragment, bool IsRowMajor,
                                               StringRef Type) {
  const std::optional<MatrixShape> S = readShape(Shape);
  const unsigned Bits = bitsOf(Type);
  if (!S || !Bits)
    return std::nullopt;
  unsigned Rows = Fragment == "b" ? S->K : S->M, Columns = Fragment == "a" ? S->K : S->N;
  if (!IsRowMajor)
    std::swap(Rows, Columns);
  WarpTile Tile;
  Tile.Rows = Rows;
  Tile.RowBytes = Columns * Bits / 8;
  Tile.StrideUnit = Bits / 8;
  setLanes(Tile, *S, Fragment, IsRowMajor, Bits);
  return Tile;
}
