//===- SummaryCases.h - Profiles for tests of the summary -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_REPORT_SUMMARYCASES_H
#define GMPROF_TEST_UNIT_REPORT_SUMMARYCASES_H

#include "../analysis/HandMade.h"
#include "report/builder/SummaryBuilder.h"
#include <string>

namespace gmprof::test {

/// tile[4][4], each element accessed 6 times in each of 2 blocks.
inline HandMade example() {
  HandMade H;
  H.P.TheRun.Command = {"./app"};
  H.P.TheRun.Ended = true;
  H.P.TheRun.StartUnixNs = 1700000000123456789;
  H.P.TheRun.SteadyEndNs = 2500000000;
  uint32_t V = H.variable("tile", "float[4][4]", 4, 64);
  H.site(V, GMPROF_ACCESS_STORE);
  H.launch(2, std::vector<uint64_t>(16, 12), {1024});
  return H;
}

/// Adds a launch that was not profiled.
inline profile::Launch &refuse(HandMade &H, const std::string &Why) {
  H.plainLaunch(3);
  profile::Launch &L = H.P.Launches.back();
  L.Mode = log::LaunchMode::Refused;
  L.Reason = Why;
  return L;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_REPORT_SUMMARYCASES_H
