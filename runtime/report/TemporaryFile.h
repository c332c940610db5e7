//===- TemporaryFile.h - A file for a while ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEMPORARYFILE_H
#define GMPROF_REPORT_TEMPORARYFILE_H

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace gmprof {

/// An empty file that is gone when this is.
struct TemporaryFile {
  std::string Path = (std::filesystem::temp_directory_path() / "gmprof-trace-XXXXXX").string();
  int Descriptor = ::mkstemp(Path.data());

  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (Descriptor < 0)
      return;
    ::close(Descriptor);
    std::error_code Ignored;
    std::filesystem::remove(Path, Ignored);
  }
};

} // namespace gmprof

#endif // GMPROF_REPORT_TEMPORARYFILE_H
