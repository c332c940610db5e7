//===- Conditions.cpp - Conditions of conditional graph nodes -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Conditions.h"
#include "cpu/api/Memory.h"
#include <atomic>

namespace gmprof::cpu::api {

std::shared_ptr<Condition> Condition::make(int Device, unsigned Default, bool AtLaunch) {
  void *Word = memory().allocate(sizeof(unsigned), MemoryKind::Device, Device,
                                 "cudaGraphConditionalHandleCreate");
  return std::shared_ptr<Condition>(
      Word ? new Condition(static_cast<unsigned *>(Word), Default, AtLaunch) : nullptr);
}

Condition::Condition(unsigned *Word, unsigned Default, bool AtLaunch)
    : Word(Word), Id(memory().findStart(Word)->Id), Default(Default), AtLaunch(AtLaunch) {
  set(0);
}

Condition::~Condition() { memory().releaseIfStill(Word, Id); }

void Condition::set(unsigned Value) { std::atomic_ref(*Word).store(Value); }

unsigned Condition::value() const { return std::atomic_ref(*Word).load(); }

void Condition::launched() {
  if (AtLaunch)
    set(Default);
}

} // namespace gmprof::cpu::api
