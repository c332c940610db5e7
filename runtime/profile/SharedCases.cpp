//===- SharedCases.cpp - Adds counts of closed forms ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/SharedCases.h"
#include "profile/ElementCounts.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof {

using namespace profile;

static constexpr unsigned WordShift = 2, WordBytes = 1 << WordShift;
/// Upper bound of shared memory per block on any GPU; limits what a descriptor can request.
static constexpr uint64_t MaxSharedBytes = 1 << 20;

static uint64_t product(const std::array<uint32_t, 3> &N) {
  return mulSaturating(mulSaturating<uint64_t>(N[0], N[1]), uint64_t(N[2]));
}

bool SharedCases::record(Payload B) {
  log::SharedCaseRecord R;
  Case K;
  if (!take(B, R) || !take(B, K.Values, R.valueCount) || !B.empty())
    return false;
  auto Kernel = Kernels.find(R.kernel);
  if (Kernel == Kernels.end() || R.context == 0 || Cases.count(R.context) ||
      std::count(R.grid, R.grid + 3, 0u) + std::count(R.block, R.block + 3, 0u) != 0)
    return false;
  const std::optional<Descriptor> &Desc = P.Kernels[Kernel->second].Desc;
  if (!Desc || R.valueCount != Desc->ParamCount)
    return false;
  K.Kernel = Kernel->second;
  std::copy_n(R.grid, 3, K.Grid.begin());
  std::copy_n(R.block, 3, K.Block.begin());
  K.DynamicSharedBytes = R.dynamicSharedBytes;
  Cases[R.context] = std::move(K);
  return true;
}

bool SharedCases::countsWithout(uint64_t Case, const SharedCounts &C) {
  auto Known = Cases.find(Case);
  if (Known == Cases.end() || Known->second.Kernel != C.Kernel ||
      Known->second.DynamicSharedBytes != C.DynamicSharedBytes)
    return false;
  return CaseOfContext.try_emplace(C.Context, Case).first->second == Case;
}

SharedLayout layOutShared(const Descriptor &Desc, uint32_t DynamicSharedBytes) {
  constexpr uint64_t VariableAlignment = 16, DynamicAlignment = 128;
  const auto AlignTo = [](uint64_t Address, uint64_t To) { return (Address + To - 1) / To * To; };
  SharedLayout L;
  uint64_t End = 0;
  for (const Variable &V : Desc.Variables) {
    const bool IsStatic = V.Kind == GMPROF_VARIABLE_SHARED && V.Bytes <= MaxSharedBytes - End;
    L.Addresses.push_back(IsStatic ? static_cast<uint32_t>(End) : None);
    if (IsStatic)
      End = std::min(AlignTo(End + V.Bytes, VariableAlignment), MaxSharedBytes);
  }
  End = AlignTo(End, DynamicAlignment);
  L.DynamicAddress = static_cast<uint32_t>(End);
  for (size_t V = 0; V < Desc.Variables.size(); ++V)
    if (Desc.Variables[V].Kind == GMPROF_VARIABLE_SHARED_DYNAMIC)
      L.Addresses[V] = L.DynamicAddress;
  L.Bytes = End + std::min<uint64_t>(DynamicSharedBytes, MaxSharedBytes);
  return L;
}

/// Returns empty counts for a launch that reported no shared addresses, with the layout of another
/// launch of the kernel, or else the variables in sequence.
SharedCounts SharedCases::layOut(const Case &K) const {
  SharedCounts C;
  C.Kernel = K.Kernel;
  C.DynamicSharedBytes = K.DynamicSharedBytes;
  for (const SharedCounts &Other : P.Shared)
    if (Other.Kernel == K.Kernel && Other.DynamicSharedBytes == K.DynamicSharedBytes) {
      C.FirstAddress = Other.FirstAddress;
      C.DynamicAddress = Other.DynamicAddress;
      C.Addresses = Other.Addresses;
      C.Sums.resize(Other.Sums.size());
      C.Capped.resize(Other.Sums.size());
      return C;
    }
  SharedLayout L = layOutShared(*P.Kernels[K.Kernel].Desc, K.DynamicSharedBytes);
  C.DynamicAddress = L.DynamicAddress;
  C.Addresses = std::move(L.Addresses);
  C.Sums.resize((L.Bytes + WordBytes - 1) / WordBytes);
  C.Capped.resize(C.Sums.size());
  return C;
}

bool SharedCases::compute(const Case &K, const SharedCounts &Layout, Computed &To) {
  const Descriptor &Desc = *P.Kernels[K.Kernel].Desc;
  ElementCounts Counts(0, Layout.Sums.size(), WordShift);
  for (const Form &F : Desc.SharedForms) {
    const uint32_t Address = Layout.Addresses[F.Variable];
    const unsigned Bytes = Desc.Sites[F.Site].Bytes;
    Result<ClosedForm> Decoded = decodeClosedForm(F.Words, Desc.ParamCount);
    if (!Decoded || Address == None || Address < Layout.FirstAddress || Bytes == 0 ||
        !forEachProgression(
            *Decoded, {K.Grid, K.Block, K.Values, {}},
            [&](Progression Each) {
              Each.Base += int64_t(Address) - Layout.FirstAddress;
              Counts.add(Each, Bytes);
            }))
      return false;
  }
  To.Sums = Counts.finish();
  uint64_t Within = 0;
  for (uint64_t Sum : To.Sums)
    Within = addSaturating(Within, Sum);
  To.Lost = Counts.total() - std::min(Within, Counts.total());
  return true;
}

bool SharedCases::addTo(SharedCounts &C, const Case &K, uint64_t Launches) {
  std::vector<uint32_t> Layout = C.Addresses;
  Layout.insert(Layout.end(), {static_cast<uint32_t>(C.Sums.size()), C.FirstAddress});
  auto [It, New] = Known.try_emplace({&K, std::move(Layout)});
  if (New && !compute(K, C, It->second)) {
    Known.erase(It);
    return false;
  }
  const uint64_t Blocks = mulSaturating(product(K.Grid), Launches);
  const auto InCountedBlocks = [&](uint64_t Count) {
    Count = mulSaturating(Count, Launches);
    if (Count == 0 || C.Blocks == Blocks)
      return Count;
    using Wide = unsigned __int128;
    // A word that is accessed must not appear unused.
    return std::max(static_cast<uint64_t>((Wide(Count) * C.Blocks + Blocks / 2) / Blocks),
                    uint64_t(1));
  };
  for (size_t W = 0; W < C.Sums.size(); ++W)
    C.Sums[W] = addSaturating(C.Sums[W], InCountedBlocks(It->second.Sums[W]));
  C.Lost = addSaturating(C.Lost, InCountedBlocks(It->second.Lost));
  return true;
}

uint64_t SharedCases::addToCounts() {
  std::unordered_map<uint64_t, uint64_t> Launches; // by context
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (L.Context != 0)
      Launches[L.Context] += L.Times;
  });
  uint64_t Failed = 0;
  for (SharedCounts &C : P.Shared) {
    auto Without = CaseOfContext.find(C.Context);
    if (Without != CaseOfContext.end() && Launches[C.Context] != 0)
      Failed += !addTo(C, Cases.at(Without->second), Launches[C.Context]);
  }
  for (const auto &[Context, K] : Cases) {
    const uint64_t Times = Launches[Context];
    if (Times == 0)
      continue;
    SharedCounts C = layOut(K);
    C.Context = Context;
    C.Blocks = mulSaturating(product(K.Grid), Times);
    C.Threads = mulSaturating(C.Blocks, product(K.Block));
    Failed += !addTo(C, K, Times);
    P.Shared.push_back(std::move(C));
  }
  return Failed;
}

} // namespace gmprof
