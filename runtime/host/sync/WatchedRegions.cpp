//===- WatchedRegions.cpp - Memory whose accesses are noticed -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WatchedRegions.h"
#include "host/core/RealSystem.h"
#include "host/sync/HostCode.h"
#include "host/sync/ThreadStacks.h"
#include <algorithm>
#include <sys/mman.h>

namespace gmprof::host {

std::atomic<uint64_t> WatchedRegions::Watched{0};

WatchedRegion *WatchedRegions::add(const WatchedRegion &R) {
  const auto Free = std::ranges::find_if_not(all(), &WatchedRegion::inUse);
  const auto At = static_cast<size_t>(Free - all().begin());
  if (At == MaxRegions)
    return nullptr;
  RegionCount = std::max(RegionCount, At + 1);
  Regions[At] = R;
  return &Regions[At];
}

bool WatchedRegions::protect(WatchedRegion &R, int Allowed) {
  const uint64_t First = R.firstPageOfAll(), End = R.endPageOfAll();
  Watched.fetch_add(1, std::memory_order_relaxed); // before a thread can fault and ask any()
  if (ThreadStacks::overlap(First, End) || PageProtections::limited(First, End) ||
      realSystem().mprotect(reinterpret_cast<void *>(First), End - First, Allowed) != 0) {
    Watched.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  R.FirstPage = First;
  R.EndPage = End;
  if (Allowed != PROT_NONE) // which may be more than others allow
    for (WatchedRegion &Other : all())
      Other.Exposed |= &Other != &R && !Other.StoresOnly && Other.protects(First, End);
  return true;
}

void WatchedRegions::unprotect(WatchedRegion &R, uint64_t FirstPage, uint64_t EndPage) {
  if (FirstPage >= EndPage)
    return;
  for (WatchedRegion &Other : all())
    Other.Exposed |= &Other != &R && Other.protects(FirstPage, EndPage);
  realSystem().mprotect(reinterpret_cast<void *>(FirstPage), EndPage - FirstPage,
                        PROT_READ | PROT_WRITE);
  Releases.fetch_add(1, std::memory_order_release);
  if (FirstPage == R.FirstPage && EndPage == R.EndPage)
    R.FirstPage = R.EndPage = 0;
  else if (FirstPage == R.FirstPage)
    R.FirstPage = EndPage;
  else
    R.EndPage = FirstPage;
  if (!R.isProtected())
    Watched.fetch_sub(1, std::memory_order_relaxed);
}

void WatchedRegions::watchByCode(WatchedRegion &R) {
  if (R.ByCode)
    return;
  R.ByCode = true;
  auto *Free = std::find_if(CodeRanges.begin(), CodeRanges.end(),
                            [](const CodeRange &Each) { return Each.End.load() == 0; });
  R.CodeRange = static_cast<size_t>(Free - CodeRanges.begin());
  if (Free == CodeRanges.end()) {
    ++BeyondCodeRanges;
  } else {
    Free->Begin = R.Begin;
    Free->End = R.End;
  }
  HostCode::watch(R.firstPageOfAll(), R.endPageOfAll(), /*On=*/true);
  Watched.fetch_add(1, std::memory_order_relaxed);
}

void WatchedRegions::release(WatchedRegion &R) {
  unprotect(R);
  if (R.ByCode) {
    if (R.CodeRange == MaxCodeRanges)
      --BeyondCodeRanges;
    else
      CodeRanges[R.CodeRange].End = 0;
    HostCode::watch(R.firstPageOfAll(), R.endPageOfAll(), /*On=*/false);
    Watched.fetch_sub(1, std::memory_order_relaxed);
  }
  R = {};
}

void WatchedRegions::releaseAll() {
  for (WatchedRegion &R : all())
    if (R.inUse())
      release(R);
}

bool WatchedRegions::mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const {
  return BeyondCodeRanges.load(std::memory_order_relaxed) != 0 ||
         std::any_of(CodeRanges.begin(), CodeRanges.end(), [&](const CodeRange &R) {
           return Address < R.End.load(std::memory_order_relaxed) &&
                  R.Begin.load(std::memory_order_relaxed) < Address + Bytes;
         });
}

} // namespace gmprof::host
