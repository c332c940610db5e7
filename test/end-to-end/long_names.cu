// A kernel whose mangled name has more than 1,024 characters, as those of CUTLASS have, is called
// by its name in the source. So is a variable of such a kernel. BUILD: -O2 -g OPTIONS:
// profile=shared EXPECT: len(summary["kernels"][0]["name"]) > 1024 EXPECT:
// summary["kernels"][0]["demangled"] == "void kernel<Pack<"
//     + ", ".join("Operand<" + str(n) + ", ATypeWithANameThatIsNotShort" + str(n)
//     + ">" for n in range(32)) + ">>(Pack<" + ", ".join("Operand<" + str(n)
//     + ", ATypeWithANameThatIsNotShort" + str(n) + ">" for n in range(32)) + ">, int*)"
// EXPECT: shared("kernel", "words").counts == [2] * 32
#include "common.h"

#define NAMES(X)                                                                                   \
  X(0)                                                                                             \
  X(1)                                                                                             \
  X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)    \
      X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

#define DECLARE(N)                                                                                 \
  struct ATypeWithANameThatIsNotShort##N {};
NAMES(DECLARE)

template <int N, class T> struct Operand {};
template <class... T> struct Pack {};
template <class... T> Pack<T...> packOf(Pack<>, T...) { return {}; }

#define OPERAND(N) , Operand<N, ATypeWithANameThatIsNotShort##N>()
using Operands = decltype(packOf(Pack<>() NAMES(OPERAND)));

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
