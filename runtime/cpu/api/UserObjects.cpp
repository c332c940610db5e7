//===- UserObjects.cpp - Program objects owned by graphs ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/UserObjects.h"

namespace gmprof::cpu::api {

bool UserObject::retain(unsigned Count) {
  LockGuard Lock(Mutex);
  if (Count == 0 || References == 0)
    return false;
  References += Count;
  return true;
}

bool UserObject::release(unsigned Count) {
  {
    LockGuard Lock(Mutex);
    if (Count == 0 || Count > References)
      return false;
    References -= Count;
    if (References != 0)
      return true;
  }
  userObjects().remove(this);
  Destroy(Pointer);
  return true;
}

HandleTable<UserObject> &userObjects() {
  static HandleTable<UserObject> &Objects = *new HandleTable<UserObject>;
  return Objects;
}

} // namespace gmprof::cpu::api
