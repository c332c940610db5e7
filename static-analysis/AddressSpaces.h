//===- AddressSpaces.h - The memory that a pointer points to ---*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a pointer's address space and variable by walking from the pointer to its origins: through
// casts between address spaces (also constant expressions), GEPs, selects, phis, structs and
// vectors in registers, and the integers that __cvta_generic_to_shared makes from pointers.
//
// The origin determines the result:
//   a global variable, an alloca, a byval argument   that variable
//   a pointer argument of a kernel                   global memory, also if it
//                                                    is passed as an integer
//   a pointer loaded from a byval kernel argument    global memory: the host made
//                                                    it and has no other kind
//   device malloc                                    global memory
//   mapa, which leads to another block of the        that block's shared memory;
//   cluster                                          the variable is the same
//   anything else                                    generic: resolved at run
//                                                    time
// The spaces of several origins are joined: equal spaces stay, different ones become generic.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_ADDRESSSPACES_H
#define GMPROF_STATIC_ANALYSIS_ADDRESSSPACES_H

#include "gmprof/abi.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace gmprof {

struct PointsTo {
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  /// The only variable that the pointer points into: a GlobalVariable, an AllocaInst or an Argument
  /// (the memory it points to, or the byval copy), or the load of a pointer that a byval argument
  /// holds. Null if unknown or several. For a cluster's shared memory, the block is unspecified.
  const llvm::Value *Base = nullptr;
};

PointsTo pointsTo(const llvm::Value *Pointer);

/// Returns the space of an access to Memory by an instruction that names the space Said. If that is
/// the cluster's shared memory, Memory may narrow it to the block's own.
GmprofSpace spaceOfAccess(GmprofSpace Said, const PointsTo &Memory);

/// Returns true if no address is in both spaces.
bool areDisjoint(GmprofSpace A, GmprofSpace B);

/// Returns the space of an NVPTX address space number.
GmprofSpace spaceOfAddressSpace(unsigned AddressSpace);

bool isKernel(const llvm::Function &F);

/// Returns true if V is an `extern __shared__` array. All of these alias, which LLVM does not know.
bool isDynamicSharedMemory(const llvm::Value *V);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ADDRESSSPACES_H
