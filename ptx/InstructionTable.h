//===- InstructionTable.h - Table of modelled instructions ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per instruction that becomes LLVM IR. Every other instruction becomes inline assembly.
//
// Modifiers is a pattern: words separated by spaces, matched in order against all modifiers.
// "a|b" is one of two modifiers, "[a|b]" maybe one of them, and these stand for classes:
//   %int   u16 s16 u32 s32 u64 s64       %bits  b16 b32 b64
//   %small b8 u8 s8 and %int             %data  %small %bits f32 f64
//   %space global shared shared::cta local const param …
// Operands has one letter per operand:
//   d  register or _ that is written     D  d, or a vector of them
//   v  value: register, number, address of a variable, special register
//   V  v, or a vector of them            a  [address]
//   p  d, or a pair d|d                  *  anything
// A letter after which ? stands may be missing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_INSTRUCTIONTABLE_H
#define GMPROF_PTX_INSTRUCTIONTABLE_H

#include "Syntax.h"

namespace gmprof::ptx {

class InstructionLifter;

/// Emits IR for an instruction that matches its row. Returns false, having emitted nothing that has
/// effects, if it must become inline assembly.
using Rule = bool (*)(InstructionLifter &L, const Instruction &I);

struct Row {
  llvm::StringRef Opcode, Modifiers, Operands;
  Rule Emit;
};

llvm::ArrayRef<Row> integerRows();
llvm::ArrayRef<Row> floatRows();
llvm::ArrayRef<Row> dataRows();
llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> synchronisationRows();
llvm::ArrayRef<Row> controlRows();

/// Returns all rows.
std::vector<const Row *> allRows();

/// Returns whether an opcode has a row.
bool hasRow(llvm::StringRef Opcode);

/// Returns the first row that an instruction matches; null if there is none.
const Row *findRow(const Instruction &I);

/// Returns whether modifiers match a pattern.
bool matchModifiers(llvm::StringRef Pattern, llvm::ArrayRef<llvm::StringRef> Modifiers);

/// Returns whether operands match a pattern.
bool matchOperands(llvm::StringRef Pattern, llvm::ArrayRef<Operand> Operands);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_INSTRUCTIONTABLE_H
