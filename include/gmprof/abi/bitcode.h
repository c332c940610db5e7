//===- bitcode.h - Device code embedded in host objects -----------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_BITCODE_H
#define GMPROF_ABI_BITCODE_H

/// Section of host objects that holds device bitcode under -fgpu-rdc; without rdc the bitcode
/// follows the fat binary (docs/architecture.md). Both hold records: gmprof_u64 magic, gmprof_u64
/// bytes of the content, gmprof_u64 architecture (90 for sm_90), then the content, which is bitcode
/// or a zstd frame of it, and padding to a multiple of 8.
#define GMPROF_BITCODE_SECTION "gmprof_bitcode"
#define GMPROF_BITCODE_MAGIC 0x3243424d47ull /* "GMBC2" */

#endif // GMPROF_ABI_BITCODE_H
