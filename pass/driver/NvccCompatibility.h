//===- NvccCompatibility.h - What nvcc declares and clang does not -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gmprof-clang++ includes this file before every CUDA source. It adds declarations of nvcc's
// headers that clang's CUDA headers lack: min, max and <math.h> in host code, loads and stores with
// a cache operator, atomic operations with an order and a scope, and clusters by __cluster_dims__.
//
// A program may bring its own declaration of each function here, for clang's sake:
// overload resolution prefers it, because these are templates.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_NVCC_COMPATIBILITY_H
#define GMPROF_NVCC_COMPATIBILITY_H

#pragma clang system_header // no warnings of the program's flags

#if defined(__CUDA__) && defined(__cplusplus)

// clang's is empty, which no #if accepts.
#undef __CUDACC__
#define __CUDACC__ 1

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
// Atomic operations with an order and a scope
//===----------------------------------------------------------------------===//

// Built-in functions of nvcc 12.8 and later, without those of objects of 16 bytes.
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};

enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

// Types of the size of T that CUDA's atomic functions accept.
template <class T, unsigned = sizeof(T)> struct __gmprof_atomic;
template <class T> struct __gmprof_atomic<T, 4> {
  using bits = unsigned;
  using sum = T;
  using number = T;
};
template <class T> struct __gmprof_atomic<T, 8> {
  using bits = unsigned long long;
  using sum = unsigned long long;
  using number = unsigned long long;
};
template <> struct __gmprof_atomic<long> : __gmprof_atomic<unsigned long long> {
  using number = long long;
};
template <> struct __gmprof_atomic<long long> : __gmprof_atomic<unsigned long long> {
  using number = long long;
};
template <> struct __gmprof_atomic<double> : __gmprof_atomic<unsigned long long> {
  using sum = double;
};

// Keeps a parameter from taking part in the deduction of T.
template <class T> struct __gmprof_same {
  using type = T;
};

#define GMPROF_DEVICE __attribute__((device, always_inline)) inline
#define GMPROF_VALUE typename __gmprof_same<T>::type
#define GMPROF_ORDER int Order, int Scope = __NV_THREAD_SCOPE_SYSTEM

static GMPROF_DEVICE void __gmprof_fence(int Scope) {
  if (Scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
  else if (Scope >= __NV_THREAD_SCOPE_CLUSTER)
    __threadfence();
  else if (Scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
}
static GMPROF_DEVICE void __gmprof_fence_before(int Order, int Scope) {
  if (Order >= __NV_ATOMIC_RELEASE)
    __gmprof_fence(Scope);
}
static GMPROF_DEVICE void __gmprof_fence_after(int Order, int Scope) {
  if (Order != __NV_ATOMIC_RELAXED && Order != __NV_ATOMIC_RELEASE)
    __gmprof_fence(Scope);
}

template <int = 0> GMPROF_DEVICE void __nv_atomic_thread_fence(GMPROF_ORDER) {
  if (Order != __NV_ATOMIC_RELAXED)
    __gmprof_fence(Scope);
}

template <class T> GMPROF_DEVICE void __nv_atomic_load(T *Pointer, T *Result, GMPROF_ORDER) {
  __gmprof_fence_before(Order, Scope); // of an order that loads have: sequential consistency
  __atomic_load(Pointer, Result, __ATOMIC_RELAXED);
  __gmprof_fence_after(Order, Scope);
}
template <class T> GMPROF_DEVICE T __nv_atomic_load_n(T *Pointer, GMPROF_ORDER) {
  T Result;
  __nv_atomic_load(Pointer, &Result, Order, Scope);
  return Result;
}

template <class T> GMPROF_DEVICE void __nv_atomic_store(T *Pointer, T *Value, GMPROF_ORDER) {
  __gmprof_fence_before(Order, Scope);
  __atomic_store(Pointer, Value, __ATOMIC_RELAXED);
}
template <class T>
GMPROF_DEVICE void __nv_atomic_store_n(T *Pointer, GMPROF_VALUE Value, GMPROF_ORDER) {
  __nv_atomic_store(Pointer, &Value, Order, Scope);
}

// CUDA's functions do the rest, because clang generates device scope for its own built-in ones.
#define GMPROF_SCOPED(Function, ...)                                                               \
  (Scope == __NV_THREAD_SCOPE_SYSTEM ? Function##_system(__VA_ARGS__) : Function(__VA_ARGS__))

template <class T>
GMPROF_DEVICE bool __nv_atomic_compare_exchange(T *Pointer, T *Expected, T *Value, bool,
                                                int Success, int Failure,
                                                int Scope = __NV_THREAD_SCOPE_SYSTEM) {
  using Word = typename __gmprof_atomic<T>::bits;
  int Order = Success > Failure ? Success : Failure;
  __gmprof_fence_before(Order, Scope);
  Word Old = __builtin_bit_cast(Word, *Expected);
  Word Seen = GMPROF_SCOPED(atomicCAS, (Word *)Pointer, Old, __builtin_bit_cast(Word, *Value));
  __gmprof_fence_after(Order, Scope);
  if (Seen == Old)
    return true;
  *Expected = __builtin_bit_cast(T, Seen);
  return false;
}
template <class T>
GMPROF_DEVICE bool __nv_atomic_compare_exchange_n(T *Pointer, T *Expected, GMPROF_VALUE Value,
                                                  bool Weak, int Success, int Failure,
                                                  int Scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange(Pointer, Expected, &Value, Weak, Success, Failure, Scope);
}

template <class T>
GMPROF_DEVICE void __nv_atomic_exchange(T *Pointer, T *Value, T *Result, GMPROF_ORDER) {
  using Word = typename __gmprof_atomic<T>::bits;
  __gmprof_fence_before(Order, Scope);
  Word Old = GMPROF_SCOPED(atomicExch, (Word *)Pointer, __builtin_bit_cast(Word, *Value));
  __gmprof_fence_after(Order, Scope);
  *Result = __builtin_bit_cast(T, Old);
}
template <class T>
GMPROF_DEVICE T __nv_atomic_exchange_n(T *Pointer, GMPROF_VALUE Value, GMPROF_ORDER) {
  T Result;
  __nv_atomic_exchange(Pointer, &Value, &Result, Order, Scope);
  return Result;
}

#define GMPROF_FETCH(Operation, Function, Type, Operand)                                           \
  template <class T>                                                                               \
  GMPROF_DEVICE T __nv_atomic_fetch_##Operation(T *Pointer, GMPROF_VALUE Value, GMPROF_ORDER) {    \
    using Word = typename __gmprof_atomic<T>::Type;                                                \
    __gmprof_fence_before(Order, Scope);                                                           \
    Word Old = GMPROF_SCOPED(Function, (Word *)Pointer, (Word)(Operand));                          \
    __gmprof_fence_after(Order, Scope);                                                            \
    return (T)Old;                                                                                 \
  }                                                                                                \
  template <class T>                                                                               \
  GMPROF_DEVICE void __nv_atomic_##Operation(T *Pointer, GMPROF_VALUE Value, GMPROF_ORDER) {       \
    __nv_atomic_fetch_##Operation(Pointer, Value, Order, Scope);                                   \
  }

GMPROF_FETCH(add, atomicAdd, sum, Value)
GMPROF_FETCH(sub, atomicAdd, sum, -Value)
GMPROF_FETCH(min, atomicMin, number, Value)
GMPROF_FETCH(max, atomicMax, number, Value)
GMPROF_FETCH(and, atomicAnd, bits, Value)
GMPROF_FETCH(or, atomicOr, bits, Value)
GMPROF_FETCH(xor, atomicXor, bits, Value)

#undef GMPROF_FETCH
#undef GMPROF_SCOPED
#undef GMPROF_ORDER
#undef GMPROF_VALUE
#undef GMPROF_DEVICE

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
