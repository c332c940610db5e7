//===- Switch.h - Changing from one stack to another ---------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_SWITCH_H
#define GMPROF_CPU_ENGINE_SWITCH_H

namespace gmprof::cpu {

extern "C" {
/// Leaves the running stack in *Saved and goes on with the one that was left as
/// Next. Keeps the registers that a call must keep, floating-point control
/// words aside: device code does not change them.
void gm_switch(void **Saved, void *Next);

/// The second half of gm_switch: with the stack pointer as a stack was left,
/// jumping here goes on with it. For signal handlers.
void gm_switch_resume();
}

/// Prepares a stack whose first switch calls Start(Argument), which must not
/// return. High is the end of the stack, a multiple of 16.
void *newStack(char *High, void (*Start)(void *), void *Argument);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SWITCH_H
