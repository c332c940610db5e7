//===- Printf.cpp - Formatting of device printf ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each conversion is a separate snprintf call. Strings are copied first, so that a bad pointer
// faults outside the C library.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Printf.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace gmprof::cpu {

namespace {

class Formatter {
public:
  Formatter(std::string &To, const char *Args) : To(To), Args(Args) {}
  int run(const char *Format);

private:
  template <class T> T take() {
    Offset = (Offset + sizeof(T) - 1) & ~(sizeof(T) - 1);
    T Value;
    memcpy(&Value, Args + Offset, sizeof(T));
    Offset += sizeof(T);
    ++Used;
    return Value;
  }
  template <class T> void print(const std::string &Spec, T Value);
  const char *conversion(const char *At);

  std::string &To;
  const char *Args;
  size_t Offset = 0;
  int Used = 0;
};

template <class T> void Formatter::print(const std::string &Spec, T Value) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  char Short[128];
  int Length = snprintf(Short, sizeof(Short), Spec.c_str(), Value);
  if (Length < 0)
    return;
  if (size_t(Length) < sizeof(Short)) {
    To.append(Short, Length);
    return;
  }
  std::vector<char> Long(size_t(Length) + 1);
  snprintf(Long.data(), Long.size(), Spec.c_str(), Value);
#pragma clang diagnostic pop
  To.append(Long.data(), Length);
}

/// Appends a conversion; At is behind the '%'. Returns the end of the conversion.
const char *Formatter::conversion(const char *At) {
  std::string Spec = "%";
  auto Number = [&] {
    if (*At == '*') {
      Spec += std::to_string(take<int32_t>());
      ++At;
    }
    while (*At >= '0' && *At <= '9')
      Spec += *At++;
  };
  while (*At && strchr("-+ #0", *At))
    Spec += *At++;
  Number();
  if (*At == '.') {
    Spec += *At++;
    Number();
  }
  // Sizes match the host's: long is 8 bytes.
  bool Wide = false;
  std::string Size;
  while (*At && strchr("hlLqjzt", *At)) {
    Wide |= strchr("lLqjzt", *At) != nullptr;
    Size += *At++;
  }
  char Kind = *At;
  switch (Kind) {
  case '%':
    To += '%';
    break;
  case 'd':
  case 'i':
    if (Wide)
      print(Spec + "ll" + Kind, static_cast<long long>(take<int64_t>()));
    else
      print(Spec + Size + Kind, take<int32_t>());
    break;
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    if (Wide)
      print(Spec + "ll" + Kind, static_cast<unsigned long long>(take<uint64_t>()));
    else
      print(Spec + Size + Kind, take<uint32_t>());
    break;
  case 'c':
    print(Spec + Kind, take<int32_t>());
    break;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    print(Spec + Kind, take<double>());
    break;
  case 'p':
    print(Spec + Kind, take<const void *>());
    break;
  case 's': {
    const char *Pointer = take<const char *>();
    std::string Copy;
    for (const char *C = Pointer ? Pointer : "(null)"; *C; ++C)
      Copy += *C;
    print(Spec + Kind, Copy.c_str());
    break;
  }
  case 0: // CUDA prints an incomplete conversion unchanged
    To += Spec;
    return At;
  default:
    To += Spec + Size + Kind;
    break;
  }
  return At + 1;
}

int Formatter::run(const char *Format) {
  while (*Format) {
    const char *Percent = strchr(Format, '%');
    if (!Percent) {
      To += Format;
      break;
    }
    To.append(Format, Percent);
    Format = conversion(Percent + 1);
  }
  return Used;
}

} // namespace

int appendFormatted(std::string &To, const char *Format, const char *Args) {
  return Format ? Formatter(To, Args).run(Format) : -1;
}

} // namespace gmprof::cpu
