//===- SharedSummary.h - Arrays in shared memory ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_SHAREDSUMMARY_H
#define GMPROF_REPORT_BUILDER_SHAREDSUMMARY_H

#include "analysis/heat/HeatUse.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "report/model/Summary.h"
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace gmprof {

/// Header of shared_counts.csv.
inline constexpr char SharedCountsHeader[] = "kernel,object,index,accesses,blocks_at_threshold\n";

/// Adds arrays in shared memory to objects[], and their accesses to kernels[].
class SharedSummary {
public:
  /// Adds to To, which has its kernels. P and To must outlive this.
  SharedSummary(const profile::Profile &P, summary::Summary &To) : P(P), S(To) {}

  void add(const analysis::KernelSharedUse &Use);
  /// Returns the array's index in objects[]; adds the array if it is not there.
  uint32_t indexOf(uint32_t Kernel, const analysis::ArrayHeat &A);
  /// Returns the index in objects[] of a kernel's array by name and size.
  std::optional<uint32_t> find(uint32_t Kernel, const std::string &Name, uint64_t Bytes) const;
  /// Returns the lines of shared_counts.csv without the header.
  const std::string &counts() const { return Counts; }

private:
  summary::ObjectUse objectUse(const analysis::KernelSharedUse &Use,
                               const analysis::SharedArray &A);
  void writeCounts(uint32_t Kernel, uint32_t Object, const analysis::SharedArray &A);

  const profile::Profile &P;
  summary::Summary &S;
  std::string Counts;
  /// Object::id by kernel, name and size.
  std::map<std::tuple<uint32_t, std::string, uint64_t>, uint32_t> Objects;
};

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_SHAREDSUMMARY_H
