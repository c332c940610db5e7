//===- FlagsTest.cpp - Tests of the driver's flag table -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "../TemporaryFolder.h"
#include "ResponseFiles.h"
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>

using namespace gmprof::driver;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Returns all words passed to clang, including inputs, except architectures.
std::vector<std::string> translated(const std::vector<std::string> &Arguments) {
  CommandLine Line = parse(Arguments);
  EXPECT_THAT(Line.Errors, IsEmpty());
  EXPECT_THAT(Line.Warnings, IsEmpty());
  std::vector<std::string> Words;
  for (const Item &I : Line.Items)
    Words.insert(Words.end(), I.Words.begin(), I.Words.end());
  return Words;
}

std::vector<std::string> archs(const std::vector<std::string> &Arguments) {
  CommandLine Line = parse(Arguments);
  EXPECT_THAT(Line.Errors, IsEmpty());
  return Line.Archs;
}

std::string error(const std::vector<std::string> &Arguments) {
  CommandLine Line = parse(Arguments);
  return Line.Errors.empty() ? "" : Line.Errors.front();
}

TEST(Flags, ClangsOwnGoThroughUnchanged) {
  std::vector<std::string> Arguments = {"-O3",     "-Wall", "-fPIC",  "-std=c++20", "-Ifoo",
                                        "-DA=1",   "-g",    "-mavx2", "-pthread",   "-fopenmp",
                                        "-Xclang", "-x",    "-mllvm", "-debug",     "a.cu"};
  EXPECT_EQ(translated(Arguments), Arguments);
}

TEST(Flags, ValueInTheNextWordIsNoInput) {
  CommandLine Line = parse({"-I", "dir.cu", "-include", "b.cu", "-MF", "c.cu", "a.cu"});
  ASSERT_EQ(Line.Items.size(), 4u);
  EXPECT_THAT(Line.Items[0].Words, ElementsAre("-Idir.cu"));
  EXPECT_THAT(Line.Items[1].Words, ElementsAre("-include", "b.cu"));
  EXPECT_THAT(Line.Items[2].Words, ElementsAre("-MF", "c.cu"));
  EXPECT_EQ(Line.Items[3].For, Use::Input);
}

TEST(Flags, PathsInNvccsSpelling) {
  EXPECT_THAT(translated({"-I=a", "-isystem=b", "-L=c", "--include-path=d,e"}),
              ElementsAre("-Ia", "-isystemb", "-Lc", "-Id", "-Ie"));
}

TEST(Flags, NvccArchitecture) {
  EXPECT_THAT(archs({"-arch=sm_90"}), ElementsAre("sm_90"));
  EXPECT_THAT(archs({"-arch", "sm_90"}), ElementsAre("sm_90"));
  EXPECT_THAT(archs({"--gpu-architecture=sm_90a"}), ElementsAre("sm_90a"));
  EXPECT_THAT(archs({"-arch=native"}), ElementsAre("native"));
  EXPECT_THAT(archs({"-arch=all-major"}), ElementsAre("all-major"));
  EXPECT_THAT(archs({"-arch=compute_80", "-code=sm_86,sm_90"}), ElementsAre("sm_86", "sm_90"));
  EXPECT_THAT(archs({"--cuda-gpu-arch=sm_80", "--offload-arch=sm_86,sm_90"}),
              ElementsAre("sm_80", "sm_86", "sm_90"));
}

TEST(Flags, VirtualArchitectureAloneStandsForCodeAndPtx) {
  CommandLine Line = parse({"-arch=compute_80"});
  EXPECT_THAT(Line.Archs, ElementsAre("sm_80"));
  EXPECT_THAT(Line.PtxArchs, ElementsAre("sm_80"));
}

TEST(Flags, Gencode) {
  EXPECT_THAT(
      archs({"-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"}),
      ElementsAre("sm_80", "sm_90"));
  CommandLine Line = parse({"--generate-code=arch=compute_90,code=[compute_90,sm_90]"});
  EXPECT_THAT(Line.Archs, ElementsAre("sm_90", "sm_90"));
  EXPECT_THAT(Line.PtxArchs, ElementsAre("sm_90"));
  EXPECT_THAT(archs({"-gencode", "arch=compute_80,code=\"sm_80,sm_86\""}),
              ElementsAre("sm_80", "sm_86"));
  EXPECT_EQ(error({"-gencode", "sm_90"}),
            "-gencode 'sm_90' is not of the form arch=compute_XX,code=sm_XX");
  EXPECT_EQ(error({"-gencode=arch=compute_90,code=lto_90"}),
            "-gencode asks for 'lto_90', which clang cannot make: use sm_90");
}

TEST(Flags, RelocatableDeviceCode) {
  EXPECT_THAT(translated({"-rdc=true"}), ElementsAre("-fgpu-rdc"));
  EXPECT_THAT(translated({"-rdc", "true"}), ElementsAre("-fgpu-rdc"));
  EXPECT_THAT(translated({"--relocatable-device-code=false"}), ElementsAre("-fno-gpu-rdc"));
  EXPECT_EQ(error({"-rdc=maybe"}), "-rdc takes true or false, not 'maybe'");
  CommandLine Line = parse({"-dc", "a.cu"});
  EXPECT_EQ(Line.LastPhase, Phase::Compile);
  EXPECT_THAT(translated({"-dc"}), ElementsAre("-fgpu-rdc", "-c"));
  EXPECT_EQ(parse({"-dlink"}).LastPhase, Phase::DeviceLink);
}

TEST(Flags, HostCompilerOptions) {
  EXPECT_THAT(translated({"-Xcompiler", "-Wall,-fPIC"}), ElementsAre("-Wall", "-fPIC"));
  EXPECT_THAT(translated({"-Xcompiler=-Wall -O3"}), ElementsAre("-Wall", "-O3"));
  EXPECT_THAT(translated({"--compiler-options", "-fopenmp"}), ElementsAre("-fopenmp"));
  CommandLine Line = parse({"-Xcompiler", "\"-Wl,-rpath,/x\""});
  ASSERT_EQ(Line.Items.size(), 1u);
  EXPECT_EQ(Line.Items[0].For, Use::Linking);
  EXPECT_THAT(Line.Items[0].Words, ElementsAre("-Wl,-rpath,/x"));
}

TEST(Flags, ToolOptions) {
  EXPECT_THAT(translated({"-Xptxas", "-v,-O3"}),
              ElementsAre("-Xcuda-ptxas", "-v", "-Xcuda-ptxas", "-O3"));
  EXPECT_THAT(translated({"--ptxas-options=-v"}), ElementsAre("-Xcuda-ptxas", "-v"));
  EXPECT_THAT(translated({"-maxrregcount", "32"}), ElementsAre("-Xcuda-ptxas", "-maxrregcount=32"));
  EXPECT_THAT(translated({"--split-compile=0"}), ElementsAre("-Xcuda-ptxas", "--split-compile=0"));
  EXPECT_THAT(translated({"-Xlinker", "-rpath,/x"}),
              ElementsAre("-Xlinker", "-rpath", "-Xlinker", "/x"));
  EXPECT_THAT(translated({"-Xnvlink", "-v"}), ElementsAre("-Xoffload-linker", "-v"));
}

TEST(Flags, FloatingPoint) {
  EXPECT_THAT(translated({"-ftz=true"}), ElementsAre("-fgpu-flush-denormals-to-zero"));
  EXPECT_THAT(translated({"-fmad=false"}), ElementsAre("-Xarch_device", "-ffp-contract=off"));
  EXPECT_THAT(translated({"--prec-div=false"}),
              ElementsAre("-Xarch_device", "-mllvm=-nvptx-prec-divf32=1"));
  EXPECT_EQ(translated({"-use_fast_math"}), translated({"--use_fast_math"}));
  EXPECT_EQ(translated({"-use_fast_math"}).front(), "-fgpu-approx-transcendentals");
}

TEST(Flags, DebugInfo) {
  EXPECT_THAT(translated({"-lineinfo"}), ElementsAre("-gline-tables-only"));
  EXPECT_THAT(translated({"-G"}), ElementsAre("-g", "-Xarch_device", "-O0"));
  EXPECT_THAT(translated({"-G", "-O3"}), ElementsAre("-g", "-O3", "-Xarch_device", "-O0"));
  for (const char *Flag : {"-lineinfo", "-G", "-g", "-g0", "-ggdb", "--debug"})
    EXPECT_TRUE(parse({Flag}).DebugInfo) << Flag;
  EXPECT_FALSE(parse({"-O2", "-gcc-toolchain", "/usr"}).DebugInfo);
}

TEST(Flags, LongestNameWins) {
  // -lineinfo does not link a library ineinfo.
  EXPECT_THAT(translated({"-lineinfo"}), ElementsAre("-gline-tables-only"));
  EXPECT_THAT(translated({"-lm"}), ElementsAre("-lm"));
  EXPECT_THAT(translated({"-l", "m"}), ElementsAre("-lm"));
}

TEST(Flags, Languages) {
  CommandLine Line = parse({"-x", "cu", "a.cpp", "b.o", "-xnone", "c.cpp", "d.cu"});
  ASSERT_EQ(Line.Items.size(), 4u);
  EXPECT_EQ(Line.Items[0].Lang, Language::Cuda);
  EXPECT_EQ(Line.Items[0].ForcedLanguage, "cuda");
  EXPECT_EQ(Line.Items[1].Lang, Language::None);
  EXPECT_EQ(Line.Items[2].Lang, Language::Other);
  EXPECT_EQ(Line.Items[3].Lang, Language::Cuda);
  EXPECT_EQ(Line.Items[3].ForcedLanguage, "");
}

TEST(Flags, IneffectiveFlagsWarnAndUnsupportedOnesFail) {
  CommandLine Line = parse({"-ccbin", "g++", "--expt-relaxed-constexpr", "-diag-suppress=20"});
  EXPECT_THAT(Line.Items, IsEmpty());
  EXPECT_THAT(Line.Warnings, IsEmpty());
  EXPECT_THAT(Line.Notes, ElementsAre("-ccbin has no effect: clang compiles the host code too",
                                      "--expt-relaxed-constexpr has no effect: clang always lets "
                                      "device code call constexpr functions",
                                      "-diag-suppress has no effect: it is for nvcc's front end"));
  EXPECT_THAT(parse({"--extra-device-vectorization"}).Warnings,
              ElementsAre("ignoring --extra-device-vectorization: clang has no such option"));
  EXPECT_EQ(error({"-fatbin"}), "-fatbin is not supported: make an object with -c");
}

TEST(Flags, StaticCudaRuntimeIsAnError) {
  for (const std::vector<std::string> &Arguments :
       std::vector<std::vector<std::string>>{{"-cudart=static"},
                                             {"--cudart", "static"},
                                             {"-lcudart_static"},
                                             {"-l", "cudart_static"},
                                             {"/usr/local/cuda/lib64/libcudart_static.a"}})
    EXPECT_THAT(error(Arguments), testing::HasSubstr("link the shared one")) << Arguments[0];
  EXPECT_EQ(error({"-cudart=shared"}), "");
}

TEST(Flags, OwnOptions) {
  EXPECT_THAT(parse({"--gmprof-level=sa-na", "--gmprof-counter-bits", "16", "--gmprof-threshold=9"})
                  .PluginOptions,
              ElementsAre("-gm-level=sa-na", "-gm-counter-bits=16", "-gm-threshold=9"));
  EXPECT_THAT(
      parse({"--gmprof-profile=global", "--gmprof-global-counter-bits", "16",
             "--gmprof-global-threshold=300"})
          .PluginOptions,
      ElementsAre("-gm-profile=global", "-gm-global-counter-bits=16", "-gm-global-threshold=300"));
  EXPECT_THAT(parse({"--gmprof-profile=objects,heat"}).PluginOptions,
              ElementsAre("-gm-profile=objects,heat"));
  EXPECT_EQ(parse({"a.cu"}).From, Clones::Default);
  EXPECT_EQ(parse({"--gmprof-clones=demand"}).From, Clones::Demand);
  EXPECT_EQ(parse({"--gmprof-clones", "compiled"}).From, Clones::Compiled);
  EXPECT_EQ(error({"--gmprof-clones=late"}),
            "--gmprof-clones takes demand or compiled, not 'late'");
  EXPECT_TRUE(parse({"--gmprof-off"}).Off);
  EXPECT_EQ(error({"--gmprof-level=fast"}),
            "--gmprof-level takes basic, sa, sa-na, sa-na-sm or sa-na-sm-th, not 'fast'");
  EXPECT_EQ(error({"--gmprof-profile=shared,heap"}),
            "--gmprof-profile takes some of objects,heat,cache,shared,global, not 'shared,heap'");
  EXPECT_EQ(error({"--gmprof-global-counter-bits=12"}),
            "--gmprof-global-counter-bits takes 8, 16 or 32, not '12'");
  EXPECT_EQ(error({"--gmprof-counter-bits=12"}),
            "--gmprof-counter-bits takes 8, 16 or 32, not '12'");
  for (const char *Value : {"-1", "0", "4294967296", "9x"})
    EXPECT_EQ(
        error({"--gmprof-threshold", Value}),
        std::string("--gmprof-threshold takes a number from 1 to what a counter holds, not '") +
            Value + "'");
  EXPECT_EQ(error({"--gmprof-lvl=basic"}), "unknown option --gmprof-lvl=basic: see --help");
}

TEST(Flags, ValueMissing) {
  EXPECT_EQ(error({"a.cu", "-o"}), "-o needs a value");
  EXPECT_EQ(error({"-arch"}), "-arch needs a value");
}

TEST(ResponseFiles, AreReadInPlace) {
  gmprof::test::TemporaryFolder Own;
  const std::string File = Own.file("flags.rsp");
  std::ofstream(File) << "-I 'a b'\n\t-DX=\"1 2\" c\\ d.cu ''";
  EXPECT_THAT(expandResponseFiles({"-O2", "@" + File, "e.cu"}),
              ElementsAre("-O2", "-I", "a b", "-DX=1 2", "c d.cu", "", "e.cu"));
  EXPECT_THAT(expandResponseFiles({"--options-file", File, "e.cu"}),
              ElementsAre("-I", "a b", "-DX=1 2", "c d.cu", "", "e.cu"));
  std::ofstream(File) << "@" << File; // names itself
  EXPECT_THAT(expandResponseFiles({"@" + File}), ElementsAre("@" + File));
  std::remove(File.c_str());
  EXPECT_THAT(expandResponseFiles({"@" + File}), ElementsAre("@" + File));
}

} // namespace
