// Structures in global memory: the kernel reads two fields of {position, velocity, age} and writes
// one, so every third element is not accessed. Also a structure of pointers.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("move", "particles").reads == [1, 1, 0] * 100
// EXPECT: memory("move", "particles").writes == [1, 0, 0] * 100
// EXPECT: memory("add", "fields.x").reads == [1] * 100
// EXPECT: memory("add", "fields.y").writes == [1] * 100
// EXPECT: coverage["whole"]
#include "common.h"

struct Particle {
  int Position, Velocity, Age;
};

struct Fields {
  const int *x;
  int *y;
};

__global__ void move(Particle *particles, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles[i].Position += particles[i].Velocity;
}

__global__ void add(Fields fields, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    fields.y[i] = fields.x[i] + 1;
}

int main() {
  int *Particles = deviceInts(300), *X = deviceInts(100), *Y = deviceInts(100);
  move<<<4, 32>>>(reinterpret_cast<Particle *>(Particles), 100);
  add<<<4, 32>>>({X, Y}, 100);
  printResult("particles", Particles, 300);
  printResult("y", Y, 100);
}
