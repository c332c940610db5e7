//===- CallPaths.h - Records of call paths and regions ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_CALLPATHS_H
#define GMPROF_PROFILE_LOG_CALLPATHS_H

#include <cstdint>

namespace gmprof::log {

/// Begin or end of a region; the regions of a thread nest.
struct RegionRecord {
  uint64_t timeNs; ///< steady clock
  uint32_t thread; ///< host thread id (gettid)
  uint32_t end;    ///< 1: the innermost region ends; it has no name here
  uint32_t nameBytes;
  uint32_t reserved;
};

struct CallPathRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t frameCount;
};

/// The code of a Python function.
struct PythonCodeRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t fileBytes;
  uint32_t functionBytes; ///< of the qualified name; before Python 3.11, of the name
  uint32_t reserved;
};

/// A Python function that is running.
struct PythonFrame {
  uint32_t code; ///< PythonCodeRecord::id
  uint32_t line; ///< 0: unknown
};

struct PythonStackRecord {
  uint64_t interpreter; ///< an address in the interpreter's image
  uint32_t id;          ///< 1, 2, …
  uint32_t frameCount;
};

struct PythonPathRecord {
  uint32_t id;       ///< numbered together with CallPathRecord::id
  uint32_t callPath; ///< CallPathRecord::id of its return addresses
  uint32_t stack;    ///< PythonStackRecord::id
  uint32_t reserved;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_CALLPATHS_H
