//===- WrittenText.h - Text that a writer writes ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_WRITTENTEXT_H
#define GMPROF_TEST_WRITTENTEXT_H

#include <cstdio>
#include <gtest/gtest.h>
#include <string>

namespace gmprof::test {

/// Returns the text that Write writes to a file. Write returns whether it succeeded.
template <typename Function> std::string writtenText(Function Write) {
  std::FILE *To = std::tmpfile();
  EXPECT_TRUE(Write(To));
  EXPECT_EQ(std::fseek(To, 0, SEEK_SET), 0);
  std::string Text;
  char Buffer[4096];
  while (size_t Got = std::fread(Buffer, 1, sizeof(Buffer), To))
    Text.append(Buffer, Got);
  std::fclose(To);
  return Text;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_WRITTENTEXT_H
