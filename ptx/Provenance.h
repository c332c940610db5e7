//===- Provenance.h - Registers that hold addresses -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_PROVENANCE_H
#define GMPROF_PTX_PROVENANCE_H

#include "Syntax.h"

namespace gmprof::ptx {

/// Address spaces of LLVM's NVPTX target.
enum AddressSpace : unsigned {
  GenericSpace = 0,
  GlobalSpace = 1,
  SharedSpace = 3,
  ConstSpace = 4,
  LocalSpace = 5,
};

/// Returns the address space in which LLVM has variables of a state space: parameters and local
/// variables are generic.
unsigned addressSpace(Space S);

/// Returns the state space that an instruction's modifiers name; generic if none.
Space spaceOf(const Instruction &I);

/// Returns whether an instruction is cvt.u64.u32, which keeps an address in shared memory.
bool isWidening(const Instruction &I);

/// Returns, for each register, the address space of the pointers that it holds, or nothing if it
/// holds integers. A register holds pointers if all its definitions compute an address: from a
/// variable, by cvta, or from an address by mov, add, sub, mad, selp or cvt; or if its value is
/// loaded and used as an address. VariableSpaces has the spaces of the module's variables.
///
/// A wrong answer costs precision, never correctness: registers convert between the two.
std::vector<std::optional<unsigned>>
inferAddresses(const Function &F, const llvm::StringMap<unsigned> &VariableSpaces);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_PROVENANCE_H
