template <class T> __device__ void words(T *P) {
  T Value = 3, Seen;
  __nv_atomic_load(P, &Seen, __NV_ATOMIC_RELAXED);
  __nv_atomic_store(P, &Value, __NV_ATOMIC_RELAXED);
  __nv_atomic_exchange(P, &Value, &Seen, __NV_ATOMIC_RELAXED);
  __nv_atomic_compare_exchange(P, &Seen, &Value, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(P, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(P, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_sub(P, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_sub(P, 1, __NV_ATOMIC_RELAXED);
}

template <class T> __device__ void integers(T *P) {
  words(P);
  T Seen = __nv_atomic_load_n(P, __NV_ATOMIC_RELAXED);
  __nv_atomic_store_n(P, 3, __NV_ATOMIC_RELAXED);
  __nv_atomic_exchange_n(P, 4, __NV_ATOMIC_RELAXED);
  __nv_atomic_compare_exchange_n(P, &Seen, 7, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_and(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_or(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_xor(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_min(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_min(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(P, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_max(P, 6, __NV_ATOMIC_RELAXED);
}

struct Pair {
  short A, B;
};

// The program's own function, which takes precedence over GMProf's.
__device__ float __nv_atomic_fetch_add(float *P, float V, int) { return *P += V + 40; }

__global__ void types(void *P) {
  integers(static_cast<int *>(P));
  integers(static_cast<unsigned *>(P));
  integers(static_cast<long *>(P));
  integers(static_cast<unsigned long *>(P));
  integers(static_cast<long long *>(P));
  integers(static_cast<unsigned long long *>(P));
  words(static_cast<float *>(P));
  words(static_cast<double *>(P));
  Pair Value{1, 2}, Seen;
  __nv_atomic_exchange(static_cast<Pair *>(P), &Value, &Seen, __NV_ATOMIC_RELAXED);
  __nv_atomic_store_n(static_cast<unsigned char *>(P), Seen.A, __NV_ATOMIC_RELAXED);
}

__global__ void orders(unsigned *P) {
  __nv_atomic_fetch_add(P, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(P, 2, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(P, 3, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_add(P, 4, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(P, 5, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_CLUSTER);
  __nv_atomic_store_n(P, 6, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  P[1] = __nv_atomic_load_n(P, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
}

int main() {}
