// An extension of PyTorch: each row of a matrix is multiplied by a factor of its own.

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

/// A thread for each row: the threads of a warp access words that are a row apart.
template <typename T>
__global__ void scaleRows(const T *matrix, const T *factors, T *out, int rows, int columns) {
  const int Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= rows)
    return;
  for (int Column = 0; Column < columns; ++Column)
    out[Row * columns + Column] = factors[Row] * matrix[Row * columns + Column];
}

torch::Tensor scale(torch::Tensor Matrix, torch::Tensor Factors) {
  TORCH_CHECK(Matrix.is_cuda() && Matrix.is_contiguous() && Matrix.dim() == 2);
  const int Rows = Matrix.size(0), Columns = Matrix.size(1);
  torch::Tensor Out = torch::empty_like(Matrix);
  AT_DISPATCH_FLOATING_TYPES(Matrix.scalar_type(), "scale", [&] {
    scaleRows<scalar_t><<<(Rows + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        Matrix.data_ptr<scalar_t>(), Factors.data_ptr<scalar_t>(), Out.data_ptr<scalar_t>(), Rows,
        Columns);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return Out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, Module) { Module.def("scale", &scale); }
