//===- LoadedClones.h - Clones that serve several loads ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries such as cuDNN and XLA load the same module again and again, and compiling its clones
// takes longer than what the program does with it. A clone on demand is in a module of its own, and
// depends on the program's module in two things: the addresses of its variables, and the attributes
// that the program set on the kernel. It therefore serves all kernels whose code, addresses and
// attributes are equal, also at the same time. Clones that no kernel uses are kept for later loads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LOADEDCLONES_H
#define GMPROF_HOST_LAUNCH_LOADEDCLONES_H

#include <cstdint>
#include <cuda.h>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gmprof::host {

struct Kernel;

/// A module on the device that has one clone.
struct LoadedClone {
  CUmodule Module = nullptr;
  std::vector<std::string> Variables; ///< of the program, which it reaches by address
  std::vector<uint64_t> Addresses;    ///< of Variables
  std::vector<const Kernel *> Users;  ///< kernels in whose place it runs
};

/// The loaded clones of one context. Not safe for use by several threads.
class LoadedClones {
public:
  static constexpr size_t MaxIdle = 128;

  /// Code of a module (ModuleCode::Hash), and the name of a clone of one of its kernels.
  using Id = std::pair<std::string, std::string>;

  explicit LoadedClones(std::function<void(CUmodule)> Unload) : Unload(std::move(Unload)) {}

  /// Returns a clone that can run in User's place, now used by it; null if there is none. Fits:
  /// whether it has the addresses and the attributes of User.
  LoadedClone *take(const Id &Of, const Kernel &User,
                    const std::function<bool(const LoadedClone &)> &Fits);
  /// Adds a clone that was loaded for its users.
  void add(const Id &Of, LoadedClone New);
  /// Returns true if others use the clone that User uses.
  bool isShared(const Id &Of, const Kernel &User) const;
  /// Ends User's use of a clone. Keep: for other kernels. Of the kept ones, the MaxIdle that were
  /// used last stay loaded.
  void release(const Id &Of, const Kernel &User, bool Keep);
  /// Unloads the clones that no kernel uses. Returns whether there were any.
  bool unloadIdle() { return unloadIdle(0); }

private:
  using Map = std::multimap<Id, LoadedClone>;

  bool unloadIdle(size_t Kept);

  const std::function<void(CUmodule)> Unload;
  Map All;
  std::list<Map::iterator> Idle; ///< those without users, the longest unused one first
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LOADEDCLONES_H
