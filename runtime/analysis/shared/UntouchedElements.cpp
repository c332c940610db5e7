//===- UntouchedElements.cpp - Elements that no block touches -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/UntouchedElements.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

bool isPadding(const SharedArray &A, uint64_t I) {
  return A.Pad && I % A.Pad->Period >= A.Pad->Period - A.Pad->Length;
}

/// Returns the number of counts per row of the innermost dimension; 0 if not an integer.
static uint64_t countsPerRow(const SharedArray &A) {
  if (A.Dims.size() < 2)
    return 0;
  uint64_t Bytes = A.Dims.back() * A.ElementBytes;
  return Bytes % A.CountBytes == 0 ? Bytes / A.CountBytes : 0;
}

/// Returns the padding if the last counts of every Period are never touched, and they are at most
/// one MinShare-th of it.
static std::optional<Padding> paddingOf(const SharedArray &A, uint64_t Period, uint64_t MinShare) {
  constexpr uint64_t MinRows = 4, MaxBytes = 32;
  uint64_t N = A.Sums.size();
  if (Period == 0 || N % Period != 0 || N / Period < MinRows)
    return std::nullopt;
  uint64_t Length = 0;
  while (Length < Period && A.Sums[Period - 1 - Length] == 0)
    ++Length;
  // Padding is untouched in every row; some rows may be used less.
  for (uint64_t Row = 0; Row < N; Row += Period) {
    uint64_t Here = 0;
    while (Here < Length && A.Sums[Row + Period - 1 - Here] == 0)
      ++Here;
    Length = std::min(Length, Here);
  }
  if (Length == 0 || Length * MinShare > Period || Length * A.CountBytes > MaxBytes)
    return std::nullopt;
  return Padding{Period, Length};
}

static std::optional<Padding> findPadding(const SharedArray &A) {
  if (uint64_t Row = countsPerRow(A))
    return paddingOf(A, Row, 4);
  // For a flat array indexed with a stride, the first gap gives the period. Without a declaration
  // to confirm it, the limit is stricter: an unused fourth element of four is no padding.
  uint64_t I = 0;
  while (I < A.Sums.size() && A.Sums[I] != 0)
    ++I;
  while (I < A.Sums.size() && A.Sums[I] == 0)
    ++I;
  if (I == A.Sums.size())
    return std::nullopt;
  return paddingOf(A, I, 8);
}

void findNeverTouched(SharedArray &A) {
  A.Touched = A.Sums.size() - static_cast<uint64_t>(std::count(A.Sums.begin(), A.Sums.end(), 0));
  if (A.Touched != 0)
    A.Pad = findPadding(A);
  uint64_t N = A.Sums.size();
  for (uint64_t I = 0; I < N; ++I) {
    if (A.Sums[I] != 0)
      continue;
    if (isPadding(A, I)) {
      ++A.PaddingCounts;
      continue;
    }
    // A range may span padding, but does not end with it.
    uint64_t Last = I, J = I;
    for (; J < N && A.Sums[J] == 0; ++J)
      if (!isPadding(A, J))
        Last = J;
    A.NeverTouched.push_back({I, Last});
    A.UnusedBytes += (Last - I + 1) * A.CountBytes;
    I = Last;
  }
}

static std::string span(const char *What, uint64_t First, uint64_t Last) {
  return First == Last ? fmt::format("{} {}", What, First)
                       : fmt::format("{}s {}-{}", What, First, Last);
}

/// Returns "columns 32-63 of every row", "rows 16-31", or nothing if it is neither.
static std::string describeRowsOrColumns(const SharedArray &A) {
  uint64_t Row = countsPerRow(A);
  if (Row == 0 || A.Dims.size() != 2 || A.CountsWords)
    return {};
  uint64_t RealRow = Row - (A.Pad && A.Pad->Period == Row ? A.Pad->Length : 0);
  Range First = A.NeverTouched.front();
  bool Rows =
      A.NeverTouched.size() == 1 && First.First % Row == 0 && First.Last % Row >= RealRow - 1;
  if (Rows)
    return span("row", First.First / Row, First.Last / Row);
  if (A.NeverTouched.size() != A.Sums.size() / Row)
    return {};
  for (size_t R = 0; R < A.NeverTouched.size(); ++R)
    if (A.NeverTouched[R].First != First.First + R * Row ||
        A.NeverTouched[R].Last != First.Last + R * Row)
      return {};
  return span("column", First.First, First.Last) + " of every row";
}

/// Returns an element's index, by row and column if the type has them.
static std::string describeIndex(const SharedArray &A, uint64_t Element) {
  if (A.Dims.size() < 2)
    return std::to_string(Element);
  std::string Text;
  for (size_t D = A.Dims.size(); D-- > 0; Element /= A.Dims[D])
    Text = fmt::format("[{}]", Element % A.Dims[D]) + Text;
  return Text;
}

static std::string describeRange(const SharedArray &A, Range R) {
  uint64_t First = A.element(R.First), Last = A.element(R.Last + 1) - 1;
  return First == Last ? describeIndex(A, First)
                       : fmt::format("{}-{}", describeIndex(A, First), describeIndex(A, Last));
}

std::string describeUntouched(const SharedArray &A) {
  if (A.NeverTouched.empty())
    return {};
  if (A.Touched == 0)
    return "all of it";
  if (std::string Text = describeRowsOrColumns(A); !Text.empty())
    return Text;
  constexpr size_t MaxListed = 8;
  std::string Ranges;
  size_t Whole = 0;
  bool Parts = false; ///< gaps in elements of several words, such as the padding of structures
  for (Range R : A.NeverTouched) {
    while (R.First <= R.Last && R.First != 0 && A.element(R.First) == A.element(R.First - 1)) {
      ++R.First;
      Parts = true;
    }
    if (R.First > R.Last || A.element(R.First) == A.element(R.Last + 1)) {
      Parts = true;
      continue;
    }
    if (Whole++ < MaxListed)
      Ranges += (Whole > 1 ? ", " : "") + describeRange(A, R);
  }
  if (Whole == 0)
    return "parts of elements";
  if (Whole > MaxListed)
    Ranges += fmt::format(" and {} more ranges", Whole - MaxListed);
  bool Several = A.UnusedBytes > A.CountBytes || A.element(1) > 1;
  return fmt::format("{}{} {}{}", A.ElementBytes ? "element" : "word", Several ? "s" : "", Ranges,
                     Parts ? " and parts of others" : "");
}

} // namespace gmprof::analysis
