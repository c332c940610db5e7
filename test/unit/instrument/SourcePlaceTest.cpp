//===- SourcePlaceTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/SourcePlace.h"
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

/// A header that exists, and a temporary file that does not.
const std::string Ptx = ".version 9.0\n"
                        ".visible .entry _Z5scalePf(.param .u64 _Z5scalePf_param_0)\n"
                        "{\n"
                        "\t.loc\t2 3 5\n"
                        "\t.loc 1 3 5\n"
                        "\t.loc\t1 9 1, function_name $L__info_string0, inlined_at 2 4 7\n"
                        "\t.loc\t2 0 0\n"
                        "\t.loc\t21 3 5\n"
                        "}\n"
                        "\t.file\t1 \"/etc/passwd\"\n"
                        "\t.file\t2 \"/tmp/gone/1234.cubin.cu\", 17, 42\n";

/// Returns PTX in which the second text of each pair replaces the first one.
std::string with(std::string Text,
                 const std::vector<std::pair<std::string, std::string>> &Replacements) {
  for (const auto &[Old, New] : Replacements)
    Text.replace(Text.find(Old), Old.size(), New);
  return Text;
}

TEST(SourcePlace, LinesOfTextInAFileOfTheProgramAreThoseOfTheFile) {
  EXPECT_EQ(withSourcePlace(Ptx, {"/home/me/app.py", 11, true}),
            with(Ptx, {{".loc\t2 3", ".loc\t2 13"},
                       {"inlined_at 2 4", "inlined_at 2 14"},
                       {"/tmp/gone/1234.cubin.cu", "/home/me/app.py"}}));
}

TEST(SourcePlace, OtherTextIsTheSourceOfItsKernel) {
  EXPECT_EQ(
      withSourcePlace(Ptx, {"/home/me/app.py", 11, false}),
      with(Ptx, {{"/tmp/gone/1234.cubin.cu", "source of scale (compiled at /home/me/app.py:11)"}}));
}

TEST(SourcePlace, NothingChangesWithoutAPlaceOrAFile) {
  EXPECT_EQ(withSourcePlace(Ptx, {}), Ptx);
  EXPECT_EQ(withSourcePlace(Ptx, {"/home/me/\"app\".py", 11, true}), Ptx);
  const std::string There = with(Ptx, {{"/tmp/gone/1234.cubin.cu", "/etc/group"}});
  EXPECT_EQ(withSourcePlace(There, {"/home/me/app.py", 11, true}), There);
  EXPECT_EQ(withSourcePlace("", {"/home/me/app.py", 11, true}), "");
}

TEST(SourcePlace, BelongsToAThread) {
  SourcePlace::ofThread() = {"app.py", 1, true};
  EXPECT_EQ(SourcePlace::ofThread().File, "app.py");
  SourcePlace::ofThread() = {};
  EXPECT_EQ(SourcePlace::ofThread().File, "");
}

} // namespace
