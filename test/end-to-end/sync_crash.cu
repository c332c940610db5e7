// Causes of SIGSEGV that end a program also end it while memory is watched.
// BUILD: -O1 -g
// OPTIONS: profile=sync
// RUN: null
// RUN: thread
// RUN: blocked
// RUN: inherited
// RUN: handler
// RUN: overflow
// RUN: sent
// RUN: ignored
// RUN: after-reset
// EXPECT-OUTPUT: 5
// EXPECT-EXIT: -11
#include "common.h"
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>

__global__ void fill(int *Out) { Out[threadIdx.x] = 5; }

static volatile int *Nowhere;
static int Times;

__attribute__((noinline)) static int overflow(volatile char *Above) {
  volatile char Room[4096];
  Room[0] = Above ? Above[0] : 0;
  return overflow(Room) + Room[0];
}

static void onFault(int) {
  ++Times;
  *Nowhere = 1;
}

int main(int Argc, char **Argv) {
  auto Is = [&](const char *What) { return std::strcmp(Argv[1], What) == 0; };
  const rlimit NoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  int *Device, *Fresh = (int *)std::aligned_alloc(4096, 4096);
  CHECK(cudaMalloc(&Device, 4096));
  for (int I = 0; I < 2; ++I) {
    fill<<<1, 1024>>>(Device);
    CHECK(cudaMemcpy(Fresh, Device, 4096, cudaMemcpyDeviceToHost));
    if (I == 0)
      std::printf("%d\n", Fresh[1]);
  }
  std::fflush(stdout);
  sigset_t Segv;
  sigemptyset(&Segv);
  sigaddset(&Segv, SIGSEGV);
  if (Is("thread"))
    std::thread([] { *Nowhere = 1; }).join();
  if (Is("blocked") || Is("inherited")) {
    signal(SIGSEGV, [](int) { std::_Exit(1); });
    pthread_sigmask(SIG_BLOCK, &Segv, nullptr);
  }
  if (Is("inherited"))
    std::thread([] { *Nowhere = 1; }).join();
  if (Is("handler"))
    signal(SIGSEGV, onFault);
  if (Is("overflow"))
    return overflow(nullptr);
  if (Is("sent"))
    raise(SIGSEGV);
  if (Is("ignored")) {
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    Times = Fresh[1];
  }
  if (Is("after-reset")) {
    struct sigaction Once = {};
    Once.sa_handler = [](int) { Nowhere = nullptr; };
    Once.sa_flags = SA_RESETHAND;
    sigaction(SIGSEGV, &Once, nullptr);
  }
  *Nowhere = 1;
  std::printf("still there\n");
}
