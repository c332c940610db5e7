//===- Name.h - Interned text -----------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Millions of calls have few distinct names. A Name is a pointer to an interned text that lives
// until the process ends; equal texts have equal pointers. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_NAME_H
#define GMPROF_PROFILE_NAME_H

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace gmprof::profile {

class Name {
public:
  Name() : Name(std::string_view()) {}
  Name(std::string_view Text) : Text(find(Text)) {}
  Name(const std::string &Text) : Name(std::string_view(Text)) {}
  Name(const char *Text) : Name(std::string_view(Text)) {}

  const std::string &str() const { return *Text; }
  operator const std::string &() const { return *Text; }
  bool empty() const { return Text->empty(); }

  friend bool operator==(Name A, Name B) { return A.Text == B.Text; }
  friend bool operator==(Name A, const char *B) { return *A.Text == B; }
  friend bool operator==(Name A, const std::string &B) { return *A.Text == B; }
  /// Arbitrary but total order.
  friend bool operator<(Name A, Name B) { return std::less<>()(A.Text, B.Text); }
  friend std::ostream &operator<<(std::ostream &To, Name N) { return To << *N.Text; }

private:
  static const std::string *find(std::string_view Text);

  const std::string *Text;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_NAME_H
