//===- MBarrier.cpp - Barriers in shared memory ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier is an opaque 64-bit word to programs. Its fields are, from the lowest bit: pending
// arrivals (20 bits), arrivals that a phase expects (20 bits), pending bytes as a signed number (23
// bits), and the phase's parity. A phase ends when neither arrivals nor bytes are pending; then the
// next one begins with the expected arrivals. An arrival returns the previous word.
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <atomic>

namespace gmprof::cpu {

namespace {

struct Barrier {
  static constexpr uint64_t CountMask = 0xfffff, BytesMask = 0x7fffff;
  uint64_t Pending, Expected, Bytes, Parity;

  explicit Barrier(uint64_t Word)
      : Pending(Word & CountMask), Expected(Word >> 20 & CountMask), Bytes(Word >> 40 & BytesMask),
        Parity(Word >> 63) {}

  uint64_t word() const {
    return (Pending & CountMask) | (Expected & CountMask) << 20 | (Bytes & BytesMask) << 40 |
           Parity << 63;
  }

  void finishPhase() {
    if (Pending || Bytes & BytesMask)
      return;
    Pending = Expected;
    Parity ^= 1;
  }
};

} // namespace

/// Changes the barrier atomically; returns the previous word.
template <typename Function> static uint64_t change(uint64_t *Word, Function Fn) {
  std::atomic_ref<uint64_t> Ref(*Word);
  uint64_t Old = Ref.load();
  for (;;) {
    Barrier B(Old);
    Fn(B);
    if (Ref.compare_exchange_weak(Old, B.word()))
      return Old;
  }
}

static void init(uint64_t *Word, uint32_t Count) {
  Barrier B(0);
  B.Pending = B.Expected = Count;
  std::atomic_ref(*Word).store(B.word());
}

static uint64_t arrive(uint64_t *Word, uint32_t Arrivals, uint32_t Bytes, uint32_t Drop) {
  return change(Word, [&](Barrier &B) {
    B.Bytes += Bytes;
    B.Pending -= Arrivals;
    if (Drop)
      B.Expected -= Arrivals;
    B.finishPhase();
  });
}

static void expectTx(uint64_t *Word, uint32_t Bytes) {
  change(Word, [&](Barrier &B) { B.Bytes += Bytes; });
}

void completeTx(uint64_t *Word, uint32_t Bytes) {
  change(Word, [&](Barrier &B) {
    B.Bytes -= Bytes;
    B.finishPhase();
  });
}

static uint32_t testParity(uint64_t *Word, uint32_t Parity) {
  return Barrier(std::atomic_ref(*Word).load()).Parity != (Parity & 1);
}

static uint32_t test(uint64_t *Word, uint64_t State) {
  return testParity(Word, Barrier(State).Parity);
}

static uint32_t pendingCount(uint64_t State) { return Barrier(State).Pending; }

std::span<const Helper> memoryHelpers() {
  static const Helper Helpers[] = {
      helper("gm_mbarrier_init", init),
      helper("gm_mbarrier_arrive", arrive),
      helper("gm_mbarrier_expect_tx", expectTx),
      helper("gm_mbarrier_complete_tx", completeTx),
      helper("gm_mbarrier_test", test),
      helper("gm_mbarrier_test_parity", testParity),
      helper("gm_mbarrier_pending_count", pendingCount),
  };
  return Helpers;
}

} // namespace gmprof::cpu
