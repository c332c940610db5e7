//===- Request.h - Memory request of a warp ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unit of the simulation: one memory instruction of one warp, with the addresses of its active
// lanes (von Buelow et al., Section 4.1). Requests of an SM are in the order of issue.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_REQUEST_H
#define GMPROF_CACHE_REQUEST_H

#include <array>
#include <bit>
#include <cstdint>

namespace gmprof::cache {

inline constexpr unsigned WarpLanes = 32;
inline constexpr uint32_t AllLanes = ~uint32_t(0);

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,    ///< result is used
  Reduction, ///< atomic without a used result
  LocalLoad,
  LocalStore,
  AsyncCopy, ///< cp.async's read of global memory
};
inline constexpr unsigned AccessKinds = 7;
inline constexpr const char *AccessKindNames[AccessKinds] = {
    "load", "store", "atomic", "reduction", "local load", "local store", "async copy"};

inline bool isLocal(AccessKind K) {
  return K == AccessKind::LocalLoad || K == AccessKind::LocalStore;
}

/// Cache operator of the PTX instruction, or the kind of its issuer.
enum class CacheOperator : uint8_t {
  Ca,    ///< all caches; the default
  Cg,    ///< L2 only
  Cs,    ///< likely used once
  Lu,    ///< last use
  Cv,    ///< volatile: bypasses non-coherent caches
  Nc,    ///< read-only
  Bulk,  ///< bulk copy by the SM's copy unit; the active lanes are the first ones, side by side
  Fence, ///< no access: invalidates L1. Kind is Load
};
inline constexpr unsigned CacheOperators = 8;

/// Calls Do for each active lane, in ascending order.
template <typename Callable> void eachLane(uint32_t Mask, const Callable &Do) {
  if (Mask == AllLanes)
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      Do(Lane);
  else
    for (; Mask != 0; Mask &= Mask - 1)
      Do(static_cast<unsigned>(std::countr_zero(Mask)));
}

/// Memory instruction executed by a warp.
struct Request {
  uint32_t Site = 0;  ///< instruction: index into the trace's sites
  uint64_t Block = 0; ///< x + y * grid.x + z * grid.x * grid.y
  uint16_t Warp = 0;  ///< number in the block: lane 0 is thread 32 * Warp
  uint16_t Slot = 0;  ///< %warpid: selects the local memory
  AccessKind Kind = AccessKind::Load;
  CacheOperator Operator = CacheOperator::Ca;
  uint8_t Size = 4; ///< bytes per lane
  /// Addresses are affine in rows of lanes (typical of blocks with less than 32 threads in x) or in
  /// a single row: lane l accesses Addresses[0] + l % RowLanes * Stride + l / RowLanes * Step.
  bool Affine = false;
  uint8_t RowLanes = WarpLanes; ///< a power of two, at least 2
  uint32_t Mask = AllLanes;
  int64_t Stride = 0, Step = 0;
  /// Addresses of active lanes; only the first is valid if Affine. Local memory: offsets in the
  /// thread's own memory.
  std::array<uint64_t, WarpLanes> Addresses;

  /// Returns a lane's distance from lane 0 in an affine request.
  uint64_t offset(unsigned Lane) const {
    const unsigned Row = Lane >> std::countr_zero(RowLanes), Column = Lane & (RowLanes - 1U);
    return Column * static_cast<uint64_t>(Stride) + Row * static_cast<uint64_t>(Step);
  }
  uint64_t address(unsigned Lane) const {
    return Affine ? Addresses[0] + offset(Lane) : Addresses[Lane];
  }
  unsigned lanes() const { return static_cast<unsigned>(std::popcount(Mask)); }
};

/// Sets Affine, Addresses[0] and Stride if the active lanes' addresses are affine in one row.
inline void findStride(Request &R) {
  if (R.Affine || R.Mask == 0)
    return;
  const auto First = static_cast<unsigned>(std::countr_zero(R.Mask));
  const uint32_t Rest = R.Mask & (R.Mask - 1);
  uint64_t Stride = 0;
  if (Rest != 0) {
    const auto Second = static_cast<unsigned>(std::countr_zero(Rest));
    const uint64_t Difference = R.Addresses[Second] - R.Addresses[First];
    const auto Lanes = static_cast<int64_t>(Second - First);
    if (static_cast<int64_t>(Difference) % Lanes != 0)
      return;
    Stride = static_cast<uint64_t>(static_cast<int64_t>(Difference) / Lanes);
  }
  const uint64_t Base = R.Addresses[First] - First * Stride;
  for (uint32_t Left = Rest; Left != 0; Left &= Left - 1) {
    const auto Lane = static_cast<unsigned>(std::countr_zero(Left));
    if (R.Addresses[Lane] != Base + Lane * Stride)
      return;
  }
  R.Affine = true;
  R.RowLanes = WarpLanes;
  R.Addresses[0] = Base;
  R.Stride = static_cast<int64_t>(Stride);
}

} // namespace gmprof::cache

#endif // GMPROF_CACHE_REQUEST_H
