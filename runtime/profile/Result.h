//===- Result.h - A value, or why there is none -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_RESULT_H
#define GMPROF_PROFILE_RESULT_H

#include <string>
#include <variant>

namespace gmprof {

/// A one-line message for the user: what failed, where, what to do.
struct Error {
  std::string Message;
};

template <typename T> class [[nodiscard]] Result {
  std::variant<T, Error> State;

public:
  Result(T Value) : State(std::move(Value)) {}
  Result(Error Why) : State(std::move(Why)) {}

  explicit operator bool() const { return State.index() == 0; }
  T &operator*() { return *std::get_if<0>(&State); }
  const T &operator*() const { return *std::get_if<0>(&State); }
  T *operator->() { return std::get_if<0>(&State); }
  const T *operator->() const { return std::get_if<0>(&State); }
  /// Returns the error. Valid only if there is no value.
  const std::string &error() const { return std::get_if<1>(&State)->Message; }
};

} // namespace gmprof

#endif // GMPROF_PROFILE_RESULT_H
