// Memory that is watched goes, moves, and is protected by the program itself.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["assumed_needed"] for s in summary["sync"]["sites"]) == 6
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 4
// EXPECT: sum(s["needed"] for s in summary["sync"]["sites"]) == 2
// EXPECT-OUTPUT: protected: 1 fault, 3 5
// EXPECT-OUTPUT: guards: 2 faults, 3
// EXPECT-OUTPUT: forbidden: 1 fault, 4
// EXPECT-OUTPUT: moved: 3, new: 0 0 0
// EXPECT-OUTPUT: grown: 3
#include "common.h"
#include <csignal>
#include <cstdint>
#include <sys/mman.h>

constexpr size_t Page = 4096, Bytes = 64 * Page;

__global__ void fill(char *Out) {
  for (size_t I = threadIdx.x; I < Bytes; I += blockDim.x)
    Out[I] = 3;
}

static char *Device;
static volatile int Faults;

static char *map(size_t N) {
  return (char *)mmap(nullptr, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void refresh(char *To, size_t N) {
  fill<<<1, 64>>>(Device);
  CHECK(cudaMemcpy(To, Device, N, cudaMemcpyDeviceToHost));
}

static void onFault(int, siginfo_t *Info, void *) {
  ++Faults;
  mprotect((void *)((uintptr_t)Info->si_addr & ~(Page - 1)), Page, PROT_READ | PROT_WRITE);
}

static void handle() {
  struct sigaction Action = {};
  Action.sa_sigaction = onFault;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &Action, nullptr);
}

int main() {
  CHECK(cudaMalloc(&Device, Bytes));

  // The program makes it read-only, and is asked at the first store.
  char *Memory = map(Bytes);
  refresh(Memory, Bytes);
  handle();
  mprotect(Memory, Bytes, PROT_READ);
  const int Before = Memory[7];
  Memory[7] = 5;
  std::printf("protected: %d fault, %d %d\n", Faults, Before, Memory[7]);

  // Pages of the program's own lie in the first and last pages of a copy.
  Faults = 0;
  mprotect(Memory, Bytes, PROT_READ | PROT_WRITE);
  refresh(Memory + 100, 2 * Page);
  handle();
  mprotect(Memory, Page, PROT_NONE);
  mprotect(Memory + 2 * Page, Page, PROT_NONE);
  Memory[0] = 1;
  Memory[3 * Page - 1] = 1;
  std::printf("guards: %d faults, %d\n", Faults, Memory[100]);

  // Page-locked memory, which the GPU reads after the program has forbidden stores to it.
  char *Pinned = map(Bytes);
  CHECK(cudaHostRegister(Pinned, Bytes, cudaHostRegisterDefault));
  refresh(Pinned, Bytes);
  Faults = Pinned[1] - 3;
  mprotect(Pinned, Bytes, PROT_READ);
  CHECK(cudaMemcpy(Device, Pinned, Bytes, cudaMemcpyHostToDevice));
  handle();
  Pinned[5] = 4;
  std::printf("forbidden: %d fault, %d\n", Faults, Pinned[5]);
  CHECK(cudaHostUnregister(Pinned));

  // It moves.
  refresh(Memory = map(Bytes), Bytes);
  char *Moved = (char *)mremap(Memory, Bytes, 2 * Bytes, MREMAP_MAYMOVE);
  const int There = Moved[9];

  // It goes, and the same addresses come again.
  refresh(Moved, Bytes);
  munmap(Moved, 2 * Bytes);
  char *New = (char *)mmap(Moved, Bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  const int First = New[9];
  refresh(New, Bytes);
  New = (char *)mmap(Moved, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                     -1, 0);
  const int Second = New[9];
  refresh(New, Bytes);
  madvise(New, Bytes, MADV_DONTNEED);
  std::printf("moved: %d, new: %d %d %d\n", There, First, Second, New[9]);

  // Blocks of malloc: one grows, which copies it, one is released.
  char *Block = (char *)std::malloc(Bytes);
  refresh(Block, Bytes);
  Block = (char *)std::realloc(Block, 4 * Bytes);
  std::printf("grown: %d\n", Block[11]);
  refresh(Block, Bytes);
  std::free(Block);
  Block = (char *)std::malloc(4 * Bytes);
  Block[11] = 1;
  std::free(Block);

  // Locked in memory, which reads all of it: whether it works is the system's.
  refresh(New, Bytes);
  mlock(New, Page);
  munlock(New, Page);
  // Its end is the program's as before.
  refresh(New, Bytes);
  mprotect(New + Bytes - Page, Page, PROT_READ | PROT_WRITE);
}
