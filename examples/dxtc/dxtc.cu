// DXTC: compresses an image to four bits a texel (DXT1). 4 x 4 texels become two
// colours of 5, 6 and 5 bits and, for each texel, which of the two colours or the
// two between them it gets.
//
// A thread block compresses 16 texels. In order of their projection on the axis
// along which they vary most, the texels fall into four runs, one for each colour,
// in one of 969 ways. Threads try them all: for given runs, the two best
// colours are a least squares problem, and the way with the smallest error wins.
//
// The steps are device functions that are not inlined, which get their arrays in
// shared memory as pointers: GMProf follows them there.

#include "../example.h"

#include <algorithm>
#include <cmath>

constexpr int Texels = 16;
constexpr int Channels = 3;
constexpr int Threads = 64;
constexpr int Ways = 969; // 0 <= I <= J <= K <= 16
constexpr int Colours = 4;

#define SHARED_STEP __host__ __device__ __noinline__

struct Axis {
  float Mean[Channels], Direction[Channels];
};

struct Endpoints {
  unsigned short First, Second; // 5, 6 and 5 bits
  float Error;
};

/// First texels of the second, third and fourth colour's run.
struct Way {
  unsigned char Begin[Colours - 1];
};

__host__ __device__ inline int colourOf(const Way &W, int Rank) {
  return (Rank >= W.Begin[0]) + (Rank >= W.Begin[1]) + (Rank >= W.Begin[2]);
}

/// Returns the mean, and the direction of the largest variance, by power iteration.
SHARED_STEP Axis principalAxis(const float (*texels)[Texels]) {
  Axis Result{};
  float Product[Channels][Channels] = {};
  for (int I = 0; I < Texels; ++I) {
    const float Texel[Channels] = {texels[0][I], texels[1][I], texels[2][I]};
    for (int C = 0; C < Channels; ++C) {
      Result.Mean[C] += Texel[C] / Texels;
      for (int D = 0; D < Channels; ++D)
        Product[C][D] += Texel[C] * Texel[D] / Texels;
    }
  }
  for (float &Component : Result.Direction)
    Component = 1.0f;
  for (int Iteration = 0; Iteration < 8; ++Iteration) {
    float Next[Channels] = {}, Largest = 1e-6f;
    for (int C = 0; C < Channels; ++C) {
      for (int D = 0; D < Channels; ++D)
        Next[C] += (Product[C][D] - Result.Mean[C] * Result.Mean[D]) * Result.Direction[D];
      Largest = fmaxf(Largest, fabsf(Next[C]));
    }
    for (int C = 0; C < Channels; ++C)
      Result.Direction[C] = Next[C] / Largest;
  }
  return Result;
}

/// Returns the number of texels before number I, whose projection is `Mine`.
SHARED_STEP int rankOf(const float *projections, int I, float Mine) {
  int Rank = 0;
  for (int Other = 0; Other < Texels; ++Other)
    Rank += projections[Other] < Mine || (projections[Other] == Mine && Other < I);
  return Rank;
}

/// A channel in `Bits` bits, and back from 0 to 1.
__host__ __device__ inline int quantised(float Value, int Bits) {
  const int Most = (1 << Bits) - 1;
  return int(fminf(fmaxf(Value, 0.0f), 1.0f) * float(Most) + 0.5f);
}

/// Returns the best two colours for one way, and the remaining squared error. For texel x = a *
/// First + (1 - a) * Second, where a follows from the run, only sums over the texels are needed, so
/// each texel is read once.
SHARED_STEP Endpoints tryWay(const float (*ordered)[Texels], Way W) {
  const float Share[Colours] = {1.0f, 2.0f / 3.0f, 1.0f / 3.0f, 0.0f};
  float AA = 0.0f, AB = 0.0f, BB = 0.0f;
  float AX[Channels] = {}, BX[Channels] = {}, XX[Channels] = {};
  for (int I = 0; I < Texels; ++I) {
    const float A = Share[colourOf(W, I)], B = 1.0f - A;
    AA += A * A;
    AB += A * B;
    BB += B * B;
    for (int C = 0; C < Channels; ++C) {
      const float X = ordered[C][I];
      AX[C] += A * X;
      BX[C] += B * X;
      XX[C] += X * X;
    }
  }
  const float Determinant = AA * BB - AB * AB;
  const int Bits[Channels] = {5, 6, 5};
  Endpoints Result{};
  for (int C = 0; C < Channels; ++C) {
    // All texels of one colour: its mean, twice.
    float First = (AX[C] + BX[C]) / Texels, Second = First;
    if (Determinant > 1e-3f) {
      First = (AX[C] * BB - BX[C] * AB) / Determinant;
      Second = (BX[C] * AA - AX[C] * AB) / Determinant;
    }
    const int Q = quantised(First, Bits[C]), R = quantised(Second, Bits[C]);
    First = float(Q) / float((1 << Bits[C]) - 1);
    Second = float(R) / float((1 << Bits[C]) - 1);
    Result.First = static_cast<unsigned short>(Result.First << Bits[C] | Q);
    Result.Second = static_cast<unsigned short>(Result.Second << Bits[C] | R);
    Result.Error += First * First * AA + Second * Second * BB + XX[C] +
                    2.0f * (First * Second * AB - First * AX[C] - Second * BX[C]);
  }
  Result.Error = fmaxf(Result.Error, 0.0f);
  return Result;
}

/// A number that is smaller for a smaller error, and then for an earlier way.
__host__ __device__ inline unsigned long long makeKey(float Error, int Number) {
  // Errors are not negative, and as bits they compare like integers.
  union {
    float Value;
    unsigned Bits;
  } Pun{Error};
  return static_cast<unsigned long long>(Pun.Bits) << 32 | unsigned(Number);
}

/// Called by all threads of a block: the smallest key of all. `keys` has one of each thread.
__device__ __noinline__ unsigned long long smallestKey(unsigned long long *keys) {
  const int T = threadIdx.x;
  unsigned long long Mine = keys[T];
  for (int Span = Threads / 2; Span > 0; Span /= 2) {
    if (T < Span) {
      Mine = min(Mine, keys[T + Span]);
      keys[T] = Mine;
    }
    __syncthreads();
  }
  return keys[0];
}

/// The texel's two bits at their place. DXT1 wants the larger colour first, and
/// numbers the colours 0, 2, 3, 1 from the first to the second.
__host__ __device__ inline unsigned indexBits(int Texel, int Colour, const Endpoints &E) {
  if (E.First == E.Second)
    return 0;
  const unsigned Number = Colour == 0 ? 0 : Colour == 3 ? 1 : Colour + 1;
  return (E.First < E.Second ? Number ^ 1U : Number) << (2 * Texel);
}

__host__ __device__ inline uint2 packBlock(const Endpoints &E, unsigned Indices) {
  const unsigned Larger = E.First > E.Second ? E.First : E.Second;
  const unsigned Smaller = E.First > E.Second ? E.Second : E.First;
  return make_uint2(Larger | Smaller << 16, Indices);
}

__global__ void compress(const float *image, const Way *ways, uint2 *compressed) {
  __shared__ float texels[Channels][Texels];
  __shared__ float projections[Texels];
  __shared__ float ordered[Channels][Texels];
  __shared__ unsigned long long keys[Threads];
  __shared__ unsigned indices;
  const int T = threadIdx.x;
  if (T < Channels * Texels)
    texels[T / Texels][T % Texels] = image[blockIdx.x * Channels * Texels + T];
  if (T == 0)
    indices = 0;
  __syncthreads();

  const Axis Main = principalAxis(texels);
  float Projection = 0.0f;
  if (T < Texels) {
    for (int C = 0; C < Channels; ++C)
      Projection += texels[C][T] * Main.Direction[C];
    projections[T] = Projection;
  }
  __syncthreads();
  int Rank = 0;
  if (T < Texels) {
    Rank = rankOf(projections, T, Projection);
    for (int C = 0; C < Channels; ++C)
      ordered[C][Rank] = texels[C][T];
  }
  __syncthreads();

  unsigned long long Best = ~0ULL;
  for (int Number = T; Number < Ways; Number += Threads)
    Best = min(Best, makeKey(tryWay(ordered, ways[Number]).Error, Number));
  keys[T] = Best;
  __syncthreads();
  const Way Winner = ways[unsigned(smallestKey(keys))];

  const Endpoints E = tryWay(ordered, Winner);
  if (T < Texels)
    atomicOr(&indices, indexBits(T, colourOf(Winner, Rank), E));
  __syncthreads();
  if (T == 0)
    compressed[blockIdx.x] = packBlock(E, indices);
}

/// The reference: the same steps, one after the other.
static uint2 compressOnHost(const float (*Block)[Texels], const std::vector<Way> &AllWays) {
  const Axis Main = principalAxis(Block);
  float Projections[Texels] = {}, Ordered[Channels][Texels];
  int Ranks[Texels];
  for (int I = 0; I < Texels; ++I)
    for (int C = 0; C < Channels; ++C)
      Projections[I] += Block[C][I] * Main.Direction[C];
  for (int I = 0; I < Texels; ++I) {
    Ranks[I] = rankOf(Projections, I, Projections[I]);
    for (int C = 0; C < Channels; ++C)
      Ordered[C][Ranks[I]] = Block[C][I];
  }
  unsigned long long Best = ~0ULL;
  for (int Number = 0; Number < Ways; ++Number)
    Best = std::min(Best, makeKey(tryWay(Ordered, AllWays[Number]).Error, Number));
  const Way Winner = AllWays[unsigned(Best)];
  const Endpoints E = tryWay(Ordered, Winner);
  unsigned Indices = 0;
  for (int I = 0; I < Texels; ++I)
    Indices |= indexBits(I, colourOf(Winner, Ranks[I]), E);
  return packBlock(E, Indices);
}

/// Returns the squared error of a compressed block, computed from its bits alone.
static double decodedError(uint2 Compressed, const float *Block) {
  const unsigned First = Compressed.x & 0xFFFF, Second = Compressed.x >> 16;
  const int Shift[Channels] = {11, 5, 0}, Most[Channels] = {31, 63, 31};
  // Weight of the first colour for numbers 0, 1, 2 and 3.
  const double Share[Colours] = {1.0, 0.0, 2.0 / 3.0, 1.0 / 3.0};
  double Error = 0.0;
  for (int I = 0; I < Texels; ++I) {
    const double A = Share[Compressed.y >> (2 * I) & 3];
    for (int C = 0; C < Channels; ++C) {
      const double F = double(First >> Shift[C] & Most[C]) / Most[C];
      const double S = double(Second >> Shift[C] & Most[C]) / Most[C];
      Error += std::pow(A * F + (1.0 - A) * S - Block[C * Texels + I], 2.0);
    }
  }
  return Error;
}

static std::vector<Way> allWays() {
  std::vector<Way> Result;
  for (int I = 0; I <= Texels; ++I)
    for (int J = I; J <= Texels; ++J)
      for (int K = J; K <= Texels; ++K)
        Result.push_back({{static_cast<unsigned char>(I), static_cast<unsigned char>(J),
                           static_cast<unsigned char>(K)}});
  return Result;
}

/// Blocks that go from one colour to another, with noise.
static std::vector<float> makeImage(int Blocks) {
  Random Numbers;
  std::vector<float> Image(size_t(Blocks) * Channels * Texels);
  for (int Block = 0; Block < Blocks; ++Block)
    for (int C = 0; C < Channels; ++C) {
      const float From = Numbers.between(0.1f, 0.9f), To = Numbers.between(0.1f, 0.9f);
      for (int I = 0; I < Texels; ++I)
        Image[(Block * Channels + C) * Texels + I] =
            From + (To - From) * float(I) / Texels + Numbers.between(-0.05f, 0.05f);
    }
  return Image;
}

int main(int Argc, char **Argv) {
  const int Blocks = problemSize(Argc, Argv, 32, 1);
  const std::vector<float> Image = makeImage(Blocks);
  const std::vector<Way> AllWays = allWays();

  const DeviceArray<float> DeviceImage(Image);
  const DeviceArray<Way> DeviceWays(AllWays);
  const DeviceArray<uint2> Compressed(Blocks);
  launch("compress", [&] { compress<<<Blocks, Threads>>>(DeviceImage, DeviceWays, Compressed); });

  // Rounding may differ between host and device, and decide between two ways that
  // are equally good; the image must not be worse for it.
  const std::vector<uint2> Result = Compressed.download();
  double Error = 0.0, Expected = 0.0;
  for (int Block = 0; Block < Blocks; ++Block) {
    const float *Original = &Image[size_t(Block) * Channels * Texels];
    Error += decodedError(Result[Block], Original);
    Expected += decodedError(
        compressOnHost(reinterpret_cast<const float (*)[Texels]>(Original), AllWays), Original);
  }
  const double PerValue = 255.0 * std::sqrt(Error / double(Image.size()));
  const bool Passed = std::fabs(Error - Expected) < 0.01 * Expected && PerValue < 16.0;
  std::printf("dxtc: %d texels in %zu bytes, off by %.2f of 255 in the mean: %s\n", Blocks * Texels,
              Result.size() * sizeof(uint2), PerValue, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}
