//===- types.h - Version and integer types ------------------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_TYPES_H
#define GMPROF_ABI_TYPES_H

#define GMPROF_ABI_VERSION 21u

typedef unsigned char gmprof_u8;
typedef unsigned short gmprof_u16;
typedef unsigned int gmprof_u32;
typedef unsigned long long gmprof_u64;
typedef int gmprof_i32;
typedef long long gmprof_i64;

/// No index; no object.
#define GMPROF_NONE 0xffffffffu

#endif // GMPROF_ABI_TYPES_H
