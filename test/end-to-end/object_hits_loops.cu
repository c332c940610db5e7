// Loops with accesses that depend on data, which the compiler unrolls: an access is recorded if it
// executes at all, in the first iteration, in the last iteration of a single lane, or never; and
// pointers from memory that are used in loops.
// BUILD: -O2 -g
// BUILD: -O3 -g
// BUILD: -O0 -g
// OPTIONS: profile=objects
// EXPECT: accesses("sum") == [("Keys", 3, 0, "exact"), ("Sums", 0, 3, "exact"),
//     ("Values", 2, 0, "exact")]
// EXPECT: accesses("mark") == [("Keys", 4, 0, "exact"), ("Second", 2, 2, "exact"),
//     ("First", 1, 1, "exact")]
// EXPECT: accesses("columns") == [("Sums", 0, 1, "exact"), ("First", 1, 0, "exact"),
//     ("Second", 1, 0, "exact"), ("Table", 1, 0, "exact")]
// EXPECT: coverage["objects"]["launches_inferred"] == 0
#include "common.h"

constexpr int N = 203;

__global__ void sum(const int *keys, const int *values, int n, int wanted, int *sums) {
  int total = 0;
  for (int i = 0; i < n; ++i)
    if (keys[i] == wanted + static_cast<int>(threadIdx.x))
      total += values[i];
  sums[threadIdx.x] = total;
}

// In two loops, with two variables that are read and written.
__global__ void mark(const int *keys, int n, int wanted, int *first, int *second) {
  for (int turn = 0; turn < 3; ++turn)
    for (int i = threadIdx.x; i < n; i += 64) {
      const int key = keys[i];
      if (key == wanted)
        first[i] += turn;
      if (key == -wanted)
        second[i] += turn;
    }
}

// Lanes 0 to 30 use one column, lane 31 another.
__global__ void columns(int *const *table, int n, int *sums) {
  const int *column = table[threadIdx.x == 31];
  int total = 0;
  for (int i = 0; i < n; ++i)
    total += column[i] & i;
  sums[threadIdx.x] = total;
}

int main() {
  int Host[N] = {};
  for (int I = 0; I < N; ++I)
    Host[I] = 1000 + I;
  Host[N - 1] = 5031; // for the last lane of a warp
  Host[100] = -70;
  Host[7] = 80;
  int *Keys, *Values, *Sums, *First, *Second, *Third, **Table;
  CHECK(cudaMalloc(&Keys, sizeof(Host)));
  CHECK(cudaMemcpy(Keys, Host, sizeof(Host), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&Values, sizeof(Host)));
  CHECK(cudaMalloc(&Sums, sizeof(Host)));
  CHECK(cudaMalloc(&First, sizeof(Host)));
  CHECK(cudaMalloc(&Second, sizeof(Host)));
  CHECK(cudaMalloc(&Third, sizeof(Host)));
  for (int *Each : {Values, Sums, First, Second, Third})
    CHECK(cudaMemcpy(Each, Host, sizeof(Host), cudaMemcpyHostToDevice));
  sum<<<2, 32>>>(Keys, Values, N, 1000, Sums);
  sum<<<2, 32>>>(Keys, Values, N, 5000, Sums);
  sum<<<2, 32>>>(Keys, Values, N, 9000, Sums);
  mark<<<1, 64>>>(Keys, N, 70, First, Second);
  mark<<<1, 64>>>(Keys, N, 80, First, Second);
  mark<<<1, 64>>>(Keys, N, -70, Second, First);
  mark<<<1, 64>>>(Keys, N, 81, First, Second);
  int *const Columns[] = {First, Second, Third};
  CHECK(cudaMalloc(&Table, sizeof(Columns)));
  CHECK(cudaMemcpy(Table, Columns, sizeof(Columns), cudaMemcpyHostToDevice));
  columns<<<1, 32>>>(Table, N, Sums);
  printResult("sums", Sums, 32);
  printResult("first", First, N);
  printResult("second", Second, N);
}
