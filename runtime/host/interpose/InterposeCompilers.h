//===- InterposeCompilers.h - Compilers that the program calls --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H
#define GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H

#include <string>
#include <string_view>

namespace gmprof::host {

// The functions of compilers' libraries, of which this library has those that it interposes.
// Programs are linked with such a library, or look its functions up.

/// Returns what a program gets that looks a function up, and found Found. A second library with
/// the same function keeps its own: one function cannot tell which library a call is meant for.
void *lookedUpInCompiler(const char *Name, void *Found);

/// Returns the library's function of an interposed one; null if no library is loaded.
void *realCompilerFunction(const std::string &Name);

/// Returns a function of the library that has Function; null if it lacks it.
void *functionBeside(const void *Function, const std::string &Name);

/// Returns the size of a result of Function, which SizeFunction of the same library gives; 0 if
/// there is none.
template <typename Handle>
size_t sizeOfResult(const void *Function, const std::string &SizeFunction, Handle Of) {
  const auto Size =
      reinterpret_cast<int (*)(Handle, size_t *)>(functionBeside(Function, SizeFunction));
  size_t Bytes = 0;
  return Size && Size(Of, &Bytes) == 0 ? Bytes : 0;
}

/// Returns a result that is text; empty if there is none.
template <typename Handle>
std::string textOfResult(const void *Function, const std::string &SizeFunction, Handle Of) {
  std::string Text(sizeOfResult(Function, SizeFunction, Of), '\0');
  const auto Get = reinterpret_cast<int (*)(Handle, char *)>(const_cast<void *>(Function));
  if (!Get || Get(Of, Text.data()) != 0)
    return "";
  Text.resize(Text.find_last_not_of('\0') + 1);
  return Text;
}

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H
