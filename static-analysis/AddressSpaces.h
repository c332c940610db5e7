//===- AddressSpaces.h - The memory that a pointer points to ---*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer's address space and the variable it points into, found by walking
// from the pointer to where it comes from: through casts between address spaces
// (also constant expressions), GEPs, selects, phis, structs and vectors in
// registers, and the integers that __cvta_generic_to_shared makes of pointers.
//
// Where it ends in
//   a global variable, an alloca, a byval argument   that is the variable
//   a pointer argument of a kernel                   global memory, also if it
//                                                    is passed as an integer
//   a pointer loaded from a byval kernel argument    global memory: the host made
//                                                    it, and cannot name another
//   device malloc                                    global memory
//   mapa, which leads to another block of the        that block's shared memory, the
//   cluster                                          variable being the same there
//   anything else                                    generic, to be asked at run
//                                                    time
// the origins' spaces are joined: equal ones stay, different ones are generic.
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
  /// The one variable it points into: a GlobalVariable, an AllocaInst or an
  /// Argument (the memory that the argument points to, or the byval copy); or,
  /// for a pointer that a byval argument holds, the load of it. Null if unknown
  /// or several. Of a cluster's shared memory, whichever block's it is.
  const llvm::Value *Base = nullptr;
};

PointsTo pointsTo(const llvm::Value *Pointer);

/// The space of an access to that memory by an instruction that says it is in Said: one that can
/// name any block of the cluster may be given the own one's memory.
GmprofSpace spaceOfAccess(GmprofSpace Said, const PointsTo &Memory);

/// Whether no address is in both.
bool areDisjoint(GmprofSpace A, GmprofSpace B);

/// The space of an LLVM address space number of NVPTX.
GmprofSpace spaceOfAddressSpace(unsigned AddressSpace);

bool isKernel(const llvm::Function &F);

/// Whether V is an `extern __shared__` array. All of them are the same memory,
/// which LLVM does not know.
bool isDynamicSharedMemory(const llvm::Value *V);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ADDRESSSPACES_H
