//===- KernelArgument.cpp - Arguments of a kernel -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/KernelArgument.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gmprof::kernel {
namespace {

constexpr std::string_view InOut = "inout:", Suffix = ".npy";

template <typename T> std::string bytes(const T &Value, size_t Count = sizeof(T)) {
  return {reinterpret_cast<const char *>(&Value), Count};
}

Result<KernelArgument> readArray(std::string File, std::string Output) {
  KernelArgument A;
  Result<NpyArray> Array = readNpy(File);
  if (!Array)
    return Error{Array.error()};
  A.Array = std::move(*Array);
  A.File = std::move(File);
  A.Output = std::move(Output);
  return A;
}

/// Decodes an integer of as many bytes, signed or not.
std::optional<std::string> integer(const std::string &Text, size_t Bytes) {
  if (Bytes > sizeof(long long) || Text.empty())
    return std::nullopt;
  const bool Negative = Text[0] == '-';
  char *End = nullptr;
  errno = 0;
  const unsigned long long Value =
      Negative ? static_cast<unsigned long long>(std::strtoll(Text.c_str(), &End, 0))
               : std::strtoull(Text.c_str(), &End, 0);
  if (errno != 0 || *End != 0)
    return std::nullopt;
  const unsigned Spare = 64 - 8 * static_cast<unsigned>(Bytes);
  const bool Fits =
      Negative ? static_cast<long long>(Value << Spare) >> Spare == static_cast<long long>(Value)
               : Value << Spare >> Spare == Value;
  if (!Fits)
    return std::nullopt;
  return bytes(Value, Bytes);
}

std::optional<std::string> number(std::string Text, size_t Bytes) {
  if (Text.ends_with('f') && Text.find("inf") == std::string::npos)
    Text.pop_back();
  char *End = nullptr;
  if (Text.empty())
    return std::nullopt;
  if (Bytes == sizeof(float)) {
    const float Value = std::strtof(Text.c_str(), &End);
    return *End ? std::nullopt : std::optional(bytes(Value));
  }
  const double Value = std::strtod(Text.c_str(), &End);
  return *End ? std::nullopt : std::optional(bytes(Value));
}

} // namespace

Result<KernelArgument> decodeArgument(const std::string &Text, const Parameter &P) {
  using Kind = Parameter::Kind;
  const bool MayPoint = P.Is == Kind::Pointer || (P.Is == Kind::Integer && P.Bytes == 8);
  const bool IsInOut = Text.starts_with(InOut);
  if (IsInOut || Text.ends_with(Suffix)) {
    if (!MayPoint && P.Is != Kind::Structure)
      return Error{"is " + P.type() + ", but '" + Text + "' is an array"};
    std::string File = Text, Output;
    if (IsInOut) {
      File = Text.substr(InOut.size());
      const size_t Colon = File.find(".npy:");
      if (Colon == std::string::npos || !File.ends_with(Suffix))
        return Error{"needs the form inout:FILE.npy:OUTPUT.npy, not '" + Text + "'"};
      Output = File.substr(Colon + Suffix.size() + 1);
      File.resize(Colon + Suffix.size());
    }
    Result<KernelArgument> A = readArray(std::move(File), std::move(Output));
    if (!A || MayPoint)
      return A;
    if (A->Array->Elements.size() != P.Bytes)
      return Error{"is a " + P.type() + ", but '" + Text + "' has " +
                   std::to_string(A->Array->Elements.size())};
    A->Value = std::move(A->Array->Elements);
    A->Array.reset();
    return A;
  }
  KernelArgument A;
  std::optional<std::string> Value;
  const char *Form = "";
  switch (P.Is) {
  case Kind::Pointer:
    Form = "an array (FILE.npy) or null";
    if (Text == "null")
      Value = std::string(P.Bytes, '\0');
    break;
  case Kind::Integer:
    Form = "an integer of that size";
    Value = integer(Text, P.Bytes);
    break;
  case Kind::Float:
    Form = "a number";
    Value = number(Text, P.Bytes);
    break;
  case Kind::Structure:
    Form = "an array of that size (FILE.npy)";
    break;
  }
  if (!Value)
    return Error{"is " + P.type() + ": '" + Text + "' is not " + Form};
  A.Value = std::move(*Value);
  return A;
}

} // namespace gmprof::kernel
