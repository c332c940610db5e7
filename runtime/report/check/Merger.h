//===- Merger.h - Adds up summaries -----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up the kept parts of summaries, one after another (Merger.cpp), and completes the merged
// summary (MergerResult.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_MERGER_H
#define GMPROF_REPORT_CHECK_MERGER_H

#include "report/check/MergedPart.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gmprof {

class Merger {
public:
  /// Returns an error message if the part cannot be merged with the previous ones.
  std::string add(MergedPart &&P, const std::string &Path);
  summary::Summary finish();
  bool empty() const { return List.empty(); }
  void gap(const std::string &Reason, uint64_t Count) {
    To.coverage.gaps.push_back({"processes", Reason, Count});
    To.coverage.whole = false;
  }

private:
  struct Joined {
    KeptFinding Best;
    std::vector<uint32_t> Processes;
  };
  struct Values {
    Quantity::Unit Unit = Quantity::Unit::Number;
    std::vector<uint32_t> Processes;
    std::vector<double> Each;
  };

  void addRun(const summary::Summary &S);
  void addCoverage(summary::Coverage &&C, const std::map<uint32_t, std::string> &KernelNames);
  void addKernels(std::vector<summary::Kernel> &&Kernels);
  void addMemory(MergedPart &P);
  void addSync(summary::Sync &&Of);
  uint32_t device(const summary::Device &D);
  void order();
  void fillMemory();
  void finishFindings();
  void finishMeasures();

  summary::Summary To;
  std::string Kind, FirstPath;
  std::vector<summary::MergedProcess> List;
  std::map<std::string, uint32_t> KernelIds; ///< key: mangled name
  std::map<std::pair<std::string, std::string>, uint32_t> DeviceIds;
  std::unordered_map<std::string, Joined> ByFingerprint;
  std::map<std::pair<std::string, std::string>, size_t> MeasureIndex;
  std::vector<std::pair<Measure, Values>> Measures;
  uint64_t Fullest = 0; ///< highest peak so far
  std::vector<summary::Object> Largest;
  std::set<std::string> Hosts;
  uint32_t NextObject = 0;
};

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_MERGER_H
