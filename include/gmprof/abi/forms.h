//===- forms.h - Accesses that a descriptor describes -------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses that the compiler describes, so that clones need not record them: their counts, their
// closed forms, and the objects that a launch accesses.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_FORMS_H
#define GMPROF_ABI_FORMS_H

#include "gmprof/abi/types.h"

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
struct GmprofStaticDesc {
  GMPROF_STATIC_DESC_FIELDS
};
struct GmprofFormDesc {
  GMPROF_FORM_DESC_FIELDS
};
struct GmprofHeatFormDesc {
  GMPROF_HEAT_FORM_DESC_FIELDS
};
struct GmprofTouchDesc {
  GMPROF_TOUCH_DESC_FIELDS
};
#undef GMPROF_FIELD

/// Rule that decides if a launch accesses a variable's object.
enum GmprofTouchRule {
  GMPROF_TOUCH_ALWAYS,   ///< always accessed
  GMPROF_TOUCH_FORM,     ///< determined by the launch
  GMPROF_TOUCH_FLAG,     ///< K__gm_objects sets a hit
  GMPROF_TOUCH_SEARCH,   ///< K__gm_objects finds the object by its address
  GMPROF_TOUCH_POSSIBLE, ///< unknown; without a variable, the object is unknown too
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

#endif // GMPROF_ABI_FORMS_H
