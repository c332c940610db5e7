#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>

__global__ void kernel(int *Out, long *Wide) {
  Out[0] = min(Out[1], Out[2]);
  Wide[0] = max(Wide[1], Wide[2]);
}

__host__ __device__ int both(int A, int B) { return max(A, B); }

namespace ours {
struct Pair {
  int A;
};
Pair max(Pair X, Pair Y) { return X.A > Y.A ? X : Y; }
} // namespace ours

namespace standard {
using namespace std;
int of(int A, int B) { return min(A, B) + max<int>(A, B); }
} // namespace standard

int main() {
  size_t Size = 7;
  std::printf("%d %u %zu %g %g\n", max(3, 4), min(5u, 4), min(Size, 9), max(1.5f, 2.25),
              max(1, .5f));
  std::printf("%g %g %d %d %d\n", min(NAN, 1.f), max(1.f, NAN), both(1, 2),
              max(ours::Pair{1}, ours::Pair{3}).A, standard::of(10, 20));
}
