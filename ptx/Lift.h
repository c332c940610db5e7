//===- Lift.h - Translation of PTX modules to LLVM IR -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_LIFT_H
#define GMPROF_PTX_LIFT_H

#include "Syntax.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>

namespace gmprof::ptx {

/// Numbers of translated instructions, by name ("ld.global.f32").
struct LiftStatistics {
  std::map<std::string, unsigned> Modelled, InlineAssembly;
};

/// The newest PTX version that LLVM writes: 10 * major + minor.
constexpr unsigned MaxLlvmPtxVersion = 90;

/// Metadata of an instruction that accesses memory: its line in the PTX.
inline constexpr llvm::StringLiteral LineKind = "gmprof.ptx.line";

/// Returns LLVM's feature for the newest PTX version that LLVM writes, up to Version: "+ptx87".
std::string targetFeatures(unsigned Version);

/// Translates a parsed PTX module to LLVM IR for nvptx64, which LLVM's verifier has accepted.
/// Registers are variables on the stack: run SROA before analysing the result. File names the
/// module in errors.
llvm::Expected<std::unique_ptr<llvm::Module>> lift(const Module &M, llvm::StringRef File,
                                                   llvm::LLVMContext &Context,
                                                   LiftStatistics *Statistics = nullptr);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_LIFT_H
