// Kernels whose threads access the same bytes, with and without synchronisation.

extern "C" {

/// Threads with the same x add to the same sum without synchronisation.
__global__ void sameElement(int *Sums) { Sums[threadIdx.x] += 1; }

__global__ void reverse(int *Out, int Synchronise) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = threadIdx.x;
  if (Synchronise)
    __syncthreads();
  Out[threadIdx.x] = Tile[63 - threadIdx.x];
}

/// The second round overwrites values that the first one still reads.
__global__ void rounds(int *Out, int Synchronise) {
  __shared__ int Tile[64];
  for (int Round = 0; Round < 2; ++Round) {
    Tile[threadIdx.x] = threadIdx.x + Round;
    __syncthreads();
    Out[threadIdx.x] = Tile[63 - threadIdx.x];
    if (Synchronise)
      __syncthreads();
  }
}

__global__ void withinWarp(int *Out, int Synchronise) {
  __shared__ int Tile[32];
  Tile[threadIdx.x] = threadIdx.x;
  if (Synchronise)
    __syncwarp();
  Out[threadIdx.x] = Tile[31 - threadIdx.x];
}

__global__ void bytes(char *Out) { Out[threadIdx.x] = 1; }

__global__ void total(int *Sum) { atomicAdd(Sum, 1); }

__global__ void mixed(int *Sum) {
  if (threadIdx.x == 0)
    *Sum = 5;
  else
    atomicAdd(Sum, 1);
}

__global__ void otherBlock(int *Out) {
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Out[blockIdx.x + 1];
}

/// The last block sums the results of the others.
__global__ void lastBlock(int *Parts, unsigned *Ticket, int *Sum) {
  __shared__ bool Last;
  if (threadIdx.x == 0) {
    Parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    Last = atomicInc(Ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (Last && threadIdx.x == 0)
    for (unsigned I = 0; I < gridDim.x; ++I)
      *Sum += ((volatile int *)Parts)[I];
}
}
