//===- Pickle.h - Reads data that Python has pickled ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads dictionaries, lists, tuples, text and numbers of Python's pickle protocols 2 to 5 (Python's
// Lib/pickletools.py describes the opcodes). Everything that names or calls Python code is refused,
// so reading a pickle runs nothing. Time and memory are linear in the size of the pickle: a value
// that is referred to several times exists once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_PICKLE_H
#define GMPROF_REPORT_FILES_PICKLE_H

#include "profile/Result.h"
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gmprof {

/// A value of a Pickle, which holds the elements of lists, tuples and dictionaries.
struct PickleValue {
  enum class Kind : uint8_t {
    None,
    Bool,
    Integer,
    LargeInteger, ///< outside of int64_t
    Real,
    Text,
    Bytes,
    List,
    Tuple,
    Dictionary
  };
  Kind Of = Kind::None;
  uint32_t Index = 0;  ///< of text, lists, tuples and dictionaries: equal for the same one
  int64_t Integer = 0; ///< also of Bool
};

class Pickle {
public:
  using Value = PickleValue;

  /// Parses a pickle. Data must outlive the result. An error is a clause: "it is cut off after 12
  /// bytes".
  static Result<Pickle> parse(std::string_view Data);

  Value root() const { return Root; }
  std::string_view text(Value Of) const { return Texts[Of.Index]; }
  /// Returns the elements of a list or tuple.
  std::span<const Value> list(Value Of) const { return Lists[Of.Index]; }
  /// Returns the keys and values of a dictionary, in the order of insertion.
  std::span<const std::pair<Value, Value>> dictionary(Value Of) const {
    return Dictionaries[Of.Index];
  }

private:
  friend class PickleMachine;

  Value Root;
  std::vector<std::string_view> Texts;
  std::vector<std::vector<Value>> Lists; ///< and tuples
  std::vector<std::vector<std::pair<Value, Value>>> Dictionaries;
};

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_PICKLE_H
