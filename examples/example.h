// Helpers of the examples: error checks, launches, arrays on the device, input that is the same in
// every run, and the size given on the command line.

#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t Error = (call);                                                                    \
    if (Error != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(Error));                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

/// Prints the time of a launch in milliseconds: the median of `Times`, after 2 warm-ups.
template <typename LaunchFn>
void timeLaunch(const std::string &Kernel, LaunchFn Launch, int Times) {
  constexpr int WarmUps = 2;
  cudaEvent_t Begin, End;
  CHECK(cudaEventCreate(&Begin));
  CHECK(cudaEventCreate(&End));
  std::vector<float> Milliseconds(WarmUps + Times);
  for (float &Each : Milliseconds) {
    CHECK(cudaEventRecord(Begin));
    Launch();
    CHECK(cudaEventRecord(End));
    CHECK(cudaEventSynchronize(End));
    CHECK(cudaEventElapsedTime(&Each, Begin, End));
  }
  std::sort(Milliseconds.begin() + WarmUps, Milliseconds.end());
  std::printf("time %s %.5f\n", Kernel.c_str(), Milliseconds[WarmUps + Times / 2]);
  CHECK(cudaEventDestroy(Begin));
  CHECK(cudaEventDestroy(End));
}

/// Launches a kernel, with `Launch()`. If EXAMPLE_TIMES is set in the environment, each
/// kernel's first launch is repeated this many times for timing: it must give the same result
/// each time.
template <typename LaunchFn> void launch(const std::string &Kernel, LaunchFn Launch) {
  static std::set<std::string> Timed;
  const char *Times = std::getenv("EXAMPLE_TIMES");
  if (Times && Timed.insert(Kernel).second)
    timeLaunch(Kernel, Launch, std::max(std::atoi(Times), 1));
  Launch();
  CHECK(cudaGetLastError());
}

/// An array in device memory, freed with its scope.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(size_t Count) : Count(Count) { CHECK(cudaMalloc(&Data, bytes())); }
  explicit DeviceArray(const std::vector<T> &Host) : DeviceArray(Host.size()) { upload(Host); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(Data); }

  operator T *() const { return Data; }

  void upload(const std::vector<T> &Host) {
    CHECK(cudaMemcpy(Data, Host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> Host(Count);
    CHECK(cudaMemcpy(Host.data(), Data, bytes(), cudaMemcpyDeviceToHost));
    return Host;
  }

private:
  size_t bytes() const { return Count * sizeof(T); }

  T *Data = nullptr;
  size_t Count;
};

/// Numbers that look random and are the same everywhere (xorshift).
class Random {
public:
  /// Returns a number from 0 to `Limit` - 1.
  unsigned below(unsigned Limit) {
    State ^= State << 13;
    State ^= State >> 7;
    State ^= State << 17;
    return unsigned((State >> 33) % Limit);
  }
  /// Returns a number between `Low` and `High`.
  float between(float Low, float High) {
    return Low + (High - Low) * (float(below(1U << 20)) / float(1U << 20));
  }

private:
  std::uint64_t State = 0x9E3779B97F4A7C15U;
};

/// Returns the size of the problem: the only argument, or `Default`; a multiple of `Unit`.
inline int problemSize(int Argc, char **Argv, int Default, int Unit) {
  if (Argc < 2)
    return Default;
  char *End = nullptr;
  const long Size = std::strtol(Argv[1], &End, 10);
  if (Argc > 2 || *End != '\0' || Size < Unit || Size > 1 << 24 || Size % Unit != 0) {
    std::fprintf(stderr, "usage: %s [size], a multiple of %d; default %d\n", Argv[0], Unit,
                 Default);
    std::exit(2);
  }
  return int(Size);
}

#endif // EXAMPLE_H
