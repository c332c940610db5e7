//===- ElementRuns.cpp - Elements that a progression touches --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementRuns.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof {

ElementRuns::ElementRuns(const Progression &P, unsigned Bytes, unsigned ElementShift)
    : Base(P.Base), RunBytes(Bytes), Shift(ElementShift) {
  std::vector<Dimension> All;
  for (const Progression::Dimension &D : P.Dimensions) {
    const auto Extent = static_cast<int64_t>(D.Extent);
    if (D.Stride < 0)
      Base += D.Stride * (Extent - 1);
    if (Extent > 1)
      All.push_back({D.Stride < 0 ? -D.Stride : D.Stride, Extent});
  }
  std::sort(All.begin(), All.end(),
            [](const Dimension &A, const Dimension &B) { return A.Stride < B.Stride; });
  for (const Dimension &D : All) {
    // Steps of at most one element leave no gap.
    if (Dims.empty() && D.Stride <= std::max(RunBytes, int64_t(1) << Shift))
      RunBytes += D.Stride * (D.Extent - 1);
    else
      Dims.push_back(D);
  }
}

uint64_t ElementRuns::runs() const {
  uint64_t Runs = 1;
  for (const Dimension &D : Dims)
    Runs = mulSaturating(Runs, static_cast<uint64_t>(D.Extent));
  return Runs;
}

int64_t ElementRuns::span(size_t Inner) const {
  int64_t Span = RunBytes;
  for (size_t I = 0; I < Inner; ++I)
    Span += Dims[I].Stride * (Dims[I].Extent - 1);
  return Span;
}

static int64_t floorDivide(int64_t A, int64_t B) { return A / B - (A % B != 0 && A < 0); }

template <typename Callable>
void ElementRuns::visit(int64_t Start, size_t Inner, int64_t Low, int64_t High,
                        const Callable &Emit) const {
  if (Inner == 0) {
    const int64_t From = std::max(Start, Low), To = std::min(Start + RunBytes, High);
    if (From < To)
      Emit(ElementRun{static_cast<uint64_t>(From >> Shift),
                      static_cast<uint64_t>(((To - 1) >> Shift) - (From >> Shift) + 1)});
    return;
  }
  const Dimension &D = Dims[Inner - 1];
  // Visit only steps that reach into [Low, High).
  const int64_t From =
      std::max<int64_t>(floorDivide(Low - Start - span(Inner - 1), D.Stride) + 1, 0);
  const int64_t To = std::min(floorDivide(High - 1 - Start, D.Stride), D.Extent - 1);
  for (int64_t Step = From; Step <= To; ++Step)
    visit(Start + Step * D.Stride, Inner - 1, Low, High, Emit);
}

void ElementRuns::within(ElementRun Window, const std::function<void(ElementRun)> &Emit) const {
  visit(Base, Dims.size(), static_cast<int64_t>(Window.First << Shift),
        static_cast<int64_t>(Window.end() << Shift), Emit);
}

ElementRun ElementRuns::hull(ElementRun Window) const {
  const int64_t Low = std::max(Base, static_cast<int64_t>(Window.First << Shift));
  const int64_t High =
      std::min(Base + span(Dims.size()), static_cast<int64_t>(Window.end() << Shift));
  if (Low >= High)
    return {Window.First, 0};
  const auto First = static_cast<uint64_t>(Low >> Shift);
  return {First, static_cast<uint64_t>((High - 1) >> Shift) - First + 1};
}

} // namespace gmprof
