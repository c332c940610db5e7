//===- abi.h - Contract between pass, device, host and CPU device ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines what the compiler pass, the device hooks, the host runtime and the CPU device agree on:
// symbol names, the descriptor that the pass emits into the device module for each kernel, and the
// launch parameter that the host runtime passes to a kernel's clone.
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

#define GMPROF_ABI_VERSION 21u

typedef unsigned char gmprof_u8;
typedef unsigned short gmprof_u16;
typedef unsigned int gmprof_u32;
typedef unsigned long long gmprof_u64;
typedef int gmprof_i32;
typedef long long gmprof_i64;

//===----------------------------------------------------------------------===//
// Symbol names
//===----------------------------------------------------------------------===//

/// The pass leaves kernel K unchanged and adds clones beside it. A clone has the parameters of K
/// and one hidden trailing parameter, passed by value.
///
///   K__gm_shared      counts accesses to shared memory with counters in shared memory, except
///                     for those that the descriptor describes (GmprofStaticDesc,
///                     GmprofFormDesc); trailing parameter: struct GmprofSharedLaunch. Absent if
///                     the descriptor describes all accesses: the kernel itself runs then.
///   K__gm_shared_all  also counts accesses with closed forms and live ranges. Runs in launches
///                     in which a closed form does not hold or the number of accesses is known
///                     only to the blocks. Absent if K__gm_shared counts all.
///   K__gm_shared_dm   counts all accesses to shared memory with counters in device memory, for
///                     launches whose shared memory has no room for counters. Present only where
///                     that can happen: kernels with dynamic shared memory, and levels without
///                     counters in shared memory.
///   K__gm_global      counts accesses to global memory, except for those with a closed form
///                     (GmprofFormDesc); trailing parameter: struct GmprofGlobalLaunch. Absent
///                     if closed forms describe all: the kernel itself runs then.
///   K__gm_global_all  also counts accesses with closed forms, for launches in which a closed
///                     form does not hold. Absent if there is no closed form.
///   K__gm_objects     records which objects it accesses, unless the launch determines that
///                     (GmprofTouchDesc); trailing parameter: struct GmprofObjectsLaunch. Absent
///                     if the launch determines all: the kernel itself runs then.
///   K__gm_heat        records which warps access which words of global and shared memory, in
///                     the blocks that the launch names, except for accesses with a closed form
///                     (GmprofHeatFormDesc); trailing parameter: struct GmprofHeatLaunch. Absent
///                     if closed forms describe all: the kernel itself runs then.
///   K__gm_heat_all    also records accesses with closed forms, for launches in which a closed
///                     form does not hold. Absent if there is no closed form.
///   K__gm_cache       writes a record for each request to global and local memory; trailing
///                     parameter: struct GmprofTraceLaunch. Absent if there are no requests.
///
/// The clones present also depend on how the program was compiled (-gm-profile).
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

/// Descriptor of a device function F that other translation units may call, in the format of a
/// kernel's. Holds the sites of F and of the functions it calls that only its own translation unit
/// can call.
#define GMPROF_FUNCTION_DESC_PREFIX "__gm_function_"

/// Prefix of all symbols that GMProf adds to device code.
#define GMPROF_SYMBOL_PREFIX "__gm_"

/// Section of host objects that holds device bitcode under -fgpu-rdc; without rdc the bitcode
/// follows the fat binary (docs/architecture.md). Both hold records: gmprof_u64 magic, gmprof_u64
/// bytes of the content, gmprof_u64 architecture (90 for sm_90), then the content, which is bitcode
/// or a zstd frame of it, and padding to a multiple of 8.
#define GMPROF_BITCODE_SECTION "gmprof_bitcode"
#define GMPROF_BITCODE_MAGIC 0x3243424d47ull /* "GMBC2" */

//===----------------------------------------------------------------------===//
// Kernel descriptor
//===----------------------------------------------------------------------===//

#define GMPROF_DESC_MAGIC 0x314b4d47u /* "GMK1" */

/// Header of a descriptor. Offsets are in bytes from the start of the descriptor; name fields are
/// offsets into the strings (NUL-terminated, 0 is the empty string). Arrays follow in the order of
/// the offsets.
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
  GMPROF_FIELD(gmprof_u32, globalLevel) /* as the three before, for the global clones */           \
  GMPROF_FIELD(gmprof_u32, globalCounterBits)                                                      \
  GMPROF_FIELD(gmprof_u32, globalThreshold)                                                        \
  GMPROF_FIELD(gmprof_u32, skipReason)   /* string: why no profile covers it, or empty */          \
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
  GMPROF_FIELD(gmprof_u32, instructionsOffset)                                                     \
  GMPROF_FIELD(gmprof_u32, instructionCount)                                                       \
  GMPROF_FIELD(gmprof_u32, machineCode) /* 90: instructions are of sm_90's code; 0: not known */   \
  GMPROF_FIELD(gmprof_u32, frameBytes)  /* of that code: local memory of a thread */               \
  GMPROF_FIELD(gmprof_u32, stringsOffset)                                                          \
  GMPROF_FIELD(gmprof_u32, stringsBytes)                                                           \
  GMPROF_FIELD(gmprof_u64, unit) /* see GmprofSiteDesc::functionSite */

/// Variable that the kernel accesses.
#define GMPROF_VARIABLE_DESC_FIELDS                                                                \
  GMPROF_FIELD(gmprof_u32, name) /* as in the source: tile, Outer::buf */                          \
  GMPROF_FIELD(gmprof_u32, type) /* its C++ type, empty if unknown */                              \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line)            /* 0: unknown */                                       \
  GMPROF_FIELD(gmprof_u32, kind)            /* GMPROF_VARIABLE_* */                                \
  GMPROF_FIELD(gmprof_u32, elementBytes)    /* of the innermost array element or scalar */         \
  GMPROF_FIELD(gmprof_u64, bytes)           /* 0 for dynamic shared memory */                      \
  GMPROF_FIELD(gmprof_u32, symbol)          /* mangled name of a module's variable, else empty */  \
  GMPROF_FIELD(gmprof_u32, parameter)       /* kernel parameter that holds the pointer; or NONE */ \
  GMPROF_FIELD(gmprof_u32, parameterOffset) /* of the pointer in a parameter that is a struct */   \
  GMPROF_FIELD(gmprof_u32, root) /* number in GmprofGlobalLaunch::roots, or GMPROF_NONE */

/// Access in the optimised kernel or in a device function it calls.
#define GMPROF_SITE_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, variable) /* index of the variable, or GMPROF_NONE */                   \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, function)   /* function that holds the line (inlined ones too) */       \
  GMPROF_FIELD(gmprof_u32, kind)       /* GMPROF_ACCESS_* */                                       \
  GMPROF_FIELD(gmprof_u32, space)      /* GMPROF_SPACE_* */                                        \
  GMPROF_FIELD(gmprof_u32, bytes)      /* per thread and execution; 0: known at run time */        \
  GMPROF_FIELD(gmprof_u32, rule)       /* GMPROF_RULE_*: how it is counted */                      \
  GMPROF_FIELD(gmprof_u32, reason)     /* string: why no better rule, or why skipped */            \
  GMPROF_FIELD(gmprof_u32, globalRule) /* as the two before, for the global clones */              \
  GMPROF_FIELD(gmprof_u32, globalReason)                                                           \
  GMPROF_FIELD(gmprof_u32, inlinedAt) /* index of the inlined call it is in, or GMPROF_NONE */     \
  /* Of a function that is not inlined: its number among those of the translation unit, for */     \
  /* GmprofUnit; of the kernel itself: GMPROF_NONE. */                                             \
  GMPROF_FIELD(gmprof_u32, functionSite)                                                           \
  /* 1: an atomic that only accumulates: its operation is commutative and associative, and its */  \
  /* result is unused. Partial results of blocks can be combined later. */                         \
  GMPROF_FIELD(gmprof_u32, reduction)                                                              \
  /* 1: the width of the requests is that of the kernel's machine code; 0: of PTX. */              \
  GMPROF_FIELD(gmprof_u32, machineWidth)

/// Inlined call, with its position in the source.
#define GMPROF_INLINE_DESC_FIELDS                                                                  \
  GMPROF_FIELD(gmprof_u32, function) /* callee */                                                  \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, parent) /* index of the enclosing call, which is earlier; or NONE */    \
  GMPROF_FIELD(gmprof_u32, reserved)

/// Memory instructions of the kernel's machine code that no profile records. Instructions at one
/// place that do the same are one entry. Known only for clones on demand, which are made beside the
/// machine code.
#define GMPROF_INSTRUCTION_DESC_FIELDS                                                             \
  GMPROF_FIELD(gmprof_u32, kind)     /* GMPROF_INSTRUCTION_* */                                    \
  GMPROF_FIELD(gmprof_u32, variable) /* index of the variable, or GMPROF_NONE */                   \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, function)                                                               \
  GMPROF_FIELD(gmprof_u32, inlinedAt) /* as in GmprofSiteDesc */                                   \
  GMPROF_FIELD(gmprof_u32, bytes)     /* per lane; 0: not stated */                                \
  GMPROF_FIELD(gmprof_u32, count)     /* number of the instructions */                             \
  GMPROF_FIELD(gmprof_u32, index)     /* GMPROF_INDEX_* */                                         \
  /* Of a load of constants: signed bytes between the addresses of threads whose threadIdx.x */    \
  /* differs by 1; 0: unknown. */                                                                  \
  GMPROF_FIELD(gmprof_u32, laneStride)

/// Statement that moves data between global and shared memory and so begins or ends a live range
/// (GMProf, CCGrid'12, Section V).
#define GMPROF_MOVE_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, kind)     /* GMPROF_MOVE_* */                                           \
  GMPROF_FIELD(gmprof_u32, variable) /* in shared memory, or GMPROF_NONE */                        \
  GMPROF_FIELD(gmprof_u32, other)    /* in global memory, or GMPROF_NONE */                        \
  GMPROF_FIELD(gmprof_u32, bytes)    /* per thread; 0: known at run time */                        \
  GMPROF_FIELD(gmprof_u32, file)                                                                   \
  GMPROF_FIELD(gmprof_u32, line) /* 0: unknown */                                                  \
  GMPROF_FIELD(gmprof_u32, column)                                                                 \
  GMPROF_FIELD(gmprof_u32, function)                                                               \
  GMPROF_FIELD(gmprof_u32, inlinedAt) /* as in GmprofSiteDesc */                                   \
  GMPROF_FIELD(gmprof_u32, reserved)

/// Access whose counts are known at compile time: every thread of every block accesses `bytes`
/// bytes at `offset` of `variable`, `count` times.
#define GMPROF_STATIC_DESC_FIELDS                                                                  \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u64, offset)                                                                 \
  GMPROF_FIELD(gmprof_u32, bytes)                                                                  \
  GMPROF_FIELD(gmprof_u32, count)

/// Closed form of an access to global or shared memory: the bytes that all threads of a launch
/// access at this site, as a function of the launch's dimensions and of the kernel's integer
/// parameters. A variable in shared memory is described once for all blocks. `words` are, in this
/// order:
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
/// A polynomial is the number of its terms, then for each term the coefficient, the number of
/// factors, and the factors (enum GmprofFactor). It is evaluated in unbounded integers; only the
/// address is modulo 2^64.
///
/// For each block of the grid, each thread of the block and each combination of iterations k >= 0
/// of the loops that satisfies all constraints, the site accesses `bytes` bytes at the address,
/// once. A constraint is satisfied if its polynomial is >= 0; a constraint with a loop number
/// always holds for iteration 0 of that loop. A loop may represent a quotient, or a condition that
/// a thread meets (1) or not (0), instead of a loop of the program: then exactly one k, not
/// necessarily from 0 on, satisfies the constraints.
///
/// A condition with number c holds if its polynomial lies between minimum and maximum for all
/// threads and iterations that satisfy the first c constraints; its polynomial refers only to loops
/// of these constraints. The form holds in a launch if all conditions hold and each divisor B is >=
/// 1; otherwise the index arithmetic wraps around, and the launch needs K__gm_global_all or
/// K__gm_shared_all. A reader that cannot decide a condition assumes that it does not hold.
#define GMPROF_FORM_DESC_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, firstWord) /* of the kernel's form words */                             \
  GMPROF_FIELD(gmprof_u32, wordCount)
#define GMPROF_FORM_LOOPS 8u

/// Closed form of an access as K__gm_heat_all records it: `bytes` bytes at the form's address plus
/// `offset`, by instructions of `pieceBytes`. If `bytes` is less, one instruction makes the
/// accesses of several iterations, in that whose address is a multiple of `pieceBytes`. Lanes of a
/// warp make one request if they are in the same iteration of all loops in `loops`; the other loops
/// represent values that each thread has one of. Accesses that are merged have one form, of one of
/// the sites.
#define GMPROF_HEAT_FORM_DESC_FIELDS                                                               \
  GMPROF_FIELD(gmprof_u32, site)                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)                                                               \
  GMPROF_FIELD(gmprof_u32, firstWord) /* of the kernel's form words, see GmprofFormDesc */         \
  GMPROF_FIELD(gmprof_u32, wordCount)                                                              \
  GMPROF_FIELD(gmprof_u32, loops)  /* mask */                                                      \
  GMPROF_FIELD(gmprof_u32, offset) /* signed */                                                    \
  GMPROF_FIELD(gmprof_u32, bytes)                                                                  \
  GMPROF_FIELD(gmprof_u32, pieceBytes) /* 1, 2, 4, 8 or 16 */

/// Access of a launch to an object, and how it is decided whether it happens (enum
/// GmprofTouchRule). All entries of a variable together cover all possible accesses. A form's words
/// are as in GmprofFormDesc, with address 0: the object is accessed if the form has any point.
#define GMPROF_TOUCH_DESC_FIELDS                                                                   \
  GMPROF_FIELD(gmprof_u32, variable)  /* or GMPROF_NONE: objects found by address */               \
  GMPROF_FIELD(gmprof_u32, kinds)     /* GMPROF_TOUCH_READS … */                                   \
  GMPROF_FIELD(gmprof_u32, rule)      /* GMPROF_TOUCH_* */                                         \
  GMPROF_FIELD(gmprof_u32, flag)      /* GMPROF_TOUCH_FLAG: index of the hit */                    \
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
struct GmprofInstructionDesc {
  GMPROF_INSTRUCTION_DESC_FIELDS
};
struct GmprofTouchDesc {
  GMPROF_TOUCH_DESC_FIELDS
};
#undef GMPROF_FIELD

#define GMPROF_NONE 0xffffffffu

enum GmprofMode {
  GMPROF_MODE_SHARED = 1u << 0,    ///< K__gm_shared exists
  GMPROF_MODE_SHARED_DM = 1u << 1, ///< K__gm_shared_dm exists
  /// The global profile is available: K__gm_global exists, or closed forms describe all.
  GMPROF_MODE_GLOBAL = 1u << 2,
  GMPROF_MODE_GLOBAL_CLONE = 1u << 3, ///< K__gm_global exists
  GMPROF_MODE_GLOBAL_ALL = 1u << 4,   ///< K__gm_global_all exists
  GMPROF_MODE_SHARED_ALL = 1u << 5,   ///< K__gm_shared_all exists
  /// The descriptor describes all that K__gm_shared would count; K__gm_shared does not exist.
  GMPROF_MODE_SHARED_KNOWN = 1u << 6,
  GMPROF_MODE_OBJECTS = 1u << 7,       ///< the descriptor has touches
  GMPROF_MODE_OBJECTS_CLONE = 1u << 8, ///< K__gm_objects exists
  /// The heat profile is available: K__gm_heat exists, or closed forms describe all.
  GMPROF_MODE_HEAT = 1u << 9,
  GMPROF_MODE_HEAT_CLONE = 1u << 10, ///< K__gm_heat exists
  GMPROF_MODE_HEAT_ALL = 1u << 11,   ///< K__gm_heat_all exists
  GMPROF_MODE_CACHE = 1u << 12,      ///< K__gm_cache exists
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

/// Rule that decides if a launch accesses a variable's object.
enum GmprofTouchRule {
  GMPROF_TOUCH_ALWAYS,   ///< always accessed
  GMPROF_TOUCH_FORM,     ///< determined by the launch
  GMPROF_TOUCH_FLAG,     ///< K__gm_objects sets a hit
  GMPROF_TOUCH_SEARCH,   ///< K__gm_objects finds the object by its address
  GMPROF_TOUCH_POSSIBLE, ///< unknown; without a variable, the object is unknown too
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

/// Unknowns of closed forms (static-analysis/ClosedForms.h).
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
  /// + number of a loop around the access, the innermost first: its iteration, from 0.
  GMPROF_FACTOR_LOOP = 16,
  /// + number of a kernel parameter: its value, read as a signed integer.
  GMPROF_FACTOR_PARAMETER = 32,
  /// + number of a derived unknown of a closed form.
  GMPROF_FACTOR_DERIVED = 192,
};

/// Functions of polynomials A and B that a launch evaluates.
enum GmprofDerived {
  GMPROF_DERIVED_QUOTIENT,     ///< A / B, rounded down
  GMPROF_DERIVED_NOT_NEGATIVE, ///< 1 if A >= 0, else 0
};

//===----------------------------------------------------------------------===//
// Launch parameter of the shared-memory clones
//===----------------------------------------------------------------------===//

/// Launch parameter of the shared-memory clones. Word w of a launch is the 4-byte word at shared
/// address layout->firstAddress + 4*w. A block counts its accesses (saturating at the threshold).
/// When its last thread exits, it adds each count to sums[r*words + w] and, where the threshold was
/// reached, one to capped[r*words + w]; r = linear block id mod `replicas`.
struct GmprofSharedLaunch {
  gmprof_u64 sums;          ///< gmprof_u64 [replicas][words], device address
  gmprof_u64 capped;        ///< gmprof_u32 [replicas][words], device address
  gmprof_u64 totals;        ///< struct GmprofBlockTotals [replicas], device address
  gmprof_u64 layout;        ///< struct GmprofSharedLayout, device address
  gmprof_u32 words;         ///< words counted, a multiple of 4; accesses beyond are `lost`
  gmprof_u32 counterOffset; ///< of the counters in dynamic shared memory, bytes, multiple of 16
  gmprof_u32 counterBytes;  ///< bytes reserved there: counters, then 16 bytes of control state
  gmprof_u32 replicas;      ///< power of two
  gmprof_u32 blockSample;   ///< only blocks whose linear id is a multiple are counted; 1: all
  gmprof_u32 dynamicBytes;  ///< dynamic shared memory that the program asked for
  gmprof_u64 ranges;        ///< struct GmprofRangeCounts [replicas][rangeCount], device address;
                            ///< 0: live ranges are not counted
  gmprof_u64 rangeLog;      ///< struct GmprofRangeLog, device address
  gmprof_u32 rangeOffset;   ///< offset of the live ranges' state from the first counter
  gmprof_u32 rangeCount;    ///< as in the descriptor
  gmprof_u32 longBlock; ///< time in units of 2^GMPROF_BLOCK_TIME_SHIFT cycles after which a block's
                        ///< 32-bit counters may have overflowed
  gmprof_u32 reserved;
};
#define GMPROF_BLOCK_TIME_SHIFT 22

/// Bytes of control state, at counterBytes - GMPROF_SHARED_CONTROL_BYTES.
#define GMPROF_SHARED_CONTROL_BYTES 16u

/// State of live ranges in shared memory. rangeOffset begins a 32-bit mark for each word, followed
/// by GMPROF_RANGE_STATE_BYTES for each of rangeCount variables. counterBytes, behind the control
/// state, begins GMPROF_RANGE_BOUNDS_BYTES for each variable.
#define GMPROF_RANGE_STATE_BYTES 96u
#define GMPROF_RANGE_BOUNDS_BYTES 8u

/// Totals of the counted blocks. Zeroed by the host before the first launch. One per replica:
/// blocks would contend for a single one.
struct GmprofBlockTotals {
  gmprof_u64 blocks;  ///< counted and flushed
  gmprof_u64 threads; ///< of those blocks
};

/// Number of buckets of a histogram of live ranges by number of accesses: 0 to 7, then one for each
/// power of two, and from 1024 on.
#define GMPROF_RANGE_BUCKETS 16u

/// Live ranges of a variable's words. Zeroed by the host before the first launch.
struct GmprofRangeCounts {
  gmprof_u64 ranges[GMPROF_RANGE_BUCKETS];
  gmprof_u64 capped; ///< ranges in which the word's counter reached the threshold; not in `ranges`
  gmprof_u64 accesses;        ///< sum over `ranges`
  gmprof_u32 max;             ///< largest number of accesses in one range
  gmprof_u32 minComplemented; ///< ~minimum; 0: no ranges
};

/// Number of single live ranges that are logged: for each variable those of the first word that the
/// first thread of the grid moves. A block's logical clock advances by one with each move that its
/// first thread executes.
#define GMPROF_RANGE_RECORDS 64u

struct GmprofRangeRecord {
  gmprof_u32 variable;   ///< position in the descriptor's list
  gmprof_u32 word;       ///< as in GmprofSharedLaunch
  gmprof_u32 begin, end; ///< logical clock
  gmprof_u32 accesses;
  gmprof_u32 moved; ///< 1: a move began it; 0: it began at the start of the block or after an end
};

/// Log of single live ranges. Zeroed by the host before the first launch.
struct GmprofRangeLog {
  gmprof_u32 count; ///< number that occurred; may exceed GMPROF_RANGE_RECORDS
  gmprof_u32 reserved;
  struct GmprofRangeRecord records[GMPROF_RANGE_RECORDS];
};

/// Placement of shared memory, written by the clones. Zeroed by the host before the first launch.
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

/// Kind of access that a counter counts. Copies (memcpy, cp.async …) count as reads of their source
/// and writes of their destination.
enum GmprofCounterKind {
  GMPROF_COUNTER_READS,
  GMPROF_COUNTER_WRITES,
  GMPROF_COUNTER_ATOMICS,
  GMPROF_COUNTER_KINDS,
};

/// Object of global memory that a launch can reach. Element e is the bytes from base + (e <<
/// elementShift) on; an access counts once for each element that it touches. Counter e of a kind is
/// at counters[kind] + e * globalCounterBits / 8. Counters are 64-byte aligned, padded to a
/// multiple of 64 bytes, and exact below the threshold.
///
/// With replicas, counters have 64 bits and no threshold; block b (linear id) uses those at
/// counters[kind] + ((b mod replicas) << replicaShift). Allowed only if globalCounterBits is 8 or
/// 16.
struct GmprofGlobalObject {
  gmprof_u64 base;                           ///< device address
  gmprof_u64 bytes;                          ///< 0: no object
  gmprof_u64 counters[GMPROF_COUNTER_KINDS]; ///< device addresses; 0: not counted
  gmprof_u32 elementShift;
  gmprof_u16 replicas; ///< 0, or a power of two
  gmprof_u16 replicaShift;
};

#define GMPROF_GLOBAL_ROOTS 16u

/// Launch parameter of the global-memory clones. An access whose variable has a root searches that
/// root first, then `objects`; other accesses search `objects` only. Accesses to no object count as
/// `outside` in the totals.
struct GmprofGlobalLaunch {
  gmprof_u64 objects;     ///< struct GmprofGlobalObject [objectCount], device address, sorted
                          ///< by base, not overlapping
  gmprof_u64 totals;      ///< struct GmprofGlobalTotals, device address
  gmprof_u32 objectCount; ///< may be 0
  /// Counts only blocks whose linear id is a multiple of this; 1: all. Closed forms always describe
  /// all blocks.
  gmprof_u32 blockSample;
  struct GmprofGlobalObject roots[GMPROF_GLOBAL_ROOTS];
};

/// Totals of the counted blocks. Zeroed by the host before the first launch.
struct GmprofGlobalTotals {
  gmprof_u64 blocks;  ///< counted blocks
  gmprof_u64 threads; ///< of those blocks
  /// Accesses to global memory outside all known objects, and calls of functions in other
  /// translation units that are not instrumented.
  gmprof_u64 outside;
};

//===----------------------------------------------------------------------===//
// Launch parameter of K__gm_objects
//===----------------------------------------------------------------------===//

/// Range of global memory. An object has several ranges if parts of it are objects of their own.
struct GmprofObjectRange {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
};

/// Launch parameter of K__gm_objects. A hit is a byte that is set to non-zero. Hits are the fixed
/// ones (GMPROF_HIT_*), then the descriptor's flags, and from objectHits on two per range, for
/// reads and writes. Block b (linear id) sets those at hits + ((b mod replicas) << replicaShift).
/// Zeroed by the host.
struct GmprofObjectsLaunch {
  gmprof_u64 objects; ///< struct GmprofObjectRange [objectCount], device address, sorted by
                      ///< base, not overlapping
  gmprof_u64 hits;    ///< device address, a multiple of 8
  gmprof_u32 objectCount;
  gmprof_u32 objectHits; ///< a multiple of 8
  gmprof_u32 replicas;   ///< power of two
  gmprof_u32 replicaShift;
};

/// Hit: memory outside all ranges was accessed.
#define GMPROF_HIT_OUTSIDE 0u
/// Hit: a function in another translation unit that is not instrumented was called.
#define GMPROF_HIT_NOT_FOLLOWED 1u
#define GMPROF_HIT_FIRST_FLAG 2u

//===----------------------------------------------------------------------===//
// Sites at run time
//===----------------------------------------------------------------------===//

/// Site of a request in 16 bits. A site of the kernel itself is its number in the descriptor. A
/// function that is not inlined serves many kernels with different numbers, so its site is
/// GMPROF_SITE_OF_FUNCTION plus the first number that the launch assigns to its translation unit
/// plus GmprofSiteDesc::functionSite. Sites without a number are unknown.
#define GMPROF_SITE_MASK 0xffffu
#define GMPROF_SITE_OF_FUNCTION 0x8000u
#define GMPROF_SITE_UNKNOWN 0xffffu

/// Translation unit with functions that the launch may call.
struct GmprofUnit {
  gmprof_u64 id; ///< GmprofKernelDesc::unit; 0: end of the list
  gmprof_u32 firstSite;
  gmprof_u32 reserved;
};
/// Largest number of translation units in a launch; sites of further ones are unknown.
#define GMPROF_UNITS 8u

//===----------------------------------------------------------------------===//
// Launch parameter of K__gm_heat
//===----------------------------------------------------------------------===//

/// Granularity of the heat profile (cuThermo, 2025, Sections IV.A and IV.B). In the blocks that a
/// launch names, K__gm_heat records the set of distinct warps that access each 4-byte word of
/// global memory. A warp's number is that of its threads in the block, divided by 32. Bit w of a
/// word's mask is warp w; a sector's mask is the union of its words' masks.
///
/// Memory is described by pages, taken from a pool at the first access. A page has a struct
/// GmprofHeatPage for each kind of access (GmprofCounterKind).
#define GMPROF_HEAT_WORD_BYTES 4u
#define GMPROF_HEAT_SECTOR_BYTES 32u
#define GMPROF_HEAT_PAGE_BYTES 4096u
#define GMPROF_HEAT_PAGE_WORDS 1024u
#define GMPROF_HEAT_PAGE_SECTORS 128u

/// Accesses of one kind to a page of memory. Zeroed by the host before its first use.
struct GmprofHeatPage {
  gmprof_u32 warps[GMPROF_HEAT_PAGE_WORDS];    ///< mask of warps
  gmprof_u32 accesses[GMPROF_HEAT_PAGE_WORDS]; ///< by threads, modulo 2^32
  /// Mask of places: bit p is set if an instruction at place p of the kernel accesses the sector.
  /// Places number the distinct pairs of file and line in the order of the sites (GmprofSiteDesc),
  /// functions that are not inlined last; all further pairs, and functions whose sites are not
  /// known, share the last place.
  gmprof_u64 places[GMPROF_HEAT_PAGE_SECTORS];
  /// 1 + number of the block that accessed the sector first; the highest bit is set if another
  /// block accessed it as well.
  gmprof_u32 blocks[GMPROF_HEAT_PAGE_SECTORS];
  gmprof_u64 page; ///< its number in the directory
  gmprof_u32 kind; ///< GMPROF_COUNTER_*
  gmprof_u32 reserved;
};
#define GMPROF_HEAT_PLACES 64u

/// Digest of a page: pages with equal hashes are equal, except for their number and block. Computed
/// by the kernel GMPROF_HEAT_DIGEST_KERNEL, which every module with a K__gm_heat has, and whose
/// parameter is the address of a struct GmprofHeatContext.
struct GmprofHeatDigest {
  gmprof_u64 page;
  gmprof_u64 hash[2];
  gmprof_u32 kind;
  gmprof_u32 block; ///< common value of `blocks` of all sectors of the page; 0: they differ
};
#define GMPROF_HEAT_DIGEST_KERNEL "__gm_heat_digest"
#define GMPROF_HEAT_SEVERAL_BLOCKS 0x80000000u

/// Accesses of one kind to a word of shared memory.
struct GmprofHeatWord {
  gmprof_u32 warps;
  gmprof_u32 accesses;
  gmprof_u32 thread; ///< 1 + number of the thread in its block; GMPROF_NONE: several; 0: none
  gmprof_u32 reserved;
};

/// Memory traffic of the requests of one instruction. A request is the accesses of the active lanes
/// of a warp. Shared memory has wavefronts (passes over the banks) in place of sectors.
#define GMPROF_HEAT_SITE_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u64, requests) /* executions by a warp */                                    \
  GMPROF_FIELD(gmprof_u64, lanes)    /* sum over requests of participating lanes */                \
  GMPROF_FIELD(gmprof_u64, bytes)    /* sum over requests of distinct bytes */                     \
  GMPROF_FIELD(gmprof_u64, sectors)  /* sum over requests of distinct sectors, or wavefronts */    \
  GMPROF_FIELD(gmprof_u64, ideal)    /* fewest possible sectors, or conflict-free wavefronts */    \
  /* Requests for consecutive bytes that start inside a sector and therefore need one more. */     \
  GMPROF_FIELD(gmprof_u64, misaligned)                                                             \
  /* Requests whose lanes have one common distance, neither 0 nor the access's size. */            \
  GMPROF_FIELD(gmprof_u64, strided)                                                                \
  GMPROF_FIELD(gmprof_u64, stride) /* sum of these distances, signed, in bytes */
#define GMPROF_FIELD(type, name) type name;
struct GmprofHeatSite {
  GMPROF_HEAT_SITE_FIELDS
};
#undef GMPROF_FIELD

/// Object of global memory; its first page is the one that `base` is in.
struct GmprofHeatObject {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
  gmprof_u64 firstPage; ///< number of its first page in the directory
};

/// Encoding of a request's instruction in one number: the fields below and GMPROF_SITE_MASK. A
/// request is the accesses of one instruction by lanes that execute it together.
#define GMPROF_REQUEST_PLACE_SHIFT 16u ///< see GmprofHeatPage::places
#define GMPROF_REQUEST_PLACE_MASK 63u
#define GMPROF_REQUEST_KIND_SHIFT 22u ///< GMPROF_COUNTER_*
#define GMPROF_REQUEST_KIND_MASK 3u
#define GMPROF_REQUEST_BYTES_SHIFT 24u ///< logarithm of the bytes per lane: 0 to 4
#define GMPROF_REQUEST_BYTES_MASK 7u
#define GMPROF_REQUEST_IS_SHARED (1u << 27) ///< accesses shared memory
/// Marks the first of several requests, one per iteration of a loop for each lane. The next row
/// describes the others. Its `address` holds the number of the lane's requests and, from
/// GMPROF_REQUEST_LOOP_STEP_SHIFT on, the increment of the site's number from one to the next. Its
/// `what` holds the distance in bytes from one address to the next. Its `lanes` has a bit for each
/// of the first 32 iterations, clear if the lane makes no request in it.
#define GMPROF_REQUEST_IS_LOOP (1u << 28)
#define GMPROF_ALL_ITERATIONS 0xffffffffu
#define GMPROF_REQUEST_LOOP_STEP_SHIFT 48u
#define GMPROF_REQUEST_LOOP_STEP_MAX 65535u

/// Part of one lane in a request, in a row of its own.
struct GmprofRequest {
  gmprof_u64 address;
  gmprof_u32 lanes; ///< mask of the participating lanes
  gmprof_u32 what;
};

/// Layout of a chunk: memory for requests of lanes of one warp. The lanes take a new one together
/// when one lane's column is full, or when they reconverge from different chunks. Each lane has a
/// column, from the second row on; unwritten entries are zero. A request stays in one chunk but may
/// be in different rows of it.
///
/// The first row is the head. Lane 0's `address` is the number of the warp: that of its block among
/// the recorded ones, times warpsPerBlock, plus its number in the block. Lane 0's `lanes` says
/// whether long loops were recorded (GMPROF_CHUNK_*), and `what` how many blocks of
/// GMPROF_HEAT_NOTE_KERNEL have processed the chunk. Chunks are taken several at a time, in growing
/// numbers: lane 1's `address` is the number of chunks that follow in the same group, plus 2^32
/// times the size of the group.
#define GMPROF_REQUEST_ROW_BYTES 512u
#define GMPROF_REQUEST_CHUNK_ROWS 32u
#define GMPROF_REQUEST_CHUNK_BYTES (GMPROF_REQUEST_CHUNK_ROWS * GMPROF_REQUEST_ROW_BYTES)

/// Flags of a chunk: it has long loops; it is listed in GmprofHeatTotals::sharedChunk.
#define GMPROF_CHUNK_HAS_LOOPS 1u
#define GMPROF_CHUNK_IS_SHARED 2u

/// Position at which a thread writes its requests.
struct GmprofRequestCursor {
  gmprof_u64 last;  ///< address of the last struct GmprofRequest; all ones: none
  gmprof_u32 lanes; ///< lanes that took the chunk together
  gmprof_u32 reserved;
};

/// Kernel that processes the requests left by a launch, and zeroes them. Its parameter is the
/// address of a struct GmprofHeatContext.
#define GMPROF_HEAT_NOTE_KERNEL "__gm_heat_note"

#define GMPROF_SHARED_CHUNKS 61

/// Totals of a launch. Zeroed by the host before the launch.
struct GmprofHeatTotals {
  gmprof_u64 blocks;  ///< recorded blocks
  gmprof_u64 threads; ///< of those blocks
  gmprof_u64 outside; ///< accesses, by threads, outside all known objects
  gmprof_u64 lost;    ///< accesses, by threads, to pages for which the pool had no room
  /// Accesses, by threads, to other blocks' shared memory, which are not recorded.
  gmprof_u64 otherBlocks;
  gmprof_u32 pagesUsed;    ///< pages taken from the pool; may exceed pageLimit
  gmprof_u32 chunksUsed;   ///< chunks taken; may exceed chunkLimit
  gmprof_u32 sharedChunks; ///< entries of sharedChunk; may exceed GMPROF_SHARED_CHUNKS
  /// Numbers of chunks with long loops, which all blocks of GMPROF_HEAT_NOTE_KERNEL process
  /// together.
  gmprof_u32 sharedChunk[GMPROF_SHARED_CHUNKS];
};

/// State of a launch's clone, in device memory.
struct GmprofHeatContext {
  gmprof_u64 objects;   ///< struct GmprofHeatObject [objectCount], sorted, not overlapping
  gmprof_u64 totals;    ///< struct GmprofHeatTotals
  gmprof_u64 directory; ///< gmprof_u32 [pages of all objects][GMPROF_COUNTER_KINDS]: 1 + number
                        ///< in the pool; 0: none
  gmprof_u64 pages;     ///< struct GmprofHeatPage [pageLimit]: the pool
  gmprof_u64 digests;   ///< struct GmprofHeatDigest [pageLimit]
  /// struct GmprofHeatSite [replicas][2][siteCount + functionSites + 1]: requests to global memory,
  /// then to shared memory; a generic pointer may lead to both. The last one is for unknown sites.
  gmprof_u64 sites;
  gmprof_u64 words;  ///< struct GmprofHeatWord [sharedWords][GMPROF_COUNTER_KINDS], for the first
                     ///< recorded block only
  gmprof_u64 layout; ///< struct GmprofSharedLayout
  gmprof_u64 functionPlaces; ///< gmprof_u8 [functionSites]: see GmprofHeatPage::places
  gmprof_u32 objectCount;
  gmprof_u32 pageLimit;
  gmprof_u32 siteCount;
  gmprof_u32 replicas; ///< power of two
  gmprof_u32 sharedWords;
  gmprof_u32 warpsPerBlock;
  gmprof_u64 firstBlock, blockStep; ///< as in the launch parameter
  /// Chunks [chunkLimit], aligned to their size. The launch itself processes requests for which
  /// there is no room.
  gmprof_u64 requests;
  gmprof_u32 chunkLimit;
  gmprof_u32 functionSites; ///< sum over `units`
  struct GmprofUnit units[GMPROF_UNITS];
};

/// Launch parameter of K__gm_heat. Records the blocks first, first + step, first + 2 * step … below
/// end (linear numbers).
struct GmprofHeatLaunch {
  gmprof_u64 context; ///< struct GmprofHeatContext, device address
  gmprof_u64 first, end;
  gmprof_u64 step;
};

//===----------------------------------------------------------------------===//
// Traces of requests (von Buelow et al., 2022, Section 4.1)
//===----------------------------------------------------------------------===//

/// Size of a chunk. Records go to the host through chunks of page-locked memory, which it empties
/// while the kernel runs. A chunk holds a struct GmprofTraceChunk, then records, one behind the
/// other; unwritten memory is zero. A chunk belongs to lanes of a warp that stay converged: lanes
/// that diverge or reconverge leave it and continue in another one (struct GmprofOpenChunks). Full
/// chunks go to the host.
#define GMPROF_TRACE_CHUNK_BYTES 2048u

/// Head of a chunk.
struct GmprofTraceChunk {
  gmprof_u64 launch; ///< of GmprofTraceContext
  gmprof_u64 block;  ///< linear number
  gmprof_u64 clock;  ///< %clock64 when the chunk was taken
  gmprof_u32 sm;     ///< %smid
  gmprof_u16 warp;   ///< number in the block, by thread number
  gmprof_u16 slot;   ///< %warpid
};

/// Record of a request. `what` selects what follows it: nothing, and lane l accesses base + (l -
/// first lane) * stride; or a struct GmprofTraceRows; or for each of its lanes a gmprof_i32 to add
/// to base; or for each of its lanes a gmprof_u64 address. Padding to a multiple of 8 bytes
/// follows. Addresses of local memory are per thread, from an origin common to all threads.
struct GmprofTraceRecord {
  gmprof_u32 lanes; ///< not 0
  gmprof_u32 what;
  gmprof_u32 clock; ///< lower half of %clock64
  gmprof_i32 stride;
  gmprof_u64 base; ///< address of the first lane
};
/// Fields of `what`, beside GMPROF_SITE_MASK.
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
  GMPROF_TRACE_ATOMIC,    ///< result is used
  GMPROF_TRACE_REDUCTION, ///< atomic without a used result
  GMPROF_TRACE_LOCAL_LOAD,
  GMPROF_TRACE_LOCAL_STORE,
  GMPROF_TRACE_ASYNC_COPY, ///< cp.async's read of global memory
};
/// Cache operator of the PTX instruction, or the kind of its issuer.
enum GmprofTraceOperator {
  GMPROF_TRACE_CA,
  GMPROF_TRACE_CG,
  GMPROF_TRACE_CS,
  GMPROF_TRACE_LU,
  GMPROF_TRACE_CV,
  GMPROF_TRACE_NC,
  GMPROF_TRACE_BULK,  ///< bulk copy: each lane is a piece of 16 bytes, side by side
  GMPROF_TRACE_FENCE, ///< no access: invalidates L1. Site: GMPROF_SITE_UNKNOWN
};

/// Totals of a launch, in device memory, initially zero.
struct GmprofTraceTotals {
  gmprof_u64 lost;         ///< requests for which there was no chunk
  gmprof_u64 outside;      ///< calls of code that is not instrumented
  gmprof_u64 taken, given; ///< chunks
};
/// State of a launch's clone, in device memory.
struct GmprofTraceContext {
  struct GmprofTraceTotals totals;
  gmprof_u64 channel; ///< struct GmprofTraceChannel, device address
  gmprof_u64 launch;  ///< unique number of the launch, not 0
  struct GmprofUnit units[GMPROF_UNITS];
};

/// Launch parameter of K__gm_cache. Records the blocks first, first + step, first + 2 * step …
/// below end (linear numbers) on SMs whose number is a multiple of smStep.
struct GmprofTraceLaunch {
  gmprof_u64 context; ///< struct GmprofTraceContext, device address
  gmprof_u64 first, end;
  gmprof_u64 step;
  gmprof_u64 smStep;
};

/// Position at which a thread writes its records.
struct GmprofTraceCursor {
  gmprof_u64 next;  ///< address of the next record; 0: no chunk
  gmprof_u32 lanes; ///< lanes that own the chunk
  gmprof_u32 taker; ///< see GmprofTraceChannel::takers
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GMPROF_ABI_H
