//===- PythonFramesTest.cpp - Python functions on call paths --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/symbols/PythonFrames.h"
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

constexpr char Loop[] = "_PyEval_EvalFrameDefault";

/// Returns the functions of the result. Native: functions; those that begin with "_Py" are the
/// interpreter's. Python: functions.
std::vector<std::string> functionsOf(const std::vector<std::string> &Native,
                                     const std::vector<std::string> &Python) {
  std::vector<profile::Frame> Frames;
  for (const std::string &F : Native)
    Frames.push_back({F, {}, F.starts_with("_Py") ? "/usr/bin/python3" : "/lib.so", 16, false});
  std::vector<profile::PythonFrame> Functions;
  for (const std::string &F : Python)
    Functions.push_back({F + ".py", F, 7});
  std::vector<std::string> Names;
  for (const profile::Frame &F : withPythonFrames(Frames, Functions, "/usr/bin/python3")) {
    Names.push_back(F.Function);
    if (F.Image.empty()) {
      EXPECT_EQ(F.Source.File, F.Function + ".py");
      EXPECT_EQ(F.Source.Line, 7u);
      EXPECT_EQ(F.Address, 0u);
    }
  }
  return Names;
}

using Names = std::vector<std::string>;

} // namespace

TEST(PythonFramesTest, FunctionsTakeThePlaceOfTheInterpreter) {
  EXPECT_EQ(functionsOf({"ext", "_PyObject_Call", Loop, "_PyRun", "main"}, {"f"}),
            (Names{"ext", "f", "main"}));
}

TEST(PythonFramesTest, OneLoopRunsSeveralFunctionsSince311) {
  EXPECT_EQ(functionsOf({"ext", Loop, "_PyRun", "main"}, {"f", "g", "m"}),
            (Names{"ext", "f", "g", "m", "main"}));
}

TEST(PythonFramesTest, LoopsInARowAreOnePlace) {
  EXPECT_EQ(functionsOf({"ext", Loop, "_Py_slot", Loop, "main"}, {"f", "g", "m"}),
            (Names{"ext", "f", "g", "m", "main"}));
}

TEST(PythonFramesTest, NativeCodeBetweenLoopsOfOneFunction) {
  EXPECT_EQ(functionsOf({"ext", Loop, "sort", "_Py_call", Loop, Loop, "main"}, {"key", "f", "m"}),
            (Names{"ext", "key", "sort", "f", "m", "main"}));
}

TEST(PythonFramesTest, AllFunctionsAreAtTheInnermostOfSeveralUncertainPlaces) {
  EXPECT_EQ(functionsOf({"ext", Loop, "sort", Loop, "main"}, {"key", "f", "m"}),
            (Names{"ext", "key", "f", "m", "sort", "main"}));
}

TEST(PythonFramesTest, PlacesWithoutALoopHaveNoFunction) {
  EXPECT_EQ(functionsOf({"dealloc", "_Py_Dealloc", "ext", Loop, "main"}, {"f", "m"}),
            (Names{"dealloc", "ext", "f", "m", "main"}));
  EXPECT_EQ(functionsOf({"dealloc", "_Py_Dealloc", "ext", Loop, "main"}, {"f"}),
            (Names{"dealloc", "ext", "f", "main"}));
}

TEST(PythonFramesTest, AnInterpreterWithoutSymbols) {
  EXPECT_EQ(functionsOf({"ext", "_Py1", "sort", "_Py2", "main"}, {"f", "m"}),
            (Names{"ext", "f", "m", "sort", "main"}));
}

TEST(PythonFramesTest, PathsThatEndBeforeTheInterpreter) {
  EXPECT_EQ(functionsOf({"malloc", "at::empty"}, {"f", "m"}),
            (Names{"malloc", "at::empty", "f", "m"}));
  EXPECT_EQ(functionsOf({}, {"f"}), (Names{"f"}));
}

TEST(PythonFramesTest, WithoutPythonFunctionsNothingChanges) {
  EXPECT_EQ(functionsOf({"ext", Loop, "main"}, {}), (Names{"ext", Loop, "main"}));
}
