// A copy from the host can move to where a kernel needs it, if the host has the same data there:
// not past another copy that uses the buffer. Sizes differ, so that no object can have the memory
// of another.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: {f["object"]["name"]: (f["pattern"], f["evidence"].get("copies_to_move"))
//     for f in summary["findings"]} == {"Refilled": ("temporary_idleness", None),
//     "Second": ("temporary_idleness", None), "Overwritten": ("temporary_idleness", None),
//     "Kept": ("temporary_idleness", 1)}
// EXPECT: {f["object"]["name"]: f["suggestion"] for f in summary["findings"]} == {
//     "Kept": "Allocate it right before `last` (object_staging_buffer.cu:79), and move cudaMemcpy "
//     "there, provided that the host buffer still holds the same data.", **{name: "Free it in "
//     "between: copy it to a host buffer of its own and back right before `last` "
//     f"(object_staging_buffer.cu:{line}), or recompute it."
//     for name, line in (("Refilled", 48), ("Second", 51), ("Overwritten", 67))}}
// EXPECT-OUTPUT: 7
#include "common.h"

constexpr int N = 1024;
static int Staging[8 * N], Constant[16 * N];

__device__ int Ticks;
__global__ void tick() { ++Ticks; }
__global__ void fill(int *Out) { Out[threadIdx.x] = 3; }
__global__ void last(int *A) { A[0] += A[1]; }

static void refill(int Value) {
  for (int &Each : Staging)
    Each = Value;
}

static void ticks() {
  for (int I = 0; I < 3; ++I)
    tick<<<1, 1>>>();
}

/// The host refills the buffer for the next object.
static int twoFromOneBuffer() {
  int *Refilled, *Second, Result = 0;
  refill(1);
  CHECK(cudaMalloc(&Refilled, N * sizeof(int)));
  CHECK(cudaMemcpy(Refilled, Staging, N * sizeof(int), cudaMemcpyHostToDevice));
  refill(2);
  CHECK(cudaMalloc(&Second, 2 * N * sizeof(int)));
  CHECK(cudaMemcpy(Second, Staging, 2 * N * sizeof(int), cudaMemcpyHostToDevice));
  ticks();
  CHECK(cudaMemcpyFromSymbol(Staging, Ticks, sizeof(int)));
  last<<<1, 1>>>(Refilled);
  CHECK(cudaMemcpy(&Result, Refilled, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Refilled));
  last<<<1, 1>>>(Second);
  CHECK(cudaFree(Second));
  return Result;
}

/// Copies a result to the buffer.
static int copiedOver() {
  int *Overwritten, *Other, Result = 0;
  refill(1);
  CHECK(cudaMalloc(&Overwritten, 4 * N * sizeof(int)));
  CHECK(cudaMemcpy(Overwritten, Staging, 4 * N * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&Other, 32 * sizeof(int)));
  fill<<<1, 32>>>(Other);
  CHECK(cudaMemcpy(Staging + N, Other, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Other));
  ticks();
  last<<<1, 1>>>(Overwritten);
  CHECK(cudaMemcpy(&Result, Overwritten, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Overwritten));
  return Result + Staging[N];
}

/// Nothing else uses the buffer.
static int kept() {
  int *Kept, Result = 0;
  CHECK(cudaMalloc(&Kept, 16 * N * sizeof(int)));
  CHECK(cudaMemcpy(Kept, Constant, 16 * N * sizeof(int), cudaMemcpyHostToDevice));
  ticks();
  last<<<1, 1>>>(Kept);
  CHECK(cudaMemcpy(&Result, Kept, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Kept));
  return Result;
}

int main() {
  Constant[0] = 0;
  const int Sum = twoFromOneBuffer() + copiedOver() + kept();
  std::printf("%d\n", Sum);
}
