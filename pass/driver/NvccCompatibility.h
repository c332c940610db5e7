//===- NvccCompatibility.h - What nvcc declares and clang does not -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gmprof-clang++ includes this file before every CUDA source. It adds declarations of nvcc's
// headers that clang's CUDA headers lack: min, max and <math.h> in host code, loads and stores with
// a cache operator, and clusters by __cluster_dims__.
//
// A program may bring its own declaration of each function here, for clang's sake:
// overload resolution prefers it, because these are templates.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_NVCC_COMPATIBILITY_H
#define GMPROF_NVCC_COMPATIBILITY_H

#pragma clang system_header // no warnings of the program's flags

#if defined(__CUDA__) && defined(__cplusplus)

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

// ::isfinite, ::isnan, ::isinf and others as functions: cuda_runtime.h includes it under nvcc.
#include <math.h>

#define GMPROF_OF_NUMBERS                                                                          \
  __attribute__((host, always_inline,                                                              \
                 enable_if(__is_arithmetic(A) && __is_arithmetic(B), "both are numbers")))

// A number and a NaN give the number, as with fmin and fmax.
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

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

// clang's headers declare these and define them nowhere.
static __attribute__((device, always_inline)) inline double nan(const char *) {
  return __builtin_nan("");
}
static __attribute__((device, always_inline)) inline float nanf(const char *) {
  return __builtin_nanf("");
}

//===----------------------------------------------------------------------===//
// Loads and stores with a cache operator
//===----------------------------------------------------------------------===//

// The parameter types are fixed, so arguments convert as they do for nvcc's functions.
#define GMPROF_INTRINSIC template <int = 0> __attribute__((device, always_inline)) inline

#define GMPROF_LOAD1(Name, Instruction, Type, Word, Constraint, ...)                               \
  GMPROF_INTRINSIC Type Name(const Type *Pointer) {                                                \
    Word X;                                                                                        \
    asm volatile(Instruction " %0, [%1];" : "=" Constraint(X) : "l"(Pointer)__VA_ARGS__);          \
    return (Type)X;                                                                                \
  }
#define GMPROF_LOAD2(Name, Instruction, Type, Word, Constraint, ...)                               \
  GMPROF_INTRINSIC Type Name(const Type *Pointer) {                                                \
    Word X, Y;                                                                                     \
    using Element = decltype(Type::x);                                                             \
    asm volatile(Instruction " {%0,%1}, [%2];"                                                     \
                 : "=" Constraint(X), "=" Constraint(Y)                                            \
                 : "l"(Pointer)__VA_ARGS__);                                                       \
    return {(Element)X, (Element)Y};                                                               \
  }
#define GMPROF_LOAD4(Name, Instruction, Type, Word, Constraint, ...)                               \
  GMPROF_INTRINSIC Type Name(const Type *Pointer) {                                                \
    Word X, Y, Z, W;                                                                               \
    using Element = decltype(Type::x);                                                             \
    asm volatile(Instruction " {%0,%1,%2,%3}, [%4];"                                               \
                 : "=" Constraint(X), "=" Constraint(Y), "=" Constraint(Z), "=" Constraint(W)      \
                 : "l"(Pointer)__VA_ARGS__);                                                       \
    return {(Element)X, (Element)Y, (Element)Z, (Element)W};                                       \
  }

#define GMPROF_STORE1(Name, Instruction, Type, Word, Constraint, ...)                              \
  GMPROF_INTRINSIC void Name(Type *Pointer, Type Value) {                                          \
    asm volatile(Instruction " [%0], %1;" ::"l"(Pointer), Constraint((Word)Value) __VA_ARGS__);    \
  }
#define GMPROF_STORE2(Name, Instruction, Type, Word, Constraint, ...)                              \
  GMPROF_INTRINSIC void Name(Type *Pointer, Type Value) {                                          \
    asm volatile(Instruction " [%0], {%1,%2};" ::"l"(Pointer), Constraint((Word)Value.x),          \
                 Constraint((Word)Value.y) __VA_ARGS__);                                           \
  }
#define GMPROF_STORE4(Name, Instruction, Type, Word, Constraint, ...)                              \
  GMPROF_INTRINSIC void Name(Type *Pointer, Type Value) {                                          \
    asm volatile(Instruction " [%0], {%1,%2,%3,%4};" ::"l"(Pointer), Constraint((Word)Value.x),    \
                 Constraint((Word)Value.y), Constraint((Word)Value.z),                             \
                 Constraint((Word)Value.w) __VA_ARGS__);                                           \
  }

// The types of CUDA's sm_32_intrinsics.h. cuda_fp16.h and cuda_bf16.h have their own.
// The arguments after Instruction are the clobbers, from their colon on.
#define GMPROF_OF_LONG(Access, Name, Instruction, ...)                                             \
  GMPROF_##Access##1(Name, Instruction ".b64", long, long, "l", __VA_ARGS__)
#define GMPROF_OF_UNSIGNED_LONG(Access, Name, Instruction, ...)                                    \
  GMPROF_##Access##1(Name, Instruction ".b64", unsigned long, unsigned long, "l", __VA_ARGS__)
#define GMPROF_OF_ALL_TYPES(Access, Name, Instruction, ...)                                        \
  GMPROF_OF_LONG(Access, Name, Instruction, __VA_ARGS__)                                           \
  GMPROF_OF_UNSIGNED_LONG(Access, Name, Instruction, __VA_ARGS__)                                  \
  GMPROF_##Access##1(Name, Instruction ".b8", char, int, "r", __VA_ARGS__)GMPROF_##Access##1(      \
      Name, Instruction ".b8", signed char, int, "r",                                              \
      __VA_ARGS__)GMPROF_##Access##1(Name, Instruction ".b8", unsigned char, int, "r",             \
                                     __VA_ARGS__)GMPROF_##Access##1(Name, Instruction ".b16",      \
                                                                    short, short, "h",             \
                                                                    __VA_ARGS__)                   \
      GMPROF_##Access##1(Name, Instruction ".b16", unsigned short, unsigned short, "h",            \
                         __VA_ARGS__)GMPROF_##Access##1(Name, Instruction ".b32", int, int, "r",   \
                                                        __VA_ARGS__)                               \
          GMPROF_##Access##1(                                                                      \
              Name, Instruction ".b32", unsigned int, unsigned int, "r",                           \
              __VA_ARGS__)GMPROF_##Access##1(Name, Instruction ".b64", long long, long long, "l",  \
                                             __VA_ARGS__)GMPROF_##Access##1(Name,                  \
                                                                            Instruction ".b64",    \
                                                                            unsigned long long,    \
                                                                            unsigned long long,    \
                                                                            "l", __VA_ARGS__)      \
              GMPROF_##Access##1(Name, Instruction ".f32", float, float, "f",                      \
                                 __VA_ARGS__)GMPROF_##Access##1(Name, Instruction ".f64", double,  \
                                                                double, "d", __VA_ARGS__)          \
                  GMPROF_##Access##2(Name, Instruction ".v2.b8", char2, int, "r",                  \
                                     __VA_ARGS__)GMPROF_##Access##2(Name, Instruction ".v2.b8",    \
                                                                    uchar2, int, "r", __VA_ARGS__) \
                      GMPROF_##Access##2(                                                          \
                          Name, Instruction ".v2.b16", short2, short, "h",                         \
                          __VA_ARGS__)GMPROF_##Access##2(Name, Instruction ".v2.b16", ushort2,     \
                                                         unsigned short, "h", __VA_ARGS__)         \
                          GMPROF_##Access##2(                                                      \
                              Name, Instruction ".v2.b32", int2, int, "r",                         \
                              __VA_ARGS__)GMPROF_##Access##2(Name, Instruction ".v2.b32", uint2,   \
                                                             unsigned int, "r", __VA_ARGS__)       \
                              GMPROF_##Access##2(                                                  \
                                  Name, Instruction ".v2.b64", longlong2, long long, "l",          \
                                  __VA_ARGS__)GMPROF_##Access##2(Name, Instruction ".v2.b64",      \
                                                                 ulonglong2, unsigned long long,   \
                                                                 "l", __VA_ARGS__)                 \
                                  GMPROF_##Access##2(                                              \
                                      Name, Instruction ".v2.f32", float2, float, "f",             \
                                      __VA_ARGS__)GMPROF_##Access##2(Name, Instruction ".v2.f64",  \
                                                                     double2, double, "d",         \
                                                                     __VA_ARGS__)                  \
                                      GMPROF_##Access##4(                                          \
                                          Name, Instruction ".v4.b8", char4, int, "r",             \
                                          __VA_ARGS__)GMPROF_##Access##4(Name,                     \
                                                                         Instruction ".v4.b8",     \
                                                                         uchar4, int, "r",         \
                                                                         __VA_ARGS__)              \
                                          GMPROF_##Access##4(Name, Instruction ".v4.b16", short4,  \
                                                             short, "h", __VA_ARGS__)              \
                                              GMPROF_##Access##4(Name, Instruction ".v4.b16",      \
                                                                 ushort4, unsigned short, "h",     \
                                                                 __VA_ARGS__)                      \
                                                  GMPROF_##Access##4(Name, Instruction ".v4.b32",  \
                                                                     int4, int, "r", __VA_ARGS__)  \
                                                      GMPROF_##Access##4(                          \
                                                          Name, Instruction ".v4.b32", uint4,      \
                                                          unsigned int, "r", __VA_ARGS__)          \
                                                          GMPROF_##Access##4(                      \
                                                              Name, Instruction ".v4.f32", float4, \
                                                              float, "f", __VA_ARGS__)

GMPROF_OF_ALL_TYPES(LOAD, __ldca, "ld.global.ca", )
GMPROF_OF_ALL_TYPES(LOAD, __ldlu, "ld.global.lu", : "memory")
GMPROF_OF_ALL_TYPES(STORE, __stwb, "st.global.wb", : "memory")
GMPROF_OF_ALL_TYPES(STORE, __stcg, "st.global.cg", : "memory")
GMPROF_OF_ALL_TYPES(STORE, __stcs, "st.global.cs", : "memory")

// clang declares the overloads for the other types.
GMPROF_OF_UNSIGNED_LONG(LOAD, __ldcg, "ld.global.cg", )
GMPROF_OF_UNSIGNED_LONG(LOAD, __ldcs, "ld.global.cs", )
GMPROF_OF_UNSIGNED_LONG(LOAD, __ldcv, "ld.global.cv", : "memory")
GMPROF_OF_LONG(STORE, __stwt, "st.global.wt", : "memory")
GMPROF_OF_UNSIGNED_LONG(STORE, __stwt, "st.global.wt", : "memory")

#undef GMPROF_OF_ALL_TYPES
#undef GMPROF_OF_UNSIGNED_LONG
#undef GMPROF_OF_LONG
#undef GMPROF_STORE4
#undef GMPROF_STORE2
#undef GMPROF_STORE1
#undef GMPROF_LOAD4
#undef GMPROF_LOAD2
#undef GMPROF_LOAD1
#undef GMPROF_INTRINSIC

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

// clang checks cluster_dims and generates nothing for it. GMProf's plugin reads the
// annotation (pass/ClusterDims.h).
#ifdef __CUDA_ARCH__
#undef __cluster_dims__
#define __cluster_dims__(...)                                                                      \
  __attribute__((cluster_dims(__VA_ARGS__), annotate("gmprof.cluster_dims", __VA_ARGS__)))
#endif

#endif

#endif // GMPROF_NVCC_COMPATIBILITY_H
