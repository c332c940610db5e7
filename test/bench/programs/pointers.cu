// Pointers from memory: a table of rows, each an allocation of its own, and linked lists,
// of which each thread walks one.
#include "bench.h"

constexpr int Rows = 64, Columns = 1 << 20, Threads = 256;
constexpr int Lists = 1 << 18, Length = 32;

__global__ void rows(float *const *from, float *sums) {
  const float *Row = from[blockIdx.x];
  float Sum = 0;
  for (int C = blockIdx.y * Threads + threadIdx.x; C < Columns; C += gridDim.y * Threads)
    Sum += Row[C];
  sums[(blockIdx.y * Rows + blockIdx.x) * Threads + threadIdx.x] = Sum;
}

struct Node {
  const Node *next;
  float value;
};

__global__ void lists(const Node *const *heads, float *sums) {
  const int List = blockIdx.x * Threads + threadIdx.x;
  float Sum = 0;
  for (const Node *N = heads[List]; N; N = N->next)
    Sum += N->value;
  sums[List] = Sum;
}

int main() {
  std::vector<DeviceArray<float> *> Arrays;
  std::vector<float *> Pointers;
  for (int R = 0; R < Rows; ++R) {
    std::vector<float> Host(Columns, float(R));
    Arrays.push_back(new DeviceArray<float>(Host));
    Pointers.push_back(*Arrays.back());
  }
  const DeviceArray<float *> From(Pointers);
  const DeviceArray<float> RowSums(32 * Rows * Threads), ListSums(Lists);
  launch("rows", [&] { rows<<<dim3(Rows, 32), Threads>>>(From, RowSums); });

  Random Numbers;
  const DeviceArray<Node> Nodes(Lists * Length);
  std::vector<Node> Host(Lists * Length);
  std::vector<const Node *> Heads(Lists, nullptr);
  for (Node &N : Host) {
    const unsigned List = Numbers.below(Lists);
    N = {Heads[List], Numbers.between(0, 1)};
    Heads[List] = Nodes + (&N - Host.data());
  }
  CHECK(cudaMemcpy(Nodes, Host.data(), Host.size() * sizeof(Node), cudaMemcpyHostToDevice));
  const DeviceArray<const Node *> FirstNodes(Heads);
  launch("lists", [&] { lists<<<Lists / Threads, Threads>>>(FirstNodes, ListSums); });
  printSum("rows", RowSums);
  printSum("lists", ListSums);
  for (DeviceArray<float> *Each : Arrays)
    delete Each;
}
