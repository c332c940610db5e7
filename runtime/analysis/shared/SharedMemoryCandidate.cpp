//===- SharedMemoryCandidate.cpp - Finds data for shared memory -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/SharedMemoryCandidate.h"
#include "analysis/ParameterTypes.h"
#include "analysis/Wording.h"
#include "analysis/global/AtomicContention.h"
#include "analysis/shared/BlockAccesses.h"
#include "analysis/shared/Occupancy.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace gmprof::analysis {

using namespace profile;

namespace {

/// An array that is in shared memory, or could be.
struct Item {
  const GlobalObjectUse *Object = nullptr; ///< if in global memory
  const SharedArray *Array = nullptr;      ///< if in shared memory
  std::string Name;
  uint64_t Bytes = 0;      ///< needed by a block
  double Accesses = 0;     ///< per block
  double Saved = 0;        ///< accesses per block that shared memory saves
  double Reuse = 0;        ///< accesses per element and block
  uint64_t Placed = 0;     ///< bytes placed in shared memory
  bool Atomic = false;     ///< updated atomically, not read
  bool AtLeast = false;    ///< true if Accesses is a lower bound
  bool Exact = true;       ///< true if Bytes is exact; else it is an upper bound
  bool Constant = false;   ///< a small table that all threads read uniformly
  unsigned PieceBytes = 0; ///< bytes of one access, within one element

  double perByte() const { return Saved / static_cast<double>(std::max<uint64_t>(Bytes, 1)); }
};

/// Solves the knapsack problem of one kernel.
class Chooser {
public:
  Chooser(const Profile &P, const KernelGlobalUse &Use, const KernelSharedUse *Shared,
          const std::set<uint64_t> &Written, const SharedMemoryCandidateOptions &Options)
      : P(P), Use(Use), Shared(Shared), Written(Written), Options(Options),
        K(P.Kernels[Use.Kernel]) {}

  void choose(std::vector<Finding> &To);

private:
  bool findLaunch();
  void findRoom();
  void addObjects();
  void addArrays();
  void fill();
  std::string howToMoveIn(const Item &I) const;
  Finding moveIn(const Item &I) const;
  Finding moveOut(const Item &I) const;
  std::string otherArrays(double Reuse) const;
  SourcePosition hottestSource(const GlobalObjectUse &O) const;

  const Profile &P;
  const KernelGlobalUse &Use;
  const KernelSharedUse *Shared;
  const std::set<uint64_t> &Written; ///< ids of the objects that any kernel writes
  const SharedMemoryCandidateOptions &Options;
  const Kernel &K;
  std::optional<Launch> Typical;          ///< launch of the context with the most blocks
  const GlobalContext *Context = nullptr; ///< context of Typical
  std::optional<BlockAccesses> Accessed;  ///< by blocks of Typical
  double Blocks = 0;                      ///< number of blocks in all profiled launches
  double KernelAccesses = 0;              ///< global memory accesses per block
  uint64_t Used = 0, Room = 0;            ///< shared memory of a block: current, and maximum
  std::vector<Item> Items;
};

} // namespace

static uint64_t rounded(double X) {
  return X > 0 ? static_cast<uint64_t>(std::llround(std::min(X, 9e18))) : 0;
}

/// Formats a mean count for messages.
static std::string count(double X) {
  return X >= 100 ? grouped(rounded(X)) : fmt::format("{:.3g}", X);
}

/// Chooses the representative launch: one of the context with the most blocks.
bool Chooser::findLaunch() {
  uint64_t Most = 0;
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (L.Kernel != Use.Kernel || !profile::isGlobal(L.Mode))
      return;
    const uint64_t Here = mulSaturating(blocksOf(L), L.Times);
    Blocks += static_cast<double>(Here);
    if (Here <= Most)
      return;
    for (const GlobalContext &C : P.GlobalContexts)
      if (C.Context == L.Context) {
        Most = Here;
        Typical = L;
        Context = &C;
      }
  });
  if (!Typical)
    return false;
  Accessed.emplace(K, *Context, *Typical);
  for (const GlobalObjectUse &O : Use.Objects)
    KernelAccesses += Accessed->perBlock(O).Value;
  return KernelAccesses > 0;
}

/// Determines the shared memory a block can use without reducing the number of resident blocks.
void Chooser::findRoom() {
  Used = K.StaticSharedBytes + uint64_t(Typical->DynamicSharedBytes);
  Room = Options.BlockBytes;
  for (const Device &D : P.Devices) {
    if (D.Id != Typical->Device)
      continue;
    const uint64_t Threads = uint64_t(Typical->Block[0]) * Typical->Block[1] * Typical->Block[2];
    std::optional<uint64_t> Now = residentBlocks(D, Used, Threads, K.Registers);
    if (!Now || *Now == 0)
      continue;
    // A multiprocessor holds no more blocks than the grid has.
    const uint64_t Each =
        D.SharedBytesPerSm / std::min(*Now, std::max<uint64_t>(blocksOf(*Typical), 1));
    Room = std::min(Room, Each - std::min(Each, D.SharedBytesReservedPerBlock));
  }
  Room = std::max(Room, Used);
}

void Chooser::addObjects() {
  for (const GlobalObjectUse &O : Use.Objects) {
    const bool Reads = Accessed->accesses(O, GMPROF_COUNTER_READS),
               Writes = Accessed->accesses(O, GMPROF_COUNTER_WRITES),
               Atomics = Accessed->accesses(O, GMPROF_COUNTER_ATOMICS);
    if (Writes || Reads == Atomics || !O.Uncounted.empty() ||
        (Atomics && !isOnlyAccumulated(*K.Desc, O)))
      continue;
    Item I;
    I.Object = &O;
    const Bound Accesses = Accessed->perBlock(O);
    I.Accesses = Accesses.Value;
    I.AtLeast = Accesses.AtLeast;
    I.Atomic = Atomics;
    if (I.Accesses < Options.MinShare * KernelAccesses)
      continue;
    std::optional<uint64_t> Exact = Accessed->elementsOfBlock(O);
    if (Exact && Accessed->isOfOneThreadEach(O))
      continue;
    // A block may need all touched elements; more than fits cannot be partitioned by block.
    if (!Exact && O.Touched * O.ElementBytes > Options.BlockBytes)
      continue;
    const uint64_t Elements = Exact.value_or(O.Touched);
    I.Exact = Exact.has_value();
    I.Bytes = Elements * O.ElementBytes;
    I.PieceBytes = Accessed->pieceBytes(O);
    const auto Pieces = static_cast<double>(I.Bytes) / I.PieceBytes;
    I.Reuse = I.Accesses / std::max(Pieces, 1.0);
    I.Saved = I.Accesses - (Atomics ? 2.0 : 1.0) * Pieces;
    I.Constant = Reads && Exact && O.Bytes <= Options.ConstantBytes &&
                 Written.count(O.Object) == 0 && Accessed->isReadAlike(O);
    std::vector<std::string> Names;
    for (uint32_t V : Accessed->variablesOf(O))
      Names.push_back(K.Desc->Variables[V].Name);
    I.Name = fmt::format("{}", fmt::join(Names, ", "));
    for (const Object &Known : P.Objects)
      if (I.Name.empty() && Known.Id == O.Object)
        I.Name = Known.Name;
    // A copy costs a load, a store and a barrier.
    const double PerThread =
        I.Accesses / (double(Context->Block[0]) * Context->Block[1] * Context->Block[2]);
    if (Reads && !I.Constant && PerThread <= Options.FewRequests && Accessed->isUniformInWarps(O))
      continue;
    if (I.Reuse >= Options.MinReuse && Elements != 0)
      Items.push_back(std::move(I));
  }
}

void Chooser::addArrays() {
  if (!Shared)
    return;
  for (const SharedArray &A : Shared->Arrays) {
    if (A.Blocks == 0 || A.Bytes == 0)
      continue;
    Item I;
    I.Array = &A;
    I.Name = A.displayName();
    I.Bytes = A.Bytes;
    I.Accesses = A.Total.Value / static_cast<double>(A.Blocks);
    I.Reuse = A.Mean.Value;
    I.Saved = I.Accesses;
    Items.push_back(std::move(I));
  }
}

/// Fills the knapsack by value per byte. Current arrays stay as a whole or not at all.
void Chooser::fill() {
  std::sort(Items.begin(), Items.end(), [](const Item &A, const Item &B) {
    return A.perByte() != B.perByte() ? A.perByte() > B.perByte() : A.Name < B.Name;
  });
  // Memory that no item represents stays.
  uint64_t Counted = 0;
  for (const Item &I : Items)
    Counted += I.Array ? I.Bytes : 0;
  uint64_t Left = Room - (Used - std::min(Used, Counted));
  for (Item &I : Items) {
    if (I.Constant)
      continue;
    I.Placed = I.Array && I.Bytes > Left ? 0 : std::min(I.Bytes, Left);
    Left -= I.Placed;
  }
}

SourcePosition Chooser::hottestSource(const GlobalObjectUse &O) const {
  for (const Site &S : K.Desc->Sites)
    if (S.Source.Line != 0 && S.GlobalRule != GMPROF_RULE_NOT_COUNTED &&
        std::find(O.Variables.begin(), O.Variables.end(), S.Variable) != O.Variables.end())
      return S.Source;
  return K.Desc->Source;
}

/// Describes arrays in shared memory whose use is unknown.
std::string Chooser::otherArrays(double Reuse) const {
  std::vector<std::string> Names;
  for (const Variable &V : K.Desc->Variables)
    if (V.Kind == GMPROF_VARIABLE_SHARED)
      Names.push_back(
          fmt::format("{} ({})", quotedName(V.Name), bytesText(static_cast<double>(V.Bytes))));
  if (Names.empty() || Shared)
    return {};
  return fmt::format(" Shared memory holds {}: replace an array whose elements have fewer than {} "
                     "accesses per block (gmprof run --profile shared).",
                     fmt::join(Names, ", "), count(Reuse));
}

std::string Chooser::howToMoveIn(const Item &I) const {
  constexpr uint64_t OneCounter = 8;
  if (I.Atomic && I.Bytes <= OneCounter && I.Placed == I.Bytes)
    return "Let each thread accumulate in a register and the block in shared memory "
           "(cub::BlockReduce), and update it once per block.";
  const std::string How =
      I.Atomic ? "Let each block update a copy in shared memory, which begins with the atomic "
                 "operation's neutral value (0 of atomicAdd), and apply the copy to device memory "
                 "by the same operation at its end"
               : "Copy it to shared memory once per block, and read it there";
  if (I.Placed == I.Bytes)
    return fmt::format("{}: a block can use {} without a loss of occupancy, and uses {}.", How,
                       bytesText(static_cast<double>(Room)), bytesText(static_cast<double>(Used)));
  if (I.Placed != 0)
    return fmt::format("{}, in tiles that all threads of the block use at the same time: {} of "
                       "shared memory are free.",
                       How, bytesText(static_cast<double>(I.Placed)));
  return fmt::format("{}, if there is room: other data makes better use of the {} that a block can "
                     "use without a loss of occupancy.",
                     How, bytesText(static_cast<double>(Room)));
}

Finding Chooser::moveIn(const Item &I) const {
  const GlobalObjectUse &O = *I.Object;
  const double Share = I.Saved / KernelAccesses;
  Finding F;
  F.Pattern = "shared_memory_candidate";
  F.Kind = I.Constant ? "constant" : "move_in";
  F.Origin = "gmprof";
  F.Kernel = Use.Kernel;
  F.Object = I.Name;
  F.ObjectId = O.Object;
  F.ObjectBytes = O.Bytes;
  F.Source = hottestSource(O);
  const bool IsMedium =
      Share >= Options.MediumShare && (I.Atomic || I.Reuse >= Options.MediumReuse);
  F.Level = I.Constant      ? Severity::Low
            : I.Placed == 0 ? Severity::Info
            : IsMedium      ? Severity::Medium
                            : Severity::Low;
  const auto PerBlock = rounded(I.Accesses);
  F.Evidence = {{"accesses_per_block", PerBlock},
                {"accesses_per_element_and_block", I.Reuse},
                {"bytes_per_block", I.Bytes},
                {"bytes_per_block_exact", I.Exact},
                {"accesses_saved_per_block", rounded(I.Saved)},
                {"share_of_accesses", Share},
                {"shared_bytes_per_block", Used},
                {"shared_bytes_available", Room},
                {"bytes_that_fit", I.Placed}};
  F.BytesSaved = rounded(I.Saved * Blocks * I.PieceBytes);
  F.Message = fmt::format("Each block {} every element of {} {}{} times {} global memory. It uses "
                          "{}{} of it, with {} of "
                          "the kernel's global memory accesses.",
                          I.Atomic ? "updates" : "loads", quotedName(I.Name),
                          I.AtLeast ? "at least " : "", count(I.Reuse), I.Atomic ? "in" : "from",
                          I.Exact ? "" : "at most ", bytesText(static_cast<double>(I.Bytes)),
                          percentText(I.Accesses / KernelAccesses));
  if (I.Constant) {
    // A graph keeps the parameters of its nodes, whatever the host copies between its launches.
    const bool InGraph = std::any_of(P.Launches.begin(), P.Launches.end(), [&](const Launch &L) {
      return L.Kernel == Use.Kernel && L.Graph;
    });
    F.Suggestion = fmt::format("Move it to __constant__ memory{}: all threads of a block read the "
                               "same element at a time, and no kernel writes it.",
                               InGraph ? "" : ", or pass it to the kernel by value");
    return F;
  }
  F.Suggestion = howToMoveIn(I);
  if (Used + I.Bytes > Room)
    F.Suggestion += otherArrays(I.Reuse);
  if (I.Atomic)
    F.Suggestion +=
        orderOfAdditions(elementType(K, O.Variables.empty() ? None : O.Variables.front()));
  else
    F.Suggestion += " Compare the times of both versions: L1 may serve these loads as fast.";
  return F;
}

Finding Chooser::moveOut(const Item &I) const {
  const SharedArray &A = *I.Array;
  std::vector<std::string> Better;
  for (const Item &Other : Items)
    if (Other.Object && Other.Placed != 0 && Other.perByte() > I.perByte())
      Better.push_back(fmt::format("{} ({})", quotedName(Other.Name), count(Other.Reuse)));
  Finding F;
  F.Pattern = "shared_memory_candidate";
  F.Kind = "move_out";
  F.Origin = "gmprof";
  F.Kernel = Use.Kernel;
  F.Object = I.Name;
  F.ObjectBytes = A.Bytes;
  F.Source = A.Source.Line ? A.Source : K.Desc->Source;
  F.Level = Severity::Medium;
  F.Evidence = {{"accesses_per_block", rounded(I.Accesses)},
                {"accesses_per_element_and_block", I.Reuse},
                {"bytes_per_block", I.Bytes},
                {"shared_bytes_per_block", Used},
                {"shared_bytes_available", Room}};
  F.BytesSaved = A.Bytes;
  F.Message = fmt::format("A block accesses an element of {} {}{} times, less often than one of {} "
                          "in global memory, and shared memory has no room for all.",
                          quotedName(I.Name), A.Mean.AtLeast ? "at least " : "", count(I.Reuse),
                          fmt::join(Better, ", "));
  F.Suggestion = fmt::format("Move {} to global memory, and give its {} of shared memory to {}.",
                             quotedName(I.Name), bytesText(static_cast<double>(A.Bytes)),
                             fmt::join(Better, ", "));
  return F;
}

void Chooser::choose(std::vector<Finding> &To) {
  if (!findLaunch())
    return;
  findRoom();
  addObjects();
  const bool Any = !Items.empty();
  addArrays();
  if (!Any)
    return;
  fill();
  for (const Item &I : Items)
    if (I.Object)
      To.push_back(moveIn(I));
    else if (I.Placed == 0)
      To.push_back(moveOut(I));
}

std::vector<Finding> sharedMemoryCandidates(const Profile &P,
                                            const std::vector<KernelGlobalUse> &Global,
                                            const std::vector<KernelSharedUse> &Shared,
                                            const SharedMemoryCandidateOptions &Options) {
  std::vector<Finding> Findings;
  std::set<uint64_t> Written;
  for (const KernelGlobalUse &Use : Global)
    for (const GlobalObjectUse &O : Use.Objects)
      if (O.Kinds[GMPROF_COUNTER_WRITES].Possible || O.Kinds[GMPROF_COUNTER_ATOMICS].Possible)
        Written.insert(O.Object);
  for (const KernelGlobalUse &Use : Global) {
    auto Same = std::find_if(Shared.begin(), Shared.end(),
                             [&](const KernelSharedUse &S) { return S.Kernel == Use.Kernel; });
    Chooser(P, Use, Same == Shared.end() ? nullptr : &*Same, Written, Options).choose(Findings);
  }
  for (Finding &F : Findings)
    F.Fingerprint = fingerprint(F, P);
  return Findings;
}

} // namespace gmprof::analysis
