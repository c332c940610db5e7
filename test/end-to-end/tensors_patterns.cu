// Growing batches fragment the cache of PyTorch's allocator, which is then larger than later steps
// need. A temporary tensor of these makes the peak of tensors. Slabs: 40 MiB for the model; 30, 36,
// 42 and 48 MiB for batches, the last two while 66 and 108 MiB are free; 50 MiB for logits, while
// 156 MiB are free: 246 MiB. One slab that grows in steps of 20 MiB takes 100 MiB.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: sorted((f["pattern"], f["source"]["line"], f["bytes_saved"] >> 20)
//     for f in summary["findings"] if f["origin"] == "pytorch") == [
//     ("fragmented_cache", 29, 146), ("oversized_cache", 26, 0), ("temporary_peak", 29, 50)]
// EXPECT: {(f["pattern"], name): value >> 20 for f in summary["findings"]
//     if f["origin"] == "pytorch" for name, value in f["evidence"].items() if "bytes" in name} == {
//     ("fragmented_cache", "bytes"): 50, ("fragmented_cache", "tensor_bytes"): 50,
//     ("fragmented_cache", "free_bytes"): 156, ("fragmented_cache", "bytes_of_all"): 140,
//     ("fragmented_cache", "peak_of_slabs_bytes"): 246,
//     ("fragmented_cache", "peak_after_bytes"): 100, ("oversized_cache", "bytes"): 156,
//     ("oversized_cache", "slab_bytes"): 196, ("oversized_cache", "needed_bytes"): 90,
//     ("temporary_peak", "bytes"): 50, ("temporary_peak", "peak_bytes"): 90,
//     ("temporary_peak", "peak_without_bytes"): 88}
// EXPECT-OUTPUT: done
#include "tensors.h"

int main() {
  Tensors All;
  char *Model = All.allocate(40 * MiB);
  for (size_t Size = 30; Size <= 48; Size += 6)
    All.release(touched(All.allocate(Size * MiB)));
  touched(Model);
  for (int Step = 0; Step < 10; ++Step) {
    char *Logits = All.allocate(50 * MiB);
    touched(Logits);
    touched(Model);
    All.release(Logits);
  }
  CHECK(cudaDeviceSynchronize());
  std::puts("done");
}
