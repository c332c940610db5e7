// A warp of a block of 16 x 16 threads covers two rows of a tile, which no padding keeps apart both
// by rows and by columns; two words leave the fewest conflicts. In a block of 32 x 8 threads a warp
// covers one row, and one word suffices.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: {(f["kernel"]["name"].split("(")[0], f["suggestion"]) for f in summary["findings"]
//     if f["pattern"] == "bank_conflict"} == {
//     ("rows_of_16", "Pad each row by 2 elements (float tile[16][18]): the accesses of the array "
//     "then take 1.5 wavefronts/request on average instead of 4.5."),
//     ("rows_of_17", "Pad rows to 33 elements, and let a warp access one row or column of 32 "
//     "elements. A warp now covers several rows of 17 elements, whose words lie in the same "
//     "banks."),
//     ("rows_of_32", "Pad each row by one element (float tile[32][33]), so that the words "
//     "of a column lie in different banks.")}
// EXPECT-OUTPUT: 1 1 1 1

#include <cstdio>

constexpr int N = 64;

template <int Side, int Rows, int Length> __device__ void transpose(const float *in, float *out) {
  __shared__ float tile[Side][Length];
  const int x = Side * blockIdx.x + threadIdx.x, y = Side * blockIdx.y + threadIdx.y;
  for (int i = 0; i < Side; i += Rows)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * N + x];
  __syncthreads();
  const int tx = Side * blockIdx.y + threadIdx.x, ty = Side * blockIdx.x + threadIdx.y;
  for (int i = 0; i < Side; i += Rows)
    out[(ty + i) * N + tx] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void rows_of_16(const float *in, float *out) { transpose<16, 16, 16>(in, out); }
__global__ void rows_of_17(const float *in, float *out) { transpose<16, 16, 17>(in, out); }
__global__ void rows_of_32(const float *in, float *out) { transpose<32, 8, 32>(in, out); }
__global__ void rows_of_33(const float *in, float *out) { transpose<32, 8, 33>(in, out); }

static int transposes(void kernel(const float *, float *), int side, int rows, const float *in,
                      float *out) {
  kernel<<<dim3(N / side, N / side), dim3(side, rows)>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < N * N; ++i)
    if (out[i % N * N + i / N] != in[i])
      return 0;
  return 1;
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, N * N * sizeof(float));
  cudaMallocManaged(&out, N * N * sizeof(float));
  for (int i = 0; i < N * N; ++i)
    in[i] = i;
  printf("%d ", transposes(rows_of_16, 16, 16, in, out));
  printf("%d ", transposes(rows_of_17, 16, 16, in, out));
  printf("%d ", transposes(rows_of_32, 32, 8, in, out));
  printf("%d\n", transposes(rows_of_33, 32, 8, in, out));
  cudaFree(in);
  cudaFree(out);
}
