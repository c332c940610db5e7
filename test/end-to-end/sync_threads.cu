// Threads: many that use the same page at the same moment, small stacks, and results on the stack
// of a thread that waits in a system call.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 0
// EXPECT: sum(s["needed"] for s in summary["sync"]["sites"]) == 59
// EXPECT: sum(s["assumed_needed"] for s in summary["sync"]["sites"]) == 1
// EXPECT-OUTPUT: all at once: 76000
// EXPECT-OUTPUT: small stacks: 140
// EXPECT-OUTPUT: on its own stack: 1
// EXPECT-OUTPUT: on another stack: 7 0
#include "common.h"
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr size_t Bytes = 16 << 10;
constexpr int Threads = 8, Rounds = 50;

__global__ void fill(int *Out, int Value) {
  for (size_t I = threadIdx.x; I < Bytes / sizeof(int); I += blockDim.x)
    Out[I] = Value;
}

static int *Device, *Fresh;

static void refresh(int Value, void *To = Fresh, size_t N = Bytes) {
  fill<<<1, 64>>>(Device, Value);
  CHECK(cudaMemcpy(To, Device, N, cudaMemcpyDeviceToHost));
}

static void allAtOnce() {
  std::atomic<long> Sum = 0;
  pthread_barrier_t Meet;
  pthread_barrier_init(&Meet, nullptr, Threads + 1);
  std::vector<std::thread> All;
  for (int I = 0; I < Threads; ++I)
    All.emplace_back([&, I] {
      for (int Round = 0; Round < Rounds; ++Round) {
        pthread_barrier_wait(&Meet);
        // Uses the same page, or the same region.
        Sum += Fresh[I % 2 * 2048 + I];
        pthread_barrier_wait(&Meet);
      }
    });
  for (int Round = 0; Round < Rounds; ++Round) {
    refresh(190);
    pthread_barrier_wait(&Meet);
    pthread_barrier_wait(&Meet);
  }
  for (std::thread &T : All)
    T.join();
  std::printf("all at once: %ld\n", Sum.load());
}

static void *sumUp(void *) {
  volatile int *P = Fresh;
  return (void *)(long)(P[0] + P[4095]);
}

static void smallStacks() {
  long Sum = 0;
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  for (int I = 0; I < 7; ++I) {
    refresh(10);
    pthread_t Thread;
    void *Result = nullptr;
    // The variables of threads that the libraries have take a part of it.
    size_t Stack = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    do {
      Stack += 4096;
      pthread_attr_setstacksize(&Small, Stack);
    } while (pthread_create(&Thread, &Small, sumUp, nullptr) != 0);
    pthread_join(Thread, &Result);
    Sum += (long)Result;
  }
  std::printf("small stacks: %ld\n", Sum);
}

/// A thread's own alternate stack.
static void ownStack() {
  std::thread([] {
    stack_t Mine = {}, Seen = {};
    Mine.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024;
    Mine.ss_sp = std::malloc(Mine.ss_size);
    sigaltstack(&Mine, nullptr);
    refresh(1);
    const int First = Fresh[0];
    sigaltstack(nullptr, &Seen);
    std::printf("on its own stack: %d\n", First == 1 && Seen.ss_sp == Mine.ss_sp &&
                                              Seen.ss_size == Mine.ss_size && Seen.ss_flags == 0);
    Mine.ss_flags = SS_DISABLE;
    sigaltstack(&Mine, nullptr);
    refresh(2);
    if (Fresh[0] != 2)
      std::printf("not copied\n");
  }).join();
}

/// The GPU's result goes to the stack of a thread that sleeps on it.
static void anotherStack() {
  int Wake[2], Ready[2];
  if (pipe(Wake) != 0 || pipe(Ready) != 0)
    return;
  std::atomic<char *> Where = nullptr;
  std::thread Sleeper([&] {
    alignas(4096) char Room[3 * 4096] = {};
    Where = Room;
    char Byte = 0;
    if (write(Ready[1], &Byte, 1) != 1)
      return;
    // The call puts its byte between those of the GPU.
    const bool Failed = read(Wake[0], Room + 4096, 1) != 1;
    int First;
    std::memcpy(&First, Room, sizeof(First));
    std::printf("on another stack: %d %d\n", First, Failed);
  });
  char Byte = 0;
  if (read(Ready[0], &Byte, 1) == 1)
    refresh(7, Where, 2 * 4096);
  if (write(Wake[1], &Byte, 1) != 1)
    std::printf("not written\n");
  Sleeper.join();
}

int main() {
  CHECK(cudaMalloc(&Device, Bytes));
  Fresh = (int *)mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  allAtOnce();
  smallStacks();
  ownStack();
  anotherStack();
}
