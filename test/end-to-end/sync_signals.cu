// A program's handlers of SIGSEGV, its masks and its alternate stacks behave as without watching,
// and its uses of the GPU's results are recorded.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 0
// EXPECT: sum(s["needed"] for s in summary["sync"]["sites"]) == 14
// EXPECT: summary["sync"]["uses_assumed"] == 0
// EXPECT-OUTPUT: barrier 3, sums 0 1 2
// EXPECT-OUTPUT: jumped 5 times, with information 0
// EXPECT-OUTPUT: reset: default
// EXPECT-OUTPUT: depth 3
// EXPECT-OUTPUT: in the handler: SIGSEGV blocked, SIGUSR1 blocked; after it: 0 0
// EXPECT-OUTPUT: no stack at first, handler on the stack: 1, other handler on it: 0
// EXPECT-OUTPUT: caught 2 times
// EXPECT-OUTPUT: blocked: 1, then 0
// EXPECT-OUTPUT: mask of a handler: SIGSEGV in it 1
// EXPECT-OUTPUT: in handlers of others: 3
#include "common.h"
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

constexpr size_t Page = 4096;
constexpr int N = 1024;

__global__ void fill(int *Out, int Value) { Out[threadIdx.x] = Value; }

static int *Device, *Fresh;
static volatile char *Guard; ///< pages of the program's own
static int Rounds;

/// The wait is needed by the next use of Fresh. Handlers are set after it, because the CPU
/// device takes their place.
static void refresh() {
  fill<<<1, N>>>(Device, Rounds++);
  CHECK(cudaMemcpy(Fresh, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
}

static void handle(int Flags, void (*Handler)(int, siginfo_t *, void *), int Also = 0) {
  struct sigaction Action = {};
  Action.sa_sigaction = Handler;
  Action.sa_flags = SA_SIGINFO | Flags;
  sigemptyset(&Action.sa_mask);
  if (Also)
    sigaddset(&Action.sa_mask, Also);
  sigaction(SIGSEGV, &Action, nullptr);
}

static bool isBlocked(int Signal) {
  sigset_t Now;
  pthread_sigmask(SIG_SETMASK, nullptr, &Now);
  return sigismember(&Now, Signal);
}

static void forbid() { mprotect((void *)Guard, 4 * Page, PROT_NONE); }
static void allow(const void *At) {
  mprotect((void *)((uintptr_t)At & ~(Page - 1)), Page, PROT_READ | PROT_WRITE);
}

static int Barriers, Sums[3];
static void barrier(int, siginfo_t *Info, void *) {
  Sums[Barriers++] = Fresh[7];
  allow(Info->si_addr);
}

static sigjmp_buf Back;
static int Jumped, Known;
static void jump(int) {
  ++Jumped;
  siglongjmp(Back, 1);
}
__attribute__((noinline)) static int deep(int Depth) {
  volatile char Room[256] = {};
  return Depth == 0 ? Guard[0] : deep(Depth - 1) + Room[Depth];
}

static void writeBarriers() {
  forbid();
  for (int I = 0; I < 3; ++I) {
    refresh();
    Guard[I * Page] = 1;
  }
  std::printf("barrier %d, sums %d %d %d\n", Barriers, Sums[0], Sums[1], Sums[2]);
}

static void jumps() {
  refresh();
  signal(SIGSEGV, jump);
  forbid();
  for (volatile int I = 0; I < 5; ++I)
    if (sigsetjmp(Back, 1) == 0)
      Known += deep(I);
  std::printf("jumped %d times, with information %d\n", Jumped, Known + Fresh[0] - Fresh[1]);
}

static void resets() {
  refresh();
  handle(SA_RESETHAND, [](int, siginfo_t *Info, void *) { allow(Info->si_addr); });
  forbid();
  Guard[0] = Fresh[0];
  struct sigaction Now;
  sigaction(SIGSEGV, nullptr, &Now);
  std::printf("reset: %s\n", Now.sa_handler == SIG_DFL ? "default" : "not");
}

static int Depth;
static void nests() {
  refresh();
  handle(SA_NODEFER, [](int, siginfo_t *Info, void *) {
    if (++Depth < 3)
      Guard[Depth * Page] = 1;
    allow(Info->si_addr);
  });
  forbid();
  Guard[0] = Fresh[0];
  std::printf("depth %d\n", Depth);
}

static bool Segv, Usr1;
static void masks() {
  refresh();
  handle(
      0,
      [](int, siginfo_t *Info, void *) {
        Segv = isBlocked(SIGSEGV);
        Usr1 = isBlocked(SIGUSR1);
        allow(Info->si_addr);
      },
      SIGUSR1);
  forbid();
  Guard[0] = Fresh[0];
  std::printf("in the handler: SIGSEGV %s, SIGUSR1 %s; after it: %d %d\n",
              Segv ? "blocked" : "free", Usr1 ? "blocked" : "free", isBlocked(SIGSEGV),
              isBlocked(SIGUSR1));
}

static char *Stack;
static size_t StackBytes;
static bool On[2];
static void whereIsIt(int, siginfo_t *Info, void *) {
  char Here;
  On[Guard[Page] != 0] = &Here >= Stack && &Here < Stack + StackBytes;
  allow(Info->si_addr);
}
static void stacks() {
  stack_t Before, Mine = {};
  sigaltstack(nullptr, &Before);
  // The minimum size with room for this handler.
  StackBytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
  Mine.ss_sp = Stack = (char *)std::malloc(StackBytes);
  Mine.ss_size = StackBytes;
  sigaltstack(&Mine, nullptr);
  for (int I = 0; I < 2; ++I) {
    refresh();
    handle(I == 0 ? SA_ONSTACK : 0, whereIsIt);
    forbid();
    allow((const char *)Guard + Page);
    Guard[Page] = (char)I;
    Guard[0] = Fresh[0];
  }
  std::printf("%s stack at first, handler on the stack: %d, other handler on it: %d\n",
              Before.ss_flags & SS_DISABLE ? "no" : "a", On[0], On[1]);
}

static int Caught;
__attribute__((noinline)) static void throws() {
  Guard[0] = Fresh[0];
  Known = 0;
}
static void exceptions() {
  stack_t None = {};
  None.ss_flags = SS_DISABLE;
  sigaltstack(&None, nullptr);
  refresh();
  handle(SA_NODEFER, [](int, siginfo_t *, void *) { throw std::runtime_error("fault"); });
  forbid();
  // Called such that the compiler believes that they may throw.
  void (*volatile Throws)() = throws;
  int (*volatile Raise)(int) = raise;
  for (int I = 0; I < 2; ++I) {
    try {
      I == 0 ? Throws() : (void)Raise(SIGSEGV);
    } catch (const std::runtime_error &) {
      ++Caught;
    }
  }
  std::printf("caught %d times\n", Caught);
}

static void blocks() {
  sigset_t Set, Before;
  sigemptyset(&Set);
  sigaddset(&Set, SIGSEGV);
  sigprocmask(SIG_BLOCK, &Set, &Before);
  refresh();
  const int Blocked = isBlocked(SIGSEGV) + Fresh[0] - Fresh[1];
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  std::printf("blocked: %d, then %d\n", Blocked, isBlocked(SIGSEGV));
}

static int InOthers;
static void others() {
  struct sigaction Action = {}, Now;
  Action.sa_handler = [](int) { InOthers += Fresh[3] == Rounds - 1; };
  sigfillset(&Action.sa_mask);
  sigaction(SIGUSR2, &Action, nullptr);
  sigaction(SIGUSR2, nullptr, &Now);
  std::printf("mask of a handler: SIGSEGV in it %d\n", sigismember(&Now.sa_mask, SIGSEGV));
  refresh();
  raise(SIGUSR2);
  // While all else is blocked.
  sigset_t Only, Set;
  sigfillset(&Only);
  sigdelset(&Only, SIGUSR2);
  sigemptyset(&Set);
  sigaddset(&Set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &Set, nullptr);
  refresh();
  raise(SIGUSR2);
  sigsuspend(&Only);
  refresh();
  raise(SIGUSR2);
  ppoll(nullptr, 0, nullptr, &Only);
  std::printf("in handlers of others: %d\n", InOthers);
}

int main() {
  CHECK(cudaMalloc(&Device, N * sizeof(int)));
  Fresh = (int *)mmap(nullptr, Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Guard = (volatile char *)mmap(nullptr, 4 * Page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  handle(0, barrier); // before anything is watched
  writeBarriers();
  jumps();
  resets();
  nests();
  masks();
  stacks();
  exceptions();
  blocks();
  others();
}
