template <int N> __global__ void __cluster_dims__(N, 2) plane(int *Out) { Out[blockIdx.x] = N; }
__global__ __cluster_dims__(4) void line(int *Out);
__global__ void __launch_bounds__(128) line(int *Out) { Out[blockIdx.x] = 1; }

int main() {
  plane<2><<<dim3(4, 2), 32>>>(nullptr);
  plane<3><<<dim3(3, 2), 32>>>(nullptr);
  line<<<4, 32>>>(nullptr);
}
