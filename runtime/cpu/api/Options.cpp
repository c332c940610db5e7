//===- Options.cpp - Settings of the CPU device ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Options.h"
#include "cpu/api/Errors.h"
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>

namespace gmprof::cpu::api {

namespace {

/// Parses "64", "0x7f" or "8G".
std::optional<uint64_t> parseNumber(const char *Text) {
  char *End = nullptr;
  errno = 0;
  uint64_t Value = strtoull(Text, &End, 0);
  if (End == Text || errno != 0 || *Text == '-')
    return std::nullopt;
  unsigned Shift = 0;
  if (*End == 'K' || *End == 'k')
    Shift = 10;
  else if (*End == 'M' || *End == 'm')
    Shift = 20;
  else if (*End == 'G' || *End == 'g')
    Shift = 30;
  if (Shift != 0)
    ++End;
  if (*End != '\0' || Value > std::numeric_limits<uint64_t>::max() >> Shift)
    return std::nullopt;
  return Value << Shift;
}

template <typename T> void readNumber(const char *Name, uint64_t Least, uint64_t Most, T &Value) {
  const char *Text = getenv(Name);
  if (!Text)
    return;
  std::optional<uint64_t> Number = parseNumber(Text);
  if (Number && *Number >= Least && *Number <= Most)
    Value = static_cast<T>(*Number);
  else
    complain(std::string(Name) + "=" + Text + " is not a number from " + std::to_string(Least) +
             " to " + std::to_string(Most) + "; using " + std::to_string(Value));
}

} // namespace

Options Options::fromEnvironment() {
  Options O;
  readNumber("GMPROF_CPU_DEVICES", 1, 16, O.Devices);
  readNumber("GMPROF_CPU_MEMORY", uint64_t(1) << 20, uint64_t(1) << 40, O.MemoryBytes);
  readNumber("GMPROF_CPU_SMS", 1, 1024, O.Processors);
  readNumber("GMPROF_CPU_FILL", 0, 0xffffffff, O.Fill);
  if (const char *Text = getenv("GMPROF_CPU_ARCH"))
    O.Architecture = Text;
  return O;
}

const Options &options() {
  static const Options Read = Options::fromEnvironment();
  return Read;
}

} // namespace gmprof::cpu::api
