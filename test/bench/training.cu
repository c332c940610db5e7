// A program that calls CUDA as training steps of PyTorch do (two linear layers and Adam): a step
// has 32 launches, 24 tensors in slabs of a caching allocator, and a copy to the device. Of the
// launches, 12 have 4,000 bytes of arguments with the addresses of 12 tensors, as PyTorch's
// operations on lists of tensors do. Each operation has a call path of its own. The kernels do
// nothing. They are loaded from PTX: with clones=compiled nothing is known of them but their
// parameters, as of PyTorch's. Arguments: steps (2,000 by default), and depth of the call paths
// (40). Prints the time of a step.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <utility>

namespace c10 {
struct Device {
  int8_t Type, Index;
};
/// PyTorch's report of tensors. libgmprof.so defines it.
__attribute__((weak)) void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device);
} // namespace c10

static void check(cudaError_t Error) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(Error));
  std::exit(1);
}

/// Hands out blocks of slabs: the smallest that is free, in multiples of 512 bytes. Blocks are not
/// merged.
class Allocator {
public:
  void *allocate(size_t Bytes) {
    Bytes = rounded(Bytes);
    auto It = Free.lower_bound({Bytes, nullptr});
    if (It == Free.end()) {
      char *Slab = nullptr;
      check(cudaMalloc(&Slab, SlabBytes));
      It = Free.insert({SlabBytes, Slab}).first;
    }
    const auto [Room, At] = *It;
    Free.erase(It);
    if (Room > Bytes)
      Free.insert({Room - Bytes, At + Bytes});
    report(At, static_cast<int64_t>(Bytes));
    return At;
  }
  void release(void *At, size_t Bytes) {
    Bytes = rounded(Bytes);
    report(At, -static_cast<int64_t>(Bytes));
    Free.insert({Bytes, static_cast<char *>(At)});
  }

private:
  static constexpr size_t SlabBytes = 2 << 20;

  static size_t rounded(size_t Bytes) { return (Bytes + 511) / 512 * 512; }
  static void report(void *At, int64_t Bytes) {
    if (c10::reportMemoryUsageToProfiler)
      c10::reportMemoryUsageToProfiler(At, Bytes, 0, 0, {1, 0});
  }

  std::set<std::pair<size_t, char *>> Free;
};

/// The arguments of an operation on a list of tensors; the rest is what was on the stack.
struct TensorList {
  const void *Addresses[12];
  uint64_t Others[488];
};

static const char Ptx[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry onTensors(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 Count) { ret; }
.visible .entry onList(.param .align 8 .b8 List[4000], .param .f32 Factor) { ret; }
)";
static cudaKernel_t OnTensors, OnList;

static Allocator Tensors;
static std::array<void *, 12> Parameters;
static std::array<std::pair<void *, size_t>, 4> Temporaries;
static void *Host;
static int Depth = 40;

static void launch(const void *Temporary) {
  int Count = 7;
  void *Arguments[] = {&Parameters[0], &Temporary, &Parameters[1], &Count};
  check(cudaLaunchKernel(OnTensors, dim3(1), dim3(32), Arguments, 0, nullptr));
}

static void launchOnList() {
  TensorList List;
  for (size_t I = 0; I < Parameters.size(); ++I)
    List.Addresses[I] = Parameters[I];
  for (uint64_t &Other : List.Others)
    Other = 0x3f8000003f800000u + static_cast<uint64_t>(&Other - List.Others);
  float Factor = 0.1f;
  void *Arguments[] = {&List, &Factor};
  check(cudaLaunchKernel(OnList, dim3(1), dim3(32), Arguments, 0, nullptr));
}

static thread_local long Nested;

/// An operation of the step, from a place of its own in the program.
template <int Number> __attribute__((noinline)) static void operation(int Level) {
  if (Level > 0) {
    operation<Number>(Level - 1);
    Nested += Level; // no tail call
    return;
  }
  if constexpr (Number < 20) {
    auto &[Temporary, Bytes] = Temporaries[Number % Temporaries.size()];
    if (Temporary)
      Tensors.release(Temporary, Bytes);
    Bytes = 1000 + 3000 * (Number % 7);
    Temporary = Tensors.allocate(Bytes);
    launch(Temporary);
  } else {
    if constexpr (Number < 24) {
      void *Result = Tensors.allocate(512);
      Tensors.release(Result, 512);
    }
    launchOnList();
  }
}

template <int... Numbers> static void step(std::integer_sequence<int, Numbers...>) {
  check(cudaMemcpyAsync(Parameters[0], Host, 512, cudaMemcpyHostToDevice, nullptr));
  (operation<Numbers>(Depth), ...);
}

static double seconds(clockid_t Clock) {
  timespec Now;
  clock_gettime(Clock, &Now);
  return static_cast<double>(Now.tv_sec) + static_cast<double>(Now.tv_nsec) * 1e-9;
}

int main(int argc, char **argv) {
  const long Steps = argc > 1 ? std::atol(argv[1]) : 2000;
  Depth = argc > 2 ? std::atoi(argv[2]) : Depth;
  cudaLibrary_t Library;
  check(cudaLibraryLoadData(&Library, Ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  check(cudaLibraryGetKernel(&OnTensors, Library, "onTensors"));
  check(cudaLibraryGetKernel(&OnList, Library, "onList"));
  check(cudaMallocHost(&Host, 512));
  for (void *&Parameter : Parameters)
    Parameter = Tensors.allocate(4096);
  const double Begin = seconds(CLOCK_MONOTONIC), BeginOfThread = seconds(CLOCK_THREAD_CPUTIME_ID);
  for (long I = 0; I < Steps; ++I)
    step(std::make_integer_sequence<int, 32>());
  const double EndOfThread = seconds(CLOCK_THREAD_CPUTIME_ID);
  check(cudaDeviceSynchronize());
  std::printf("%.1f us per step, of which %.1f us of the thread's processor time\n",
              (seconds(CLOCK_MONOTONIC) - Begin) * 1e6 / static_cast<double>(Steps),
              (EndOfThread - BeginOfThread) * 1e6 / static_cast<double>(Steps));
  check(cudaFreeHost(Host));
  return 0;
}
