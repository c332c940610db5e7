// A step of breadth-first search: the graph determines the edges that are read and the nodes that
// are written. Repetitions give the same result, because the set of visited nodes does not change.
#include "bench.h"

constexpr int Nodes = 1 << 22, Degree = 8, Threads = 256;

__global__ void bfs(const int *first, const int *edges, const char *front, const char *visited,
                    char *next, int *cost) {
  const int Node = blockIdx.x * Threads + threadIdx.x;
  if (!front[Node])
    return;
  for (int E = first[Node]; E < first[Node + 1]; ++E) {
    const int To = edges[E];
    if (visited[To])
      continue;
    cost[To] = 7;
    next[To] = 1;
  }
}

int main() {
  Random Numbers;
  std::vector<int> First(Nodes + 1), Edges;
  std::vector<char> Front(Nodes), Visited(Nodes);
  for (int I = 0; I < Nodes; ++I) {
    First[I] = int(Edges.size());
    for (unsigned Count = Numbers.below(2 * Degree); Count != 0; --Count)
      Edges.push_back(int(Numbers.below(Nodes)));
    Front[I] = Numbers.below(4) == 0;
    Visited[I] = Front[I] || Numbers.below(2) == 0;
  }
  First[Nodes] = int(Edges.size());
  const DeviceArray<int> FirstEdge(First), AllEdges(Edges), Cost(Nodes);
  const DeviceArray<char> InFront(Front), IsVisited(Visited), Next(Nodes);
  CHECK(cudaMemset(Cost, 0, Nodes * sizeof(int)));
  CHECK(cudaMemset(Next, 0, Nodes));
  launch("bfs", [&] {
    bfs<<<Nodes / Threads, Threads>>>(FirstEdge, AllEdges, InFront, IsVisited, Next, Cost);
  });
  printSum("cost", Cost);
  printSum("next", Next);
}
