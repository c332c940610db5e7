//===- kinds.h - Enumerations of descriptors and records ----------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_KINDS_H
#define GMPROF_ABI_KINDS_H

/// Flags of GmprofKernelDesc::modes.
enum GmprofMode {
#define GMPROF_MODE(name, bit) GMPROF_MODE_##name = 1u << bit,
#include "gmprof/profiles.def"
};

enum GmprofKernelFlags {
  GMPROF_KERNEL_DYNAMIC_SHARED = 1u << 0, ///< uses extern __shared__ memory
  GMPROF_KERNEL_OPAQUE_CALLS = 1u << 1,   ///< calls code that the analysis cannot follow
  /// All blocks provably access shared memory in the same way: the first block counts and
  /// multiplies its counts by the number of blocks of the grid. blockSample is ignored.
  GMPROF_KERNEL_BLOCKS_ALIKE = 1u << 2,
  /// Counters are updated without atomics: concurrent accesses to one word may be lost.
  GMPROF_KERNEL_PLAIN_UPDATES = 1u << 3,
  /// A thread's behaviour may depend on its warp: the kernel uses shuffles, votes or similar.
  GMPROF_KERNEL_USES_WARPS = 1u << 4,
  /// Live ranges are not counted: words of shared memory may have several, but other blocks of the
  /// cluster may access them, so no block knows the number of accesses.
  GMPROF_KERNEL_RANGES_OF_CLUSTER = 1u << 5,
};

/// Level of optimisation of the counting, as in the paper's ablation (GMProf, CCGrid'12, Tables I
/// and II).
enum GmprofLevel {
  GMPROF_LEVEL_BASIC,       ///< every access, 32-bit atomics in device memory
  GMPROF_LEVEL_SA,          ///< + static analysis (IV.A)
  GMPROF_LEVEL_SA_NA,       ///< + non-atomic updates (IV.B)
  GMPROF_LEVEL_SA_NA_SM,    ///< + counters in shared memory (IV.C)
  GMPROF_LEVEL_SA_NA_SM_TH, ///< + threshold (IV.D); the default
};

enum GmprofVariableKind {
  GMPROF_VARIABLE_SHARED,         ///< __shared__ of known size
  GMPROF_VARIABLE_SHARED_DYNAMIC, ///< extern __shared__
  GMPROF_VARIABLE_GLOBAL,         ///< __device__ or __managed__ variable
  GMPROF_VARIABLE_CONSTANT,       ///< __constant__
  GMPROF_VARIABLE_PARAMETER,      ///< memory reached through a kernel parameter
  GMPROF_VARIABLE_LOCAL,          ///< automatic variable in local memory
};

enum GmprofAccessKind {
  GMPROF_ACCESS_LOAD,
  GMPROF_ACCESS_STORE,
  GMPROF_ACCESS_ATOMIC,
  GMPROF_ACCESS_COPY_FROM,  ///< source of memcpy, memmove
  GMPROF_ACCESS_COPY_TO,    ///< destination of memcpy, memmove, memset
  GMPROF_ACCESS_ASYNC_FROM, ///< source of cp.async, also of bulk copies
  GMPROF_ACCESS_ASYNC_TO,   ///< destination of cp.async, also of bulk copies
  GMPROF_ACCESS_MATRIX,     ///< ldmatrix, wmma.load, wmma.store, stmatrix
  GMPROF_ACCESS_BARRIER,    ///< operation on an mbarrier object; counts as an atomic
};

enum GmprofSpace {
  GMPROF_SPACE_GENERIC, ///< resolved at run time
  GMPROF_SPACE_GLOBAL,
  GMPROF_SPACE_SHARED,
  GMPROF_SPACE_CONSTANT,
  GMPROF_SPACE_LOCAL,
  GMPROF_SPACE_PARAM,
  /// Shared memory of any block of the cluster, the own block included.
  GMPROF_SPACE_SHARED_CLUSTER,
};

enum GmprofRule {
  GMPROF_RULE_NOT_COUNTED,      ///< not in this mode's memory space
  GMPROF_RULE_SKIPPED,          ///< could not be counted: see `reason`
  GMPROF_RULE_STATIC,           ///< address and count known at compile time
  GMPROF_RULE_LOOP_INVARIANT,   ///< added once after the loop, by each thread
  GMPROF_RULE_LOOP_AND_THREAD,  ///< added once after the loop, by one thread
  GMPROF_RULE_THREAD_INVARIANT, ///< added by one thread for all that execute it
  GMPROF_RULE_COUNTED,          ///< counted by the accessing thread
  GMPROF_RULE_CLOSED_FORM,      ///< computed from the launch (GmprofFormDesc)
  GMPROF_RULE_SWEEP,            ///< global: all iterations of a loop at once, by each thread
};

/// Kinds of instructions in machine code that no profile records.
enum GmprofInstructionKind {
  GMPROF_INSTRUCTION_LOCAL_LOAD,
  GMPROF_INSTRUCTION_LOCAL_STORE,
  GMPROF_INSTRUCTION_CONSTANT_LOAD, ///< whose address may differ by lane
  GMPROF_INSTRUCTION_TEXTURE_FETCH,
};

/// How the address of an access to local or constant memory is computed.
enum GmprofIndex {
  GMPROF_INDEX_UNKNOWN,  ///< no access of the source is known at the instruction's place
  GMPROF_INDEX_CONSTANT, ///< known at compile time
  GMPROF_INDEX_LOOP,     ///< known if loops with constant trip counts are unrolled completely
  GMPROF_INDEX_RUN_TIME,
  GMPROF_INDEX_SPILL, ///< of no variable: a register that is spilled
};

enum GmprofMoveKind {
  GMPROF_MOVE_BEGIN, ///< from global to shared memory
  GMPROF_MOVE_END,   ///< from shared to global memory
};

/// Kind of access that a counter counts. Copies (memcpy, cp.async …) count as reads of their source
/// and writes of their destination.
enum GmprofCounterKind {
  GMPROF_COUNTER_READS,
  GMPROF_COUNTER_WRITES,
  GMPROF_COUNTER_ATOMICS,
  GMPROF_COUNTER_KINDS,
};

#endif // GMPROF_ABI_KINDS_H
