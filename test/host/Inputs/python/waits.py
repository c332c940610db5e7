# Waits twice, in one function, at two lines.
import ctypes

cuda = ctypes.CDLL(None)
pointer = ctypes.c_void_p()
cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096))


def step():
    cuda.cudaMemset(pointer, 0, ctypes.c_size_t(4096))
    cuda.cudaDeviceSynchronize()
    cuda.cudaDeviceSynchronize()


for _ in range(3):
    step()
