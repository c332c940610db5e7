// Textures and surfaces are known by the parameter that holds their handle.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='infer-address-spaces,loop-simplify,print<gm-touches>' -disable-output \
// RUN:   | FileCheck %s

struct Image {
  int width;
  cudaTextureObject_t texture;
};

// CHECK-LABEL: touches of _Z5fetchyPfi:
// CHECK-NEXT: writes argument 2 determined
// CHECK-NEXT: reads argument 1 (texture) determined closed-form address=0 where -1 + -1*tid.x + param2 >= 0
__global__ void fetch(cudaTextureObject_t texture, float *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = tex1Dfetch<float>(texture, i);
}

// CHECK-LABEL: touches of _Z5image5ImagePf:
// CHECK-NEXT: writes argument 2 always
// CHECK-NEXT: reads argument 1+8 (texture) always
__global__ void image(Image i, float *out) {
  out[threadIdx.x] = tex2D<float>(i.texture, threadIdx.x, 1.f);
}

// CHECK-LABEL: touches of _Z8surfacesy:
// CHECK-NEXT: reads,writes argument 1 (texture) always
__global__ void surfaces(cudaSurfaceObject_t surface) {
  float v;
  surf2Dread(&v, surface, 4 * threadIdx.x, 2);
  surf2Dwrite(v, surface, 4 * threadIdx.x, 1);
}

// The handle comes from memory.
// CHECK-LABEL: touches of _Z6tablesPKyPf:
// CHECK-NEXT: reads - (texture) possible
// CHECK-NEXT: reads argument 1 always
// CHECK-NEXT: writes argument 2 always
__global__ void tables(const cudaTextureObject_t *textures, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(textures[blockIdx.x], 3);
}
