// A kernel is called by its name in the source although its mangled name, as those of CUTLASS,
// has more than 1,024 characters.
// BUILD: -O2 -g
// OPTIONS: profile=shared
// EXPECT: len(summary["kernels"][0]["name"]) > 1024
// EXPECT: summary["kernels"][0]["demangled"] == "void kernel<{0}>({0}, int*)".format("Pack<"
//     + ", ".join("Operand<" + str(n) + ", Tag<" + str(n) + ">>" for n in range(80)) + ">")
// EXPECT: shared("kernel", "words").counts == [2] * 32
#include "common.h"
#include <utility>

template <int N> struct Tag {};
template <int N, class T> struct Operand {};
template <class... T> struct Pack {};
template <int... N> Pack<Operand<N, Tag<N>>...> packOf(std::integer_sequence<int, N...>);
using Operands = decltype(packOf(std::make_integer_sequence<int, 80>()));

template <class T> __global__ void kernel(T, int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = words[31 - threadIdx.x];
}

int main() {
  int *out = deviceInts(32);
  kernel<<<1, 32>>>(Operands(), out);
  printResult("kernel", out, 32);
  CHECK(cudaFree(out));
}
