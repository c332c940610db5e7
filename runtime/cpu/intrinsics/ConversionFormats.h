//===- ConversionFormats.h - Floating-point formats of conversions --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_CONVERSIONFORMATS_H
#define GMPROF_CPU_INTRINSICS_CONVERSIONFORMATS_H

#include <cstdint>

namespace gmprof::cpu {

/// Formats of gm_convert. TF32 is encoded as in registers: a float whose lower 13 bits are zero.
/// UE8M0 is a power of two.
enum class FormatId : uint32_t { F64, F32, F16, BF16, TF32, E5M2, E4M3, E3M2, E2M3, E2M1, UE8M0 };

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_CONVERSIONFORMATS_H
