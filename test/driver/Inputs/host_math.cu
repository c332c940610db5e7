#include <cstdio>

template <class T> __host__ __device__ int kind(T X) {
  return isfinite(X) + 2 * isnan(X) + 4 * isinf(X);
}

namespace own {
using std::isfinite;
int finite(double X) { return isfinite(X); }
} // namespace own

using std::isfinite;

__global__ void kernel(int *Out, float X) { Out[0] = kind(X) + isfinite(X); }

int main() {
  const float Zero = 0;
  const double Infinity = 1 / static_cast<double>(Zero);
  std::printf("%d %d %d %d\n", kind(1.f), kind(Zero / Zero), kind(Infinity), kind(3.0L));
  std::printf("%d %d %d\n", own::finite(Infinity), ::isfinite(1.), isnan(7));
}
