//===- MemoryModifiers.h - Modifiers of memory instructions -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State spaces are not distinguished: every address is flat. Scopes and cache operators have no
// effect that a program can observe.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_PTX_MEMORYMODIFIERS_H
#define GMPROF_CPU_PTX_MEMORYMODIFIERS_H

#include "Emitter.h"

namespace gmprof::cpu::ptx {

void takeSpace(Modifiers &Mods);
void takeScope(Modifiers &Mods);
/// Takes cache operators, eviction priorities and prefetch sizes. Returns whether .L2::cache_hint
/// adds an operand.
bool takeCacheHints(Modifiers &Mods);
/// Returns NotAtomic if there is no ordering.
llvm::AtomicOrdering takeOrdering(Modifiers &Mods);

/// Modifier of an instruction that counts its bytes on a barrier.
constexpr llvm::StringRef CompleteTx = "mbarrier::complete_tx::bytes";
/// Counts written bytes on a barrier that waits for them.
void completeTx(Emitter &E, const Operand &Barrier, llvm::Value *Bytes);

} // namespace gmprof::cpu::ptx

#endif // GMPROF_CPU_PTX_MEMORYMODIFIERS_H
