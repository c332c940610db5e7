//===- DescriptorParts.h - Bytes of a kernel descriptor ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_DESCRIPTORPARTS_H
#define GMPROF_PROFILE_DESCRIPTORPARTS_H

#include "gmprof/abi/descriptor.h"
#include "profile/Result.h"
#include "profile/model/Run.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gmprof {

/// Reads strings and arrays of a descriptor. Each function returns true if what it reads is in the
/// descriptor; else error() says why it is not.
class DescriptorParts {
public:
  explicit DescriptorParts(std::span<const std::byte> Bytes) : Bytes(Bytes) {}

  /// Finds the strings. Must precede the functions that read any.
  bool strings() {
    if (Header.stringsOffset > Bytes.size() ||
        Header.stringsBytes > Bytes.size() - Header.stringsOffset)
      return invalid("its strings lie outside it");
    Strings = Bytes.subspan(Header.stringsOffset, Header.stringsBytes);
    // Offset 0 is the empty string, and every string ends within the strings.
    if (Strings.empty() || Strings.front() != std::byte{0} || Strings.back() != std::byte{0})
      return invalid("its strings do not begin and end with NUL");
    return text(Directory, Header.directory);
  }

  bool text(std::string &To, uint32_t Offset) {
    if (Offset >= Strings.size())
      return invalid("a name lies outside its strings");
    To = reinterpret_cast<const char *>(Strings.data()) + Offset;
    return true;
  }

  /// Reads the position of a line, whose file is relative to the compilation directory.
  bool file(profile::SourcePosition &To, uint32_t File, uint32_t Line) {
    if (!text(To.File, File))
      return false;
    if (!To.File.empty() && To.File[0] != '/' && !Directory.empty())
      To.File = (std::filesystem::path(Directory) / To.File).lexically_normal().string();
    To.Line = Line;
    return true;
  }

  template <typename T> bool array(std::vector<T> &To, uint32_t Offset, uint32_t Count) {
    if (Offset > Bytes.size() || Count > (Bytes.size() - Offset) / sizeof(T))
      return invalid("an array lies outside it");
    To.resize(Count);
    if (Count != 0)
      std::memcpy(To.data(), Bytes.data() + Offset, Count * sizeof(T));
    return true;
  }

  bool invalid(const char *What) {
    Why = What;
    return false;
  }
  Error error() const { return {"its descriptor is invalid: " + Why}; }

  std::span<const std::byte> Bytes;
  GmprofKernelDesc Header = {};
  std::string Why;

private:
  std::span<const std::byte> Strings;
  std::string Directory;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_DESCRIPTORPARTS_H
