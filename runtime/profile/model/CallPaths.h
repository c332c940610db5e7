//===- CallPaths.h - Call paths and regions ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_CALLPATHS_H
#define GMPROF_PROFILE_MODEL_CALLPATHS_H

#include "profile/Name.h"
#include "profile/model/Run.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::profile {

/// An executable or library that was loaded.
struct Image {
  std::string Path, BuildId; ///< BuildId in hexadecimal digits; empty: none
  uint64_t Address = 0, Bytes = 0;
  uint64_t Offset = 0; ///< address of the first byte in the image's own file
};

/// A function on a call path, and the position in it of the next call.
struct Frame {
  std::string Function; ///< demangled; empty: unknown
  SourcePosition Source;
  std::string Image;    ///< path of the executable or library
  uint64_t Address = 0; ///< in the image's file
  bool Inlined = false; ///< inlined into the next frame
};

/// A Python function that is running.
struct PythonFrame {
  Name File, Function;
  uint32_t Line = 0; ///< 0: unknown
};

/// The Python functions of a thread, innermost first.
struct PythonStack {
  uint64_t Interpreter = 0; ///< an address in the interpreter's image
  std::vector<PythonFrame> Frames;
};

/// Return addresses, innermost first.
struct CallPath {
  std::vector<uint64_t> Addresses;
  uint32_t ImageCount = 0; ///< number of leading entries of Profile::Images that were loaded then;
                           ///< for overlapping ones the last applies
  /// Symbolized frames, innermost first, including inlined functions; empty until symbolized.
  /// Python functions take the place of the interpreter's frames (PythonFrames.h).
  std::vector<Frame> Frames;
  uint32_t Python = None; ///< index in Profile::PythonStacks; None: no Python function, or unknown
};

/// Begin or end of a region of a thread; see log::RegionRecord.
struct Region {
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  bool End = false;
  std::string Name; ///< empty at the end
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_CALLPATHS_H
