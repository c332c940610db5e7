// Fetches from textures and surfaces, compared with values worked out by hand from the CUDA C++
// Programming Guide's appendix "Texture Fetching", or observed on an H200 where the appendix is
// silent. Prints those that differ.

#include "../../../examples/example.h"
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

int Failures = 0;

void expect(const char *What, float Seen, float Expected) {
  if (Seen == Expected)
    return;
  std::printf("%s: %.9g instead of %.9g\n", What, Seen, Expected);
  ++Failures;
}

/// Results of kernels.
struct Results {
  float *Data;
  explicit Results(int N) { CHECK(cudaMallocManaged(&Data, N * sizeof(float))); }
  ~Results() { CHECK(cudaFree(Data)); }
  float operator[](int I) const {
    CHECK(cudaDeviceSynchronize());
    return Data[I];
  }
};

template <typename T> cudaChannelFormatDesc formatOf() { return cudaCreateChannelDesc<T>(); }
template <> cudaChannelFormatDesc formatOf<__half>() { return cudaCreateChannelDescHalf(); }

template <typename T>
cudaArray_t arrayOf(const std::vector<T> &Values, size_t Width, size_t Height = 0, size_t Depth = 0,
                    unsigned Flags = 0) {
  cudaArray_t Array;
  cudaChannelFormatDesc Format = formatOf<T>();
  CHECK(cudaMalloc3DArray(&Array, &Format, make_cudaExtent(Width, Height, Depth), Flags));
  cudaMemcpy3DParms Copy = {};
  const size_t H = Height ? Height : 1, D = Depth ? Depth : 1;
  Copy.srcPtr = make_cudaPitchedPtr((void *)Values.data(), Width * sizeof(T), Width, H);
  Copy.dstArray = Array;
  Copy.extent = make_cudaExtent(Width, H, D);
  Copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&Copy));
  return Array;
}

cudaResourceDesc resourceOf(cudaArray_t Array) {
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeArray;
  Resource.res.array.array = Array;
  return Resource;
}

struct Sampler {
  cudaTextureAddressMode Address = cudaAddressModeClamp;
  bool Linear = false, Normalized = false, Fractions = false;
  float Border = 0;
};

cudaTextureObject_t textureOf(const cudaResourceDesc &Resource, const Sampler &S) {
  cudaTextureDesc Description = {};
  for (cudaTextureAddressMode &Mode : Description.addressMode)
    Mode = S.Address;
  Description.filterMode = S.Linear ? cudaFilterModeLinear : cudaFilterModePoint;
  Description.readMode = S.Fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  Description.normalizedCoords = S.Normalized;
  for (float &Channel : Description.borderColor)
    Channel = S.Border;
  cudaTextureObject_t Texture;
  CHECK(cudaCreateTextureObject(&Texture, &Resource, &Description, nullptr));
  return Texture;
}

cudaTextureObject_t textureOf(cudaArray_t Array, const Sampler &S = {}) {
  return textureOf(resourceOf(Array), S);
}

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

template <typename T> __global__ void at1D(cudaTextureObject_t Texture, float X, float *Out) {
  *Out = float(tex1D<T>(Texture, X));
}
__global__ void at2D(cudaTextureObject_t Texture, float X, float Y, float *Out) {
  *Out = tex2D<float>(Texture, X, Y);
}
__global__ void at3D(cudaTextureObject_t Texture, float X, float Y, float Z, float *Out) {
  *Out = tex3D<float>(Texture, X, Y, Z);
}

float fetch(cudaTextureObject_t Texture, float X) {
  Results Out(1);
  at1D<float><<<1, 1>>>(Texture, X, Out.Data);
  return Out[0];
}
float fetch(cudaTextureObject_t Texture, float X, float Y) {
  Results Out(1);
  at2D<<<1, 1>>>(Texture, X, Y, Out.Data);
  return Out[0];
}

/// Texels 10, 20, 40, 80.
void oneDimension() {
  cudaArray_t Array = arrayOf<float>({10, 20, 40, 80}, 4);
  cudaTextureObject_t Nearest = textureOf(Array);
  expect("nearest at 0", fetch(Nearest, 0), 10);
  expect("nearest at 1.99", fetch(Nearest, 1.99f), 20);
  expect("nearest at 2", fetch(Nearest, 2), 40);
  expect("nearest, clamped below", fetch(Nearest, -3), 10);
  expect("nearest, clamped above", fetch(Nearest, 9), 80);

  cudaTextureObject_t Linear = textureOf(Array, {cudaAddressModeClamp, true});
  // Texel i is at i + 0.5.
  expect("linear at a texel", fetch(Linear, 1.5f), 20);
  expect("linear halfway", fetch(Linear, 2), 30);
  expect("linear at a quarter", fetch(Linear, 2.75f), 0.75f * 40 + 0.25f * 80);
  expect("linear, clamped", fetch(Linear, 0.25f), 10);
  // 0.001 is nearest to 0/256, 0.003 to 1/256, 0.999 to 256/256.
  expect("linear, weight 0", fetch(Linear, 1.501f), 20);
  expect("linear, weight 1/256", fetch(Linear, 1.503f), 20 + 20 / 256.0f);
  expect("linear, weight 1", fetch(Linear, 2.499f), 40);

  cudaTextureObject_t Border = textureOf(Array, {cudaAddressModeBorder, true});
  // A quarter of 10: the sample above the one row is border, too.
  expect("linear beside the border", fetch(Border, 0), 2.5f);
  expect("border", fetch(Border, 6), 0);
  cudaTextureObject_t Seven = textureOf(Array, {cudaAddressModeBorder, false, false, false, 7});
  expect("border of a colour", fetch(Seven, -1), 7);

  cudaTextureObject_t Wrapped = textureOf(Array, {cudaAddressModeWrap, false, true});
  expect("wrapped, 0.25 is texel 1", fetch(Wrapped, 0.25f), 20);
  expect("wrapped, 1.5 is 0.5", fetch(Wrapped, 1.5f), 40);
  expect("wrapped, -0.25 is 0.75", fetch(Wrapped, -0.25f), 80);
  cudaTextureObject_t Mirrored = textureOf(Array, {cudaAddressModeMirror, false, true});
  expect("mirrored, 1.125 is 0.875", fetch(Mirrored, 1.125f), 80);
  expect("mirrored, -0.375 is 0.375", fetch(Mirrored, -0.375f), 20);
  expect("mirrored, 2.375 is 0.375", fetch(Mirrored, 2.375f), 20);
  cudaTextureObject_t Around = textureOf(Array, {cudaAddressModeWrap, true, true});
  expect("between the last and the first", fetch(Around, 1), 45);
  cudaTextureObject_t NotWrapped = textureOf(Array, {cudaAddressModeWrap});
  expect("wrapping is for normalized coordinates", fetch(NotWrapped, 6), 80);

  cudaArray_t Bytes = arrayOf<unsigned char>({0, 51, 255}, 3);
  expect("fraction of 255", fetch(textureOf(Bytes, {cudaAddressModeClamp, false, false, true}), 1),
         51 / 255.0f);
  expect("filtered fractions",
         fetch(textureOf(Bytes, {cudaAddressModeClamp, true, false, true}), 2),
         0.5f * (51 / 255.0f) + 0.5f);
  // Halfway between 257 * 0 and 257 * 51 of 65535: 6553.5.
  expect("filtered fractions of 16 bits",
         fetch(textureOf(Bytes, {cudaAddressModeClamp, true, false, true}), 1), 6554 / 65535.0f);
  cudaArray_t Signed = arrayOf<signed char>({-128, -127, 127}, 3);
  cudaTextureObject_t Fractions = textureOf(Signed, {cudaAddressModeClamp, false, false, true});
  expect("-128/127 is -1", fetch(Fractions, 0), -1);
  expect("127/127", fetch(Fractions, 2), 1);
  Results Out(1);
  at1D<int><<<1, 1>>>(textureOf(arrayOf<short>({-5, 6}, 2)), 0, Out.Data);
  expect("a negative integer", Out[0], -5);
  at1D<float><<<1, 1>>>(textureOf(arrayOf<__half>({__half(1.5f), __half(-2)}, 2)), 1, Out.Data);
  expect("half precision", Out[0], -2);
}

__global__ void gather(cudaTextureObject_t Texture, float4 *Out) {
  *Out = tex2Dgather<float4>(Texture, 1, 1);
}

/// Rows 0 10 20 30 and 100 110 120 130.
void moreDimensions() {
  cudaArray_t Array = arrayOf<float>({0, 10, 20, 30, 100, 110, 120, 130}, 4, 2);
  expect("row 1, column 2", fetch(textureOf(Array), 2.5f, 1.5f), 120);
  cudaTextureObject_t Linear = textureOf(Array, {cudaAddressModeClamp, true});
  expect("among four", fetch(Linear, 2, 1), (10 + 20 + 110 + 120) / 4.0f);
  expect("a quarter right, three quarters down", fetch(Linear, 1.75f, 1.25f),
         0.25f * (0.75f * 10 + 0.25f * 20) + 0.75f * (0.75f * 110 + 0.25f * 120));
  float4 *Four;
  CHECK(cudaMallocManaged(&Four, sizeof(float4)));
  gather<<<1, 1>>>(Linear, Four);
  CHECK(cudaDeviceSynchronize());
  expect("gathered first", Four->x, 100);
  expect("gathered second", Four->y, 110);
  expect("gathered third", Four->z, 10);
  expect("gathered fourth", Four->w, 0);

  Results Out(1);
  cudaArray_t Volume = arrayOf<float>({0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2);
  at3D<<<1, 1>>>(textureOf(Volume), 1.5f, 0.5f, 1.5f, Out.Data);
  expect("in a volume", Out[0], 5);
  at3D<<<1, 1>>>(textureOf(Volume, {cudaAddressModeClamp, true}), 1, 1, 1, Out.Data);
  expect("amid a volume", Out[0], 3.5f);
}

__global__ void layered(cudaTextureObject_t One, cudaTextureObject_t Two, float *Out) {
  Out[0] = tex1DLayered<float>(One, 1.5f, 1);
  Out[1] = tex1DLayered<float>(One, 1.5f, 7);
  Out[2] = tex2DLayered<float>(Two, 0.5f, 1.5f, 1);
}

__global__ void cube(cudaTextureObject_t Texture, float *Out) {
  Out[0] = texCubemap<float>(Texture, 2, 0.1f, 0.1f);
  Out[1] = texCubemap<float>(Texture, -2, 0.1f, 0.1f);
  Out[2] = texCubemap<float>(Texture, 0.1f, 0.1f, -3);
  // Face +y, whose s is x and t is z: s = -1/2, t = 1/2 of the way from the centre.
  Out[3] = texCubemap<float>(Texture, -1, 2, 1);
}

void layers() {
  Results Out(4);
  layered<<<1, 1>>>(textureOf(arrayOf<float>({1, 2, 3, 4}, 2, 0, 2, cudaArrayLayered)),
                    textureOf(arrayOf<float>({1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2, cudaArrayLayered)),
                    Out.Data);
  expect("layer 1", Out[0], 4);
  expect("layers are clamped", Out[1], 4);
  expect("layer 1 of two dimensions", Out[2], 7);

  std::vector<float> Faces(6 * 4);
  for (int I = 0; I != 24; ++I)
    Faces[I] = I / 4 * 10 + I % 4;
  cube<<<1, 1>>>(textureOf(arrayOf(Faces, 2, 2, 6, cudaArrayCubemap)), Out.Data);
  // +x: s = -z, t = -y, both a little left and above of the centre.
  expect("face +x", Out[0], 0);
  // -x: s = z.
  expect("face -x", Out[1], 11);
  // -z: s = -x, t = -y.
  expect("face -z", Out[2], 50);
  expect("face +y, left below", Out[3], 22);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

__global__ void elements(cudaTextureObject_t Texture, int *Out) {
  Out[0] = tex1Dfetch<int2>(Texture, 2).y;
  Out[1] = tex1Dfetch<int2>(Texture, -1).x;
  Out[2] = tex1Dfetch<int2>(Texture, 3).x;
}

void linearMemory() {
  int *Data, *Out;
  CHECK(cudaMallocManaged(&Data, 6 * sizeof(int)));
  CHECK(cudaMallocManaged(&Out, 3 * sizeof(int)));
  for (int I = 0; I != 6; ++I)
    Data[I] = 10 + I;
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeLinear;
  Resource.res.linear.devPtr = Data;
  Resource.res.linear.desc = cudaCreateChannelDesc<int2>();
  Resource.res.linear.sizeInBytes = 6 * sizeof(int);
  elements<<<1, 1>>>(textureOf(Resource, {}), Out);
  CHECK(cudaDeviceSynchronize());
  expect("element 2", float(Out[0]), 15);
  expect("before the first element", float(Out[1]), 0);
  expect("behind the last element", float(Out[2]), 0);
}

void pitchedMemory() {
  float *Data;
  size_t Pitch;
  CHECK(cudaMallocPitch(&Data, &Pitch, 3 * sizeof(float), 2));
  const float Rows[6] = {1, 2, 3, 4, 5, 6};
  CHECK(cudaMemcpy2D(Data, Pitch, Rows, 12, 12, 2, cudaMemcpyHostToDevice));
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypePitch2D;
  Resource.res.pitch2D.devPtr = Data;
  Resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  Resource.res.pitch2D.width = 3;
  Resource.res.pitch2D.height = 2;
  Resource.res.pitch2D.pitchInBytes = Pitch;
  expect("pitched", fetch(textureOf(Resource, {}), 2, 1), 6);
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

/// Places along x count bytes.
__global__ void transpose(cudaSurfaceObject_t From, cudaSurfaceObject_t To) {
  const float V = surf2Dread<float>(From, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(V, To, threadIdx.y * 4, threadIdx.x);
}

__global__ void outside(cudaSurfaceObject_t Surface, float *Out) {
  Out[0] = surf2Dread<float>(Surface, 40, 0, cudaBoundaryModeZero);
  Out[1] = surf2Dread<float>(Surface, 40, 5, cudaBoundaryModeClamp);
  surf2Dwrite(9.0f, Surface, -4, 0, cudaBoundaryModeZero);
}

__global__ void bytes(cudaSurfaceObject_t Surface) {
  surf1Dwrite(make_uchar4(1, 2, 3, 4), Surface, 4);
}

void surfaces() {
  cudaArray_t A = arrayOf<float>({1, 2, 3, 4, 5, 6}, 3, 2, 0, cudaArraySurfaceLoadStore),
              B = arrayOf<float>({0, 0, 0, 0, 0, 0}, 2, 3, 0, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t From, To;
  cudaResourceDesc OfA = resourceOf(A), OfB = resourceOf(B);
  CHECK(cudaCreateSurfaceObject(&From, &OfA));
  CHECK(cudaCreateSurfaceObject(&To, &OfB));
  transpose<<<1, dim3(3, 2)>>>(From, To);
  float Back[6];
  CHECK(cudaMemcpy2DFromArray(Back, 8, B, 0, 0, 8, 3, cudaMemcpyDeviceToHost));
  const float Expected[6] = {1, 4, 2, 5, 3, 6};
  for (int I = 0; I != 6; ++I)
    expect("transposed", Back[I], Expected[I]);
  Results Out(2);
  outside<<<1, 1>>>(From, Out.Data);
  expect("zero outside", Out[0], 0);
  expect("clamped to the last texel", Out[1], 6);
  CHECK(cudaMemcpy2DFromArray(Back, 12, A, 0, 0, 12, 2, cudaMemcpyDeviceToHost));
  expect("nothing is written outside", Back[0], 1);

  cudaArray_t C = arrayOf<uchar4>({{}, {}}, 2, 0, 0, cudaArraySurfaceLoadStore);
  cudaResourceDesc OfC = resourceOf(C);
  cudaSurfaceObject_t Bytes;
  CHECK(cudaCreateSurfaceObject(&Bytes, &OfC));
  bytes<<<1, 1>>>(Bytes);
  uchar4 Two[2];
  CHECK(cudaMemcpy2DFromArray(Two, 8, C, 0, 0, 8, 1, cudaMemcpyDeviceToHost));
  expect("four bytes at once", Two[1].w, 4);
  expect("none before them", Two[0].x, 0);
  CHECK(cudaDestroySurfaceObject(From));
  CHECK(cudaFreeArray(A));
}

int main() {
  oneDimension();
  moreDimensions();
  layers();
  linearMemory();
  pitchedMemory();
  surfaces();
  std::printf("%s\n", Failures ? "FAILED" : "PASSED");
  return Failures != 0;
}
