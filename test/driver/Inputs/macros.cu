#if !__CUDACC__ || __CUDACC__ != 1
#error "__CUDACC__ is not 1"
#endif
