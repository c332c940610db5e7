//===- KernelAccesses.h - Which objects a kernel accesses -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel and object part of DrGPUM's memory access trace (ASPLOS'23, Section 5.1),
// from what is known before the kernel runs:
//
//   exact      the descriptor's accesses all go to memory that the kernel's arguments
//              point to, or to variables of the module. Their closed forms say which of
//              them the launch makes: those that have at least one point. Of the kinds
//              of accesses (reads, writes) of an object there is one that it makes, or
//              none that may depend on data.
//   possible   as above, but for some objects it depends on data whether they are
//              accessed: these are taken as read and written.
//   inferred   the kernel follows pointers that are loaded from memory, or it was not
//              compiled with the plugin: what its parameters point to, each 8 bytes of
//              them taken as an address.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_KERNELACCESSES_H
#define GMPROF_HOST_KERNELACCESSES_H

#include "host/KernelArguments.h"
#include "host/Objects.h"
#include <map>
#include <mutex>

namespace gmprof::host {

/// The sets of objects that launches access, each in the log once.
class AccessSets {
public:
  explicit AccessSets(Recorder &Log) : Log(Log) {}

  /// The set's number. Accesses: sorted by object.
  uint32_t find(std::span<const log::ObjectAccess> Accesses, log::AccessKnowledge Knowledge);

private:
  Recorder &Log;
  std::mutex Lock;
  std::map<std::vector<uint64_t>, uint32_t> Known;
};

class KernelAccesses {
public:
  /// Of a kernel that the plugin compiled. ParamBytes and Symbols are those of
  /// KernelArguments.
  KernelAccesses(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
                 std::vector<uint64_t> Symbols);
  /// Of any other.
  explicit KernelAccesses(std::vector<size_t> ParamBytes) : ParamBytes(std::move(ParamBytes)) {}

  /// The number of the launch's access set; 0 if its arguments cannot be read.
  uint32_t find(const LaunchInput &Launch, const Objects &Live, AccessSets &Sets);

private:
  /// Kinds of accesses, as bits.
  enum Kinds : unsigned { Reads = 1, Writes = 2 };
  /// The accesses of a variable: those that depend on data, and those that the launch
  /// determines.
  struct Use {
    unsigned Undetermined = 0;
    struct Determined {
      unsigned Kinds;
      size_t Form;
    };
    std::vector<Determined> ByForms;

    bool any() const { return Undetermined != 0 || !ByForms.empty(); }
  };
  struct FoundObject {
    unsigned Possible = 0, Certain = 0;
  };

  static unsigned kindsOf(GmprofAccessKind Kind);
  void describe(const profile::Descriptor &Desc);
  uint32_t fromDescriptor(const LaunchInput &Launch, std::span<const int64_t> Values,
                          const Objects &Live, AccessSets &Sets) const;
  uint32_t fromParameters(const LaunchInput &Launch, const Objects &Live, AccessSets &Sets) const;
  std::vector<uint64_t> words(void **Args) const;

  std::vector<size_t> ParamBytes;
  std::optional<KernelArguments> Params; ///< if the descriptor says all
  std::optional<KernelForms> Forms;
  std::vector<Use> Uses; ///< per variable of the descriptor

  std::mutex Lock;
  uint64_t Version = 0; ///< of the objects that Known is for
  std::map<std::vector<uint64_t>, uint32_t> Known;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_KERNELACCESSES_H
