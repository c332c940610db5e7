//===- UserObjects.h - Program objects owned by graphs ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_USEROBJECTS_H
#define GMPROF_CPU_API_USEROBJECTS_H

#include "cpu/api/Handles.h"
#include "profile/Mutex.h"
#include <driver_types.h>

namespace gmprof::cpu::api {

/// Reference count of an object; the last release calls the program's destructor.
class UserObject {
public:
  UserObject(void *Pointer, cudaHostFn_t Destroy, unsigned Count)
      : Pointer(Pointer), Destroy(Destroy), References(Count) {}

  /// Changes the count; returns false if the change is invalid.
  bool retain(unsigned Count);
  bool release(unsigned Count);

private:
  void *const Pointer;
  const cudaHostFn_t Destroy;
  gmprof::Mutex Mutex;
  unsigned References GMPROF_GUARDED_BY(Mutex);
};

/// References held by a graph; shared with its copies.
struct UserObjectHold {
  UserObjectHold(std::shared_ptr<UserObject> Object, unsigned Count)
      : Object(std::move(Object)), Count(Count) {}
  ~UserObjectHold() { Object->release(Count); }
  UserObjectHold(const UserObjectHold &) = delete;
  UserObjectHold &operator=(const UserObjectHold &) = delete;

  const std::shared_ptr<UserObject> Object;
  const unsigned Count;
};

HandleTable<UserObject> &userObjects();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_USEROBJECTS_H
