# Allocates with and without the interpreter's lock, in threads, and in code of a string. ctypes.CDLL
# releases the lock during a call, ctypes.PyDLL does not.
import ctypes
import threading

released = ctypes.CDLL(None)
held = ctypes.PyDLL(None)


class Buffers:
    def take(self, size, library=released):
        pointer = ctypes.c_void_p()
        library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer


def worker():
    Buffers().take(3000)


def main():
    buffers = Buffers()
    for size in (1000, 2000):
        freed = buffers.take(size)
        released.cudaFree(freed)
    buffers.take(4000, held)
    thread = threading.Thread(target=worker)
    thread.start()
    thread.join()
    exec("buffers.take(5000)")
    # A thread that never ran Python code.
    thread = ctypes.c_ulong()
    released.pthread_create(ctypes.byref(thread), None, released.cudaFree, buffers.take(6000))
    released.pthread_join(thread, None)


main()
