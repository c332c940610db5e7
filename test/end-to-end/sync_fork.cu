// Children of a process that watches memory: they continue with its memory, execute programs, and
// do not affect the parent's watching.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 1
// EXPECT: sum(s["needed"] for s in summary["sync"]["sites"]) == 6
// EXPECT: summary["sync"]["uses_assumed"] == 0
// EXPECT-OUTPUT: fork: 3 3 3
// EXPECT-OUTPUT: fork with threads: 20 children
// EXPECT-OUTPUT: exec: 7
// EXPECT-OUTPUT: vfork: 3
// EXPECT-OUTPUT: posix_spawn: 0, system: 9, popen: 3
// EXPECT-OUTPUT: crash of a child: 11
// EXPECT-OUTPUT: the parent: 3
#include "common.h"
#include <atomic>
#include <csignal>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

constexpr size_t Bytes = 16 << 10;
extern char **environ;

__global__ void fill(char *Out) {
  for (size_t I = threadIdx.x; I < Bytes; I += blockDim.x)
    Out[I] = 3;
}

static char *Device, *Fresh;

static void refresh() {
  fill<<<1, 64>>>(Device);
  CHECK(cudaMemcpy(Fresh, Device, Bytes, cudaMemcpyDeviceToHost));
}

static int statusOf(pid_t Child) {
  int Status = -1;
  waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : WTERMSIG(Status);
}

int main() {
  CHECK(cudaMalloc(&Device, Bytes));
  Fresh = (char *)mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  // The child uses the memory, and gives it to system calls; so does the parent, afterwards.
  int Pipe[2];
  if (pipe(Pipe) != 0)
    return 1;
  refresh();
  pid_t Child = fork();
  if (Child == 0) {
    const bool Written = write(Pipe[1], Fresh + 4096, 1) == 1;
    _exit(Written ? Fresh[0] : 1);
  }
  char Byte = 0;
  const int Status = statusOf(Child);
  if (read(Pipe[0], &Byte, 1) != 1)
    return 1;
  std::printf("fork: %d %d %d\n", Status, Byte, Fresh[1]);

  // Forks while other threads use watched memory.
  std::atomic<bool> Done = false;
  std::atomic<unsigned> Uses = 0;
  int Children = 0;
  std::thread Other([&] {
    volatile char *P = Fresh;
    while (!Done) {
      Byte = P[0];
      ++Uses;
    }
  });
  refresh();
  const unsigned UsesBefore = Uses;
  for (int I = 0; I < 20; ++I) {
    Child = fork();
    if (Child == 0)
      _exit(Fresh[I]);
    Children += statusOf(Child) == 3;
  }
  // On a busy machine the thread may not have run yet; its current use may be an earlier one.
  while (Uses - UsesBefore < 2)
    std::this_thread::yield();
  Done = true;
  Other.join();
  std::printf("fork with threads: %d children\n", Children);

  refresh();
  Child = fork();
  if (Child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    _exit(1);
  }
  std::printf("exec: %d\n", statusOf(Child));
  Byte = Fresh[0];

  // Such a child shares the parent's memory: its use counts as a use.
  refresh();
  Child = vfork();
  if (Child == 0)
    _exit(*(volatile char *)Fresh);
  std::printf("vfork: %d\n", statusOf(Child));

  refresh();
  const char *Arguments[] = {"true", nullptr};
  posix_spawn(&Child, "/bin/true", nullptr, nullptr, const_cast<char **>(Arguments), environ);
  const int Spawned = statusOf(Child), System = WEXITSTATUS(std::system("exit 9"));
  std::FILE *Program = popen("echo 3", "r");
  int Echo = 0;
  if (std::fscanf(Program, "%d", &Echo) != 1)
    return 1;
  pclose(Program);
  std::printf("posix_spawn: %d, system: %d, popen: %d\n", Spawned, System, Echo);
  Byte = Fresh[0];

  // Nothing is used by the parent.
  refresh();
  Child = fork();
  if (Child == 0) {
    const rlimit NoCore = {0, 0};
    setrlimit(RLIMIT_CORE, &NoCore);
    Byte = Fresh[0];
    *(volatile char *)nullptr = Byte;
  }
  std::printf("crash of a child: %d\n", statusOf(Child));

  refresh();
  std::printf("the parent: %d\n", Fresh[0]);
}
