//===- descriptor.h - Descriptor of a kernel ----------------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_DESCRIPTOR_H
#define GMPROF_ABI_DESCRIPTOR_H

#include "gmprof/abi/forms.h"
#include "gmprof/abi/kinds.h"
#include "gmprof/abi/types.h"

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
struct GmprofMoveDesc {
  GMPROF_MOVE_DESC_FIELDS
};
struct GmprofInlineDesc {
  GMPROF_INLINE_DESC_FIELDS
};
struct GmprofInstructionDesc {
  GMPROF_INSTRUCTION_DESC_FIELDS
};
#undef GMPROF_FIELD

#endif // GMPROF_ABI_DESCRIPTOR_H
