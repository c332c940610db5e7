// Sets whose values a kernel overwrites. Each launch of square writes all of Squares and reads
// none, as counted; fill's follow from its closed form in each of three launches. Needed are the
// sets before a kernel that writes a part (odd), that adds (sum), that writes bytes of words
// (bytes), and that writes what its input selects in launches that cannot be told apart (chosen).
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: sorted((f["object"]["name"], f["kind"], f["source"]["line"],
//     f["evidence"]["dead_writes"], f["evidence"]["dead_bytes"],
//     f["evidence"]["overwritten_by"]) for f in summary["findings"]
//     if f["pattern"] == "dead_write") == [("Filled", "by_kernel", 75, 3, 12288, "fill"),
//     ("Squares", "by_kernel", 70, 1, 4096, "square")]
// EXPECT-OUTPUT: 1024 262144 512 1024 1024 16843009 512
#include "common.h"

constexpr int N = 1024;

__global__ void fill(int *Filled) { Filled[blockIdx.x * 256 + threadIdx.x] = 1; }

__global__ void square(const int *Order, int *Squares) {
  const int I = blockIdx.x * 256 + threadIdx.x;
  Squares[Order[I]] = I / 4;
}

__global__ void odd(int *Odd) {
  const int I = blockIdx.x * 256 + threadIdx.x;
  if (I % 2 == 1)
    Odd[I] = 1;
}

__global__ void sum(int *Sum) { Sum[blockIdx.x * 256 + threadIdx.x] += 1; }

__global__ void add(int *Sums) { atomicAdd(&Sums[blockIdx.x * 256 + threadIdx.x], 1); }

struct Pixel {
  char Channels[4];
};

__global__ void bytes(Pixel *Pixels) { Pixels[blockIdx.x * 256 + threadIdx.x].Channels[0] = 1; }

__global__ void chosen(const int *Order, int *Chosen, int Half) {
  const int I = blockIdx.x * 256 + threadIdx.x;
  if (Order[I] / (N / 2) == *Order / (N / 2))
    Chosen[Order[I]] = 1;
}

int Host[N];

long total(const int *From) {
  CHECK(cudaMemcpy(Host, From, sizeof Host, cudaMemcpyDeviceToHost));
  long Sum = 0;
  for (int Value : Host)
    Sum += Value;
  return Sum;
}

int main() {
  int *Order, *Filled, *Squares, *Odd, *Sum, *Sums, *Pixels, *Chosen;
  CHECK(cudaMalloc(&Order, sizeof Host));
  CHECK(cudaMalloc(&Filled, sizeof Host));
  CHECK(cudaMalloc(&Squares, sizeof Host));
  CHECK(cudaMalloc(&Odd, sizeof Host));
  CHECK(cudaMalloc(&Sum, sizeof Host));
  CHECK(cudaMalloc(&Sums, sizeof Host));
  CHECK(cudaMalloc(&Pixels, sizeof Host));
  CHECK(cudaMalloc(&Chosen, sizeof Host));
  for (int I = 0; I < N; ++I)
    Host[I] = (I * 5 + 3) % N;
  CHECK(cudaMemcpy(Order, Host, sizeof Host, cudaMemcpyHostToDevice));

  CHECK(cudaMemset(Squares, 0, sizeof Host));
  square<<<N / 256, 256>>>(Order, Squares);
  const long OfSquares = total(Squares) * 2 + 1024;

  for (int Step = 0; Step < 3; ++Step) {
    CHECK(cudaMemset(Filled, 0, sizeof Host));
    fill<<<N / 256, 256>>>(Filled);
  }
  const long OfFilled = total(Filled);

  CHECK(cudaMemset(Odd, 0, sizeof Host));
  odd<<<N / 256, 256>>>(Odd);
  CHECK(cudaMemset(Sum, 0, sizeof Host));
  sum<<<N / 256, 256>>>(Sum);
  CHECK(cudaMemset(Sums, 0, sizeof Host));
  add<<<N / 256, 256>>>(Sums);
  CHECK(cudaMemset(Pixels, 1, sizeof Host));
  bytes<<<N / 256, 256>>>(reinterpret_cast<Pixel *>(Pixels));

  for (int Step = 0; Step < 2; ++Step) {
    CHECK(cudaMemset(Chosen, 0, sizeof Host));
    chosen<<<N / 256, 256>>>(Order, Chosen, Step);
  }
  const long OfOdd = total(Odd), OfSum = total(Sum), OfSums = total(Sums);
  printf("%ld %ld %ld %ld %ld %ld %ld\n", OfFilled, OfSquares, OfOdd, OfSum, OfSums,
         total(Pixels) / N, total(Chosen));
  for (int *Each : {Order, Filled, Squares, Odd, Sum, Sums, Pixels, Chosen})
    CHECK(cudaFree(Each));
}
