// An allocation has the line of its call, also if this is the last one of a function, and not that
// of the C++ library's vector, which constructs the objects that allocate: one call site for all.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(o["name"], o["alloc"]["source"]["line"]) for o in summary["objects"]]
//     == 4 * [("Layer::output", 19)]
// EXPECT: [f["source"]["line"] for f in summary["findings"]
//     if f["pattern"] == "redundant_allocation"] == [19]
// EXPECT: finding("redundant_allocation", "Layer::output")["objects"] == 3
// EXPECT-OUTPUT: sum: 4
#include "common.h"
#include <vector>

struct Layer {
  float *output = nullptr;
  Layer() { allocate(); }
  Layer(Layer &&other) noexcept : output(other.output) { other.output = nullptr; }
  ~Layer() { cudaFree(output); }
  void allocate() { cudaMalloc(&output, 4096 * sizeof(float)); }
};

__global__ void fill(float *out) { out[threadIdx.x] = 1; }

int main() {
  float sum = 0;
  std::vector<Layer> layers;
  for (int i = 0; i < 4; ++i)
    layers.emplace_back();
  for (Layer &layer : layers) {
    float value = 0;
    fill<<<1, 32>>>(layer.output);
    CHECK(cudaMemcpy(&value, layer.output, sizeof(float), cudaMemcpyDeviceToHost));
    sum += value;
  }
  std::printf("sum: %g\n", sum);
}
