//===- TemporaryFolder.h - A folder of one test's own -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_TEMPORARYFOLDER_H
#define GMPROF_TEST_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace gmprof::test {

/// A folder that no other test uses, removed with this object. Tests of one fixture run
/// concurrently, in processes of their own: with a fixed name they would share a folder.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string Template = testing::TempDir() + "gmprof-test-XXXXXX";
    if (const char *Name = ::mkdtemp(Template.data()))
      Path = Name;
    else
      ADD_FAILURE() << "cannot make " << Template;
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return Path; }
  std::string file(const std::string &Name) const { return Path + "/" + Name; }

private:
  std::string Path;
};

} // namespace gmprof::test

#endif // GMPROF_TEST_TEMPORARYFOLDER_H
