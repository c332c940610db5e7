//===- Lowering.h - Lowering of one NVVM intrinsic --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An intrinsic's name consists of a stem and modifiers: llvm.nvvm.fma.rn.ftz.f has the stem fma.
// Each file of this folder has a table from stems to rules; a rule handles a stem with all its
// modifiers. Adding a family means adding one entry.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_LOWERING_H
#define GMPROF_CPU_INTRINSICS_LOWERING_H

#include "cpu/engine/Intrinsics.h"
#include "cpu/intrinsics/Modifiers.h"

#include "llvm/IR/IRBuilder.h"

#include <optional>
#include <span>

namespace gmprof::cpu {

/// Call being lowered.
struct IntrinsicCall {
  llvm::CallInst &Call;
  LoweringContext &Context;
  llvm::IRBuilder<> B;
  Modifiers Mods;
  llvm::Value *Result = nullptr; ///< replaces the call's value, unless it is void

  IntrinsicCall(llvm::CallInst &Call, LoweringContext &Context)
      : Call(Call), Context(Context), B(&Call) {}

  llvm::Value *arg(unsigned I) const { return Call.getArgOperand(I); }
  llvm::Type *type() const { return Call.getType(); }
  llvm::Value *helper(llvm::StringRef Name, llvm::Type *Result,
                      llvm::ArrayRef<llvm::Value *> Args = {}) {
    return Context.callHelper(B, Name, Result, Args);
  }
};

/// Lowers a call; returns false if it does not know the combination of modifiers.
using Rule = bool (*)(IntrinsicCall &);

struct RuleEntry {
  llvm::StringRef Stem;
  Rule Lower;
};

std::span<const RuleEntry> mathRules();
std::span<const RuleEntry> integerRules();
std::span<const RuleEntry> conversionRules();
std::span<const RuleEntry> atomicRules();
std::span<const RuleEntry> memoryRules();
std::span<const RuleEntry> matrixRules();

/// Replaces denormals (single precision or half) by zeros of the same sign.
llvm::Value *flushDenormals(llvm::IRBuilderBase &B, llvm::Value *V);
/// Clamps to [0, 1]; NaN becomes +0.
llvm::Value *saturate(llvm::IRBuilderBase &B, llvm::Value *V);
/// Computes max(V, 0); NaN becomes PTX's NaN.
llvm::Value *relu(llvm::IRBuilderBase &B, llvm::Value *V);
/// Replaces any NaN by PTX's NaN of the type.
llvm::Value *canonicalNaN(llvm::IRBuilderBase &B, llvm::Value *V);
/// Rounds float to bfloat, to nearest even.
llvm::Value *floatToBFloat(llvm::IRBuilderBase &B, llvm::Value *V);
/// Applies Fn to each element of vectors, or to scalars.
llvm::Value *perElement(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Operands,
                        llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> Fn);
/// Converts to an integer of T's width; clamps, and converts NaN as PTX does.
llvm::Value *floatToInteger(llvm::IRBuilderBase &B, llvm::Value *V, llvm::IntegerType *T,
                            bool Signed, uint32_t Mode);
/// Converts to half, bfloat, float or double.
llvm::Value *integerToFloat(LoweringContext &Context, llvm::IRBuilderBase &B, llvm::Value *V,
                            bool Signed, llvm::Type *T, uint32_t Mode);

/// Rounding and treatment of out-of-range results in a conversion.
struct Manner {
  uint32_t Mode;
  bool Relu = false, SatFinite = false;

  /// Takes the manner from the modifiers; nothing if the mode is stochastic or missing.
  static std::optional<Manner> take(Modifiers &Mods);
};

/// Converts between half, bfloat, float and double.
llvm::Value *floatToFloat(LoweringContext &Context, llvm::IRBuilderBase &B, llvm::Value *V,
                          llvm::Type *T, const Manner &M);

/// Takes the rounding mode (rn, rz, rm, rp, rna) from the modifiers.
std::optional<uint32_t> takeRounding(Modifiers &Mods);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_LOWERING_H
