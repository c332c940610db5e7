// A function that both files of heat_units.cu have; the program has one of them.
inline __device__ __noinline__ int both(const volatile int *p, int i) { return p[4 * i]; }
