//===- InstanceNames.h - Names of members by their object -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that allocates memory for the members of an object knows the class, or a parameter;
// its callers know the object's variable. Of two objects a and b of a class Buffer, the members
// Buffer::data are called a.data and b.data.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_INSTANCENAMES_H
#define GMPROF_HOST_OBJECTS_INSTANCENAMES_H

#include <array>
#include <cstddef>
#include <string>

namespace gmprof::host {

/// The objects whose members a thread is allocating, those of the outermost call first.
class InstanceNames {
public:
  struct Instance {
    const void *Where;
    size_t Bytes;
    const char *Name; ///< precedes a member's name: "s.", "p->", "Class::buffer."
  };

  /// Instances beyond Most are not named.
  void enter(const Instance &I);
  void leave();

  /// Returns the name for the member at the address. Name: its function's, as in "Class::x".
  std::string nameOf(const void *Member, const char *Name) const;

private:
  static constexpr size_t Most = 16;
  std::array<Instance, Most> Entered = {};
  size_t Number = 0;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_INSTANCENAMES_H
