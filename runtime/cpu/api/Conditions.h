//===- Conditions.h - What conditional nodes of graphs decide by -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is the address of a word of device memory, which kernels set. So one
// that is used when its graphs are gone is an illegal access, as on a GPU. There, kernels that are
// not of its graph may not set it either.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_CONDITIONS_H
#define GMPROF_CPU_API_CONDITIONS_H

#include <cstdint>
#include <driver_types.h>
#include <memory>
#include <vector>

namespace gmprof::cpu::api {

class Condition {
public:
  /// AtLaunch: the word becomes Default at each launch of the graph; else it keeps its
  /// value, at first 0. Null when memory is used up.
  static std::shared_ptr<Condition> make(int Device, unsigned Default, bool AtLaunch);
  ~Condition();
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  cudaGraphConditionalHandle handle() const {
    return reinterpret_cast<cudaGraphConditionalHandle>(Word);
  }
  unsigned value() const;
  void launched();

  bool Used = false; ///< a node was made of it: each needs one of its own

private:
  Condition(unsigned *Word, unsigned Default, bool AtLaunch);
  void set(unsigned Value);

  unsigned *const Word;
  const uint64_t Id; ///< of the allocation
  const unsigned Default;
  const bool AtLaunch;
};

/// Those of a graph and of the bodies in it, which share them.
using Conditions = std::vector<std::shared_ptr<Condition>>;

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_CONDITIONS_H
