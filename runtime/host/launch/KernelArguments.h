//===- KernelArguments.h - What a launch passes to its kernel ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pointers and integers among a kernel's arguments, and what else of a launch
// its closed forms depend on.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELARGUMENTS_H
#define GMPROF_HOST_LAUNCH_KERNELARGUMENTS_H

#include "profile/ClosedForm.h"
#include "profile/Profile.h"
#include <array>
#include <span>

namespace gmprof::host {

/// Grid and block of a launch, and its arguments.
struct LaunchInput {
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  void **Args = nullptr;
};

class KernelArguments {
public:
  /// ParamBytes: sizes of the kernel's parameters. Symbols: addresses of variables of
  /// the module, per variable of the descriptor, 0 for others.
  KernelArguments(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
                  std::vector<uint64_t> Symbols);

  /// Returns why they cannot be read; empty if they can.
  const std::string &problem() const { return Problem; }
  const std::vector<profile::Variable> &variables() const { return Variables; }
  unsigned parameters() const { return ParamCount; }

  /// Returns the address of a variable's memory.
  uint64_t pointer(size_t Variable, void **Args) const;
  /// Returns a parameter as a signed integer; 0 if it is none, since no closed form depends on it.
  int64_t value(uint32_t Parameter, void **Args) const;

private:
  std::string Problem;
  unsigned ParamCount;
  std::vector<profile::Variable> Variables;
  std::vector<size_t> ParamBytes;
  std::vector<uint64_t> Symbols;
};

/// Closed forms of a kernel's accesses, with what they depend on.
struct KernelForms {
  KernelForms(std::span<const profile::Form> Described, unsigned ParamCount);

  /// Returns the parameters of a launch; 0 for those that no form depends on.
  std::vector<int64_t> values(const KernelArguments &Params, void **Args) const;
  /// Returns whether all of them describe the launch.
  bool hold(const std::array<uint32_t, 3> &Grid, const std::array<uint32_t, 3> &Block,
            std::span<const int64_t> Values) const;

  struct Form {
    uint32_t Site = 0;
    ClosedForm Access;
  };
  std::vector<Form> Forms;
  bool Usable = true;               ///< all could be read
  std::vector<uint32_t> Parameters; ///< that they depend on
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELARGUMENTS_H
