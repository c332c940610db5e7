// A barrier of a cluster of several blocks empties their L1s; a barrier of a cluster of one block
// does not. Each of four warps reads its own line before and after such a barrier.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=cache:launch-sampling=every
// EXPECT: [[l["traffic"][n] for n in ("l1_lookups", "l1_hits", "lost_to_fences")]
//     for l in summary["cache"]["launches"]] == [[48, 16, 0], [48, 0, 16]]
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: sum: 4311810304
#include "cached_load.h"
#include "clusters.h"

__global__ void twice(int *data, int *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int result = load(data + i);
  cg::this_cluster().sync();
  result += load(data + i);
  sums[i] = result;
}

int main() {
  int *data = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&data, 128 * sizeof(int)));
  CHECK(cudaMemset(data, 1, 128 * sizeof(int)));
  CHECK(cudaMalloc(&sums, 128 * sizeof(int)));
  CHECK(launch(twice, dim3(4), dim3(32), dim3(1), 0, data, sums));
  CHECK(launch(twice, dim3(4), dim3(32), dim3(2), 0, data, sums));
  int numbers[128];
  CHECK(cudaMemcpy(numbers, sums, sizeof(numbers), cudaMemcpyDeviceToHost));
  long long sum = 0;
  for (int i : numbers)
    sum += i;
  std::printf("sum: %lld\n", sum);
  CHECK(cudaFree(data));
  CHECK(cudaFree(sums));
}
