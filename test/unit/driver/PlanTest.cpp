//===- PlanTest.cpp - Tests of the driver's commands ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include <algorithm>
#include <gmock/gmock.h>

using namespace gmprof::driver;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

namespace {

const Toolchain Tools = {"/llvm/clang++", "/cuda", "/gmprof/lib", "/gmprof/include"};

std::vector<Command> plan(const std::vector<std::string> &Arguments) {
  CommandLine Line = parse(Arguments);
  std::vector<Command> Commands = planCommands(Line, Tools, {"sm_90"}, "/tmp/t");
  EXPECT_THAT(Line.Errors, testing::IsEmpty());
  return Commands;
}

ptrdiff_t position(const Command &C, const std::string &Word) {
  return std::ranges::find(C, Word) - C.begin();
}

constexpr const char *Plugin = "-fpass-plugin=/gmprof/lib/libGMPass.so";

TEST(Plan, OneSourceIsOneCommand) {
  std::vector<Command> Commands = plan({"-O2", "a.cu", "-o", "a"});
  ASSERT_THAT(Commands, SizeIs(1));
  EXPECT_THAT(Commands[0],
              ElementsAre("/llvm/clang++", "--cuda-path=/cuda", "-Wno-unknown-cuda-version",
                          "--cuda-gpu-arch=sm_90", "-isystem", "/cuda/include/cccl",
                          "-D_CG_CLUSTER_INTRINSICS_AVAILABLE", "-idirafter", "/gmprof/include",
                          "-include", "/gmprof/lib/gmprof/NvccCompatibility.h", Plugin, "-Xclang",
                          "-debug-info-kind=line-tables-only", "-mllvm", "-gm-strip-debug-info",
                          "-mllvm", "-gm-whole-program", "-mllvm", "-gm-bitcode=/tmp/t/0.bc",
                          "-mllvm", "-gm-clones=demand", "-L/gmprof/lib", "-Wl,-rpath,/gmprof/lib",
                          "-Wl,--push-state,--no-as-needed", "-lgmprof", "-Wl,--pop-state", "-O2",
                          "a.cu", "-o", "a", "-L/cuda/lib64", "-Wl,-rpath,/cuda/lib64",
                          "-lcudart"));
}

TEST(Plan, UsersDebugInfoStays) {
  Command C = plan({"-c", "-g", "a.cu"})[0];
  EXPECT_THAT(C, Not(Contains("-gline-tables-only")));
  EXPECT_THAT(C, Contains("-g"));
}

TEST(Plan, PluginReducesDebugInfoOfOptimisedCode) {
  const std::string Reduce = "-gm-line-directives";
  for (const char *Flag : {"-g", "-g2", "-ggdb", "-gdwarf-5"})
    EXPECT_THAT(plan({"-c", Flag, "-O2", "a.cu"})[0], Contains(Reduce)) << Flag;
  for (const char *Flag : {"-g0", "-g1", "-gline-tables-only", "-lineinfo"})
    EXPECT_THAT(plan({"-c", Flag, "-O2", "a.cu"})[0], Not(Contains(Reduce))) << Flag;
  EXPECT_THAT(plan({"-c", "-g", "a.cu"})[0], Not(Contains(Reduce)));
  EXPECT_THAT(plan({"-c", "-g", "-O2", "-O0", "a.cu"})[0], Not(Contains(Reduce)));
  EXPECT_THAT(plan({"-c", "-G", "-O2", "a.cu"})[0], Not(Contains(Reduce)));
  EXPECT_THAT(plan({"-c", "-g", "-O2", "--gmprof-off", "a.cu"})[0], Not(Contains(Reduce)));
}

TEST(Plan, PluginKnowsWhereNoDeviceCodeIsLinked) {
  const std::string Whole = "-gm-whole-program";
  EXPECT_THAT(plan({"-c", "a.cu"})[0], Contains(Whole));
  EXPECT_THAT(plan({"-c", "-rdc=true", "-fno-gpu-rdc", "a.cu"})[0], Contains(Whole));
  for (const char *Flag : {"-dc", "-rdc=true", "-fgpu-rdc"})
    EXPECT_THAT(plan({"-c", Flag, "a.cu"})[0], Not(Contains(Whole))) << Flag;
}

TEST(Plan, CompilingDoesNotLink) {
  Command C = plan({"-c", "a.cu"})[0];
  EXPECT_THAT(C, Not(Contains("-lgmprof")));
  EXPECT_THAT(C, Not(Contains("-lcudart")));
}

TEST(Plan, HostSourceNeedsNoPlugin) {
  EXPECT_THAT(plan({"-c", "a.cpp"})[0],
              ElementsAre("/llvm/clang++", "-idirafter", "/cuda/include", "-idirafter",
                          "/gmprof/include", "-c", "a.cpp"));
}

TEST(Plan, DeviceFlagsAreForCudaAlone) {
  EXPECT_THAT(plan({"-c", "a.cpp", "-use_fast_math", "-rdc=true", "-Xptxas", "-v"})[0],
              ElementsAre("/llvm/clang++", "-idirafter", "/cuda/include", "-idirafter",
                          "/gmprof/include", "-c", "a.cpp"));
}

TEST(Plan, ObjectsAreLinkedByTheOffloadLinker) {
  Command C = plan({"a.o", "b.o", "-rdc=true", "-o", "ab"})[0];
  EXPECT_THAT(C, Contains("--offload-link"));
  EXPECT_THAT(C, Contains("--cuda-path=/cuda"));
  EXPECT_THAT(C, Not(Contains("-fgpu-rdc")));
  EXPECT_THAT(C, Not(Contains(Plugin)));
}

TEST(Plan, LibgmprofComesBeforeTheUsersLibcudart) {
  Command C = plan({"a.o", "-lcudart"})[0];
  EXPECT_LT(position(C, "-lgmprof"), position(C, "-lcudart"));
}

TEST(Plan, SeveralSourcesHaveTheirOwnBitcode) {
  std::vector<Command> Commands = plan({"-O2", "a.cu", "c.o", "b.cpp", "d.cu", "-lm", "-o", "x"});
  ASSERT_THAT(Commands, SizeIs(4));
  EXPECT_THAT(Commands[0], IsSupersetOf({"-O2", "-c", "a.cu", Plugin, "-gm-bitcode=/tmp/t/0.bc",
                                         "-o", "/tmp/t/0.o"}));
  EXPECT_THAT(Commands[1],
              ElementsAre("/llvm/clang++", "-idirafter", "/cuda/include", "-idirafter",
                          "/gmprof/include", "-O2", "-c", "b.cpp", "-o", "/tmp/t/1.o"));
  EXPECT_THAT(Commands[2], IsSupersetOf({"d.cu", "-gm-bitcode=/tmp/t/2.bc", "/tmp/t/2.o"}));
  // The link has the inputs in the order of the command line.
  const Command &Link = Commands[3];
  EXPECT_THAT(Link, IsSupersetOf({"/tmp/t/0.o", "c.o", "/tmp/t/1.o", "/tmp/t/2.o", "-lm", "x"}));
  EXPECT_LT(position(Link, "/tmp/t/0.o"), position(Link, "c.o"));
  EXPECT_LT(position(Link, "c.o"), position(Link, "/tmp/t/1.o"));
  EXPECT_THAT(Commands[0], Not(Contains("-lm")));
}

TEST(Plan, SeveralSourcesCompiledToObjects) {
  std::vector<Command> Commands = plan({"-c", "dir/a.cu", "b.cu", "-odir", "out"});
  ASSERT_THAT(Commands, SizeIs(2));
  EXPECT_EQ(Commands[0].back(), "out/a.o");
  EXPECT_EQ(Commands[1].back(), "out/b.o");
}

TEST(Plan, ForcedLanguageIsForSourcesAlone) {
  Command C = plan({"-x", "cu", "a.cpp", "b.o"})[0];
  ptrdiff_t Input = position(C, "a.cpp");
  EXPECT_EQ(C[Input - 2], "-x");
  EXPECT_EQ(C[Input - 1], "cuda");
  EXPECT_EQ(C[Input + 1], "-x");
  EXPECT_EQ(C[Input + 2], "none");
  EXPECT_THAT(plan({"-c", "-x", "cu", "a.cpp"})[0], Not(Contains("none")));
}

TEST(Plan, OffOnlyAddsWhatClangLacks) {
  Command C = plan({"--gmprof-off", "a.cu"})[0];
  EXPECT_THAT(C, IsSupersetOf({Plugin, "-gm-off"}));
  EXPECT_THAT(C, Not(Contains("-gm-bitcode=/tmp/t/0.bc")));
  EXPECT_THAT(C, Not(Contains("-lgmprof")));
  EXPECT_THAT(C, Contains("-lcudart"));
}

TEST(Plan, NothingToEmbedWithoutHostCode) {
  Command C = plan({"--cuda-device-only", "-S", "a.cu"})[0];
  EXPECT_THAT(C, Contains(Plugin));
  EXPECT_THAT(C, Not(Contains("-gm-bitcode=/tmp/t/0.bc")));
  EXPECT_THAT(C, Not(Contains("-gm-clones=demand")));
}

TEST(Plan, ClonesAreMadeOnDemandWhereThatIsPossible) {
  constexpr const char *Demand = "-gm-clones=demand";
  EXPECT_THAT(plan({"-c", "a.cu"})[0], Contains(Demand));
  EXPECT_THAT(plan({"-c", "a.cu", "--gmprof-clones=demand"})[0], Contains(Demand));
  for (const std::vector<std::string> &Compiled :
       std::vector<std::vector<std::string>>{{"--gmprof-clones=compiled"},
                                             {"-rdc=true"},
                                             {"--gmprof-profile=heat"},
                                             {"-mllvm", "-gm-profile=heat"},
                                             {"-cubin"}}) {
    std::vector<std::string> Words = {"-c", "a.cu"};
    Words.insert(Words.end(), Compiled.begin(), Compiled.end());
    EXPECT_THAT(plan(Words)[0], Not(Contains(Demand))) << Compiled.back();
  }
}

TEST(Plan, ClonesOnDemandThatAreNotPossibleAreAnError) {
  CommandLine Line = parse({"-c", "a.cu", "-rdc=true", "--gmprof-clones=demand"});
  planCommands(Line, Tools, {"sm_90"}, "/tmp/t");
  EXPECT_THAT(Line.Errors, ElementsAre("--gmprof-clones=demand is not possible: relocatable device "
                                       "code has compiled clones"));
}

TEST(Plan, QueriesAreClangsOwn) {
  EXPECT_THAT(plan({"-print-search-dirs"})[0], ElementsAre("/llvm/clang++", "-print-search-dirs"));
}

TEST(Plan, PtxForRequestedArchitectures) {
  EXPECT_THAT(plan({"-c", "a.cu", "-gencode=arch=compute_90,code=compute_90"})[0],
              Contains("--cuda-include-ptx=sm_90"));
}

TEST(Plan, OneOutputForSeveralObjectsIsAnError) {
  CommandLine Line = parse({"-c", "a.cu", "b.cu", "-o", "c.o"});
  planCommands(Line, Tools, {"sm_90"}, "/tmp/t");
  EXPECT_THAT(Line.Errors, ElementsAre("-o names one file, but several are compiled"));
}

} // namespace
