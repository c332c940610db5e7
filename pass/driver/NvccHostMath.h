//===- NvccHostMath.h - min and max in host code ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc declares ::min and ::max of numbers for host code as for device code;
// clang's CUDA headers have them for device code only. gmprof-clang++ includes
// this file before every CUDA source. As templates of two types they are the last
// choice: whatever min or max the program has or brings in by using-directives
// is more specialised.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_NVCC_HOST_MATH_H
#define GMPROF_NVCC_HOST_MATH_H

#if defined(__CUDA__) && defined(__cplusplus)

#define GMPROF_OF_NUMBERS                                                                          \
  __attribute__((host, always_inline,                                                              \
                 enable_if(__is_arithmetic(A) && __is_arithmetic(B), "both are numbers")))

// Of a number and a NaN the result is the number, as with fmin and fmax.
template <class A, class B>
GMPROF_OF_NUMBERS inline auto min(A X, B Y) -> decltype(true ? A(X) : B(Y)) {
  using Common = decltype(true ? A(X) : B(Y));
  Common U = X, V = Y;
  return U < V || V != V ? U : V;
}

template <class A, class B>
GMPROF_OF_NUMBERS inline auto max(A X, B Y) -> decltype(true ? A(X) : B(Y)) {
  using Common = decltype(true ? A(X) : B(Y));
  Common U = X, V = Y;
  return U > V || V != V ? U : V;
}

#undef GMPROF_OF_NUMBERS

#endif

#endif // GMPROF_NVCC_HOST_MATH_H
