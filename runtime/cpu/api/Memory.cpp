//===- Memory.cpp - Registry of allocations -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Memory.h"
#include "cpu/api/Options.h"
#include <cinttypes>

namespace gmprof::cpu::api {

namespace {

constexpr size_t FreedRemembered = 4096;
/// Maximum distance between an address and the allocation that describes it.
constexpr uint64_t Nearby = uint64_t(1) << 20;

uintptr_t number(const void *Address) { return reinterpret_cast<uintptr_t>(Address); }

bool onDevice(MemoryKind Kind) { return Kind == MemoryKind::Device || Kind == MemoryKind::Managed; }

bool fromArena(MemoryKind Kind) { return onDevice(Kind) || Kind == MemoryKind::Pinned; }

std::string hex(uint64_t Value) {
  char Text[32];
  snprintf(Text, sizeof Text, "0x%" PRIx64, Value);
  return Text;
}

std::string name(const Allocation &A) {
  if (A.Kind == MemoryKind::Variable)
    return "the " + std::to_string(A.Bytes) + "-byte variable " + A.Origin + " at " + hex(A.Base);
  return "the " + std::to_string(A.Bytes) + "-byte allocation at " + hex(A.Base) + " (" + A.Origin +
         ")";
}

/// Formats a distance as "16 bytes beyond "; `AtZero` for 0.
std::string distance(uint64_t Bytes, const char *Where, const char *AtZero) {
  if (Bytes == 0)
    return AtZero;
  return std::to_string(Bytes) + (Bytes == 1 ? " byte " : " bytes ") + Where;
}

/// Formats the index of an access beyond an array of elements of Bytes bytes.
std::string index(uint64_t Address, uint64_t Bytes, const Allocation &A) {
  if (Bytes == 0 || A.Bytes % Bytes != 0 || (Address - A.Base) % Bytes != 0)
    return {};
  return ", index " + std::to_string((Address - A.Base) / Bytes) + " of " +
         std::to_string(A.Bytes / Bytes) + " elements of its size";
}

std::string inside(uint64_t Bytes) { return distance(Bytes, "into ", "at the start of "); }

} // namespace

Memory::Memory() : Space(options().Fill) {}

void *Memory::allocate(size_t Bytes, MemoryKind Kind, int Device, const char *Origin,
                       unsigned Flags, std::shared_ptr<MemoryPool> Pool) {
  LockGuard Lock(Mutex);
  size_t &InUse = Used[Device];
  if (onDevice(Kind) &&
      (Bytes > options().MemoryBytes || InUse + OfLimits[Device] > options().MemoryBytes - Bytes))
    return nullptr;
  void *Start = Space.allocate(Bytes, Kind == MemoryKind::Device ? Arena::Content::Fill
                                                                 : Arena::Content::Zero);
  if (!Start)
    return nullptr;
  if (onDevice(Kind))
    InUse += Bytes;
  guardPadding(number(Start) + Bytes, true);
  Live[number(Start)] = {number(Start), Bytes,           Kind,   Device,
                         Flags,         std::move(Pool), Origin, NextId++};
  return Start;
}

void Memory::release(const void *Start) {
  LockGuard Lock(Mutex);
  auto Found = Live.find(number(Start));
  if (Found == Live.end())
    return;
  Allocation A = Found->second;
  Live.erase(Found);
  if (onDevice(A.Kind))
    Used[A.Device] -= A.Bytes;
  remember(A);
  free(A);
}

void Memory::releaseIfStill(const void *Start, uint64_t Id) {
  if (std::optional<Allocation> A = findStart(Start); A && A->Id == Id)
    release(Start);
}

void Memory::free(const Allocation &A) {
  guardPadding(A.Base + A.Bytes, false);
  Space.release(reinterpret_cast<void *>(A.Base)); // NOLINT(performance-no-int-to-ptr)
}

bool Memory::note(const Allocation &A) {
  LockGuard Lock(Mutex);
  auto Next = Live.lower_bound(A.Base);
  if (Next != Live.end() && Next->first < A.Base + A.Bytes)
    return false;
  if (Next != Live.begin() && std::prev(Next)->first + std::prev(Next)->second.Bytes > A.Base)
    return false;
  Allocation &Noted = Live[A.Base] = A;
  Noted.Id = NextId++;
  return true;
}

void Memory::forget(const void *Start) {
  LockGuard Lock(Mutex);
  Live.erase(number(Start));
}

void Memory::releaseAll(int Device) {
  LockGuard Lock(Mutex);
  for (auto It = Live.begin(); It != Live.end();) {
    const Allocation &A = It->second;
    if (A.Device != Device || A.Kind == MemoryKind::Variable) {
      ++It;
      continue;
    }
    if (fromArena(A.Kind))
      free(A);
    remember(A);
    It = Live.erase(It);
  }
  Used[Device] = 0;
}

std::optional<Allocation> Memory::find(const void *Address) const {
  SharedLockGuard Lock(Mutex);
  auto Next = Live.upper_bound(number(Address));
  if (Next == Live.begin())
    return std::nullopt;
  const Allocation &A = std::prev(Next)->second;
  if (number(Address) - A.Base >= A.Bytes)
    return std::nullopt;
  return A;
}

std::optional<Allocation> Memory::findStart(const void *Address) const {
  SharedLockGuard Lock(Mutex);
  auto Found = Live.find(number(Address));
  if (Found == Live.end())
    return std::nullopt;
  return Found->second;
}

std::optional<MemoryKind> Memory::kindOf(const void *Start, size_t Bytes) const {
  std::optional<Allocation> A = find(Start);
  if (!A)
    return Space.contains(number(Start)) ? std::nullopt : std::optional(MemoryKind::Pageable);
  size_t Left = A->Bytes - (number(Start) - A->Base);
  if (Bytes <= Left)
    return A->Kind;
  // A host range can be registered in part; the rest is pageable.
  return A->Kind == MemoryKind::Registered ? std::optional(MemoryKind::Pageable) : std::nullopt;
}

size_t Memory::used(int Device) const {
  SharedLockGuard Lock(Mutex);
  size_t Sum = 0;
  for (const std::map<int, size_t> *Each : {&Used, &OfLimits})
    if (auto Found = Each->find(Device); Found != Each->end())
      Sum += Found->second;
  return Sum;
}

bool Memory::setLimitBytes(int Device, size_t Bytes) {
  LockGuard Lock(Mutex);
  const size_t Left = options().MemoryBytes - Used[Device];
  if (Bytes > Left)
    return false;
  OfLimits[Device] = Bytes;
  return true;
}

void Memory::remember(Allocation A) {
  A.Pool = nullptr;
  Freed.push_front(std::move(A));
  if (Freed.size() > FreedRemembered)
    Freed.pop_back();
}

std::string Memory::describe(uint64_t Address, uint64_t Bytes) const {
  SharedLockGuard Lock(Mutex);
  std::string Text = describeFreed(Address);
  auto Next = Live.upper_bound(Address);
  uint64_t Before = ~uint64_t(0), After = ~uint64_t(0);
  if (Next != Live.begin()) {
    const Allocation &A = std::prev(Next)->second;
    if (Address - A.Base < A.Bytes)
      return inside(Address - A.Base) + name(A);
    After = Address - (A.Base + A.Bytes);
  }
  if (!Text.empty())
    return Text;
  if (Next != Live.end())
    Before = Next->first - Address;
  if (After <= Before && After < Nearby)
    return distance(After, "beyond ", "just beyond ") + name(std::prev(Next)->second) +
           index(Address, Bytes, std::prev(Next)->second);
  if (Before < Nearby)
    return distance(Before, "before ", "") + name(Next->second);
  return {};
}

std::string Memory::describeFreed(uint64_t Address) const {
  for (const Allocation &A : Freed)
    if (Address - A.Base < A.Bytes)
      return inside(Address - A.Base) + name(A) + ", which has been freed";
  return {};
}

Memory &memory() {
  static Memory &TheMemory = *new Memory; // outlives every thread
  return TheMemory;
}

} // namespace gmprof::cpu::api
