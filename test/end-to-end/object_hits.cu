// Accesses of a kernel through pointers from memory (DrGPUM, Figure 5), in device functions, under
// conditions on data, in loops with early exits, and in parts of a memory pool: the objects that it
// accesses, and no others.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g -fgpu-rdc
// OPTIONS: profile=objects
// EXPECT: accesses("walk") == [("A", 1, 1, "exact"), ("B", 1, 1, "exact"),
//     ("List", 1, 0, "exact")]
// EXPECT: accesses("rows") == [("Rows", 2, 0, "exact"), ("Sums", 0, 2, "exact"),
//     ("Values", 1, 0, "exact")]
// EXPECT: accesses("fields") == [("A", 0, 1, "exact"), ("B", 1, 0, "exact"),
//     ("Pair", 1, 0, "exact")]
// EXPECT: accesses("outlined") == [("A", 1, 0, "exact"), ("C", 1, 0, "exact"),
//     ("Sums", 0, 1, "exact")]
// EXPECT: accesses("search") == [("B", 2, 0, "exact"), ("Found", 0, 1, "exact")]
// EXPECT: accesses("either") == [("Pointers", 2, 0, "exact"), ("Arena", 0, 1, "exact"),
//     ("first", 0, 1, "exact")]
// EXPECT: accesses("heap") == [("Sums", 0, 1, "exact")]
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]]
//     == [("launches whose accesses are not all known", 1)]
// EXPECT: [o["name"] for o in summary["objects"] if o["name"] == "Other"] == ["Other"]
#include "common.h"
#include <gmprof/gmprof.h>

struct Node {
  int *data;
  Node *next;
};
struct Buffers {
  int *out;
  const int *in, *never;
};

__global__ void walk(const Node *list, int n) {
  for (; list; list = list->next)
    if (threadIdx.x < n)
      list->data[threadIdx.x] += 1;
}

__global__ void rows(const int *first, const int *values, int *sums) {
  int sum = 0;
  for (int i = first[threadIdx.x]; i < first[threadIdx.x + 1]; ++i)
    sum += values[i];
  sums[threadIdx.x] = sum;
}

// Accesses a structure that the kernel gets by its address.
__global__ void fields(const Buffers *pair, int n) {
  if (n > 0)
    pair->out[threadIdx.x] = pair->in[threadIdx.x];
  else
    pair->out[threadIdx.x] = pair->never[threadIdx.x];
}

__device__ __noinline__ int at(const int *p, int i) { return p[i]; }
__global__ void outlined(const int *a, const int *b, const int *c, int *out) {
  int sum = at(a, threadIdx.x);
  if (sum < 0)
    sum += at(b, threadIdx.x);
  out[threadIdx.x] = sum + at(c, 1);
}

// Left as soon as it is found, before a barrier that the others wait at.
__global__ void search(const int *in, int n, int wanted, int *found) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] == wanted) {
      *found = i;
      return;
    }
  __syncthreads();
}

__global__ void either(int **pointers, int which) { pointers[which][threadIdx.x] = 5; }

__global__ void heap(int *out) {
  int *mine = static_cast<int *>(malloc(sizeof(int) * 4));
  for (int i = 0; i < 4; ++i)
    mine[i] = i * threadIdx.x;
  out[threadIdx.x] = mine[threadIdx.x % 4];
  free(mine);
}

int main() {
  int *A, *B, *C, *Other;
  int Numbers[100];
  for (int I = 0; I < 100; ++I)
    Numbers[I] = I;
  CHECK(cudaMalloc(&A, sizeof(Numbers)));
  CHECK(cudaMalloc(&B, sizeof(Numbers)));
  CHECK(cudaMalloc(&C, sizeof(Numbers)));
  CHECK(cudaMalloc(&Other, sizeof(Numbers)));
  for (int *Each : {A, B, C, Other})
    CHECK(cudaMemcpy(Each, Numbers, sizeof(Numbers), cudaMemcpyHostToDevice));
  int *Rows, *Values, *Sums, *Found, *Arena, **Pointers;
  Node *List;
  Buffers *Pair;
  CHECK(cudaMallocManaged(&List, 2 * sizeof(Node)));
  List[0] = {B, &List[1]};
  List[1] = {A, nullptr};
  walk<<<1, 64>>>(List, 30);

  const int First[] = {0, 0, 0, 3};
  CHECK(cudaMalloc(&Rows, sizeof(First)));
  CHECK(cudaMalloc(&Values, 3 * sizeof(int)));
  CHECK(cudaMalloc(&Sums, 32 * sizeof(int)));
  CHECK(cudaMemset(Values, 0, 3 * sizeof(int)));
  CHECK(cudaMemset(Sums, 0, 32 * sizeof(int)));
  CHECK(cudaMemcpy(Rows, First, sizeof(First), cudaMemcpyHostToDevice));
  rows<<<1, 2>>>(Rows, Values, Sums);
  rows<<<1, 3>>>(Rows, Values, Sums);

  const Buffers Host = {A, B, C};
  CHECK(cudaMalloc(&Pair, sizeof(Host)));
  CHECK(cudaMemcpy(Pair, &Host, sizeof(Host), cudaMemcpyHostToDevice));
  fields<<<1, 32>>>(Pair, 1);
  outlined<<<1, 32>>>(A, B, C, Sums);

  CHECK(cudaMalloc(&Found, sizeof(int)));
  CHECK(cudaMemset(Found, 0, sizeof(int)));
  search<<<2, 64>>>(B, 100, -7, Found);
  search<<<2, 64>>>(B, 100, 70, Found);

  CHECK(cudaMalloc(&Arena, 4096));
  CHECK(cudaMemset(Arena, 0, 4096));
  gmprof_pool Pool = gmprof_pool_create(Arena, 4096, "Arena");
  gmprof_alloc(Pool, Arena, 1024, "first");
  gmprof_alloc(Pool, Arena + 512, 1024, "second");
  int *const Parts[] = {Arena, Arena + 300, Arena + 512};
  CHECK(cudaMalloc(&Pointers, sizeof(Parts)));
  CHECK(cudaMemcpy(Pointers, Parts, sizeof(Parts), cudaMemcpyHostToDevice));
  either<<<1, 32>>>(Pointers, 0);
  either<<<1, 32>>>(Pointers, 1);
  heap<<<1, 8>>>(Sums);

  printResult("a", A, 100);
  printResult("b", B, 100);
  printResult("sums", Sums, 32);
  printResult("found", Found, 1);
  printResult("arena", Arena, 1024);
}
