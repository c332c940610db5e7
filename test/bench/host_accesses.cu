// Host time of code compiled with --gmprof-host-accesses: milliseconds of processor time of each
// part, the least of 15. Compile it without and with that flag, and run it with profile=off.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

static double now() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return static_cast<double>(T.tv_sec) * 1e3 + static_cast<double>(T.tv_nsec) / 1e6;
}

template <typename F> static void measure(const char *What, F Part) {
  double Least = 1e30;
  unsigned long long Result = 0;
  for (int I = 0; I < 15; ++I) {
    const double Begin = now();
    Result = Part();
    Least = std::min(Least, now() - Begin);
  }
  std::printf("%-20s %9.3f ms (%llu)\n", What, Least, Result);
}

constexpr int N = 1 << 20, Side = 256;

struct Node {
  Node *Next;
  unsigned Value;
};

int main() {
  std::vector<float> A(N), B(N, 2), C(N, 3);
  measure("axpy", [&] {
    for (int I = 0; I < N; ++I)
      A[I] = 2 * B[I] + C[I];
    return static_cast<unsigned long long>(A[N - 1]);
  });
  measure("sum", [&] {
    return static_cast<unsigned long long>(std::accumulate(B.begin(), B.end(), 0.0));
  });
  std::vector<float> M(Side * Side, 1), K(Side * Side, 2), P(Side * Side);
  measure("matmul", [&] {
    for (int I = 0; I < Side; ++I)
      for (int J = 0; J < Side; ++J) {
        float Sum = 0;
        for (int L = 0; L < Side; ++L)
          Sum += M[I * Side + L] * K[L * Side + J];
        P[I * Side + J] = Sum;
      }
    return static_cast<unsigned long long>(P[7]);
  });
  measure("stencil", [&] {
    for (int I = 1; I < Side * 4 - 1; ++I)
      for (int J = 1; J < Side * 4 - 1; ++J) {
        const int At = I * Side * 4 + J;
        A[At] = B[At - 1] + B[At + 1] + B[At - Side * 4] + B[At + Side * 4] - 4 * B[At];
      }
    return static_cast<unsigned long long>(A[Side * 4 + 1]);
  });
  std::unique_ptr<Node[]> Nodes(new Node[N / 4]);
  for (unsigned I = 0; I < N / 4; ++I)
    Nodes[I] = {&Nodes[(I * 7919ull + 1) % (N / 4)], I};
  measure("list", [&] {
    unsigned long long Sum = 0;
    const Node *At = Nodes.get();
    for (int I = 0; I < N; ++I, At = At->Next)
      Sum += At->Value;
    return Sum;
  });
  std::vector<unsigned> Numbers(N / 4);
  measure("sort", [&] {
    unsigned Seed = 1;
    for (unsigned &Each : Numbers)
      Each = Seed = Seed * 1664525 + 1013904223;
    std::sort(Numbers.begin(), Numbers.end());
    return static_cast<unsigned long long>(Numbers[0]);
  });
  measure("map of strings", [&] {
    std::map<std::string, int> Counts;
    for (unsigned I = 0; I < 50000; ++I)
      ++Counts["key" + std::to_string(I * 2654435761u % 5000)];
    return static_cast<unsigned long long>(Counts.size());
  });
  cudaFree(nullptr);
}
