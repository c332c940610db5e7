// Results in pages without which no fault can be handled: beside the program's alternate stack,
// and beside the table in which a thread finds the thread-local variables of libraries.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 0
// EXPECT: sum(s["needed"] + s["assumed_needed"] for s in summary["sync"]["sites"]) == 3
// Other threads may be first to use the page of the third.
// EXPECT: sum(s["assumed_needed"] for s in summary["sync"]["sites"]) in (2, 3)
// EXPECT-OUTPUT: on the alternate stack: 2, sum 3
// EXPECT-OUTPUT: beside the table: 7
#include "common.h"
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <pthread.h>

constexpr uintptr_t Page = 4096;
constexpr int N = 16; // of a result

__global__ void fill(int *Out, int Value) { Out[threadIdx.x] = Value; }

static int *Device;

static void refresh(int *To, int Value) {
  fill<<<1, N>>>(Device, Value);
  CHECK(cudaMemcpy(To, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
}

static char *Stack;
constexpr size_t StackBytes = 16 * Page - Page / 2;
static int OnStack;

static void count(int) {
  char Here;
  OnStack += &Here >= Stack && &Here < Stack + StackBytes;
}

/// The stack's top is in the page of the result, and is set before and after the result.
static void besideStack() {
  Stack = (char *)std::aligned_alloc(Page, 16 * Page);
  int *Result = (int *)(Stack + StackBytes);
  struct sigaction Action = {};
  Action.sa_handler = count;
  Action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &Action, nullptr);
  stack_t Mine = {}, None = {};
  Mine.ss_sp = Stack;
  Mine.ss_size = StackBytes;
  None.ss_flags = SS_DISABLE;
  int Sum = 0;
  for (int Before : {1, 0}) {
    if (Before)
      sigaltstack(&Mine, nullptr);
    refresh(Result, 1 + Before);
    if (!Before)
      sigaltstack(&Mine, nullptr);
    raise(SIGUSR1);
    Sum += Result[N - 1];
    sigaltstack(&None, nullptr);
  }
  std::printf("on the alternate stack: %d, sum %d\n", OnStack, Sum);
}

static int *Small[4096]; ///< blocks of the heap
static bool Found;

static void takeSmall(int Begin, int End) {
  for (int I = Begin; I < End; ++I)
    Small[I] = (int *)std::malloc(N * sizeof(int));
}

/// glibc allocates a thread's table with malloc, as its program does: with blocks taken before and
/// after it, some are beside it, unless it is where something else was.
static void *besideTable(void *) {
  uintptr_t Table;
  asm("movq %%fs:8, %0" : "=r"(Table));
  takeSmall(2048, 4096);
  for (int *Result : Small)
    if (!Found && (uintptr_t)Result / Page == Table / Page) {
      Found = true;
      refresh(Result, 7);
      std::printf("beside the table: %d\n", Result[3]);
    }
  return nullptr;
}

int main() {
  CHECK(cudaMalloc(&Device, N * sizeof(int)));
  besideStack();
  // One arena: threads allocate adjacent to memory that is allocated for them.
  mallopt(M_ARENA_MAX, 1);
  for (int I = 0; I < 100 && !Found; ++I) {
    pthread_t Thread;
    takeSmall(0, 2048);
    pthread_create(&Thread, nullptr, besideTable, nullptr);
    pthread_join(Thread, nullptr);
  }
  CHECK(cudaFree(Device));
}
