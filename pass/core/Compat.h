//===- Compat.h - The LLVM that GMProf builds with -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's C++ interfaces change with each major version. The only supported version is 22
// (GMPROF_LLVM_VERSION in cmake/Dependencies.cmake). When a second one is, the functions that
// differ are wrapped here, and no other file asks for LLVM_VERSION_MAJOR to be this or that.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_COMPAT_H
#define GMPROF_PASS_CORE_COMPAT_H

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR != 22
#error "GMProf builds with LLVM 22: another version has to be added to pass/core/Compat.h first"
#endif

#endif // GMPROF_PASS_CORE_COMPAT_H
