"""Scales the rows of a matrix on the GPU, by an extension of PyTorch (columns.cu)."""

import torch

import columns

matrix = torch.arange(1024 * 256, dtype=torch.float32, device="cuda").reshape(1024, 256) / 1024
factors = torch.arange(1024, dtype=torch.float32, device="cuda")
out = columns.scale(matrix, factors)
print("sum", out.double().sum().item(), "right:", torch.equal(out, matrix * factors[:, None]))
