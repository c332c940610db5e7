//===- DeviceHeap.cpp - malloc() and free() of device code ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are rounded up to powers of two, with a free list for each. A header before each block says
// whether it is in use.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/DeviceHeap.h"
#include "cpu/engine/Memory.h"
#include "profile/Mutex.h"

#include <algorithm>
#include <bit>

namespace gmprof::cpu {

namespace {

constexpr size_t HeapBytes = size_t(1) << 30;
constexpr uint64_t InUse = 0x474d484541505553, Unused = ~InUse;

struct alignas(16) Header {
  uint64_t Mark;
  uint32_t Class; ///< the block has 1 << Class bytes, header included
};

struct Heap {
  gmprof::Mutex Mutex;
  Mapping Memory{HeapBytes};
  size_t Fresh GMPROF_GUARDED_BY(Mutex) = 0; ///< start of memory that was never handed out
  Header *Free[64] GMPROF_GUARDED_BY(Mutex) = {};
};

Header *&nextFree(Header *Block) { return *reinterpret_cast<Header **>(Block + 1); }

Heap &heap() {
  static auto *TheHeap = new Heap;
  return *TheHeap;
}

} // namespace

void *deviceMalloc(size_t Bytes) {
  if (Bytes == 0 || Bytes > HeapBytes / 2)
    return nullptr;
  unsigned Class = std::bit_width(std::max<size_t>(Bytes + sizeof(Header), 32) - 1);
  Heap &H = heap();
  LockGuard Lock(H.Mutex);
  Header *Block = H.Free[Class];
  if (Block) {
    H.Free[Class] = nextFree(Block);
  } else {
    if (HeapBytes - H.Fresh < size_t(1) << Class)
      return nullptr;
    Block = reinterpret_cast<Header *>(H.Memory.data() + H.Fresh);
    H.Fresh += size_t(1) << Class;
  }
  *Block = {InUse, Class};
  return Block + 1;
}

bool deviceFree(void *Pointer) {
  if (!Pointer)
    return true;
  Heap &H = heap();
  LockGuard Lock(H.Mutex);
  auto *Block = static_cast<Header *>(Pointer) - 1;
  if (!H.Memory.contains(uint64_t(Block)) || uint64_t(Pointer) % sizeof(Header) != 0 ||
      Block->Mark != InUse)
    return false;
  Block->Mark = Unused;
  nextFree(Block) = H.Free[Block->Class];
  H.Free[Block->Class] = Block;
  return true;
}

} // namespace gmprof::cpu
