//===- Handles.h - Table of handles -----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is the object's address. The table keeps the object alive until the program destroys the
// handle, and recognises invalid and stale handles; operations in flight hold their own references.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_HANDLES_H
#define GMPROF_CPU_API_HANDLES_H

#include "profile/Mutex.h"
#include <memory>
#include <unordered_map>
#include <vector>

namespace gmprof::cpu::api {

/// Handles of objects of type T. Safe for concurrent use.
template <typename T> class HandleTable {
public:
  /// Adds an object and returns its handle.
  void *add(std::shared_ptr<T> Object) {
    LockGuard Lock(Mutex);
    void *Handle = Object.get();
    Objects.emplace(Handle, std::move(Object));
    return Handle;
  }

  /// Returns the object of a handle; null if the handle is invalid.
  std::shared_ptr<T> find(const void *Handle) const {
    LockGuard Lock(Mutex);
    auto Found = Objects.find(Handle);
    return Found == Objects.end() ? nullptr : Found->second;
  }

  std::shared_ptr<T> remove(const void *Handle) {
    LockGuard Lock(Mutex);
    auto Found = Objects.find(Handle);
    if (Found == Objects.end())
      return nullptr;
    std::shared_ptr<T> Object = std::move(Found->second);
    Objects.erase(Found);
    return Object;
  }

  std::vector<std::shared_ptr<T>> all() const {
    LockGuard Lock(Mutex);
    std::vector<std::shared_ptr<T>> Result;
    for (const auto &[Handle, Object] : Objects)
      Result.push_back(Object);
    return Result;
  }

private:
  mutable gmprof::Mutex Mutex;
  std::unordered_map<const void *, std::shared_ptr<T>> Objects GMPROF_GUARDED_BY(Mutex);
};

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_HANDLES_H
