//===- Codegen.h - From PTX through LLVM IR to PTX --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_CODEGEN_H
#define GMPROF_PTX_CODEGEN_H

#include "Syntax.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetOptions.h"

namespace gmprof::ptx {

/// Promotes registers and simplifies, as the pass and codegen expect: sroa, early-cse, instcombine.
/// More would disturb ptxas and lose closed forms: simplifycfg gives loops several back edges.
/// Loads and stores of memory that lanes share stay as they are.
void simplify(llvm::Module &M);

/// The target of code generation and its options.
struct CodegenTarget {
  std::string Architecture; ///< "sm_90a"
  unsigned Version = 0;     ///< of PTX: 10 * major + minor
  llvm::CodeGenOptLevel Level = llvm::CodeGenOptLevel::Aggressive;
  /// Whether operations that PTX or LLVM IR leaves apart become one.
  llvm::FPOpFusion::FPOpFusionMode Fusion = llvm::FPOpFusion::Standard;
  /// Whether to run loop strength reduction and to sink instructions to where they are used, as
  /// clang does. Compilers that write PTX did so before, and ptxas keeps much of their order: a
  /// load that moves behind a branch waits for it.
  bool MovesCode = false;
};

/// Returns the architecture and version that a module states.
CodegenTarget targetOf(const Module &Source);

/// Returns whether LLVM generates code for an architecture ("sm_90a").
bool isKnownArchitecture(llvm::StringRef Architecture);

/// Compiles a module to PTX. Target's version replaces the .version that LLVM writes if it is newer
/// than LLVM's newest.
llvm::Expected<std::string> generate(llvm::Module &M, const CodegenTarget &Target);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_CODEGEN_H
