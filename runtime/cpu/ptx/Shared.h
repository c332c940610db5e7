//===- Shared.h - Opcodes with integer and floating-point forms -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes such as add exist for integers and for floating-point numbers. Their entries are in
// Float.cpp's table, which forwards integer forms to these functions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_SHARED_H
#define GMPROF_CPU_PTX_SHARED_H

namespace gmprof::cpu::ptx {

class Emitter;

bool integerSum(Emitter &E, bool Subtract, bool CarryIn);
bool integerProduct(Emitter &E);
bool integerMad(Emitter &E, bool CarryIn);
bool integerQuotient(Emitter &E);
bool integerNegate(Emitter &E);
bool integerAbs(Emitter &E);
bool integerMinMax(Emitter &E, bool Max);

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_SHARED_H
