// Arrays for textures are objects of a kind of their own, which have dimensions and no address.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(o["name"], o["kind"], o["bytes"], o["element_bytes"], o["extent"], o["address"])
//     for o in summary["objects"] if o["alloc"]["api"] != "cudaMalloc"] == [
//     ("Line", "array", 100, 1, [100], None),
//     ("Image", "array", 64 * 32 * 16, 16, [64, 32], None),
//     ("Volume", "array", 4 * 5 * 6 * 4, 4, [4, 5, 6], None)]
// EXPECT: [(o["kind"], o["element_bytes"], o["extent"]) for o in summary["objects"]
//     if o["alloc"]["api"] == "cudaMalloc"] == [("device", None, None)]
// EXPECT: [o["free"]["api"] for o in summary["objects"]] == ["cudaFreeArray"] * 3 + ["cudaFree"]
// EXPECT: summary["memory"]["devices"][0]["peak_bytes"] == 100 + 64 * 32 * 16 + 4 * 5 * 6 * 4 + 128
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 13
#include "common.h"

__global__ void read(cudaTextureObject_t Volume, int *Out) {
  Out[threadIdx.x] = tex3D<int>(Volume, 2, 3, 4);
}

int main() {
  cudaArray_t Line, Image, Volume;
  const cudaChannelFormatDesc Char = cudaCreateChannelDesc<char>(),
                              Float4 = cudaCreateChannelDesc<float4>(),
                              Int = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&Line, &Char, 100));
  CHECK(cudaMallocArray(&Image, &Float4, 64, 32));
  CHECK(cudaMalloc3DArray(&Volume, &Int, make_cudaExtent(4, 5, 6)));
  int Values[4 * 5 * 6];
  for (int I = 0; I < 4 * 5 * 6; ++I)
    Values[I] = I / 7;
  cudaMemcpy3DParms Copy = {};
  Copy.srcPtr = make_cudaPitchedPtr(Values, 4 * sizeof(int), 4, 5);
  Copy.dstArray = Volume;
  Copy.extent = make_cudaExtent(4, 5, 6);
  Copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&Copy));
  cudaResourceDesc Of = {};
  Of.resType = cudaResourceTypeArray;
  Of.res.array.array = Volume;
  cudaTextureDesc How = {};
  How.readMode = cudaReadModeElementType;
  cudaTextureObject_t Texture;
  CHECK(cudaCreateTextureObject(&Texture, &Of, &How, nullptr));
  int *Out, Read;
  CHECK(cudaMalloc(&Out, 128));
  read<<<1, 32>>>(Texture, Out);
  CHECK(cudaMemcpy(&Read, Out, sizeof(Read), cudaMemcpyDeviceToHost));
  std::printf("%d\n", Read);
  CHECK(cudaDestroyTextureObject(Texture));
  CHECK(cudaFreeArray(Line));
  CHECK(cudaFreeArray(Image));
  CHECK(cudaFreeArray(Volume));
  CHECK(cudaFree(Out));
}
