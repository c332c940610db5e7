// The parts of a float4, which LLVM loads and stores one by one until its backend merges them to
// vector instructions, are requests of 16 bytes: adjacent, and without findings. A table of float4
// that all lanes read at a time is no hot spot. If each thread has rows of 5 floats, they are
// requests of 4 bytes that are 20 bytes apart.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("strided_access", "per_thread", "rows")]
// EXPECT: finding("strided_access", "rows")["stride_bytes"] == 20
// EXPECT: finding("strided_access", "rows")["requests"] == 4 * 5
// EXPECT: heat("scale", "in", by="reads").accesses == 128 * 4
// EXPECT: heat("scale", "out", by="writes").words == [1] * 512
// EXPECT: heat("scale", "table").words == [4] * 64
// EXPECT: heat("sums", "rows").words == [1] * 640
#include "common.h"

__global__ void scale(const float4 *in, float4 *out, const float4 *table) {
  const float4 V = in[threadIdx.x];
  float4 Sum = make_float4(0, 0, 0, 0);
  for (int I = 0; I < 16; ++I) {
    const float4 T = table[I];
    Sum.x += V.x * T.x;
    Sum.y += V.y * T.y;
    Sum.z += V.z * T.z;
    Sum.w += V.w * T.w;
  }
  out[threadIdx.x] = Sum;
}

__global__ void sums(const float *rows, float *out) {
  float Sum = 0;
  for (int I = 0; I < 5; ++I)
    Sum += rows[5 * threadIdx.x + I];
  out[threadIdx.x] = Sum;
}

int main() {
  int *In = deviceInts(512), *Out = deviceInts(512), *Table = deviceInts(64),
      *Rows = deviceInts(640), *Sums = deviceInts(128);
  scale<<<1, 128>>>((const float4 *)In, (float4 *)Out, (const float4 *)Table);
  sums<<<1, 128>>>((const float *)Rows, (float *)Sums);
  printResult("scale", Out, 512);
  printResult("sums", Sums, 128);
}
