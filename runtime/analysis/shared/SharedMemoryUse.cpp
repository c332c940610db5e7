//===- SharedMemoryUse.cpp - Access counts in shared memory ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/SharedMemoryUse.h"
#include "analysis/shared/SharedRegions.h"
#include "analysis/shared/UntouchedElements.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace gmprof::analysis {

using namespace profile;

static constexpr unsigned WordBytes = 4;
/// Largest C++ type that is always accessed as a whole.
static constexpr unsigned LargestScalarBytes = 8;

std::vector<uint64_t> arrayBounds(const std::string &Type) {
  std::vector<uint64_t> Bounds;
  size_t End = Type.size();
  while (End > 0 && Type[End - 1] == ']') {
    size_t Open = Type.rfind('[', End - 1);
    if (Open == std::string::npos || Open + 2 > End - 1 || End - Open > 12)
      return {};
    uint64_t N = 0;
    for (size_t I = Open + 1; I < End - 1; ++I) {
      if (Type[I] < '0' || Type[I] > '9')
        return {};
      N = N * 10 + static_cast<uint64_t>(Type[I] - '0');
    }
    Bounds.insert(Bounds.begin(), N);
    End = Open;
  }
  return Bounds;
}

std::string SharedArray::displayName() const {
  return Names.empty() ? "(dynamic shared memory)" : fmt::format("{}", fmt::join(Names, ", "));
}

uint64_t SharedArray::element(uint64_t C) const {
  return CountsWords && ElementBytes ? C * WordBytes / ElementBytes : C;
}

//===----------------------------------------------------------------------===//
// From words to variables
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of launches and of their blocks.
struct Launched {
  uint64_t Launches = 0, Blocks = 0;

  void add(const Launched &More) {
    Launches = addSaturating(Launches, More.Launches);
    Blocks = addSaturating(Blocks, More.Blocks);
  }
};

/// The words of one array, summed over contexts.
struct Words {
  std::vector<uint64_t> Sums, Capped;
  uint64_t UncountedBytes = 0;
  uint64_t Blocks = 0;
  Launched Profiled;    ///< of the contexts' launches
  double Deviation = 0; ///< see SharedCounts
  uint64_t DegreesOfFreedom = 0;
  bool Aligned = true;
};

/// Sums the contexts of one kernel.
class Collector {
public:
  Collector(const Profile &P, uint32_t Kernel) : Desc(*P.Kernels[Kernel].Desc) {
    Use.Kernel = Kernel;
  }
  /// Adds a context; Of describes its launches.
  void add(const SharedCounts &C, const Launched &Of);
  KernelSharedUse finish(const std::map<uint32_t, Launched> &ByDynamicBytes);

private:
  struct Key {
    bool Dynamic;
    uint32_t Variable; ///< 0 if dynamic
    uint64_t Bytes, DynamicBytes;
    auto operator<=>(const Key &) const = default;
  };

  void place(const SharedCounts &C, const Launched &Of, const Key &K, uint32_t Address,
             const std::vector<uint32_t> &Variables);
  void addStatics(const SharedCounts &C, Words &W, uint32_t Address, uint32_t Variable);
  SharedArray describe(const Key &K, const std::vector<uint32_t> &Variables) const;

  const Descriptor &Desc;
  KernelSharedUse Use;
  std::map<Key, std::pair<Words, std::vector<uint32_t>>> Arrays;
  std::vector<bool> Mapped; ///< words of the current context that belong to an array
};

} // namespace

void Collector::addStatics(const SharedCounts &C, Words &W, uint32_t Address, uint32_t Variable) {
  uint32_t Own = C.Addresses[Variable] == None ? Address : C.Addresses[Variable];
  uint64_t Base = (Address % WordBytes) + (Own - Address);
  for (const StaticCount &S : Desc.Statics) {
    if (S.Variable != Variable || S.Bytes == 0)
      continue;
    uint64_t Accesses = mulSaturating<uint64_t>(S.Count, C.Threads);
    uint64_t First = (Base + S.Offset) / WordBytes;
    uint64_t Last = (Base + S.Offset + S.Bytes - 1) / WordBytes;
    for (uint64_t I = First; I <= Last && I < W.Sums.size(); ++I)
      W.Sums[I] = addSaturating(W.Sums[I], Accesses);
  }
}

/// Adds the words of C at Address to array K.
void Collector::place(const SharedCounts &C, const Launched &Of, const Key &K, uint32_t Address,
                      const std::vector<uint32_t> &Variables) {
  uint64_t Begin = (Address - C.FirstAddress) / WordBytes;
  uint64_t Length = (Address % WordBytes + K.Bytes + WordBytes - 1) / WordBytes;
  uint64_t Counted = Begin < C.Sums.size() ? std::min(Length, C.Sums.size() - Begin) : 0;

  auto &[W, WVariables] = Arrays[K];
  WVariables = Variables;
  if (W.Sums.size() < Counted) {
    W.Sums.resize(Counted);
    W.Capped.resize(Counted);
  }
  for (uint64_t I = 0; I < Counted; ++I) {
    W.Sums[I] = addSaturating(W.Sums[I], C.Sums[Begin + I]);
    W.Capped[I] = addSaturating<uint64_t>(W.Capped[I], C.Capped[Begin + I]);
    Mapped[Begin + I] = true;
  }
  W.UncountedBytes = std::max(W.UncountedBytes, (Length - Counted) * WordBytes);
  W.Blocks = addSaturating(W.Blocks, C.Blocks);
  W.Profiled.add(Of);
  if (!Variables.empty() && !C.Deviations.empty()) {
    W.Deviation += C.Deviations[Variables.front()];
    W.DegreesOfFreedom += C.DegreesOfFreedom;
  }
  W.Aligned &= Address % WordBytes == 0;
  for (uint32_t V : Variables)
    addStatics(C, W, Address, V);
}

void Collector::add(const SharedCounts &C, const Launched &Of) {
  Use.Blocks = addSaturating(Use.Blocks, C.Blocks);
  Use.Threads = addSaturating(Use.Threads, C.Threads);
  Use.Lost = addSaturating(Use.Lost, C.Lost);
  Use.BlockSample = std::max(Use.BlockSample, C.BlockSample);
  (C.CountersInDeviceMemory ? Use.CountersInDevice : Use.CountersInShared) = true;
  Mapped.assign(C.Sums.size(), false);

  const SharedAddresses Addresses = {C.FirstAddress, C.DynamicAddress, C.DynamicSharedBytes,
                                     C.Addresses};
  for (const SharedRegion &R : sharedRegions(Desc, Addresses)) {
    const Key K = R.Dynamic ? Key{true, 0, R.Bytes, C.DynamicSharedBytes}
                            : Key{false, R.Variables.front(), R.Bytes, 0};
    place(C, Of, K, R.Address, R.Variables);
  }

  for (size_t W = 0; W < C.Sums.size(); ++W)
    if (!Mapped[W])
      Use.Other = addSaturating(Use.Other, C.Sums[W]);
}

SharedArray Collector::describe(const Key &K, const std::vector<uint32_t> &Variables) const {
  SharedArray A;
  A.Variables = Variables;
  A.Dynamic = K.Dynamic;
  A.Bytes = K.Bytes;
  for (uint32_t V : Variables) {
    const Variable &Var = Desc.Variables[V];
    if (std::find(A.Names.begin(), A.Names.end(), Var.Name) == A.Names.end())
      A.Names.push_back(Var.Name);
    // Aliases of different types have no common element.
    bool First = V == Variables.front();
    if (First) {
      A.Type = Var.Type;
      A.Source = Var.Source;
    } else if (A.Type != Var.Type) {
      A.Type.clear();
    }
    A.ElementBytes = First || A.ElementBytes == Var.ElementBytes ? Var.ElementBytes : 0;
  }
  A.Dims = arrayBounds(A.Type);
  uint64_t Product = A.ElementBytes;
  for (uint64_t D : A.Dims)
    Product = mulSaturating(Product, D);
  if (Product != A.Bytes)
    A.Dims.clear();
  return A;
}

/// Returns true if the words of each element have equal counts, as for whole-element accesses.
/// Otherwise the fields of elements are used differently.
static bool isAccessedWhole(const Words &W, unsigned ElementBytes) {
  const size_t PerElement = ElementBytes / WordBytes;
  for (size_t I = 0; I < W.Sums.size(); ++I)
    if (W.Sums[I] != W.Sums[I - I % PerElement])
      return false;
  return true;
}

/// Converts word counts to A's elements.
static void toCounts(const Words &W, SharedArray &A) {
  unsigned E = A.ElementBytes;
  A.CountsWords = !W.Aligned || E == 0 || E % WordBytes != 0 ||
                  (E > LargestScalarBytes && !isAccessedWhole(W, E));
  A.CountBytes = A.CountsWords ? WordBytes : E;
  A.UncountedBytes = W.UncountedBytes;
  A.Blocks = W.Blocks;
  size_t PerCount = A.CountBytes / WordBytes;
  for (size_t Begin = 0; Begin + PerCount <= W.Sums.size(); Begin += PerCount) {
    A.Sums.push_back(*std::max_element(&W.Sums[Begin], &W.Sums[Begin] + PerCount));
    A.Capped.push_back(*std::max_element(&W.Capped[Begin], &W.Capped[Begin] + PerCount));
  }
}

/// Returns (1 - f) / n for n clusters, a fraction f of all; 0 if they are all.
static double samplingFactor(uint64_t Part, uint64_t All) {
  const auto N = static_cast<double>(Part), Of = static_cast<double>(All);
  return Part == 0 || Part >= All ? 0 : (1 - N / Of) / N;
}

/// Returns the standard error of TotalEstimate. Blocks are sampled from the profiled launches, and
/// these from All.
static double standardError(const Words &W, const Launched &All, const SharedArray &A) {
  const double PerBlock = A.Total.Value / static_cast<double>(std::max<uint64_t>(A.Blocks, 1));
  const double WordsPerCount = double(A.CountBytes) / WordBytes;
  const double Deviation =
      W.DegreesOfFreedom == 0
          ? PerBlock
          : std::sqrt(W.Deviation / static_cast<double>(W.DegreesOfFreedom)) / WordsPerCount;
  const double OfBlocks = static_cast<double>(A.BlocksLaunched) * Deviation;
  return std::sqrt(OfBlocks * OfBlocks * samplingFactor(W.Blocks, W.Profiled.Blocks) +
                   A.TotalEstimate.Value * A.TotalEstimate.Value *
                       samplingFactor(W.Profiled.Launches, All.Launches));
}

KernelSharedUse Collector::finish(const std::map<uint32_t, Launched> &ByDynamicBytes) {
  Launched OfKernel;
  for (const auto &[Dynamic, Of] : ByDynamicBytes)
    OfKernel.add(Of);
  Use.BlocksLaunched = std::max(OfKernel.Blocks, Use.Blocks);
  for (auto &[K, Content] : Arrays) {
    SharedArray A = describe(K, Content.second);
    toCounts(Content.first, A);
    Launched Of = OfKernel;
    if (K.Dynamic) {
      auto It = ByDynamicBytes.find(static_cast<uint32_t>(K.DynamicBytes));
      Of = It == ByDynamicBytes.end() ? Launched() : It->second;
    }
    A.BlocksLaunched = std::max(Of.Blocks, A.Blocks);
    derive(A, Desc.Threshold);
    A.StandardError = standardError(Content.first, Of, A);
    Use.Arrays.push_back(std::move(A));
  }
  return std::move(Use);
}

uint64_t blocksOf(const Launch &L) {
  return mulSaturating(mulSaturating<uint64_t>(L.Grid[0], L.Grid[1]), uint64_t(L.Grid[2]));
}

std::vector<KernelSharedUse> sharedMemoryUse(const Profile &P) {
  std::unordered_map<uint64_t, const SharedCounts *> Contexts;
  for (const SharedCounts &C : P.Shared)
    Contexts[C.Context] = &C;

  // Blocks launched, and those that the contexts should have counted. A clone may count for all
  // blocks even with sampling.
  std::map<uint32_t, std::map<uint32_t, Launched>> ByKernel;
  std::unordered_map<uint64_t, Launched> ByContext;
  std::map<uint32_t, uint64_t> Expected, Profiled;
  const auto LaunchedBy = [](const Launch &L) {
    return Launched{L.Times, mulSaturating(blocksOf(L), L.Times)};
  };
  for (const Launch &L : P.Launches)
    ByKernel[L.Kernel][L.DynamicSharedBytes].add(LaunchedBy(L));
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    auto Context = Contexts.find(L.Context);
    if (Context == Contexts.end())
      return;
    const Launched Of = LaunchedBy(L);
    ByContext[L.Context].add(Of);
    uint64_t Sample = Context->second->BlockSample;
    uint64_t Sampled = blocksOf(L) / Sample + (blocksOf(L) % Sample != 0);
    Expected[L.Kernel] = addSaturating(Expected[L.Kernel], mulSaturating(Sampled, L.Times));
    Profiled[L.Kernel] = addSaturating(Profiled[L.Kernel], Of.Blocks);
  });

  std::map<uint32_t, Collector> Collectors;
  for (const SharedCounts &C : P.Shared)
    Collectors.try_emplace(C.Kernel, P, C.Kernel).first->second.add(C, ByContext[C.Context]);

  std::vector<KernelSharedUse> Uses;
  for (auto &[Kernel, C] : Collectors) {
    Uses.push_back(C.finish(ByKernel[Kernel]));
    KernelSharedUse &Use = Uses.back();
    Use.BlocksExpected = Expected[Kernel];
    if (Use.Blocks == Profiled[Kernel]) {
      Use.BlocksExpected = Use.Blocks;
      Use.BlockSample = 1;
    }
  }
  return Uses;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

static void deriveNumbers(SharedArray &A) {
  if (A.Sums.empty())
    return;
  auto Blocks = static_cast<double>(A.Blocks);
  bool First = true;
  for (size_t I = 0; I < A.Sums.size(); ++I) {
    if (isPadding(A, I))
      continue;
    double PerBlock = static_cast<double>(A.Sums[I]) / Blocks;
    bool AtLeast = A.Capped[I] != 0;
    A.AtThreshold += AtLeast;
    A.Total.Value += static_cast<double>(A.Sums[I]);
    A.Total.AtLeast |= AtLeast;
    // Among equal minima, prefer an exact one.
    if (First || PerBlock < A.Min.Value || (PerBlock == A.Min.Value && !AtLeast))
      A.Min = {PerBlock, AtLeast};
    // An element with a lower bound may be the maximum.
    A.Max = {First ? PerBlock : std::max(A.Max.Value, PerBlock), A.Max.AtLeast || AtLeast};
    First = false;
  }
  A.Mean = {A.Total.Value / Blocks / static_cast<double>(A.Sums.size() - A.PaddingCounts),
            A.Total.AtLeast};
  A.TotalEstimate = {A.Total.Value * (static_cast<double>(A.BlocksLaunched) / Blocks),
                     A.Total.AtLeast};
}

static void deriveHistogram(SharedArray &A, unsigned Threshold) {
  std::map<int, uint64_t> ByExponent;
  uint64_t Zero = 0, Fraction = 0;
  for (size_t I = 0; I < A.Sums.size(); ++I) {
    if (A.Capped[I] != 0 || isPadding(A, I))
      continue;
    uint64_t Quotient = A.Sums[I] / A.Blocks;
    if (A.Sums[I] == 0)
      ++Zero;
    else if (Quotient == 0)
      ++Fraction;
    else
      ++ByExponent[std::ilogb(static_cast<double>(Quotient))];
  }
  A.Histogram.push_back({0, 0, Zero, false});
  if (Fraction != 0)
    A.Histogram.push_back({0, 1, Fraction, false});
  if (!ByExponent.empty())
    for (int E = ByExponent.begin()->first; E <= ByExponent.rbegin()->first; ++E)
      A.Histogram.push_back({std::ldexp(1.0, E), std::ldexp(1.0, E + 1), ByExponent[E], false});
  if (A.AtThreshold != 0)
    A.Histogram.push_back({static_cast<double>(Threshold), HUGE_VAL, A.AtThreshold, true});
}

void derive(SharedArray &A, unsigned Threshold) {
  if (A.Blocks == 0)
    return;
  findNeverTouched(A);
  A.Untouched = describeUntouched(A);
  deriveNumbers(A);
  deriveHistogram(A, Threshold);
}

} // namespace gmprof::analysis
