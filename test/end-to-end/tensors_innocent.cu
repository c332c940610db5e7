// The nearest program without the problems of tensors_patterns.cu: the largest batch comes first,
// and batches and temporary tensors are small beside the model.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [f["pattern"] for f in summary["findings"] if f["origin"] == "pytorch"] == []
// EXPECT: sorted(p["bytes"] >> 20 for p in summary["memory"]["pools"]) == [48, 600]
// EXPECT-OUTPUT: done
#include "tensors.h"

int main() {
  Tensors All;
  char *Model = All.allocate(600 * MiB);
  for (size_t Size = 48; Size >= 30; Size -= 6)
    All.release(touched(All.allocate(Size * MiB)));
  for (int Step = 0; Step < 10; ++Step) {
    char *Logits = All.allocate(4 * MiB);
    touched(Logits);
    touched(Model);
    All.release(Logits);
  }
  CHECK(cudaDeviceSynchronize());
  std::puts("done");
}
