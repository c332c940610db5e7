//===- abi.h - The contract between pass, device, host and CPU device -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that fixes what the compiler pass, the device hooks, the host
// runtime and the CPU device agree on: symbol names, the descriptor that the
// pass leaves in the device module for each kernel, and the launch parameter
// that the host runtime passes to a kernel's clone.
//
// Plain C types only: the file is included by device code without the standard
// library. Every field has the same size and offset on the host and on the
// device. Change GMPROF_ABI_VERSION with any change of layout or meaning.
//
// Fields are listed once, in X-macros (as in compiler-rt's
// InstrProfData.inc), so that the pass can build the same struct as an LLVM
// constant:   GMPROF_FIELD(C type, name)
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_H
#define GMPROF_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

#define GMPROF_ABI_VERSION 18u

typedef unsigned char gmprof_u8;
typedef unsigned short gmprof_u16;
typedef unsigned int gmprof_u32;
typedef unsigned long long gmprof_u64;
typedef int gmprof_i32;
typedef long long gmprof_i64;

//===----------------------------------------------------------------------===//
// Symbol names
//===----------------------------------------------------------------------===//

/// A kernel K is left as it is. Beside it the pass adds clones: the same
/// parameters, then one hidden trailing parameter, passed by value.
///
/// K__gm_shared      counts accesses of shared memory with counters in shared
///                   memory, but for those that the descriptor knows already
///                   (GmprofStaticDesc, GmprofFormDesc); trailing parameter: struct
///                   GmprofSharedLaunch. Absent where the descriptor knows all: the
///                   kernel itself runs then.
/// K__gm_shared_all  counts those of closed forms as well, for launches in which one
///                   does not hold, and of which only their blocks tell how many
///                   there are, and counts live ranges. Absent where K__gm_shared
///                   counts all.
/// K__gm_shared_dm   counts all with counters in device memory, for launches
///                   whose shared memory has no room for counters. Present only
///                   where that can happen: kernels that use dynamic shared
///                   memory, and levels that keep no counters in shared memory.
/// K__gm_global      counts accesses of global memory, but for those that a closed
///                   form describes (GmprofFormDesc); trailing parameter: struct
///                   GmprofGlobalLaunch. Absent where closed forms describe all:
///                   the kernel itself runs then.
/// K__gm_global_all  counts those as well, for launches in which a closed form does
///                   not hold. Absent where there is no closed form.
/// K__gm_objects     notes which objects it accesses, as far as the launch does not
///                   determine that (GmprofTouchDesc); trailing parameter: struct
///                   GmprofObjectsLaunch. Absent where the launch determines all: the
///                   kernel itself runs then.
/// K__gm_heat        notes which warps access which words of global and of shared memory,
///                   in the blocks that the launch names, but for accesses that a closed form
///                   describes (GmprofHeatFormDesc); trailing parameter: struct
///                   GmprofHeatLaunch. Absent where closed forms describe all: the kernel
///                   itself runs then.
/// K__gm_heat_all    notes those as well, for launches in which a closed form does not hold.
///                   Absent where there is no closed form.
/// K__gm_cache       writes a record of each request of global and of local memory; trailing
///                   parameter: struct GmprofTraceLaunch. Absent where there is none.
///
/// Which of them there are also depends on how the program was compiled
/// (-gm-profile).
#define GMPROF_SHARED_CLONE_SUFFIX "__gm_shared"
#define GMPROF_SHARED_ALL_CLONE_SUFFIX "__gm_shared_all"
#define GMPROF_SHARED_DM_CLONE_SUFFIX "__gm_shared_dm"
#define GMPROF_GLOBAL_CLONE_SUFFIX "__gm_global"
#define GMPROF_GLOBAL_ALL_CLONE_SUFFIX "__gm_global_all"
#define GMPROF_OBJECTS_CLONE_SUFFIX "__gm_objects"
#define GMPROF_HEAT_CLONE_SUFFIX "__gm_heat"
#define GMPROF_HEAT_ALL_CLONE_SUFFIX "__gm_heat_all"
#define GMPROF_CACHE_CLONE_SUFFIX "__gm_cache"

/// Kernel K's descriptor: a constant global `__gm_kernel_K` in the device module
/// (K is the mangled name), weak, so that relocatable device code links.
#define GMPROF_KERNEL_DESC_PREFIX "__gm_kernel_"

/// The same of a device function F that other translation units may call: with the sites of it and
/// of the functions it calls that only its own translation unit can.
#define GMPROF_FUNCTION_DESC_PREFIX "__gm_function_"

/// Prefix of all hooks and other symbols of ours in device code.
#define GMPROF_SYMBOL_PREFIX "__gm_"

/// Section of host objects that holds device bitcode under -fgpu-rdc: records
/// of {gmprof_u64 magic, gmprof_u64 bytes, bitcode, padding to 8}. Without rdc
/// the bitcode follows the fat binary instead (same record, see
/// docs/architecture.md).
#define GMPROF_BITCODE_SECTION "gmprof_bitcode"
#define GMPROF_BITCODE_MAGIC 0x3143424d47ull /* "GMBC1" */

//===----------------------------------------------------------------------===//
// Kernel descriptor
//===----------------------------------------------------------------------===//

#define GMPROF_DESC_MAGIC 0x314b4d47u /* "GMK1" */

/// The header of a descriptor. Offsets are in bytes from the start of the
/// descriptor; name fields are offsets into the strings (NUL-terminated, 0 is
/// the empty string). Arrays follow in the order of the offsets.
#define GMPROF_KERNEL_DESC_FIELDS                                                                  \
  GMPROF_FIELD(gmprof_u32, magic)       /* GMPROF_DESC_MAGIC */                                    \
  GMPROF_FIELD(gmprof_u32, abiVersion)  /* GMPROF_ABI_VERSION of the pass */                       \
  GMPROF_FIELD(gmprof_u32, bytes)       /* size of the whole descriptor */                         \
  GMPROF_FIELD(gmprof_u32, paramCount)  /* parameters of the original kernel */                    \
  GMPROF_FIELD(gmprof_u32, name)        /* mangled name */                                         \
  GMPROF_FIELD(gmprof_u32, file)        /* source file, as the compiler was given it */            \
  GMPROF_FIELD(gmprof_u32, directory)   /* its compilation directory */                            \
  GMPROF_FIELD(gmprof_u32, line)        /* 0 without debug info */                                 \
  GMPROF_FIELD(gmprof_u32, modes)       /* clones present: GMPROF_MODE_* */                        \
  GMPROF_FIELD(gmprof_u32, flags)       /* GMPROF_KERNEL_* */                                      \
  GMPROF_FIELD(gmprof_u32, sharedLevel) /* GMPROF_LEVEL_* of the shared clones */                  \
  GMPROF_FIELD(gmprof_u32, counterBits) /* 8, 16 or 32 */                                          \
  GMPROF_FIELD(gmprof_u32, threshold)   /* counting stops here; 0: no threshold */                 \
  GMPROF_FIELD(gmprof_u32, globalLevel) /* the same three of the global clones */                  \
  GMPROF_FIELD(gmprof_u32, globalCounterBits)                                                      \
  GMPROF_FIELD(gmprof_u32, globalThreshold)                                                        \
  GMPROF_FIELD(gmprof_u32, skipReason)   /* string: why it is not profiled at all, or empty */     \
  GMPROF_FIELD(gmprof_u32, sharedReason) /* string: why no clone counts shared memory, or empty */ \
  GMPROF_FIELD(gmprof_u32, varsOffset)                                                             \
  GMPROF_FIELD(gmprof_u32, varCount)                                                               \
  GMPROF_FIELD(gmprof_u32, sitesOffset)                                                            \
  GMPROF_FIELD(gmprof_u32, siteCount)                                                              \
  GMPROF_FIELD(gmprof_u32, staticsOffset)                                                          \
  GMPROF_FIELD(gmprof_u32, staticCount)                                                            \
  GMPROF_FIELD(gmprof_u32, formsOffset)                                                            \
  GMPROF_FIELD(gmprof_u32, formCount)                                                              \
  GMPROF_FIELD(gmprof_u32, formWordsOffset) /* gmprof_i64 [formWordCount] */                       \
  GMPROF_FIELD(gmprof_u32, formWordCount)                                                          \
  GMPROF_FIELD(gmprof_u32, movesOffset)                                                            \
  GMPROF_FIELD(gmprof_u32, moveCount)                                                              \
  GMPROF_FIELD(gmprof_u32, rangesOffset) /* gmprof_u32 [rangeCount]: variables whose live */       \
  GMPROF_FIELD(gmprof_u32, rangeCount)   /* ranges K__gm_shared_all counts */                      \
  GMPROF_FIELD(gmprof_u32, touchesOffset)                                                          \
  GMPROF_FIELD(gmprof_u32, touchCount)                                                             \
  GMPROF_FIELD(gmprof_u32, heatFormsOffset)                                                        \
  GMPROF_FIELD(gmprof_u32, heatFormCount)                                                          \
  GMPROF_FIELD(gmprof_u32, inlinesOffset)                                                          \
  GMPROF_FIELD(gmprof_u32, inlineCount)                                                            \
  GMPROF_FIELD(gmprof_u32, calleesOffset) /* gmprof_u32 [calleeCount]: mangled names of device */  \
  GMPROF_FIELD(gmprof_u32, calleeCount)   /* functions with a descriptor that it may call */       \
  GMPROF_FIELD(gmprof_u32, stringsOffset)                                                          \
  GMPROF_FIELD(gmprof_u32, stringsBytes)                                                           \
  GMPROF_FIELD(gmprof_u64, unit) /* of GmprofSiteDesc::functionSite */

/// A variable that the kernel's accesses go to.
#define GMPROF_VARIABLE_DESC_FIELDS                                                                \
  GMPROF_FIELD(gmprof_u32, name) /* as in the source: tile, Outer::buf */                          \
  GMPROF_FIELD(gmprof_u32, type) /* its C++ type, empty if unknown */                              \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line)            /* 0: unknown */                                       \
  GMPROF_FIELD(gmprof_u32, kind)            /* GMPROF_VARIABLE_* */                                \
  GMPROF_FIELD(gmprof_u32, elementBytes)    /* of the innermost array element or scalar */         \
  GMPROF_FIELD(gmprof_u64, bytes)           /* 0 for dynamic shared memory */                      \
  GMPROF_FIELD(gmprof_u32, symbol)          /* of a variable of the module, mangled; else empty */ \
  GMPROF_FIELD(gmprof_u32, parameter)       /* kernel parameter that holds the pointer; or NONE */ \
  GMPROF_FIELD(gmprof_u32, parameterOffset) /* of the pointer in a parameter that is a struct */   \
  GMPROF_FIELD(gmprof_u32, root) /* number in GmprofGlobalLaunch::roots, or GMPROF_NONE */

/// An access of the optimised kernel or of a device function it calls.
#define GMPROF_SITE_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, variable) /* index of the variable, or GMPROF_NONE */                   \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, function)   /* the function the line is in (inlined ones too) */        \
  GMPROF_FIELD(gmprof_u32, kind)       /* GMPROF_ACCESS_* */                                       \
  GMPROF_FIELD(gmprof_u32, space)      /* GMPROF_SPACE_* */                                        \
  GMPROF_FIELD(gmprof_u32, bytes)      /* per thread and execution; 0: known at run time */        \
  GMPROF_FIELD(gmprof_u32, rule)       /* GMPROF_RULE_*: how it is counted */                      \
  GMPROF_FIELD(gmprof_u32, reason)     /* string: why no better rule, or why skipped */            \
  GMPROF_FIELD(gmprof_u32, globalRule) /* the same two for the global clones */                    \
  GMPROF_FIELD(gmprof_u32, globalReason)                                                           \
  GMPROF_FIELD(gmprof_u32, inlinedAt) /* index of the inlined call it is in, or GMPROF_NONE */     \
  /* Of a function that is not inlined: its number among those of the translation unit, for */     \
  /* GmprofUnit; of the kernel itself: GMPROF_NONE. */                                             \
  GMPROF_FIELD(gmprof_u32, functionSite)                                                           \
  /* 1: an atomic that only accumulates: its operation is commutative and associative, and its */  \
  /* result is unused. Partial results of blocks can be combined later. */                         \
  GMPROF_FIELD(gmprof_u32, reduction)                                                              \
  GMPROF_FIELD(gmprof_u32, reserved)

/// A call that was inlined: where it is in the source.
#define GMPROF_INLINE_DESC_FIELDS                                                                  \
  GMPROF_FIELD(gmprof_u32, function) /* that was inlined */                                        \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, parent) /* index of an earlier one that the call is in; or NONE */      \
  GMPROF_FIELD(gmprof_u32, reserved)

/// A statement that moves data between global and shared memory, and so begins or
/// ends a live range (GMProf, CCGrid'12, Section V).
#define GMPROF_MOVE_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, kind)     /* GMPROF_MOVE_* */                                           \
  GMPROF_FIELD(gmprof_u32, variable) /* in shared memory, or GMPROF_NONE */                        \
  GMPROF_FIELD(gmprof_u32, other)    /* in global memory, or GMPROF_NONE */                        \
  GMPROF_FIELD(gmprof_u32, bytes)    /* by each thread; 0: known at run time */                    \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, function)                                                               \
  GMPROF_FIELD(gmprof_u32, inlinedAt) /* as of a site */                                           \
  GMPROF_FIELD(gmprof_u32, reserved)

/// Counts known at compile time: every thread of every block accesses `bytes`
/// bytes at `offset` of `variable`, `count` times.
#define GMPROF_STATIC_DESC_FIELDS                                                                  \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u64, offset)                                                                 \
  GMPROF_FIELD(gmprof_u32, bytes)                                                                  \
  GMPROF_FIELD(gmprof_u32, count)

/// The closed form of an access of global or shared memory: what all threads of a
/// launch access at this site, as a function of the launch's dimensions and of the
/// kernel's integer parameters. Of shared memory, a block's variable stands for
/// those of all blocks. `words` are, in this order:
///
///   number of derived unknowns, then for each: enum GmprofDerived, and two
///                polynomials A and B of dimensions, parameters and the derived
///                unknowns before it
///   polynomial   the address, in bytes from the start of the variable
///   number of loops around the access, at most GMPROF_FORM_LOOPS
///   number of constraints, then for each: loop number or -1, polynomial
///   number of conditions, then for each: number of constraints, minimum, maximum,
///                polynomial
///
/// A polynomial is the number of its terms, then for each term the coefficient,
/// the number of factors, and the factors (enum GmprofFactor). Its value is that of
/// integers without limit; only the address is modulo 2^64.
///
/// For each block of the grid, each thread of the block and each combination of
/// iterations k >= 0 of the loops that satisfies all constraints, the site
/// accesses `bytes` bytes at the address, once. A constraint is satisfied where
/// its polynomial is >= 0; one with a loop number holds for that loop's iteration 0
/// in any case. A loop may stand for a quotient, or for a condition that a thread
/// meets (1) or not (0), instead of a loop of the program: then there is one k that
/// satisfies the constraints, not always from 0 on.
///
/// A condition with number c holds if its polynomial lies between minimum and
/// maximum for all threads and iterations that satisfy the first c constraints; its
/// polynomial knows no other loops than these constraints do. The form holds in a
/// launch if all conditions do, and each B that divides is >= 1; else the index
/// arithmetic wraps around, and the launch needs K__gm_global_all or K__gm_shared_all.
/// Who does not know whether a condition holds may take it that it does not.
#define GMPROF_FORM_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, firstWord) /* of the kernel's form words */                             \
  GMPROF_FIELD(gmprof_u32, wordCount)
#define GMPROF_FORM_LOOPS 8u

/// The closed form of an access as K__gm_heat_all notes it: at the form's address plus
/// `offset`, `bytes` bytes, by instructions of `pieceBytes` each. Lanes of a warp make a request
/// together where their iterations of all loops in `loops` are the same: the other loops
/// stand for something that each thread has one value of. Accesses that become one have one
/// form, that of the site in whose place the other ones are.
#define GMPROF_HEAT_FORM_DESC_FIELDS                                                               \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, firstWord) /* of the kernel's form words, see GmprofFormDesc */         \
  GMPROF_FIELD(gmprof_u32, wordCount)                                                              \
  GMPROF_FIELD(gmprof_u32, loops)  /* mask */                                                      \
  GMPROF_FIELD(gmprof_u32, offset) /* signed */                                                    \
  GMPROF_FIELD(gmprof_u32, bytes)                                                                  \
  GMPROF_FIELD(gmprof_u32, pieceBytes) /* 1, 2, 4, 8 or 16 */

/// That a launch accesses an object, and how it is known whether it does (enum
/// GmprofTouchRule). All entries of a variable together say all that it may do. A form's
/// words are as in GmprofFormDesc, but for an address that is 0: the object is accessed if
/// there is any point.
#define GMPROF_TOUCH_DESC_FIELDS                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)  /* or GMPROF_NONE: of objects found by address */            \
  GMPROF_FIELD(gmprof_u32, kinds)     /* GMPROF_TOUCH_READS … */                                   \
  GMPROF_FIELD(gmprof_u32, rule)      /* GMPROF_TOUCH_* */                                         \
  GMPROF_FIELD(gmprof_u32, flag)      /* GMPROF_TOUCH_FLAG: number of the hit */                   \
  GMPROF_FIELD(gmprof_u32, firstWord) /* GMPROF_TOUCH_FORM: of the kernel's form words */          \
  GMPROF_FIELD(gmprof_u32, wordCount)
#define GMPROF_TOUCH_READS 1u
#define GMPROF_TOUCH_WRITES 2u
#define GMPROF_TOUCH_TEXTURE 4u /* the variable holds the handle of a texture or surface */

#define GMPROF_FIELD(type, name) type name;
struct GmprofKernelDesc {
  GMPROF_KERNEL_DESC_FIELDS
};
struct GmprofVariableDesc {
  GMPROF_VARIABLE_DESC_FIELDS
};
struct GmprofSiteDesc {
  GMPROF_SITE_DESC_FIELDS
};
struct GmprofStaticDesc {
  GMPROF_STATIC_DESC_FIELDS
};
struct GmprofMoveDesc {
  GMPROF_MOVE_DESC_FIELDS
};
struct GmprofFormDesc {
  GMPROF_FORM_DESC_FIELDS
};
struct GmprofHeatFormDesc {
  GMPROF_HEAT_FORM_DESC_FIELDS
};
struct GmprofInlineDesc {
  GMPROF_INLINE_DESC_FIELDS
};
struct GmprofTouchDesc {
  GMPROF_TOUCH_DESC_FIELDS
};
#undef GMPROF_FIELD

#define GMPROF_NONE 0xffffffffu

enum GmprofMode {
  GMPROF_MODE_SHARED = 1u << 0,    ///< K__gm_shared exists
  GMPROF_MODE_SHARED_DM = 1u << 1, ///< K__gm_shared_dm exists
  /// The global profile is there: K__gm_global exists, or closed forms say all.
  GMPROF_MODE_GLOBAL = 1u << 2,
  GMPROF_MODE_GLOBAL_CLONE = 1u << 3, ///< K__gm_global exists
  GMPROF_MODE_GLOBAL_ALL = 1u << 4,   ///< K__gm_global_all exists
  GMPROF_MODE_SHARED_ALL = 1u << 5,   ///< K__gm_shared_all exists
  /// The descriptor says all that K__gm_shared would count, which does not exist.
  GMPROF_MODE_SHARED_KNOWN = 1u << 6,
  GMPROF_MODE_OBJECTS = 1u << 7,       ///< the descriptor has touches
  GMPROF_MODE_OBJECTS_CLONE = 1u << 8, ///< K__gm_objects exists
  /// The profile of heat is there: K__gm_heat exists, or closed forms say all.
  GMPROF_MODE_HEAT = 1u << 9,
  GMPROF_MODE_HEAT_CLONE = 1u << 10, ///< K__gm_heat exists
  GMPROF_MODE_HEAT_ALL = 1u << 11,   ///< K__gm_heat_all exists
  GMPROF_MODE_CACHE = 1u << 12,      ///< K__gm_cache exists
};

enum GmprofKernelFlags {
  GMPROF_KERNEL_DYNAMIC_SHARED = 1u << 0, ///< uses extern __shared__ memory
  GMPROF_KERNEL_OPAQUE_CALLS = 1u << 1,   ///< calls code that could not be followed
  /// All blocks access shared memory alike, provably: the first one counts, and
  /// multiplies by the number of blocks of the grid. blockSample is ignored.
  GMPROF_KERNEL_BLOCKS_ALIKE = 1u << 2,
  /// Counters are updated without atomics: of accesses to one word at the same
  /// time, some may not be counted.
  GMPROF_KERNEL_PLAIN_UPDATES = 1u << 3,
  /// What a thread does may depend on its warp: it shuffles, votes or the like.
  GMPROF_KERNEL_USES_WARPS = 1u << 4,
  /// Words of shared memory may have several live ranges, but other blocks of the cluster may
  /// access them, so that no block knows how often: live ranges are not counted.
  GMPROF_KERNEL_RANGES_OF_CLUSTER = 1u << 5,
};

/// The paper's ablation (GMProf, CCGrid'12, Tables I and II).
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
  GMPROF_ACCESS_ASYNC_TO,   ///< destination of these
  GMPROF_ACCESS_MATRIX,     ///< ldmatrix, wmma.load, wmma.store, stmatrix
  GMPROF_ACCESS_BARRIER,    ///< an operation on an mbarrier object; counts as an atomic one
};

enum GmprofSpace {
  GMPROF_SPACE_GENERIC, ///< resolved at run time
  GMPROF_SPACE_GLOBAL,
  GMPROF_SPACE_SHARED,
  GMPROF_SPACE_CONSTANT,
  GMPROF_SPACE_LOCAL,
  GMPROF_SPACE_PARAM,
  /// Shared memory of a block of the cluster, this one or another.
  GMPROF_SPACE_SHARED_CLUSTER,
};

enum GmprofRule {
  GMPROF_RULE_NOT_COUNTED,      ///< not of this mode's memory space
  GMPROF_RULE_SKIPPED,          ///< could not be counted: see `reason`
  GMPROF_RULE_STATIC,           ///< address and count known at compile time
  GMPROF_RULE_LOOP_INVARIANT,   ///< once after the loop, by each thread
  GMPROF_RULE_LOOP_AND_THREAD,  ///< once after the loop, by one thread
  GMPROF_RULE_THREAD_INVARIANT, ///< by one thread, for all that execute it
  GMPROF_RULE_COUNTED,          ///< each access by its own thread
  GMPROF_RULE_CLOSED_FORM,      ///< computed from the launch (GmprofFormDesc)
  GMPROF_RULE_SWEEP,            ///< global: a loop's whole run at once, by each thread
};

/// How it is known whether a launch accesses the object of a variable.
enum GmprofTouchRule {
  GMPROF_TOUCH_ALWAYS,   ///< it does
  GMPROF_TOUCH_FORM,     ///< the launch determines it
  GMPROF_TOUCH_FLAG,     ///< K__gm_objects sets a hit
  GMPROF_TOUCH_SEARCH,   ///< K__gm_objects finds the object by its address
  GMPROF_TOUCH_POSSIBLE, ///< it is not known; of what, if there is no variable, neither
};

enum GmprofMoveKind {
  GMPROF_MOVE_BEGIN, ///< from global to shared memory
  GMPROF_MOVE_END,   ///< from shared to global memory
};

/// The unknowns of closed forms (static-analysis/ClosedForms.h).
enum GmprofFactor {
  GMPROF_FACTOR_TID_X, ///< threadIdx
  GMPROF_FACTOR_TID_Y,
  GMPROF_FACTOR_TID_Z,
  GMPROF_FACTOR_NTID_X, ///< blockDim
  GMPROF_FACTOR_NTID_Y,
  GMPROF_FACTOR_NTID_Z,
  GMPROF_FACTOR_CTAID_X, ///< blockIdx
  GMPROF_FACTOR_CTAID_Y,
  GMPROF_FACTOR_CTAID_Z,
  GMPROF_FACTOR_NCTAID_X, ///< gridDim
  GMPROF_FACTOR_NCTAID_Y,
  GMPROF_FACTOR_NCTAID_Z,
  /// + number of a loop around the access, the innermost first: its iterations,
  /// from 0.
  GMPROF_FACTOR_LOOP = 16,
  /// + number of a kernel parameter: its value, read as a signed integer.
  GMPROF_FACTOR_PARAMETER = 32,
  /// + number of a derived unknown of a closed form.
  GMPROF_FACTOR_DERIVED = 192,
};

/// What the launch makes of polynomials A and B.
enum GmprofDerived {
  GMPROF_DERIVED_QUOTIENT,     ///< A / B, rounded down
  GMPROF_DERIVED_NOT_NEGATIVE, ///< 1 if A >= 0, else 0
};

//===----------------------------------------------------------------------===//
// Launch parameter of the shared-memory clones
//===----------------------------------------------------------------------===//

/// Word w of a launch is the 4-byte word at shared address
/// layout->firstAddress + 4*w. A block counts its accesses (saturating at the
/// threshold) and, when its last thread leaves, adds each count to
/// sums[r*words + w] and, where the threshold was reached, one to
/// capped[r*words + w]; r = linear block id mod `replicas`.
struct GmprofSharedLaunch {
  gmprof_u64 sums;          ///< gmprof_u64 [replicas][words], device address
  gmprof_u64 capped;        ///< gmprof_u32 [replicas][words], device address
  gmprof_u64 totals;        ///< struct GmprofBlockTotals [replicas], device address
  gmprof_u64 layout;        ///< struct GmprofSharedLayout, device address
  gmprof_u32 words;         ///< words counted, a multiple of 4; accesses beyond are `lost`
  gmprof_u32 counterOffset; ///< of the counters from the start of dynamic shared memory, bytes,
                            ///< multiple of 16
  gmprof_u32 counterBytes;  ///< reserved there: counters, then 16 bytes of control state
  gmprof_u32 replicas;      ///< power of two
  gmprof_u32 blockSample;   ///< blocks whose linear id is a multiple are counted; 1: all
  gmprof_u32 dynamicBytes;  ///< dynamic shared memory that the program asked for
  gmprof_u64 ranges;        ///< struct GmprofRangeCounts [replicas][rangeCount], device address;
                            ///< 0: live ranges are not counted
  gmprof_u64 rangeLog;      ///< struct GmprofRangeLog, device address
  gmprof_u32 rangeOffset;   ///< of what live ranges need, from the first counter
  gmprof_u32 rangeCount;    ///< as in the descriptor
  gmprof_u32 longBlock;     ///< a block that runs for so many times 2^GMPROF_BLOCK_TIME_SHIFT
                            ///< cycles may have counted beyond 32 bits
  gmprof_u32 reserved;
};
#define GMPROF_BLOCK_TIME_SHIFT 22

/// Behind the counters, at counterBytes - GMPROF_SHARED_CONTROL_BYTES.
#define GMPROF_SHARED_CONTROL_BYTES 16u

/// What live ranges need in shared memory begins at rangeOffset: a 32-bit mark for
/// each word, then GMPROF_RANGE_STATE_BYTES for each of rangeCount variables; and
/// behind the control state, at counterBytes, GMPROF_RANGE_BOUNDS_BYTES for each.
#define GMPROF_RANGE_STATE_BYTES 96u
#define GMPROF_RANGE_BOUNDS_BYTES 8u

/// Zeroed by the host before the first launch. One for each replica: a single
/// one would be what all blocks wait for.
struct GmprofBlockTotals {
  gmprof_u64 blocks;  ///< counted and flushed
  gmprof_u64 threads; ///< of those blocks
};

/// Live ranges of a variable's words by number of accesses: 0 to 7, then from each
/// power of two to the next, and from 1024 on.
#define GMPROF_RANGE_BUCKETS 16u

/// Zeroed by the host before the first launch.
struct GmprofRangeCounts {
  gmprof_u64 ranges[GMPROF_RANGE_BUCKETS];
  gmprof_u64 capped;          ///< ranges in which the word's counter reached the threshold: these
                              ///< are not in `ranges`
  gmprof_u64 accesses;        ///< of all in `ranges`
  gmprof_u32 max;             ///< accesses of one range
  gmprof_u32 minComplemented; ///< ~minimum; 0: no ranges
};

/// Single live ranges: of each variable those of the word that the first thread of
/// the grid moves first. The logical clock of a block goes on by one with each move
/// that its first thread executes.
#define GMPROF_RANGE_RECORDS 64u

struct GmprofRangeRecord {
  gmprof_u32 variable;   ///< position in the descriptor's list
  gmprof_u32 word;       ///< as in GmprofSharedLaunch
  gmprof_u32 begin, end; ///< logical clock
  gmprof_u32 accesses;
  gmprof_u32 moved; ///< 1: a move began it; 0: it began with the block or after an end
};

/// Zeroed by the host before the first launch.
struct GmprofRangeLog {
  gmprof_u32 count; ///< that there were; may be more than there is room for
  gmprof_u32 reserved;
  struct GmprofRangeRecord records[GMPROF_RANGE_RECORDS];
};

/// Written by the clones; zeroed by the host before the first launch.
struct GmprofSharedLayout {
  gmprof_u64 lost;           ///< accesses outside the counted words
  gmprof_u32 firstAddress;   ///< shared address of word 0
  gmprof_u32 dynamicAddress; ///< shared address of dynamic shared memory
  gmprof_u32 variables[1];   ///< shared address of each variable of the descriptor, GMPROF_NONE if
                             ///< not shared
};

//===----------------------------------------------------------------------===//
// Launch parameter of the global-memory clones
//===----------------------------------------------------------------------===//

/// Counters of one kind of access. Copies (memcpy, cp.async …) count as reads of
/// their source and writes of their destination.
enum GmprofCounterKind {
  GMPROF_COUNTER_READS,
  GMPROF_COUNTER_WRITES,
  GMPROF_COUNTER_ATOMICS,
  GMPROF_COUNTER_KINDS,
};

/// An object of global memory that a launch can reach. Element e is the bytes from
/// base + (e << elementShift) on; an access counts once for each element that it
/// touches. Counter e of a kind is at counters[kind] + e * globalCounterBits / 8;
/// 64-byte aligned, padded to a multiple of 64 bytes, exact below the threshold.
///
/// With replicas, counters have 64 bits and no threshold; block b counts in those at
/// counters[kind] + ((b mod replicas) << replicaShift), b being its linear id. Only where
/// globalCounterBits is 8 or 16.
struct GmprofGlobalObject {
  gmprof_u64 base;                           ///< device address
  gmprof_u64 bytes;                          ///< 0: nothing there
  gmprof_u64 counters[GMPROF_COUNTER_KINDS]; ///< device addresses; 0: not counted now
  gmprof_u32 elementShift;
  gmprof_u16 replicas; ///< 0, or a power of two
  gmprof_u16 replicaShift;
};

#define GMPROF_GLOBAL_ROOTS 16u

/// An access whose variable has a root looks there first, then (and all others do)
/// in `objects`. What is in no object is counted in the totals as `outside`.
struct GmprofGlobalLaunch {
  gmprof_u64 objects;     ///< struct GmprofGlobalObject [objectCount], device address, sorted
                          ///< by base, not overlapping
  gmprof_u64 totals;      ///< struct GmprofGlobalTotals, device address
  gmprof_u32 objectCount; ///< may be 0
  /// Blocks whose linear id is a multiple are counted; 1: all. Closed forms are of all
  /// blocks in any case.
  gmprof_u32 blockSample;
  struct GmprofGlobalObject roots[GMPROF_GLOBAL_ROOTS];
};

/// Zeroed by the host before the first launch.
struct GmprofGlobalTotals {
  gmprof_u64 blocks;  ///< counted
  gmprof_u64 threads; ///< of those blocks
  /// Accesses of global memory that is no known object, and calls of functions in
  /// other translation units that were not instrumented.
  gmprof_u64 outside;
};

//===----------------------------------------------------------------------===//
// Launch parameter of K__gm_objects
//===----------------------------------------------------------------------===//

/// A range of global memory. Parts of an object may be other objects, so that several
/// ranges can belong to one.
struct GmprofObjectRange {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
};

/// Hits are bytes that are not 0: those that follow, then those of the descriptor's flags,
/// and from objectHits on two for each range, of reads and of writes. Block b sets those at
/// hits + ((b mod replicas) << replicaShift), b being its linear id. Zeroed by the host.
struct GmprofObjectsLaunch {
  gmprof_u64 objects; ///< struct GmprofObjectRange [objectCount], device address, sorted by
                      ///< base, not overlapping
  gmprof_u64 hits;    ///< device address, a multiple of 8
  gmprof_u32 objectCount;
  gmprof_u32 objectHits; ///< a multiple of 8
  gmprof_u32 replicas;   ///< power of two
  gmprof_u32 replicaShift;
};

/// Memory that is in none of the ranges was accessed.
#define GMPROF_HIT_OUTSIDE 0u
/// A function in another translation unit was called that was not instrumented.
#define GMPROF_HIT_NOT_FOLLOWED 1u
#define GMPROF_HIT_FIRST_FLAG 2u

//===----------------------------------------------------------------------===//
// Sites at run time
//===----------------------------------------------------------------------===//

/// A request says by 16 bits which site makes it. Of the kernel itself that is the number in the
/// descriptor. A function that is not inlined serves many kernels, each of which has other numbers
/// for its sites: so it has GMPROF_SITE_OF_FUNCTION, plus the first number that the launch gives
/// its translation unit, plus GmprofSiteDesc::functionSite. What has no such number is unknown.
#define GMPROF_SITE_MASK 0xffffu
#define GMPROF_SITE_OF_FUNCTION 0x8000u
#define GMPROF_SITE_UNKNOWN 0xffffu

/// A translation unit with functions that the launch may call.
struct GmprofUnit {
  gmprof_u64 id; ///< GmprofKernelDesc::unit; 0: there are no more
  gmprof_u32 firstSite;
  gmprof_u32 reserved;
};
/// Of a launch; sites of further ones are unknown.
#define GMPROF_UNITS 8u

//===----------------------------------------------------------------------===//
// Launch parameter of K__gm_heat
//===----------------------------------------------------------------------===//

/// (cuThermo, 2025, Sections IV.A and IV.B.) Of the blocks that a launch names, K__gm_heat
/// notes the set of distinct warps that access each 4-byte word of global memory. A warp's
/// number is that of its threads in the block, divided by 32. Bit w of a word's mask is warp w;
/// that of a sector is set if that of one of its words is.
///
/// Memory is described by pages, which are taken from a pool when they are first accessed. Of
/// a page there is a struct GmprofHeatPage for each kind of accesses (GmprofCounterKind).
#define GMPROF_HEAT_WORD_BYTES 4u
#define GMPROF_HEAT_SECTOR_BYTES 32u
#define GMPROF_HEAT_PAGE_BYTES 4096u
#define GMPROF_HEAT_PAGE_WORDS 1024u
#define GMPROF_HEAT_PAGE_SECTORS 128u

/// Zeroed by the host before it is first used.
struct GmprofHeatPage {
  gmprof_u32 warps[GMPROF_HEAT_PAGE_WORDS];    ///< mask of warps
  gmprof_u32 accesses[GMPROF_HEAT_PAGE_WORDS]; ///< by threads, modulo 2^32
  /// Mask of places: bit p is set where an instruction accesses the sector that stands at
  /// place p of the kernel (GmprofSiteDesc: different pairs of file and line are numbered in
  /// the order of the sites, those of functions that are not inlined last; the last place is
  /// that of all further ones, and of functions whose sites are not known).
  gmprof_u64 places[GMPROF_HEAT_PAGE_SECTORS];
  /// 1 + number of the block that accessed the sector first; the upper bit is set if
  /// another one did as well.
  gmprof_u32 blocks[GMPROF_HEAT_PAGE_SECTORS];
  gmprof_u64 page; ///< its number in the directory
  gmprof_u32 kind; ///< GMPROF_COUNTER_*
  gmprof_u32 reserved;
};
#define GMPROF_HEAT_PLACES 64u

/// Pages with equal hashes are equal, but for their number and the block. Made by the kernel
/// GMPROF_HEAT_DIGEST_KERNEL, which every module with a K__gm_heat has, and whose parameter is the
/// address of a struct GmprofHeatContext.
struct GmprofHeatDigest {
  gmprof_u64 page;
  gmprof_u64 hash[2];
  gmprof_u32 kind;
  gmprof_u32 block; ///< that all sectors of the page have in `blocks`; 0: they differ
};
#define GMPROF_HEAT_DIGEST_KERNEL "__gm_heat_digest"
#define GMPROF_HEAT_SEVERAL_BLOCKS 0x80000000u

/// A word of shared memory, of one kind of accesses.
struct GmprofHeatWord {
  gmprof_u32 warps;
  gmprof_u32 accesses;
  gmprof_u32 thread; ///< 1 + number of the thread in its block; GMPROF_NONE: several; 0: none
  gmprof_u32 reserved;
};

/// What the requests of an instruction, which the active lanes of a warp make together, come
/// to in memory. Of shared memory, wavefronts (passes over the banks) take the place of sectors.
#define GMPROF_HEAT_SITE_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u64, requests) /* executions by a warp */                                    \
  GMPROF_FIELD(gmprof_u64, lanes)    /* that took part, added up */                                \
  GMPROF_FIELD(gmprof_u64, bytes)    /* different ones, of each request */                         \
  GMPROF_FIELD(gmprof_u64, sectors)  /* different ones, of each request; or wavefronts */          \
  GMPROF_FIELD(gmprof_u64, ideal) /* as many as these bytes need at least; or without conflicts */ \
  /* Requests for consecutive bytes that begin within a sector and so need one more. */            \
  GMPROF_FIELD(gmprof_u64, misaligned)                                                             \
  /* Requests whose lanes are all equally far apart, which is not 0 nor the access's size. */      \
  GMPROF_FIELD(gmprof_u64, strided)                                                                \
  GMPROF_FIELD(gmprof_u64, stride) /* bytes, signed, added up over these */
#define GMPROF_FIELD(type, name) type name;
struct GmprofHeatSite {
  GMPROF_HEAT_SITE_FIELDS
};
#undef GMPROF_FIELD

/// An object of global memory; the first of its pages is the one that `base` is in.
struct GmprofHeatObject {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
  gmprof_u64 firstPage; ///< number of its first page in the directory
};

/// A request: the accesses of one instruction by lanes that execute it together. What they access
/// is one number; its fields are described by GMPROF_SITE_MASK and by these shifts and masks.
#define GMPROF_REQUEST_PLACE_SHIFT 16u ///< see GmprofHeatPage::places
#define GMPROF_REQUEST_PLACE_MASK 63u
#define GMPROF_REQUEST_KIND_SHIFT 22u ///< GMPROF_COUNTER_*
#define GMPROF_REQUEST_KIND_MASK 3u
#define GMPROF_REQUEST_BYTES_SHIFT 24u ///< logarithm of the bytes per lane: 0 to 4
#define GMPROF_REQUEST_BYTES_MASK 7u
#define GMPROF_REQUEST_IS_SHARED (1u << 27) ///< of shared memory
/// It is the first of several, of which each lane makes one in each iteration of a loop. The next
/// row has in the place of the address how many the lane makes, and, from
/// GMPROF_REQUEST_LOOP_STEP_SHIFT on, by how much the number of the site grows from one to the
/// next; in the place of what is accessed, how many bytes further the next one's address is; in
/// that of the lanes, a bit for each of the first 32 iterations, which is not set if the lane makes
/// none of the requests there.
#define GMPROF_REQUEST_IS_LOOP (1u << 28)
#define GMPROF_ALL_ITERATIONS 0xffffffffu
#define GMPROF_REQUEST_LOOP_STEP_SHIFT 48u
#define GMPROF_REQUEST_LOOP_STEP_MAX 65535u

/// What one lane leaves of a request, in a row of its own.
struct GmprofRequest {
  gmprof_u64 address;
  gmprof_u32 lanes; ///< mask of those that take part
  gmprof_u32 what;
};

/// Memory for requests of lanes of one warp, which take another one together where a lane's part is
/// full, or where they have been apart and come from different ones. Lanes have a column each, from
/// the second row on; what no lane has written is zero. A request is in one chunk, and may be in
/// different rows of it. The first row is the head: lane 0's `address` is the number of the warp,
/// which is that of its block among the noted ones, times warpsPerBlock, plus its own in the block.
/// There `lanes` of lane 0 says whether long loops were left (GMPROF_CHUNK_*), and `what` how many
/// blocks of GMPROF_HEAT_NOTE_KERNEL have come to the chunk's end. Chunks are taken several at a
/// time, more and more: lane 1's `address` is how many follow that were taken with this one, plus
/// 2^32 times how many these were in all.
#define GMPROF_REQUEST_ROW_BYTES 512u
#define GMPROF_REQUEST_CHUNK_ROWS 32u
#define GMPROF_REQUEST_CHUNK_BYTES (GMPROF_REQUEST_CHUNK_ROWS * GMPROF_REQUEST_ROW_BYTES)

/// Of a chunk: it has long loops, and is one of GmprofHeatTotals::sharedChunk.
#define GMPROF_CHUNK_HAS_LOOPS 1u
#define GMPROF_CHUNK_IS_SHARED 2u

/// Where a thread leaves its requests.
struct GmprofRequestCursor {
  gmprof_u64 last;  ///< address of the last struct GmprofRequest; all ones: there is none
  gmprof_u32 lanes; ///< that took its chunk together
  gmprof_u32 reserved;
};

/// The kernel that notes the requests that a launch has left, and zeroes them, has one parameter:
/// the address of a struct GmprofHeatContext.
#define GMPROF_HEAT_NOTE_KERNEL "__gm_heat_note"

#define GMPROF_SHARED_CHUNKS 61

/// Zeroed by the host before the launch.
struct GmprofHeatTotals {
  gmprof_u64 blocks;  ///< that were noted
  gmprof_u64 threads; ///< of those blocks
  gmprof_u64 outside; ///< accesses of memory that is in no known object, by threads
  gmprof_u64 lost;    ///< accesses, by threads, of pages for which the pool had no room
  /// Accesses, by threads, of other blocks' shared memory, which are not noted.
  gmprof_u64 otherBlocks;
  gmprof_u32 pagesUsed;    ///< of the pool; may be more than there are
  gmprof_u32 chunksUsed;   ///< likewise
  gmprof_u32 sharedChunks; ///< likewise, of sharedChunk
  /// Numbers of chunks with long loops, which all of GMPROF_HEAT_NOTE_KERNEL notes together.
  gmprof_u32 sharedChunk[GMPROF_SHARED_CHUNKS];
};

/// What a launch's clone works with, in device memory.
struct GmprofHeatContext {
  gmprof_u64 objects;   ///< struct GmprofHeatObject [objectCount], sorted, not overlapping
  gmprof_u64 totals;    ///< struct GmprofHeatTotals
  gmprof_u64 directory; ///< gmprof_u32 [pages of all objects][GMPROF_COUNTER_KINDS]: 1 + number
                        ///< in the pool; 0: none
  gmprof_u64 pages;     ///< struct GmprofHeatPage [pageLimit]: the pool
  gmprof_u64 digests;   ///< struct GmprofHeatDigest [pageLimit]
  gmprof_u64 sites;     ///< struct GmprofHeatSite [replicas][siteCount + functionSites + 1]; the
                        ///< last is that of unknown sites
  gmprof_u64 words;     ///< struct GmprofHeatWord [sharedWords][GMPROF_COUNTER_KINDS], of the
                        ///< first of the blocks alone
  gmprof_u64 layout;    ///< struct GmprofSharedLayout
  gmprof_u64 functionPlaces; ///< gmprof_u8 [functionSites]: see GmprofHeatPage::places
  gmprof_u32 objectCount;
  gmprof_u32 pageLimit;
  gmprof_u32 siteCount;
  gmprof_u32 replicas; ///< power of two
  gmprof_u32 sharedWords;
  gmprof_u32 warpsPerBlock;
  gmprof_u64 firstBlock, blockStep; ///< as in the launch parameter
  /// Chunks [chunkLimit], aligned to their size. Requests for which there is no room are noted by
  /// the launch itself.
  gmprof_u64 requests;
  gmprof_u32 chunkLimit;
  gmprof_u32 functionSites; ///< of all `units`
  struct GmprofUnit units[GMPROF_UNITS];
};

/// The blocks first, first + step, first + 2 * step … below end are noted (linear numbers).
struct GmprofHeatLaunch {
  gmprof_u64 context; ///< struct GmprofHeatContext, device address
  gmprof_u64 first, end;
  gmprof_u64 step;
};

//===----------------------------------------------------------------------===//
// Traces of requests (von Buelow et al., 2022, Section 4.1)
//===----------------------------------------------------------------------===//

/// Records go through chunks of page-locked memory that the host empties while the kernel runs.
/// A chunk holds a struct GmprofTraceChunk, then records, one behind the other; what has not
/// been written yet is zero. It belongs to lanes of a warp that stay together: those that part
/// or meet leave it, and go on in another one (struct GmprofOpenChunks). Full ones go to the host.
#define GMPROF_TRACE_CHUNK_BYTES 2048u

struct GmprofTraceChunk {
  gmprof_u64 launch; ///< of GmprofTraceContext
  gmprof_u64 block;  ///< linear number
  gmprof_u64 clock;  ///< %clock64 when it was taken
  gmprof_u32 sm;     ///< %smid
  gmprof_u16 warp;   ///< of the block, by threads' numbers
  gmprof_u16 slot;   ///< %warpid
};

/// A request. Behind it, as `what` says, nothing: lane l accesses base + (l - first lane) *
/// stride; or a struct GmprofTraceRows; or for each of its lanes a gmprof_i32 to add to base; or
/// for each an address, a gmprof_u64. Then padding to a multiple of 8 bytes. Of local memory,
/// addresses are those of the thread, from any origin that all threads share.
struct GmprofTraceRecord {
  gmprof_u32 lanes; ///< not 0
  gmprof_u32 what;
  gmprof_u32 clock; ///< lower half of %clock64
  gmprof_i32 stride;
  gmprof_u64 base; ///< of the first lane
};
/// `what` is GMPROF_SITE_MASK and these.
#define GMPROF_TRACE_BYTES_SHIFT 16u ///< logarithm of the bytes per lane: 0 to 4
#define GMPROF_TRACE_BYTES_MASK 7u
#define GMPROF_TRACE_KIND_SHIFT 19u ///< enum GmprofTraceKind
#define GMPROF_TRACE_KIND_MASK 7u
#define GMPROF_TRACE_OPERATOR_SHIFT 22u ///< enum GmprofTraceOperator
#define GMPROF_TRACE_OPERATOR_MASK 7u
#define GMPROF_TRACE_OFFSETS (1u << 25)   ///< 32-bit offsets follow
#define GMPROF_TRACE_ADDRESSES (1u << 26) ///< 64-bit addresses follow

enum GmprofTraceKind {
  GMPROF_TRACE_LOAD,
  GMPROF_TRACE_STORE,
  GMPROF_TRACE_ATOMIC,    ///< whose result is used
  GMPROF_TRACE_REDUCTION, ///< an atomic whose result is not
  GMPROF_TRACE_LOCAL_LOAD,
  GMPROF_TRACE_LOCAL_STORE,
  GMPROF_TRACE_ASYNC_COPY, ///< cp.async's reading of global memory
};
/// What PTX says about caching, by its names, and who asks.
enum GmprofTraceOperator {
  GMPROF_TRACE_CA,
  GMPROF_TRACE_CG,
  GMPROF_TRACE_CS,
  GMPROF_TRACE_LU,
  GMPROF_TRACE_CV,
  GMPROF_TRACE_NC,
  GMPROF_TRACE_BULK,  ///< a bulk copy: lanes are pieces of 16 bytes, side by side
  GMPROF_TRACE_FENCE, ///< no access: L1 has nothing after it. Site: GMPROF_SITE_UNKNOWN
};

/// Of a launch, in device memory, zero at first.
struct GmprofTraceTotals {
  gmprof_u64 lost;         ///< requests for which there was no chunk
  gmprof_u64 outside;      ///< calls of code that is not instrumented
  gmprof_u64 taken, given; ///< chunks
};
struct GmprofTraceContext {
  struct GmprofTraceTotals totals;
  gmprof_u64 channel; ///< struct GmprofTraceChannel, device address
  gmprof_u64 launch;  ///< a number that no other launch has, not 0
  struct GmprofUnit units[GMPROF_UNITS];
};

/// The blocks first, first + step, first + 2 * step … below end are recorded (linear numbers), on
/// SMs whose number is a multiple of smStep.
struct GmprofTraceLaunch {
  gmprof_u64 context; ///< struct GmprofTraceContext, device address
  gmprof_u64 first, end;
  gmprof_u64 step;
  gmprof_u64 smStep;
};

/// Where a thread writes its records.
struct GmprofTraceCursor {
  gmprof_u64 next;  ///< address of the next record; 0: there is no chunk
  gmprof_u32 lanes; ///< to which the chunk belongs
  gmprof_u32 taker; ///< see GmprofTraceChannel::takers
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GMPROF_ABI_H
