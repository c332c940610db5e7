// Objects have the variables that the program wrote: a vector of Thrust, also one that grows and
// one that is a member; and a pointer whose address functions of the program pass on.
// BUILD: -O2 -g -I%cuda/include/cccl
// OPTIONS: profile=objects
// EXPECT: sorted(o["name"] for o in summary["objects"])
//     == ["filled", "grown", "holder.data", "particles.mass", "passed"]
// EXPECT: all(o["source"]["file"].endswith("wrapped_names.cu") for o in summary["objects"])
// EXPECT-OUTPUT: 1.0

#include <cstdio>
#include <thrust/device_vector.h>

__global__ void add(float *to, const float *from) { to[threadIdx.x] += from[threadIdx.x]; }

static void allocate(float **to, size_t n) { cudaMalloc((void **)to, n * sizeof(float)); }
static int checked(void **to, size_t n) { return cudaMalloc(to, n); }
static int named(const char *, size_t n, void **to) { return checked(to, n); }

struct Particles {
  thrust::device_vector<float> mass;
  explicit Particles(int n) : mass(n) {}
};

struct Holder {
  int n;
  float *data;
};

int main() {
  constexpr int N = 256;
  thrust::device_vector<float> filled(N, 1.0f);
  thrust::device_vector<float> grown;
  grown.resize(N);
  Particles particles(N);
  float *passed;
  Holder holder;
  allocate(&passed, N);
  named("data", N * sizeof(float), (void **)&holder.data);
  cudaMemset(passed, 0, N * sizeof(float));
  cudaMemset(holder.data, 0, N * sizeof(float));
  add<<<1, N>>>(raw_pointer_cast(grown.data()), raw_pointer_cast(filled.data()));
  add<<<1, N>>>(raw_pointer_cast(particles.mass.data()), passed);
  add<<<1, N>>>(raw_pointer_cast(particles.mass.data()), holder.data);
  printf("%.1f\n", float(grown[N - 1]) + float(particles.mass[0]));
  cudaFree(passed);
  cudaFree(holder.data);
}
