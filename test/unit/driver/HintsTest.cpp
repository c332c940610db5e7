//===- HintsTest.cpp - Tests of the hints after clang's errors ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hints.h"
#include "../TemporaryFolder.h"
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>

using namespace gmprof::driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

constexpr const char *Shared = "initialization is not supported for __shared__ variables";

class Hints : public testing::Test {
protected:
  std::string write(const std::string &Name, const std::string &Text) {
    const std::string Path = Folder.file(Name);
    std::ofstream(Path) << Text;
    return Path;
  }
  /// The hints for one error in the last line of a file.
  std::vector<std::string> hints(const std::string &Message, const std::string &Text,
                                 unsigned Column) {
    Source = write("a.cu", Text + "\n");
    const auto Lines = static_cast<unsigned>(1 + std::ranges::count(Text, '\n'));
    return hintsFor({{"error", Source, Lines, Column, Message}});
  }

  gmprof::test::TemporaryFolder Folder;
  std::string Source;
};

TEST_F(Hints, DiagnosticsAreThoseOfAllCompilations) {
  const std::string Log = write("log", R"(<dict>
  <key>main-file</key>
  <string>a.cu</string>
  <key>diagnostics</key>
  <array>
    <dict>
      <key>level</key>
      <string>warning</string>
      <key>message</key>
      <string>no place</string>
    </dict>
    <dict>
      <key>level</key>
      <string>error</string>
      <key>filename</key>
      <string>a&amp;b.cu</string>
      <key>line</key>
      <integer>12</integer>
      <key>column</key>
      <integer>5</integer>
      <key>message</key>
      <string>expected &apos;&gt;&apos; of &lt;T&gt; &amp;lt;</string>
      <key>ID</key>
      <integer>1616</integer>
    </dict>
  </array>
</dict>
<dict>
  <key>diagnostics</key>
  <array>
    <dict>
      <key>level</key>
      <string>note</string>
      <key>filename</key>
      <string>c.h</string>
      <key>line</key>
      <integer>1</integer>
      <key>column</key>
      <integer>2</integer>
      <key>message</key>
      <string>host</string>
    </dict>
  </array>
</dict>
)");
  const std::vector<Diagnostic> All = readDiagnostics(Log);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].Level, "warning");
  EXPECT_EQ(All[0].File, "");
  EXPECT_EQ(All[0].Line, 0u);
  EXPECT_EQ(All[0].Message, "no place");
  EXPECT_EQ(All[1].Level, "error");
  EXPECT_EQ(All[1].File, "a&b.cu");
  EXPECT_EQ(All[1].Line, 12u);
  EXPECT_EQ(All[1].Column, 5u);
  EXPECT_EQ(All[1].Message, "expected '>' of <T> &lt;");
  EXPECT_EQ(All[2].File, "c.h");
  EXPECT_THAT(readDiagnostics(Folder.file("none")), IsEmpty());
  EXPECT_THAT(readDiagnostics(write("cut", "<key>level</key>\n<string>error")), IsEmpty());
}

TEST_F(Hints, LaunchWithSpacesInItsTokens) {
  const std::string Error = "expected expression";
  for (const char *Launch : {"  k<< <1, 32>> >(p);", "  k < <<1, 32>>>(p);", "  k<<<1, 32>> >(p);",
                             "  k <<\t<1, 32> >> (p);"})
    EXPECT_THAT(hints(Error, "int a;\n" + std::string(Launch), 7),
                ElementsAre(HasSubstr("/a.cu:2: clang does not accept spaces inside")))
        << Launch;
  EXPECT_THAT(hints(Error, "#define RUN(x) \\\n  k<< <1, 32>> >(x)\nvoid f() {\n RUN(p);", 2),
              ElementsAre(HasSubstr("/a.cu:2: ")));
  EXPECT_THAT(hints(Error, "  k<<<1, 32>>>(p) + ;", 21), IsEmpty());
  EXPECT_THAT(hints(Error, "  std::vector<std::vector<int> > v = ;", 38), IsEmpty());
  EXPECT_THAT(hints("no matching function", "  k<< <1, 32>> >(p);", 7), IsEmpty());
}

TEST_F(Hints, SharedVariableWithConstructor) {
  const std::vector<std::string> Scalar =
      hints(Shared, "  __shared__ cuda::barrier<cuda::thread_scope_block> bar;", 54);
  EXPECT_THAT(
      Scalar,
      ElementsAre(Source +
                  ":1: clang refuses a __shared__ variable whose type has a constructor or "
                  "destructor with code; nvcc warns and runs neither. Declare its storage "
                  "instead:\n"
                  "    __shared__ alignas(cuda::barrier<cuda::thread_scope_block>) unsigned "
                  "char barStorage[sizeof(cuda::barrier<cuda::thread_scope_block>)];\n"
                  "    auto &bar = reinterpret_cast<cuda::barrier<cuda::thread_scope_block> "
                  "&>(barStorage);\n"
                  "  Keep the call of init(&bar, count) by one thread before __syncthreads(), "
                  "which nvcc needs too."));
  EXPECT_THAT(hints(Shared, "__shared__ static alignas(16) Map<int, 4> m[2][3];", 43),
              ElementsAre(HasSubstr("alignas(Map<int, 4>) unsigned char mStorage[sizeof(Map<int, "
                                    "4>[2][3])];\n"
                                    "    auto &m = reinterpret_cast<Map<int, 4> (&)[2][3]>("
                                    "mStorage);")));
  // Declarations whose type cannot be named.
  for (auto [Line, Column] :
       {std::pair("__shared__ S a, b;", 12), {"__shared__ S a, b;", 15}, {"  DECLARE(bar);", 3}})
    EXPECT_THAT(hints(Shared, Line, static_cast<unsigned>(Column)),
                ElementsAre(HasSubstr("alignas(T) unsigned char variableStorage[sizeof(T)];")))
        << Line;
  // Declarations that nvcc refuses as well.
  EXPECT_THAT(hints(Shared, "__shared__ int i = 3;", 16), IsEmpty());
  EXPECT_THAT(hints(Shared, "__shared__ S s{};", 14), IsEmpty());
}

TEST_F(Hints, KeywordsThatAreDefinedAwayForOtherCompilers) {
  const std::string File = write(
      "a.h", "#pragma once\n#ifndef __NVCC__\n#define __device__\n#define __host__\n#endif\n");
  EXPECT_THAT(hintsFor({{"warning", File, 3, 9, "'__device__' macro redefined"},
                        {"warning", File, 4, 9, "'__host__' macro redefined"}}),
              ElementsAre(File +
                          ":2: the source defines __device__ away if __NVCC__ is not defined, "
                          "and clang does not define it: test __CUDACC__, which nvcc and "
                          "clang define"));
  // Another macro, and a keyword that no test of __NVCC__ precedes.
  EXPECT_THAT(hintsFor({{"warning", File, 3, 9, "'device' macro redefined"}}), IsEmpty());
  const std::string Other = write("b.h", "#define __device__\n#ifdef __NVCC__\n#endif\n");
  EXPECT_THAT(hintsFor({{"warning", Other, 1, 9, "'__device__' macro redefined"}}), IsEmpty());
}

TEST_F(Hints, EachCauseOnce) {
  const std::string File = write("a.cu", "__shared__ S s;\n__shared__ S t;\nk<< <1, 1>> >();\n");
  EXPECT_THAT(hintsFor({{"error", File, 1, 14, Shared},
                        {"error", File, 2, 14, Shared},
                        {"error", File, 3, 5, "expected expression"},
                        {"error", File, 3, 14, "expected expression"}}),
              ElementsAre(StartsWith(File + ":3: "), StartsWith(File + ":1: ")));
  EXPECT_THAT(hintsFor({{"warning", File, 1, 14, Shared}}), IsEmpty());
}

} // namespace
