//===- VariableNames.h - Names of addresses in host code --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names the variables, members and elements whose addresses host code computes, from the debug
// info: d_x, s.x, p->x, Class::x, v[2], v[]. Variables have to be in memory, as at the start of the
// pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_VARIABLENAMES_H
#define GMPROF_PASS_HOST_VARIABLENAMES_H

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <optional>
#include <string>

namespace gmprof {

/// Returns the name of the pointer or of Thrust's vector at the address.
std::optional<std::string> nameOfAddress(llvm::Value *V, const llvm::DataLayout &DL);

/// Returns what precedes a member's name for the object of a class at the address: "s.", "p->",
/// "Class::buffer."; nothing if the debug info does not have one there.
std::optional<std::string> holderOfMembers(llvm::Value *V, const llvm::DICompositeType &Class,
                                           const llvm::DataLayout &DL);

/// Returns the parameter of its function that the value is.
llvm::Argument *parameterOf(llvm::Value *V);

/// Returns the parameter that points to the object of whose memory the value is an address.
llvm::Argument *parameterAround(llvm::Value *V, const llvm::DataLayout &DL);

/// Returns the class that the parameter points or refers to; null for other types.
const llvm::DICompositeType *classOf(llvm::Argument &Parameter);

} // namespace gmprof

#endif // GMPROF_PASS_HOST_VARIABLENAMES_H
