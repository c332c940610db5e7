//===- FunctionRef.h - Reference to a function ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes functions to functions that are compiled once: many exported functions call them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_FUNCTIONREF_H
#define GMPROF_HOST_CORE_FUNCTIONREF_H

#include <memory>
#include <type_traits>
#include <utility>

namespace gmprof::host {

template <typename Signature> class FunctionRef;

/// References a function object, which must outlive it; allocates nothing.
template <typename Result, typename... Arguments> class FunctionRef<Result(Arguments...)> {
public:
  template <typename Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>)
  FunctionRef(Function &&Of) // NOLINT(google-explicit-constructor): as llvm::function_ref
      : Object(const_cast<void *>(static_cast<const void *>(std::addressof(Of)))),
        Call([](void *Object, Arguments... All) -> Result {
          return (*static_cast<std::remove_reference_t<Function> *>(Object))(
              std::forward<Arguments>(All)...);
        }) {}

  Result operator()(Arguments... All) const {
    return Call(Object, std::forward<Arguments>(All)...);
  }

private:
  void *Object;
  Result (*Call)(void *, Arguments...);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_FUNCTIONREF_H
