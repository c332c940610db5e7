//===- Harness.h - Runs the test kernels through Engine.h -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CPU_ENGINE_HARNESS_H
#define GMPROF_TEST_CPU_ENGINE_HARNESS_H

#include "cpu/Engine.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <mutex>

namespace gmprof::cpu {

inline std::vector<char> readCode(const std::string &File) {
  std::ifstream Stream(std::string(BITCODE_FOLDER "/") + File, std::ios::binary);
  EXPECT_TRUE(Stream.good()) << File;
  return {std::istreambuf_iterator<char>(Stream), std::istreambuf_iterator<char>()};
}

inline std::unique_ptr<Module> loadFiles(const std::vector<std::string> &Files) {
  std::vector<std::vector<char>> Contents;
  for (const std::string &File : Files)
    Contents.push_back(readCode(File));
  std::vector<std::span<const char>> Spans(Contents.begin(), Contents.end());
  auto Loaded = Module::load(Spans, Files[0]);
  if (auto *Error = std::get_if<LoadError>(&Loaded)) {
    ADD_FAILURE() << Error->Message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<Module>>(Loaded));
}

/// Memory map of one allocation.
class OneAllocation : public MemoryMap {
public:
  OneAllocation() = default;
  OneAllocation(const void *Start, size_t Bytes) : Start(uint64_t(Start)), Bytes(Bytes) {}
  std::string describe(uint64_t Address, uint64_t) const override {
    if (Start && Address >= Start + Bytes && Address < Start + Bytes + (1 << 20))
      return std::to_string(Address - Start - Bytes) + " bytes beyond the allocation";
    return {};
  }

private:
  uint64_t Start = 0;
  size_t Bytes = 0;
};

using RunResult = std::variant<std::monostate, Fault, LoadError>;

template <class... Args>
RunResult launch(Module &M, const std::string &Name, const LaunchConfig &Config,
                 const MemoryMap &Memory, Args... Values) {
  const KernelInfo *Kernel = M.kernel(Name);
  if (!Kernel) {
    ADD_FAILURE() << "no kernel " << Name;
    return {};
  }
  EXPECT_EQ(Kernel->Params.size(), sizeof...(Args));
  const void *Pointers[] = {static_cast<const void *>(&Values)..., nullptr};
  return M.run(*Kernel, Config, Pointers, Memory);
}

inline LaunchConfig config(Dim3 Grid, Dim3 Block, size_t DynamicShared = 0) {
  LaunchConfig Config;
  Config.Grid = Grid;
  Config.Block = Block;
  Config.DynamicShared = DynamicShared;
  return Config;
}

/// Fixture with the test kernels, compiled by clang to bitcode with -O0 and with -O2, or to PTX.
class EngineTest : public testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<Module> load(const std::string &Source) {
    const std::string Kind = GetParam();
    return loadFiles({Source + "." + Kind + (Kind == "ptx" ? "" : ".bc")});
  }

  Module &module(const std::string &Source) {
    static auto *Loaded = new std::map<std::string, std::unique_ptr<Module>>;
    auto &M = (*Loaded)[Source + "." + GetParam()];
    if (!M)
      M = load(Source);
    return *M;
  }

  /// Runs a kernel that must succeed.
  template <class... Args>
  void run(Module &M, const std::string &Name, const LaunchConfig &Config, Args... Values) {
    RunResult Result = launch(M, Name, Config, OneAllocation(), Values...);
    if (auto *F = std::get_if<Fault>(&Result))
      FAIL() << F->Message;
    if (auto *E = std::get_if<LoadError>(&Result))
      FAIL() << E->Message;
  }

  /// Runs a kernel that must fault.
  template <class... Args>
  Fault fault(Module &M, const std::string &Name, const LaunchConfig &Config,
              const MemoryMap &Memory, Args... Values) {
    RunResult Result = launch(M, Name, Config, Memory, Values...);
    if (auto *F = std::get_if<Fault>(&Result))
      return *F;
    if (auto *E = std::get_if<LoadError>(&Result))
      ADD_FAILURE() << E->Message;
    else
      ADD_FAILURE() << "no fault";
    return {};
  }
};

/// Instantiates a suite for the kinds of code given, of "O0", "O2" and "ptx".
#define GMPROF_ENGINE_TESTS(Suite, ...)                                                            \
  INSTANTIATE_TEST_SUITE_P(Levels, Suite, testing::Values(__VA_ARGS__),                            \
                           [](const auto &Info) { return std::string(Info.param); })

} // namespace gmprof::cpu

#endif // GMPROF_TEST_CPU_ENGINE_HARNESS_H
