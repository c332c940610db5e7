// A list whose nodes hold pointers: each live object can be reached, and is counted.
// BUILD: -O2 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("walk", 400).reads == [2] * 30 + [0] * 70
// EXPECT: memory("walk", 800).reads == [4] * 30 + [0] * 170
// EXPECT: memory("walk", 800).writes == [4] * 30 + [0] * 170
// EXPECT: memory("walk", 400).writes == [2] * 30 + [0] * 70
// EXPECT: memory("walk", 1200).reads == [0] * 300
// EXPECT: kernel("walk").data["global_memory"]["outside"] == 0
#include "common.h"

struct Node {
  int *data;
  Node *next;
};

__global__ void walk(const Node *list, int n) {
  for (; list; list = list->next)
    if (threadIdx.x < n)
      list->data[threadIdx.x] += 1;
}

int main() {
  int *A = deviceInts(100), *B = deviceInts(200), *C = deviceInts(300);
  Node *List = nullptr;
  CHECK(cudaMallocManaged(&List, 3 * sizeof(Node)));
  List[0] = {B, &List[1]};
  List[1] = {A, &List[2]};
  List[2] = {B, nullptr};
  for (int I = 0; I < 2; ++I)
    walk<<<1, 64>>>(List, 30);
  printResult("a", A, 100);
  printResult("b", B, 200);
  printResult("c", C, 300);
}
