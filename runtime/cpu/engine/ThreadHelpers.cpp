//===- ThreadHelpers.cpp - Helpers of threads and blocks ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/ThreadHelpers.h"
#include "cpu/engine/Block.h"
#include "cpu/engine/DeviceHeap.h"
#include "cpu/engine/Faults.h"
#include "cpu/engine/Launch.h"
#include "cpu/engine/Printf.h"
#include "cpu/engine/SteadyCounter.h"

#include <atomic>
#include <chrono>
#include <x86intrin.h>

namespace gmprof::cpu {

static Lane &laneOf(ThreadState *Thread) { return *reinterpret_cast<Lane *>(Thread); }

static std::string bracketed(const uint32_t (&Index)[3]) {
  return "[" + std::to_string(Index[0]) + "," + std::to_string(Index[1]) + "," +
         std::to_string(Index[2]) + "]";
}

/// Formats the place of an access relative to the start of a variable: "4 bytes at index 33 (byte
/// 132)", where the index is in units of the access.
static std::string placeIn(int64_t At, uint64_t Bytes) {
  std::string Text = std::to_string(Bytes) + (Bytes == 1 ? " byte at " : " bytes at ");
  const auto Width = static_cast<int64_t>(Bytes);
  if (Bytes == 1 || At % Width != 0)
    return Text + "byte " + std::to_string(At);
  return Text + "index " + std::to_string(At / Width) + " (byte " + std::to_string(At) + ")";
}

extern "C" {

uint64_t gm_warp_op(ThreadState *Thread, uint32_t Site, uint32_t Kind, uint32_t Mask, uint64_t A,
                    uint32_t B, uint32_t C) {
  Lane &L = laneOf(Thread);
  L.Site = Site;
  L.Kind = WarpOpKind(Kind & 0xff);
  L.NoMask = (Kind & ImplicitMask) != 0;
  L.Mask = Mask;
  L.A = A;
  L.B = B;
  L.C = C;
  return L.Owner->warpOp(L);
}

uint32_t gm_barrier(ThreadState *Thread, uint32_t Site, uint32_t Kind, uint32_t Id, uint32_t Count,
                    uint32_t Predicate) {
  Lane &L = laneOf(Thread);
  return L.Owner->barrier(L, Site, BarrierKind(Kind), Id, Count, Predicate != 0);
}

void gm_spin(ThreadState *Thread, uint32_t Site) {
  constexpr uint32_t TurnsBetweenYields = 32;
  if (++Thread->Spins % TurnsBetweenYields != 0)
    return;
  Lane &L = laneOf(Thread);
  L.Owner->spin(L, Site);
}

void gm_nanosleep(ThreadState *Thread, uint32_t Site, uint32_t Nanoseconds) {
  Lane &L = laneOf(Thread);
  L.Owner->spin(L, Site);
}

void gm_exit(ThreadState *Thread) {
  Lane &L = laneOf(Thread);
  L.Owner->exitThread(L);
}

static void gm_cluster_arrive(ThreadState *Thread) {
  Lane &L = laneOf(Thread);
  L.Owner->cluster().arrive(L);
}

static void gm_cluster_wait(ThreadState *Thread, uint32_t Site) {
  Lane &L = laneOf(Thread);
  L.Owner->waitForCluster(L, Site);
}

uint64_t gm_clock64() {
  static thread_local SteadyCounter Counter;
  return Counter.read(__rdtsc());
}

uint64_t gm_globaltimer() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

static int32_t gm_vprintf(ThreadState *Thread, const char *Format, const char *Args) {
  return appendFormatted(currentBlock()->Output, Format, Args);
}

static void *gm_malloc(ThreadState *Thread, uint64_t Bytes) { return deviceMalloc(Bytes); }

static void gm_free(ThreadState *Thread, void *Pointer) {
  if (!deviceFree(Pointer))
    raiseFault(FaultKind::Trap, uint64_t(Pointer),
               "free() of a pointer that the device's malloc() did not return");
}

/// Sets a graph condition; the handle is an address (api/Conditions.h).
static void gm_set_condition(ThreadState *Thread, uint64_t Handle, uint32_t Value) {
  std::atomic_ref(*reinterpret_cast<uint32_t *>(Handle)).store(Value);
}

/// Reports a failed assertion in CUDA's wording.
static void gm_assertfail(ThreadState *Thread, const char *Condition, const char *File,
                          uint32_t Line, const char *Function, uint64_t CharBytes) {
  Block &B = *currentBlock();
  {
    std::string Text = std::string(File) + ":" + std::to_string(Line) + ": " + Function +
                       ": block: " + bracketed(B.state().BlockIdx) +
                       ", thread: " + bracketed(Thread->ThreadIdx) + " Assertion `" + Condition +
                       "` failed.";
    B.launch().reportAssert(B, *Thread, Text);
  }
  B.fault();
}

void gm_undefined_function(ThreadState *Thread) {
  raiseFault(FaultKind::Trap, 0, "call of a pure virtual function, or of one that is not defined");
}

[[gnu::noinline]] static void gm_trap(ThreadState *Thread) {
  Block &B = *currentBlock();
  // Inside the call instruction, not behind it.
  uint64_t Code = uint64_t(__builtin_return_address(0)) - 1;
  B.launch().report(B, *Thread, FaultKind::Trap, 0, "__trap()", Code);
  B.fault();
}

[[gnu::noinline]] static void gm_misaligned(ThreadState *Thread, uint64_t Address,
                                            uint32_t Alignment) {
  Block &B = *currentBlock();
  uint64_t Code = uint64_t(__builtin_return_address(0)) - 1;
  B.launch().report(B, *Thread, FaultKind::MisalignedAddress, Address,
                    "access of a vector at " + hex(Address) + ", which is not a multiple of " +
                        std::to_string(Alignment),
                    Code);
  B.fault();
}

/// Reports an access of Bytes bytes at the offset At from a variable of Size bytes.
[[gnu::noinline]] static void gm_outside_variable(ThreadState *Thread, uint64_t Address, int64_t At,
                                                  uint64_t Bytes, uint64_t Size, const char *Name) {
  Block &B = *currentBlock();
  uint64_t Code = uint64_t(__builtin_return_address(0)) - 1;
  B.launch().report(B, *Thread, FaultKind::IllegalAddress, Address,
                    "illegal access of " + placeIn(At, Bytes) + " of the " + std::to_string(Size) +
                        "-byte variable " + Name,
                    Code);
  B.fault();
}

/// Reports an access of Bytes bytes that touches the padding behind an object.
[[gnu::noinline]] static void gm_outside_allocation(ThreadState *Thread, uint64_t Address,
                                                    uint64_t Bytes) {
  Block &B = *currentBlock();
  uint64_t Code = uint64_t(__builtin_return_address(0)) - 1;
  B.launch().report(B, *Thread, FaultKind::IllegalAddress, Address,
                    "illegal access of " + std::to_string(Bytes) +
                        (Bytes == 1 ? " byte" : " bytes") + " to address " + hex(Address) + ", " +
                        B.launch().Memory.describe(Address, Bytes),
                    Code);
  B.fault();
}

void gm_access(ThreadState *Thread, const void *Address, uint64_t Bytes, uint32_t Kind,
               uint32_t Site) {
  Block &B = *currentBlock();
  if (B.Order) // null: a function called through a pointer from an unchecked kernel
    B.launch().Races->access(*Thread, *B.Order, B.index(), uint64_t(Address), Bytes, Kind, Site);
}

} // extern "C"

uint32_t warpExchange(ThreadState *Thread, uint32_t Site, const void *Mine, size_t Bytes,
                      void *All) {
  ExchangeOperands Operands{Mine, Bytes, All};
  return uint32_t(
      gm_warp_op(Thread, Site, uint32_t(WarpOpKind::Exchange), ~0u, uint64_t(&Operands), 0, 0));
}

#define HELPER(Name) {#Name, reinterpret_cast<const void *>(&Name)}
static const Helper Helpers[] = {
    HELPER(gm_warp_op),
    HELPER(gm_barrier),
    HELPER(gm_spin),
    HELPER(gm_nanosleep),
    HELPER(gm_exit),
    HELPER(gm_clock64),
    HELPER(gm_globaltimer),
    HELPER(gm_vprintf),
    HELPER(gm_malloc),
    HELPER(gm_free),
    HELPER(gm_assertfail),
    HELPER(gm_trap),
    HELPER(gm_misaligned),
    HELPER(gm_access),
    HELPER(gm_set_condition),
    HELPER(gm_cluster_arrive),
    HELPER(gm_cluster_wait),
    HELPER(gm_outside_variable),
    HELPER(gm_outside_allocation),
};
#undef HELPER

std::span<const Helper> threadHelpers() { return Helpers; }

} // namespace gmprof::cpu
