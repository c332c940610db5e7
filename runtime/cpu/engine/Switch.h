//===- Switch.h - Switching between stacks ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_SWITCH_H
#define GMPROF_CPU_ENGINE_SWITCH_H

namespace gmprof::cpu {

extern "C" {
/// Saves the running stack in *Saved and resumes the stack saved as Next. Preserves callee-saved
/// registers, except for floating-point control words, which device code does not change.
void gm_switch(void **Saved, void *Next);

/// Resumes a stack: the second half of gm_switch, to which signal handlers jump with the saved
/// stack pointer.
void gm_switch_resume();
}

/// Prepares a stack whose first switch calls Start(Argument), which must not return. High is the
/// end of the stack, a multiple of 16.
void *newStack(char *High, void (*Start)(void *), void *Argument);

// AddressSanitizer must be told of switches; in other builds these functions do nothing. Local
// variables must be on the stack itself: detect_stack_use_after_return must be off.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GMPROF_ANNOUNCE_STACKS 1
#endif
#endif
#if GMPROF_ANNOUNCE_STACKS
/// Marks all frames of a stack as dead.
void forgetFrames(const char *Low, const char *High);
/// Announces a switch to the stack [Low, High), or to the calling OS thread's own.
void announceSwitch(const char *Low, const char *High);
void announceSwitchToThread();
/// Completes a switch; must be the first call after it.
void arriveOnStack();
#else
inline void forgetFrames(const char *, const char *) {}
inline void announceSwitch(const char *, const char *) {}
inline void announceSwitchToThread() {}
inline void arriveOnStack() {}
#endif

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SWITCH_H
