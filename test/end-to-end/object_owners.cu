// Objects of a class are told apart by the line that makes them: nothing uses Pressure, whose
// allocation is not to be removed from the constructor. Alone's line has no other caller.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: sorted((f["object"]["name"], f["source"]["line"], f["message"], f["suggestion"])
//     for f in summary["findings"] if f["severity"] == "high") == [("Pressure.Data", 33,
//     "No kernel, copy or memset accesses `Pressure.Data` (object_owners.cu:33).",
//     "Remove the allocation, or allocate only for the inputs that use it. Do so for the call at "
//     "object_owners.cu:33 only: object_owners.cu:19 allocates for other calls, too."),
//     ("alone", 26, "No kernel, copy or memset accesses `alone`.",
//     "Remove the allocation, or allocate only for the inputs that use it.")]
// EXPECT-OUTPUT: 3
#include "common.h"

constexpr int N = 4096;

class Field {
public:
  Field() { CHECK(cudaMalloc(&Data, N * sizeof(float))); }
  ~Field() { CHECK(cudaFree(Data)); }
  float *Data = nullptr;
};

static void *allocateAlone() {
  void *alone;
  CHECK(cudaMalloc(&alone, N * sizeof(float)));
  return alone;
}

__global__ void add(float *a, const float *b) { a[threadIdx.x] += b[threadIdx.x] + 1; }

int main() {
  Field Pressure;
  Field A;
  Field B;
  void *Alone = allocateAlone();
  float First;
  CHECK(cudaMemset(A.Data, 0, N * sizeof(float)));
  CHECK(cudaMemset(B.Data, 0, N * sizeof(float)));
  for (int I = 0; I < 3; ++I)
    add<<<1, 256>>>(A.Data, B.Data);
  CHECK(cudaMemcpy(&First, A.Data, sizeof First, cudaMemcpyDeviceToHost));
  printf("%.0f\n", First);
  CHECK(cudaFree(Alone));
}
