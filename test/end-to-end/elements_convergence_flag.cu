// A flag that each step clears and that a kernel sets until nothing changes any more. The last
// launch leaves it, so data decides: without one of the sets, the loop never ends. The kernel sets
// `Visited` in all launches, and its set is dead.
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: [(f["object"]["name"], f["evidence"]["dead_writes"]) for f in summary["findings"]
//     if f["pattern"] == "dead_write"] == [("Visited", 4)]
// EXPECT-OUTPUT: 4 steps
#include "common.h"

constexpr int N = 256;

__global__ void settle(int *Values, int *Changed, int *Visited) {
  const int I = threadIdx.x;
  Visited[I] = 1;
  if (Values[I] > 0) {
    --Values[I];
    *Changed = 1;
  }
}

int main() {
  int Host[N], *Values, *Changed, *Visited, Again = 1, Steps = 0;
  for (int I = 0; I < N; ++I)
    Host[I] = I % 4;
  CHECK(cudaMalloc(&Values, sizeof Host));
  CHECK(cudaMalloc(&Visited, sizeof Host));
  CHECK(cudaMalloc(&Changed, sizeof Again));
  CHECK(cudaMemcpy(Values, Host, sizeof Host, cudaMemcpyHostToDevice));
  for (; Again != 0; ++Steps) {
    CHECK(cudaMemset(Changed, 0, sizeof Again));
    CHECK(cudaMemset(Visited, 0, sizeof Host));
    settle<<<1, N>>>(Values, Changed, Visited);
    CHECK(cudaMemcpy(&Again, Changed, sizeof Again, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(Host, Visited, sizeof Host, cudaMemcpyDeviceToHost));
  }
  printf("%d steps\n", Steps);
  for (int *Each : {Values, Changed, Visited})
    CHECK(cudaFree(Each));
}
