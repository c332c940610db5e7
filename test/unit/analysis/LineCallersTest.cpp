//===- LineCallersTest.cpp ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LineCallers.h"
#include "analysis/CallingLibrary.h"
#include "analysis/ProgramSource.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

struct Call {
  const char *File;
  unsigned Line, Column;
};

/// Returns the callers of API calls that these calls reach, innermost first.
std::vector<std::string> callers(const std::vector<std::vector<Call>> &Paths) {
  profile::Profile P;
  std::set<uint32_t> All;
  for (const std::vector<Call> &Calls : Paths) {
    All.insert(static_cast<uint32_t>(P.CallPaths.size()));
    profile::CallPath &Path = P.CallPaths.emplace_back();
    for (const Call &C : Calls)
      Path.Frames.emplace_back().Source = {C.File, C.Line, C.Column};
  }
  const LineCallers Callers(P, pathsBySource(P), All);
  std::vector<std::string> Texts;
  for (uint32_t Path = 0; Path < Paths.size(); ++Path) {
    const profile::SourcePosition S = Callers.of(Path);
    Texts.push_back(S.File.empty() ? "" : placeText(S));
  }
  return Texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(LineCallers, OfALineThatAllocatesForSeveral) {
  EXPECT_EQ(callers({{{"field.h", 5, 3}, {"src/app.cu", 27, 1}},
                     {{"field.h", 5, 3}, {"src/app.cu", 28, 1}}}),
            (Texts{"app.cu:27", "app.cu:28"}));
}

TEST(LineCallers, TwoInOneLineHaveColumns) {
  EXPECT_EQ(callers({{{"field.h", 5, 3}, {"app.cu", 28, 16}},
                     {{"field.h", 5, 3}, {"app.cu", 28, 31}},
                     {{"field.h", 5, 3}, {"app.cu", 27, 1}}}),
            (Texts{"app.cu:28:16", "app.cu:28:31", "app.cu:27"}));
}

TEST(LineCallers, WrappersOfWrappers) {
  EXPECT_EQ(callers({{{"allocate.h", 2, 1}, {"field.h", 5, 3}, {"app.cu", 27, 1}},
                     {{"allocate.h", 2, 1}, {"field.h", 5, 3}, {"app.cu", 28, 1}},
                     {{"allocate.h", 2, 1}, {"table.h", 9, 3}, {"app.cu", 29, 1}}}),
            (Texts{"app.cu:27", "app.cu:28", "table.h:9"}));
}

TEST(LineCallers, NoneOfALineWithOneCaller) {
  EXPECT_EQ(callers({{{"app.cu", 5, 3}, {"app.cu", 27, 1}}, {{"app.cu", 6, 3}, {"app.cu", 27, 1}}}),
            (Texts{"", ""}));
  EXPECT_EQ(callers({{{"app.cu", 5, 3}}, {}}), (Texts{"", ""}));
}

TEST(CallingLibrary, TemporaryMemoryOfThrust) {
  profile::CallPath Path;
  Path.Frames.resize(2);
  Path.Frames[0].Function = "thrust::THRUST_300001_SM_900_NS::detail::temporary_allocator<unsigned "
                            "char, thrust::cuda_cub::tag>::allocate(unsigned long)";
  EXPECT_EQ(callingLibrary(Path), "Thrust");
  // A vector is the program's.
  Path.Frames[0].Function =
      "thrust::THRUST_300001_SM_900_NS::device_vector<float>::device_vector()";
  EXPECT_EQ(callingLibrary(Path), "");
}
