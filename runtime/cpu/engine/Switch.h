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

// AddressSanitizer has to know which stack is running; in other builds these do nothing.
// Variables of frames stay in the stack itself: detect_stack_use_after_return must be off.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GMPROF_ANNOUNCE_STACKS 1
#endif
#endif
#if GMPROF_ANNOUNCE_STACKS
/// Nothing of what the stack held is in use any more.
void forgetFrames(const char *Low, const char *High);
/// Comes before a switch to the stack [Low, High), or to the calling OS thread's own.
void announceSwitch(const char *Low, const char *High);
void announceSwitchToThread();
/// Comes first after a switch.
void arriveOnStack();
#else
inline void forgetFrames(const char *, const char *) {}
inline void announceSwitch(const char *, const char *) {}
inline void announceSwitchToThread() {}
inline void arriveOnStack() {}
#endif

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SWITCH_H
