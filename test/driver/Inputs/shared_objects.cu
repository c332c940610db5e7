template <class T> struct Counter {
  T Value;
  __device__ Counter() : Value(5) {}
  __device__ ~Counter() { Value = 0; }
};

template <class T> __global__ void kernel(T *Out) {
#ifdef STORAGE
  __shared__ alignas(Counter<T>) unsigned char countersStorage[sizeof(Counter<T>[2])];
  auto &counters = reinterpret_cast<Counter<T>(&)[2]>(countersStorage);
#else
  __shared__ Counter<T> counters[2];
#endif
  counters[threadIdx.x].Value = 1;
  Out[threadIdx.x] = counters[threadIdx.x].Value;
}

int main() {
  kernel<<<1, 2>>>(static_cast<int *>(nullptr));
  kernel<<<1, 2>>>(static_cast<long *>(nullptr));
}
