//===- TraceFileTest.h - Fixture with a trace file --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_CACHE_TRACEFILETEST_H
#define GMPROF_TEST_UNIT_CACHE_TRACEFILETEST_H

#include "TestRequests.h"
#include "cache/TraceReader.h"
#include "cache/TraceWriter.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <zstd.h>

namespace gmprof::cache {

class TraceFile : public testing::Test {
protected:
  std::string Path = testing::TempDir() + "gmprof-trace-" + std::to_string(::getpid()) + ".gmtrace";

  static constexpr uint64_t ManyObjects = uint64_t(1) << 40;

  void TearDown() override { std::filesystem::remove(Path); }

  /// Writes two launches, the first with everything() on SM 1 and one request on SM 0.
  uint64_t write() {
    auto W = TraceWriter::create(Path, {"sm_90", "NVIDIA H200", 132, 64, 61440});
    EXPECT_TRUE(W);
    (*W)->addKernel({"k\"1\"", true});
    (*W)->allocate({ManyObjects + 7, "a", 0x7f0000000000, 0x10000});
    for (uint32_t I = 0; I < 3; ++I)
      (*W)->addSite({0, "a.cu", 10 + I, "f", {{"f", "a.cu", 30}, {"g", "b.h", 40}}});
    TraceLaunch Launch;
    Launch.Number = 1000000000000;
    Launch.Grid = {2, 3, 4};
    Launch.Block = {32, 8, 1};
    Launch.SharedBytes = 100;
    Launch.BlocksPerSm = 4;
    Launch.LocalBytesPerThread = 16;
    (*W)->beginLaunch(Launch);
    (*W)->add(1, everything());
    Request None;
    None.Mask = 0;
    (*W)->add(0, std::vector{everything()[0], None});
    (*W)->endLaunch({123, 45, 6, 7, 8});
    (*W)->release(ManyObjects + 7);
    (*W)->beginLaunch({});
    (*W)->endLaunch();
    const Result<uint64_t> Written = (*W)->finish();
    EXPECT_TRUE(Written);
    return *Written;
  }
  /// Returns a writer to which launches are added.
  std::unique_ptr<TraceWriter> writerOfOneSite() const {
    Result<std::unique_ptr<TraceWriter>> W = TraceWriter::create(Path, {"sm_90", "", 132, 64, 0});
    if (!W)
      return nullptr;
    (*W)->addKernel({"k", false});
    (*W)->addSite({0, "", 1, "", {}});
    return std::move(*W);
  }
  std::string contents() {
    std::ifstream File(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(File), {}};
  }
  void overwrite(const std::string &Contents) { std::ofstream(Path, std::ios::binary) << Contents; }
  /// Replaces the file by one that contains only these JSON records.
  void overwriteWithNotes(const std::string &Text, uint32_t Version) {
    std::string Packed(ZSTD_compressBound(Text.size()), 0);
    Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Text.data(), Text.size(), 1));
    TraceFileHead File = {};
    std::copy(std::begin(TraceMagic), std::end(TraceMagic), File.Magic);
    File.Version = Version;
    const TraceRecordHead Head = {TraceRecord::Notes, 0, 0, static_cast<uint32_t>(Text.size()),
                                  static_cast<uint32_t>(Packed.size())};
    overwrite(std::string(reinterpret_cast<const char *>(&File), sizeof(File)) +
              std::string(reinterpret_cast<const char *>(&Head), sizeof(Head)) + Packed);
  }
  /// Reads the whole file and returns the error, or "".
  std::string errorOfAll() {
    auto R = TraceReader::open(Path);
    if (!R)
      return R.error();
    std::vector<Request> Requests;
    while (true) {
      Result<TraceItem> Item = (*R)->next();
      if (!Item)
        return Item.error();
      if (const auto *C = std::get_if<RequestChunk>(&*Item); C && !(*R)->unpack(*C, Requests))
        return (*R)->damaged().Message;
      if (std::holds_alternative<TraceEnd>(*Item))
        return "";
    }
  }
};

} // namespace gmprof::cache

#endif // GMPROF_TEST_UNIT_CACHE_TRACEFILETEST_H
