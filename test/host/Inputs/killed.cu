// Two threads make CUDA calls at random, and write each call into a journal, before and after it,
// until a third thread kills the program: when a number of calls has begun, and a number of loop
// iterations after that, so that it dies anywhere between two calls, or in one.
//
//   killed SEED CALLS TURNS JOURNAL
//
// After at least one call, there is a run to report.
//
// The journal has lines of a thread's id and a function or kernel, or . for its return.

#include "../../../examples/example.h"
#include <atomic>
#include <csignal>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

// A launch is known to be a thread's by the kernel.
template <int Thread> __global__ void fill(int *To) { To[threadIdx.x] = 1; }

template <int Thread> __global__ void add(int *To) { To[threadIdx.x] += 1; }

std::atomic<long> Begun{0};

template <int Number> class User {
  std::mt19937 Numbers;
  const int Journal;
  const std::string Thread = std::to_string(gettid());
  std::vector<int *> Objects;
  cudaStream_t Stream = nullptr;

  int below(int Limit) { return int(Numbers() % unsigned(Limit)); }
  int *any() { return Objects[below(int(Objects.size()))]; }

  void note(const char *What) {
    const std::string Line = Thread + " " + What + "\n";
    if (write(Journal, Line.data(), Line.size()) != ssize_t(Line.size()))
      std::abort();
  }

  template <typename F> void call(const char *Name, F Call) {
    note(Name);
    ++Begun;
    CHECK(Call());
    note(".");
  }

  User(unsigned Seed, int Journal) : Numbers(Seed), Journal(Journal) {
    CHECK(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
  }

  void step() {
    const int What = Objects.empty() ? 0 : below(6);
    if (What == 0 && Objects.size() < 16) {
      int *New = nullptr;
      call("cudaMalloc", [&] { return cudaMalloc(&New, 256 * (1 + below(16))); });
      Objects.push_back(New);
    } else if (What <= 1) {
      std::swap(Objects.back(), Objects[below(int(Objects.size()))]);
      call("cudaFree", [&] { return cudaFree(Objects.back()); });
      Objects.pop_back();
    } else if (What == 2) {
      call("cudaMemsetAsync", [&] { return cudaMemsetAsync(any(), 0, 256, Stream); });
    } else if (What == 3) {
      int Host[64];
      call("cudaMemcpy", [&] { return cudaMemcpy(Host, any(), 256, cudaMemcpyDeviceToHost); });
    } else {
      const std::string Kernel =
          std::string(What == 4 ? "fill<" : "add<") + char('0' + Number) + ">";
      call(Kernel.c_str(), [&] {
        (What == 4 ? fill<Number> : add<Number>)<<<1, 64, 0, Stream>>>(any());
        return cudaGetLastError();
      });
    }
  }

public:
  static void run(unsigned Seed, int Journal) {
    for (User Each(Seed, Journal);;)
      Each.step();
  }
};

int main(int Argc, char **Argv) {
  if (Argc != 5) {
    std::fprintf(stderr, "usage: killed SEED CALLS TURNS JOURNAL\n");
    return 2;
  }
  const unsigned Seed = unsigned(std::atol(Argv[1]));
  const long Calls = std::atol(Argv[2]), Turns = std::atol(Argv[3]);
  const int Journal = open(Argv[4], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  std::thread First(&User<0>::run, Seed, Journal), Second(&User<1>::run, Seed + 1, Journal);
  while (Begun < Calls)
    std::this_thread::yield();
  for (volatile long Turn = 0; Turn < Turns;)
    Turn = Turn + 1;
  raise(SIGKILL);
}
