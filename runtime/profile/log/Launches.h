//===- Launches.h - Records of kernels and launches -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_LAUNCHES_H
#define GMPROF_PROFILE_LOG_LAUNCHES_H

#include <cstdint>

namespace gmprof::log {

/// A kernel whose record says that it awaits clones gets a second record with its id when it has
/// clones; its earlier launches are of the same kernel.
struct KernelRecord {
  uint32_t id;
  uint32_t device;
  uint32_t staticSharedBytes; ///< original kernel's size
  uint32_t registers, cloneRegisters;
  uint32_t descriptorBytes; ///< 0: not compiled by the pass
  uint32_t nameBytes;       ///< mangled name without NUL, after the descriptor
  uint32_t reasonBytes;     ///< why it is never profiled, after the name; 0: it can be
  uint32_t awaitsClones;    ///< 1: the reason may hold for its first launches only
};

/// The kernel that a launch executed.
enum class LaunchMode : uint32_t {
#define GMPROF_LAUNCH_MODE(Mode, ...) Mode,
#include "gmprof/profiles.def"
};

struct LaunchRecord {
  uint64_t id;      ///< 1, 2, … in call order
  uint64_t timeNs;  ///< begin of the call, steady clock
  uint64_t stream;  ///< the handle; 0: the default stream
  uint64_t context; ///< context of the counts record that the launch adds to; 0: none
  uint32_t kernel;
  LaunchMode mode;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as requested by the program
  uint32_t reason;             ///< `id` of the Gap record with the reason; 0: none
  /// 1: kernel node of a graph being captured or built; 2: such a node in a conditional body.
  uint32_t graph;
  uint32_t device;
  uint32_t callPath;  ///< CallPathRecord::id; 0: none
  uint32_t thread;    ///< host thread id (gettid)
  uint32_t accessSet; ///< AccessSetRecord::id; 0: unknown. A LaunchAccesses record may replace it
  uint32_t notes;     ///< 1: the clone records accessed objects, and LaunchAccesses will tell
};

/// Closed forms of a further profile describe the launch completely: it also counts in this
/// context, in that mode, without a clone. A launch has at most one such record per profile.
struct LaunchFormsRecord {
  uint64_t launch;  ///< LaunchRecord::id
  uint64_t context; ///< as LaunchRecord::context; not 0
  LaunchMode mode;  ///< Shared, Global or Heat; another profile than that of LaunchRecord::mode
  uint32_t reserved;
};

/// Execution time of a launch on the GPU, between two events around it. Launches with mode Objects
/// or Plain run (nearly) the program's kernel; others run a clone, so their time is an upper bound.
/// Launches 2^k and 2^k + 1 of a kernel are timed; graph nodes are not.
struct LaunchTimeRecord {
  uint64_t launch; ///< LaunchRecord::id
  uint64_t ns;
};

/// Certainty of an access set.
enum class AccessKnowledge : uint32_t {
  Exact,    ///< exactly these objects are accessed
  Inferred, ///< objects that parameters point to, assumed read and written; others may be accessed
            ///< too
  Possible, ///< a superset of the accessed objects, assumed read and written
  FromParameters, ///< as Inferred, but complete if the kernel only accesses memory to which its
                  ///< parameters, and addresses copied to the GPU, point
};

/// The objects that launches access (DrGPUM, ASPLOS'23, Section 5.1), each once. A graph's kernel
/// node has one set for all its replays.
struct AccessSetRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t count;
  AccessKnowledge knowledge;
  uint32_t reserved;
};

struct ObjectAccess {
  uint64_t object;        ///< ObjectRecord::id
  uint32_t reads, writes; ///< 1 if it is read, or written; else 0
};

/// Replaces a LaunchRecord::accessSet whose knowledge is not Exact.
struct LaunchAccessesRecord {
  uint64_t launch; ///< LaunchRecord::id
  uint32_t accessSet;
  uint32_t reserved;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_LAUNCHES_H
