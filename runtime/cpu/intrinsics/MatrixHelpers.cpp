//===- MatrixHelpers.cpp - Matrix helpers ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes exchange their fragments, and each computes the elements of D that it holds.
// Floating-point products are summed in double precision and rounded once; a GPU's sums are less
// accurate, in undocumented ways.
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "MatrixOperation.h"
#include "SoftFloat.h"
#include "cpu/engine/ThreadState.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gmprof::cpu {

namespace {

/// Position of a matrix element: its lane, and its index there.
struct Place {
  unsigned Lane, Index;
};

} // namespace

/// Returns the number of elements along K of A and B in one register.
static unsigned perRegister(MatrixElement E) { return std::max(1u, 32 / matrixElementBits(E)); }

/// Returns the position in PTX's fragments of mma: groups of four lanes hold a row of A, C and D,
/// or a column of B. With two groups of rows, their registers alternate.
static Place placeInMma(const MatrixOperation &Op, MatrixRole R, unsigned Row, unsigned Column) {
  if (R == MatrixRole::C)
    return {Row % 8 * 4 + Column / 2, Row / 8 * 2 + Column % 2};
  unsigned K = R == MatrixRole::A ? Column : Row, Other = R == MatrixRole::A ? Row : Column;
  unsigned Width = perRegister(Op.element(R));
  unsigned Groups = R == MatrixRole::A ? Op.M / 8 : 1;
  unsigned Register = K / (4 * Width) * Groups + Other / 8;
  return {Other % 8 * 4 + K / Width % 4, Register * Width + K % Width};
}

static Place place(const MatrixOperation &Op, MatrixRole R, unsigned Row, unsigned Column) {
  if (!Op.Wmma)
    return placeInMma(Op, R, Row, Column);
  unsigned Linear = Row * Op.columns(R) + Column;
  return {Linear / Op.perLane(R), Linear % Op.perLane(R)};
}

static uint64_t encoding(const char *Fragment, MatrixElement E, unsigned Index) {
  unsigned Bits = matrixElementBits(E);
  if (Bits < 8)
    return static_cast<uint8_t>(Fragment[Index * Bits / 8]) >> (Index * Bits % 8) &
           ((1u << Bits) - 1);
  uint64_t V = 0;
  std::memcpy(&V, Fragment + Index * (Bits / 8), Bits / 8);
  return V;
}

static double number(MatrixElement E, uint64_t Bits) {
  const FloatFormat *Format = nullptr;
  switch (E) {
  case MatrixElement::F64:
    return std::bit_cast<double>(Bits);
  case MatrixElement::F32:
    return std::bit_cast<float>(uint32_t(Bits));
  case MatrixElement::TF32:
    return std::bit_cast<float>(uint32_t(Bits) & 0xffffe000); // the lower bits are ignored
  case MatrixElement::F16:
    Format = &F16;
    break;
  case MatrixElement::BF16:
    return std::bit_cast<float>(uint32_t(Bits << 16));
  case MatrixElement::E5M2:
    Format = &E5M2;
    break;
  case MatrixElement::E4M3:
    Format = &E4M3;
    break;
  default:
    return 0;
  }
  return std::bit_cast<double>(softConvert(*Format, F64, Bits, Rounding::RN));
}

static int64_t integer(MatrixElement E, uint64_t Bits) {
  switch (E) {
  case MatrixElement::S32:
    return int32_t(Bits);
  case MatrixElement::S8:
    return int8_t(Bits);
  case MatrixElement::S4:
    return int64_t(Bits << 60) >> 60;
  default:
    return Bits;
  }
}

static bool isFloat(MatrixElement E) { return E <= MatrixElement::E4M3; }

namespace {

/// Fragments of all lanes.
class Fragments {
public:
  Fragments(const MatrixOperation &Op, const char *All) : Op(Op), All(All) {
    OffsetB = Op.fragmentBytes(MatrixRole::A);
    OffsetC = OffsetB + Op.fragmentBytes(MatrixRole::B);
    Bytes = OffsetC + Op.fragmentBytes(MatrixRole::C);
  }

  uint64_t at(MatrixRole R, unsigned Row, unsigned Column) const {
    Place P = place(Op, R, Row, Column);
    unsigned Offset = R == MatrixRole::A ? 0 : R == MatrixRole::B ? OffsetB : OffsetC;
    return encoding(All + size_t(P.Lane) * Bytes + Offset, Op.element(R), P.Index);
  }

  double sumOfProducts(unsigned Row, unsigned Column) const {
    double Sum = number(Op.C, at(MatrixRole::C, Row, Column));
    for (unsigned K = 0; K != Op.K; ++K)
      Sum += number(Op.A, at(MatrixRole::A, Row, K)) * number(Op.B, at(MatrixRole::B, K, Column));
    return Sum;
  }

  int64_t integerSum(unsigned Row, unsigned Column) const {
    int64_t Sum = integer(Op.C, at(MatrixRole::C, Row, Column));
    for (unsigned K = 0; K != Op.K; ++K) {
      int64_t A = integer(Op.A, at(MatrixRole::A, Row, K));
      int64_t B = integer(Op.B, at(MatrixRole::B, K, Column));
      if (Op.A == MatrixElement::B1)
        Sum += Op.And ? A & B : A ^ B;
      else
        Sum += A * B;
    }
    return Sum;
  }

  unsigned Bytes; ///< per lane

private:
  const MatrixOperation &Op;
  const char *All;
  unsigned OffsetB, OffsetC;
};

} // namespace

static uint64_t encode(const MatrixOperation &Op, const Fragments &In, unsigned Row,
                       unsigned Column) {
  if (!isFloat(Op.C)) {
    int64_t Sum = In.integerSum(Row, Column);
    if (Op.SatFinite)
      Sum = std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX);
    return uint32_t(Sum);
  }
  double Sum = In.sumOfProducts(Row, Column);
  if (Op.D == MatrixElement::F64)
    return std::bit_cast<uint64_t>(Sum);
  return softConvert(F64, Op.D == MatrixElement::F16 ? F16 : F32, std::bit_cast<uint64_t>(Sum),
                     Rounding::RN, Op.SatFinite);
}

static MatrixOperation operation(uint64_t Low, uint64_t High) {
  uint64_t Words[2] = {Low, High};
  return std::bit_cast<MatrixOperation>(Words);
}

static void multiply(ThreadState *Thread, uint32_t Site, uint64_t Low, uint64_t High,
                     const char *Mine, char *Out) {
  MatrixOperation Op = operation(Low, High);
  char All[WarpSize * 128] = {}; // size of the largest: m16n8k16 in double precision
  Fragments In(Op, All);
  warpExchange(Thread, Site, Mine, In.Bytes, All);
  unsigned Bytes = matrixElementBits(Op.D) / 8;
  for (unsigned Row = 0; Row != Op.M; ++Row)
    for (unsigned Column = 0; Column != Op.N; ++Column) {
      Place P = place(Op, MatrixRole::C, Row, Column);
      if (P.Lane != Thread->Lane)
        continue;
      uint64_t Bits = encode(Op, In, Row, Column);
      std::memcpy(Out + P.Index * Bytes, &Bits, Bytes);
    }
}

/// Calls Fn with the offset in memory, in elements, of each element of the lane's fragment.
template <typename Function>
static void eachElement(const MatrixOperation &Op, MatrixRole R, uint32_t Lane, bool ColumnMajor,
                        uint32_t Leading, Function Fn) {
  unsigned Count = Op.perLane(R), Total = Op.rows(R) * Op.columns(R);
  for (unsigned I = 0; I != Count; ++I) {
    unsigned Linear = (Lane * Count + I) % Total;
    unsigned Row = Linear / Op.columns(R), Column = Linear % Op.columns(R);
    Fn(I, ColumnMajor ? size_t(Column) * Leading + Row : size_t(Row) * Leading + Column);
  }
}

static void load(uint32_t Lane, uint64_t Low, uint64_t High, MatrixRole R, uint32_t ColumnMajor,
                 const char *Memory, uint32_t Leading, char *Fragment) {
  MatrixOperation Op = operation(Low, High);
  unsigned Bytes = matrixElementBits(Op.element(R)) / 8;
  eachElement(Op, R, Lane, ColumnMajor, Leading, [&](unsigned I, size_t Offset) {
    std::memcpy(Fragment + I * Bytes, Memory + Offset * Bytes, Bytes);
  });
}

static void store(uint32_t Lane, uint64_t Low, uint64_t High, MatrixRole R, uint32_t ColumnMajor,
                  char *Memory, uint32_t Leading, const char *Fragment) {
  MatrixOperation Op = operation(Low, High);
  unsigned Bytes = matrixElementBits(Op.element(R)) / 8;
  eachElement(Op, R, Lane, ColumnMajor, Leading, [&](unsigned I, size_t Offset) {
    std::memcpy(Memory + Offset * Bytes, Fragment + I * Bytes, Bytes);
  });
}

/// Calls Fn with each half of this lane's registers and its address in memory. Lane 8m + r provides
/// the address of row r of matrix m.
template <typename Function>
static void eachHalf(ThreadState *Thread, uint32_t Site, uint32_t Count, bool Transposed, char *Row,
                     Function Fn) {
  char *Rows[WarpSize] = {};
  warpExchange(Thread, Site, &Row, sizeof(Row), Rows);
  unsigned Group = Thread->Lane / 4, Pair = Thread->Lane % 4 * 2;
  for (unsigned M = 0; M != Count; ++M)
    for (unsigned Half = 0; Half != 2; ++Half) {
      unsigned R = Transposed ? Pair + Half : Group, C = Transposed ? Group : Pair + Half;
      Fn((M * 2 + Half) * 2, Rows[M * 8 + R] + C * 2);
    }
}

static void loadRows(ThreadState *Thread, uint32_t Site, uint32_t Count, uint32_t Transposed,
                     char *Row, char *Registers) {
  eachHalf(Thread, Site, Count, Transposed, Row, [&](unsigned Offset, const char *Memory) {
    std::memcpy(Registers + Offset, Memory, 2);
  });
}

static void storeRows(ThreadState *Thread, uint32_t Site, uint32_t Count, uint32_t Transposed,
                      char *Row, const char *Registers) {
  eachHalf(Thread, Site, Count, Transposed, Row,
           [&](unsigned Offset, char *Memory) { std::memcpy(Memory, Registers + Offset, 2); });
}

std::span<const Helper> matrixHelpers() {
  static const Helper Helpers[] = {
      helper("gm_matrix_multiply", multiply),    helper("gm_matrix_load", load),
      helper("gm_matrix_store", store),          helper("gm_matrix_load_rows", loadRows),
      helper("gm_matrix_store_rows", storeRows),
  };
  return Helpers;
}

} // namespace gmprof::cpu
