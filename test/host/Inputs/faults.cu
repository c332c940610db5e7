// Allocates, copies and launches, then ends abruptly. The calls before are the same each time:
// three objects, two copies, two launches, one release.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void twice(int *Data) { Data[threadIdx.x] *= 2; }

__global__ void wrong(int *Data) { Data[threadIdx.x + (1ll << 40)] = 1; }

static int Host[64];

static void work() {
  int *A = nullptr, *B = nullptr, *C = nullptr;
  cudaMalloc(&A, 256);
  cudaMalloc(&B, 512);
  cudaMalloc(&C, 1024);
  cudaMemcpy(A, Host, 256, cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(A);
  twice<<<1, 64>>>(A);
  cudaMemcpy(Host, A, 256, cudaMemcpyDeviceToHost);
  cudaFree(C);
}

__attribute__((noinline)) static int overflow(volatile char *Above) {
  volatile char Room[4096];
  Room[0] = Above ? Above[0] : 0;
  return overflow(Room) + Room[0];
}

/// While the first thread is in a CUDA call.
static void inACall(void (*End)()) {
  std::thread Other([] {
    for (;;) {
      void *P = nullptr;
      cudaMalloc(&P, 64);
      cudaFree(P);
    }
  });
  // The other thread is in its loop: it has allocated something.
  void *P = nullptr;
  for (int I = 0; I < 100; ++I) {
    cudaMalloc(&P, 64);
    cudaFree(P);
  }
  End();
  Other.join();
}

int main(int Argc, char **Argv) {
  const char *How = Argc > 1 ? Argv[1] : "return";
  auto Is = [&](const char *What) { return std::strcmp(How, What) == 0; };
  if (Is("full")) {
    // Fails like a full disk.
    const rlimit Limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &Limit);
  }
  if (Is("before"))
    raise(SIGKILL);
  work();
  std::printf("%s\n", How);
  std::fflush(stdout);
  if (Is("abort"))
    std::abort();
  if (Is("_exit"))
    _exit(5);
  if (Is("kill"))
    raise(SIGKILL);
  if (Is("term"))
    raise(SIGTERM);
  if (Is("null"))
    *static_cast<volatile int *>(nullptr) = 1;
  if (Is("stack"))
    return overflow(nullptr);
  if (Is("exit-in-a-call"))
    inACall([] { std::exit(6); });
  if (Is("kill-in-a-call"))
    inACall([] { raise(SIGKILL); });
  if (Is("exec")) {
    execl(Argv[0], Argv[0], "return", nullptr);
    return 1;
  }
  if (Is("kernel")) {
    wrong<<<1, 32>>>(nullptr);
    // The error stays: nothing works any more.
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    void *P = nullptr;
    std::printf("%s\n", cudaGetErrorName(cudaMalloc(&P, 64)));
    return 7;
  }
  if (Is("fork")) {
    // A child does not use its parent's device, but may end in any way.
    if (const pid_t Child = fork(); Child > 0)
      waitpid(Child, nullptr, 0);
    else
      std::exit(8);
  }
  if (Is("full"))
    for (int I = 0; I < 10000; ++I)
      cudaMemset(nullptr, 0, 0), work();
  if (Is("parent")) {
    kill(getppid(), SIGKILL);
    // Its death ends this process as well, or not.
    pause();
  }
  if (Is("gone")) {
    char Command[4096];
    std::snprintf(Command, sizeof(Command), "rm -r '%s'", Argv[2]);
    if (std::system(Command) != 0)
      return 1;
    work();
  }
  return 0;
}
