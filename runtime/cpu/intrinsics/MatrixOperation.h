//===- MatrixOperation.h - Arguments of matrix helpers ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp hold a matrix in pieces, its fragments. PTX defines the assignment to lanes
// for mma but not for wmma, for which a fragment here is a row-major matrix divided into equal runs
// (twice, if there is more room than elements).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_MATRIXOPERATION_H
#define GMPROF_CPU_INTRINSICS_MATRIXOPERATION_H

#include <cstdint>

namespace gmprof::cpu {

enum class MatrixElement : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E5M2,
  E4M3,
  S32,
  S8,
  U8,
  S4,
  U4,
  B1
};

constexpr unsigned matrixElementBits(MatrixElement E) {
  switch (E) {
  case MatrixElement::F64:
    return 64;
  case MatrixElement::TF32:
  case MatrixElement::F32:
  case MatrixElement::S32:
    return 32;
  case MatrixElement::F16:
  case MatrixElement::BF16:
    return 16;
  case MatrixElement::E5M2:
  case MatrixElement::E4M3:
  case MatrixElement::S8:
  case MatrixElement::U8:
    return 8;
  case MatrixElement::S4:
  case MatrixElement::U4:
    return 4;
  case MatrixElement::B1:
    return 1;
  }
  return 0;
}

/// Role of an operand; C is the role of D as well.
enum class MatrixRole : uint8_t { A, B, C };

/// Matrix operation D = A * B + C, with A of M x K and B of K x N elements. Its 16 bytes are passed
/// as two integers.
struct MatrixOperation {
  uint16_t M, N, K;
  uint8_t Wmma;      ///< wmma, else mma
  uint8_t SatFinite; ///< clamps integers
  MatrixElement A, B, C, D;
  uint8_t And; ///< binary operands: counts bits of the conjunction instead of the difference
  uint8_t Reserved[3];

  unsigned rows(MatrixRole R) const { return R == MatrixRole::B ? K : M; }
  unsigned columns(MatrixRole R) const { return R == MatrixRole::A ? K : N; }
  MatrixElement element(MatrixRole R) const {
    return R == MatrixRole::A ? A : R == MatrixRole::B ? B : C;
  }

  /// Returns the number of a fragment's elements that one lane holds.
  unsigned perLane(MatrixRole R) const {
    if (Wmma && R != MatrixRole::C && element(R) == MatrixElement::F16)
      return 16;
    return rows(R) * columns(R) / 32;
  }
  unsigned fragmentBytes(MatrixRole R) const {
    return perLane(R) * matrixElementBits(element(R)) / 8;
  }
};
static_assert(sizeof(MatrixOperation) == 16);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_MATRIXOPERATION_H
