// A caching allocator that does what PyTorch's does, and reports its tensors as PyTorch's does
// (c10/cuda/CUDACachingAllocator.cpp): slabs of 2 MiB for tensors up to 1 MiB, of 20 MiB for larger
// ones, and of the tensor's size in multiples of 2 MiB from 10 MiB on. Like a library, it has no
// line information: findings name the line that calls it.
#ifndef GMPROF_TEST_TENSORS_H
#define GMPROF_TEST_TENSORS_H

#include "common.h"
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace c10 {
struct Device {
  int8_t Type, Index;
};
/// Defined by libgmprof.so, which interposes the function of this name in PyTorch.
__attribute__((weak)) void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device);
} // namespace c10

#define GMPROF_OF_LIBRARY __attribute__((nodebug, noinline))

constexpr size_t MiB = size_t(1) << 20;

class Tensors {
public:
  GMPROF_OF_LIBRARY char *allocate(size_t Bytes) {
    Bytes = (Bytes + 511) / 512 * 512;
    const bool Small = Bytes <= MiB;
    auto Best = Blocks.end();
    for (auto It = Blocks.begin(); It != Blocks.end(); ++It)
      if (It->second.Free && It->second.Small == Small && It->second.Bytes >= Bytes &&
          (Best == Blocks.end() || It->second.Bytes < Best->second.Bytes))
        Best = It;
    if (Best == Blocks.end()) {
      const size_t Slab = Small              ? 2 * MiB
                          : Bytes < 10 * MiB ? 20 * MiB
                                             : (Bytes + 2 * MiB - 1) / (2 * MiB) * (2 * MiB);
      char *Memory = nullptr;
      CHECK(cudaMalloc(&Memory, Slab));
      Best = Blocks.insert({Memory, {Slab, Memory, Small, true}}).first;
    }
    auto &[Address, Taken] = *Best;
    Taken.Free = false;
    const size_t Rest = Taken.Bytes - Bytes;
    if (Small ? Rest >= 512 : Rest > MiB) {
      Taken.Bytes = Bytes;
      Blocks[Address + Bytes] = {Rest, Taken.Slab, Small, true};
    }
    report(Address, static_cast<int64_t>(Taken.Bytes));
    return Address;
  }

  GMPROF_OF_LIBRARY void release(char *Address) {
    auto At = Blocks.find(Address);
    report(Address, -static_cast<int64_t>(At->second.Bytes));
    At->second.Free = true;
    merge(At, std::next(At));
    if (At != Blocks.begin())
      merge(std::prev(At), At);
  }

private:
  struct Block {
    size_t Bytes;
    char *Slab;
    bool Small, Free;
  };
  using All = std::map<char *, Block>;

  GMPROF_OF_LIBRARY void merge(All::iterator A, All::iterator B) {
    if (B == Blocks.end() || !A->second.Free || !B->second.Free || A->second.Slab != B->second.Slab)
      return;
    A->second.Bytes += B->second.Bytes;
    Blocks.erase(B);
  }
  GMPROF_OF_LIBRARY static void report(char *Address, int64_t Bytes) {
    if (c10::reportMemoryUsageToProfiler)
      c10::reportMemoryUsageToProfiler(Address, Bytes, 0, 0, {1, 0});
  }

  All Blocks;
};

__global__ void touch(char *Tensor) { Tensor[threadIdx.x] = 1; }

/// Returns the tensor after a kernel has written to it.
GMPROF_OF_LIBRARY inline char *touched(char *Tensor) {
  touch<<<1, 32>>>(Tensor);
  return Tensor;
}

#endif
