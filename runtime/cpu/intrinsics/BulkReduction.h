//===- BulkReduction.h - Operations of bulk reductions ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments of the helper gm_reduce_bulk(to, from, bytes, type, operation), which implements
// cp.reduce.async.bulk.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_BULKREDUCTION_H
#define GMPROF_CPU_INTRINSICS_BULKREDUCTION_H

#include <cstdint>

namespace gmprof::cpu {

enum class ReducedType : uint32_t { U32, S32, U64, S64, F16, BF16, F32, F64 };

/// Operation; floating-point and signed types support the first three only.
enum class Reduction : uint32_t { Add, Min, Max, Inc, Dec, And, Or, Xor };

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_BULKREDUCTION_H
