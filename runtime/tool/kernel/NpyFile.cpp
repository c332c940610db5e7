//===- NpyFile.cpp - Arrays in files of NumPy -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/NpyFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace gmprof::kernel {
namespace {

constexpr std::string_view Magic = "\x93NUMPY";

/// Returns what follows `'Key':` in a header, without leading spaces.
std::optional<std::string_view> valueOf(std::string_view Header, const std::string &Key) {
  const std::string Quoted = "'" + Key + "':";
  const size_t At = Header.find(Quoted);
  if (At == std::string_view::npos)
    return std::nullopt;
  Header.remove_prefix(At + Quoted.size());
  Header.remove_prefix(std::min(Header.find_first_not_of(' '), Header.size()));
  return Header;
}

/// Returns the bytes of an element of a type such as "<f4"; 0 if it is not supported.
size_t elementBytes(std::string_view Type) {
  if (Type.size() != 3 && Type != "<c16")
    return 0;
  if (std::string_view("biufc").find(Type[1]) == std::string_view::npos)
    return 0;
  const size_t Bytes = Type == "<c16" ? 16 : Type[2] - '0';
  if (Bytes != 1 && Bytes != 2 && Bytes != 4 && Bytes != 8 && Bytes != 16)
    return 0;
  return Type[0] == (Bytes == 1 ? '|' : '<') ? Bytes : 0;
}

/// Decodes "(3, 4)", "(3,)" or "()".
std::optional<std::vector<uint64_t>> shapeOf(std::string_view Text) {
  const size_t End = Text.find(')');
  if (!Text.starts_with("(") || End == std::string_view::npos)
    return std::nullopt;
  std::vector<uint64_t> Shape;
  bool InNumber = false;
  for (const char C : Text.substr(1, End - 1)) {
    const bool Digit = C >= '0' && C <= '9';
    if (!Digit && C != ',' && C != ' ')
      return std::nullopt;
    if (Digit && !InNumber)
      Shape.push_back(0);
    if (Digit && (__builtin_mul_overflow(Shape.back(), 10, &Shape.back()) ||
                  __builtin_add_overflow(Shape.back(), C - '0', &Shape.back())))
      return std::nullopt;
    InNumber = Digit;
  }
  return Shape;
}

} // namespace

Result<NpyArray> decodeNpy(std::string_view Bytes) {
  if (!Bytes.starts_with(Magic) || Bytes.size() < Magic.size() + 4)
    return Error{"is not an .npy file"};
  const int Major = static_cast<unsigned char>(Bytes[6]);
  if (Major != 1 && Major != 2)
    return Error{"has version " + std::to_string(Major) + " of the .npy format, not 1 or 2"};
  const size_t LengthBytes = Major == 1 ? 2 : 4;
  uint32_t Length = 0;
  size_t Begin = Magic.size() + 2;
  if (Bytes.size() < Begin + LengthBytes)
    return Error{"ends in its header"};
  std::memcpy(&Length, Bytes.data() + Begin, LengthBytes);
  Begin += LengthBytes;
  if (Bytes.size() - Begin < Length)
    return Error{"ends in its header"};
  const std::string_view Header = Bytes.substr(Begin, Length);

  const auto Type = valueOf(Header, "descr"), Order = valueOf(Header, "fortran_order"),
             Shape = valueOf(Header, "shape");
  if (!Type || !Order || !Shape)
    return Error{"has a header without descr, fortran_order or shape"};
  NpyArray Array;
  Array.Header = Bytes.substr(0, Begin + Length);
  if (Type->starts_with("'"))
    Array.Type = Type->substr(1, Type->find('\'', 1) - 1);
  const size_t ElementBytes = elementBytes(Array.Type);
  if (ElementBytes == 0)
    return Error{"has elements of type " +
                 (Array.Type.empty() ? std::string("record") : "'" + Array.Type + "'") +
                 ", not little-endian numbers: convert it with astype('<f4')"};
  if (!Order->starts_with("False"))
    return Error{"is in Fortran order: save numpy.ascontiguousarray of it"};
  const auto Dimensions = shapeOf(*Shape);
  if (!Dimensions)
    return Error{"has a malformed shape"};
  Array.Shape = *Dimensions;
  uint64_t Wanted = ElementBytes;
  for (const uint64_t D : Array.Shape)
    if (__builtin_mul_overflow(Wanted, D, &Wanted))
      return Error{"has a malformed shape"};
  Array.Elements = Bytes.substr(Begin + Length);
  if (Array.Elements.size() != Wanted)
    return Error{"has " + std::to_string(Array.Elements.size()) + " bytes of elements, but its " +
                 "shape and type need " + std::to_string(Wanted)};
  return Array;
}

Result<NpyArray> readNpy(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  if (!In)
    return Error{"'" + File + "' cannot be read: " + std::strerror(errno)};
  const std::string Bytes{std::istreambuf_iterator<char>(In), {}};
  Result<NpyArray> Array = decodeNpy(Bytes);
  if (!Array)
    return Error{"'" + File + "' " + Array.error()};
  return Array;
}

std::string writeNpy(const std::string &File, const NpyArray &Array) {
  std::ofstream Out(File, std::ios::binary);
  Out << Array.Header << Array.Elements;
  Out.close();
  return Out ? "" : "'" + File + "' cannot be written: " + std::strerror(errno);
}

} // namespace gmprof::kernel
