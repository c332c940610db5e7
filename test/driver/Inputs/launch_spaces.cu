__global__ void kernel(int *Out) { Out[0] = 1; }
// clang-format off
int main() {
  kernel<<<1, 1>>>(nullptr);
  kernel<< <1, 32>>>(nullptr);
  kernel<<<1, 32>> >(nullptr);
}
