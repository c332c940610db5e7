//===- SiteCallersTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SiteCallers.h"
#include "analysis/ProgramSource.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

// upload.h:5 copies for two lines of the program, app.cu:9 only for itself.
TEST(SiteCallers, SitesThatShareALineHaveTheirCallers) {
  profile::Profile P;
  P.CallPaths.resize(3);
  for (const auto &[Path, File, Line] : {std::tuple(0, "src/upload.h", 5),
                                         {0, "src/app.cu", 7},
                                         {1, "src/upload.h", 5},
                                         {1, "src/app.cu", 8},
                                         {2, "src/app.cu", 9}})
    P.CallPaths[Path].Frames.emplace_back().Source = {File, static_cast<unsigned>(Line), 1};
  std::vector<SyncSite> Sites(4);
  for (uint32_t Path = 0; Path < 3; ++Path)
    Sites[Path].CallPath = Path;
  nameCallers(Sites, P, pathsBySource(P));
  EXPECT_EQ(callerSentence(Sites[0]), " The caller is app.cu:7.");
  EXPECT_EQ(callerSentence(Sites[1]), " The caller is app.cu:8.");
  EXPECT_EQ(callerSentence(Sites[2]), "");
  EXPECT_EQ(callerSentence(Sites[3]), ""); // without a call path
}
