//===- PythonFrames.cpp - Python functions on call paths ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/symbols/PythonFrames.h"
#include <algorithm>
#include <iterator>

namespace gmprof {

using profile::Frame;

/// Returns true for the function that runs Python code.
static bool isLoop(const Frame &F) { return F.Function.starts_with("_PyEval_EvalFrameDefault"); }

std::vector<Frame> withPythonFrames(std::vector<Frame> Native,
                                    const std::vector<profile::PythonFrame> &Python,
                                    const std::string &Interpreter) {
  const auto IsOfInterpreter = [&](const Frame &F) { return F.Image == Interpreter; };
  if (Python.empty())
    return Native;
  const auto Loops = [&](auto Begin, auto End) {
    return static_cast<size_t>(
        std::count_if(Begin, End, [&](const Frame &F) { return IsOfInterpreter(F) && isLoop(F); }));
  };
  const size_t All = Loops(Native.begin(), Native.end());
  std::vector<Frame> Frames;
  auto Next = Python.begin();
  const auto Add = [&](size_t Count) {
    for (; Count != 0; --Count, ++Next)
      Frames.push_back({Next->Function, {Next->File, Next->Line, 0}, "", 0, false});
  };
  const auto Left = [&] { return static_cast<size_t>(Python.end() - Next); };
  for (auto At = Native.begin(); At != Native.end();) {
    if (!IsOfInterpreter(*At)) {
      Frames.push_back(std::move(*At++));
      continue;
    }
    const auto End = std::find_if_not(At, Native.end(), IsOfInterpreter);
    const size_t Count = Loops(At, End);
    if (All == Python.size())
      Add(Count);
    else if (Count != 0 || All == 0)
      Add(Left());
    At = End;
  }
  Add(Left()); // the path was cut before the interpreter
  return Frames;
}

} // namespace gmprof
