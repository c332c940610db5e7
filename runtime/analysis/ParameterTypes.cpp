//===- ParameterTypes.cpp - Types of a kernel's parameters ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ParameterTypes.h"
#include <algorithm>
#include <iterator>

namespace gmprof::analysis {

std::vector<std::string> parameterTypes(const std::string &Demangled) {
  const size_t End = Demangled.rfind(')');
  if (End == std::string::npos)
    return {};
  // Parameters are separated by the commas outside of all further brackets.
  std::vector<std::string> Types(1);
  int Depth = 1;
  for (size_t I = End; I-- > 0;) {
    const char C = Demangled[I];
    Depth += C == ')' || C == '>' || C == ']' || C == '}';
    Depth -= C == '(' || C == '<' || C == '[' || C == '{';
    if (Depth == 0)
      break;
    if (C == ',' && Depth == 1)
      Types.emplace_back();
    else if (C != ' ' || !Types.back().empty())
      Types.back() += C;
  }
  for (std::string &Type : Types) {
    while (Type.ends_with(' '))
      Type.pop_back();
    std::ranges::reverse(Type);
  }
  std::ranges::reverse(Types);
  if (Types.size() == 1 && Types[0].empty())
    Types.clear();
  return Types;
}

std::string elementType(const profile::Kernel &K, uint32_t Variable) {
  if (!K.Desc || Variable >= K.Desc->Variables.size())
    return {};
  const uint32_t Parameter = K.Desc->Variables[Variable].Parameter;
  const std::vector<std::string> Types = parameterTypes(K.Demangled);
  if (Parameter >= Types.size())
    return {};
  const std::string &Type = Types[Parameter];
  const size_t Star = Type.find('*');
  return Star == std::string::npos || Star != Type.rfind('*') ? "" : Type.substr(0, Star);
}

bool isIntegerType(const std::string &Type) {
  static constexpr const char *Integers[] = {"int",           "unsigned int", "long",
                                             "unsigned long", "long long",    "unsigned long long"};
  return std::ranges::find(Integers, Type) != std::end(Integers);
}

} // namespace gmprof::analysis
