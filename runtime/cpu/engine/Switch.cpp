//===- Switch.cpp - Switching between stacks ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Switch.h"

#include <cstdint>

#if GMPROF_ANNOUNCE_STACKS
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <span>
#endif

#if !defined(__x86_64__)
#error "The CPU device runs on x86-64 only"
#endif

asm(R"(
  .text
  .p2align 4
  .globl gm_switch
  .hidden gm_switch
  .type gm_switch,@function
gm_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  .globl gm_switch_resume
  .hidden gm_switch_resume
gm_switch_resume:
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size gm_switch, .-gm_switch

  .p2align 4
  .type gm_stack_start,@function
gm_stack_start:
  movq %r12, %rdi
  callq *%rbx
  ud2
  .size gm_stack_start, .-gm_stack_start
)");

extern "C" void gm_stack_start();

namespace gmprof::cpu {

void *newStack(char *High, void (*Start)(void *), void *Argument) {
  auto *Sp = reinterpret_cast<uint64_t *>(High);
  *--Sp = 0; // keeps the stack aligned to 16 at gm_stack_start's call
  *--Sp = 0;
  *--Sp = uint64_t(&gm_stack_start);
  *--Sp = 0;                  // rbp
  *--Sp = uint64_t(Start);    // rbx
  *--Sp = uint64_t(Argument); // r12
  *--Sp = 0;
  *--Sp = 0;
  *--Sp = 0;
  return Sp;
}

#if GMPROF_ANNOUNCE_STACKS
static std::span<const char> stackOfThread() {
  pthread_attr_t Attributes;
  void *Low = nullptr;
  size_t Bytes = 0;
  pthread_getattr_np(pthread_self(), &Attributes);
  pthread_attr_getstack(&Attributes, &Low, &Bytes);
  pthread_attr_destroy(&Attributes);
  return {static_cast<const char *>(Low), Bytes};
}

void forgetFrames(const char *Low, const char *High) {
  __asan_unpoison_memory_region(Low, High - Low);
}

void announceSwitch(const char *Low, const char *High) {
  __sanitizer_start_switch_fiber(nullptr, Low, High - Low);
}

void announceSwitchToThread() {
  static thread_local const std::span<const char> Own = stackOfThread();
  announceSwitch(Own.data(), Own.data() + Own.size());
}

void arriveOnStack() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }
#endif

} // namespace gmprof::cpu
