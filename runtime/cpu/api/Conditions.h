//===- Conditions.h - Conditions of conditional graph nodes -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is the address of a word of device memory, which kernels set. Using it after its graphs
// are gone is therefore an illegal access, as on a GPU. Unlike on a GPU, kernels outside its graph
// can set it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_CONDITIONS_H
#define GMPROF_CPU_API_CONDITIONS_H

#include <cstdint>
#include <driver_types.h>
#include <memory>
#include <vector>

namespace gmprof::cpu::api {

/// Condition of a conditional node.
class Condition {
public:
  /// Creates a condition. AtLaunch: each launch of the graph sets the word to Default; otherwise it
  /// keeps its value, initially 0. Returns null if memory is exhausted.
  static std::shared_ptr<Condition> make(int Device, unsigned Default, bool AtLaunch);
  ~Condition();
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  cudaGraphConditionalHandle handle() const {
    return reinterpret_cast<cudaGraphConditionalHandle>(Word);
  }
  unsigned value() const;
  void launched();

  bool Used = false; ///< has a node; each node needs a handle of its own

private:
  Condition(unsigned *Word, unsigned Default, bool AtLaunch);
  void set(unsigned Value);

  unsigned *const Word;
  const uint64_t Id; ///< Id of the allocation
  const unsigned Default;
  const bool AtLaunch;
};

/// Conditions of a graph, shared with its bodies.
using Conditions = std::vector<std::shared_ptr<Condition>>;

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_CONDITIONS_H
