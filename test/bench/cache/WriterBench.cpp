//===- WriterBench.cpp - Speed of writing traces --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   gmprof-writer-bench [part of the name of a kind, or "" [turns]]
//
// Prints, for requests of different kinds, nanoseconds of processor time for each to put a GPU's
// records into order, to encode and pack them, and to write the file; the sizes of the records and
// the file; and a hash of the requests, which must not change when the writer is made faster. The
// fastest of several turns counts.
//
//===----------------------------------------------------------------------===//

#include "../../unit/host/TestTraceChunk.h"
#include "Patterns.h"
#include "cache/TraceReader.h"
#include "host/cache/TraceFile.h"
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::cache_bench;
using gmprof::test::TraceChunk;

namespace {

/// Records that the SMs of a GPU pass to the host in a launch: chunks with the records of a warp
/// each, in the order in which they fill up.
class Records {
  static constexpr uint64_t FirstClock = 1000000, ClocksBetween = 20;
  struct OfSm {
    std::vector<TraceChunk> Full;
    std::array<std::optional<TraceChunk>, WarpsOfSm> Open;
    uint64_t Clock = FirstClock;
  };
  std::vector<OfSm> All = std::vector<OfSm>(Sms);

  static size_t bytesOf(const Request &R) {
    const size_t Behind = R.Affine ? 0 : R.lanes() * sizeof(int32_t);
    return sizeof(GmprofTraceRecord) + (Behind + 7) / 8 * 8;
  }
  static void append(TraceChunk &To, const Request &R, uint32_t Clock) {
    const uint64_t Base = R.address(static_cast<unsigned>(std::countr_zero(R.Mask)));
    if (R.Affine) {
      const uint32_t Kind = static_cast<uint32_t>(R.Kind) << GMPROF_TRACE_KIND_SHIFT;
      To.record(
          {R.Mask, TraceChunk::what(R.Site) | Kind, Clock, static_cast<int32_t>(R.Stride), Base});
      return;
    }
    std::vector<int32_t> Offsets;
    eachLane(R.Mask, [&](unsigned Lane) {
      Offsets.push_back(static_cast<int32_t>(R.Addresses[Lane] - Base));
    });
    To.scattered(R.Site, Clock, Base, R.Mask, Offsets);
  }

public:
  size_t Requests = 0, Bytes = 0;

  /// R: of 4 bytes, and a load if it is scattered.
  void add(uint32_t Sm, const Request &R) {
    OfSm &Of = All[Sm];
    Of.Clock += ClocksBetween;
    std::optional<TraceChunk> &Chunk = Of.Open[R.Slot];
    if (Chunk && Chunk->Bytes.size() + bytesOf(R) > GMPROF_TRACE_CHUNK_BYTES) {
      Of.Full.push_back(std::move(*Chunk));
      Chunk.reset();
    }
    if (!Chunk)
      Chunk.emplace(GmprofTraceChunk{1, R.Block, Of.Clock, Sm, R.Warp, R.Slot});
    append(*Chunk, R, static_cast<uint32_t>(Of.Clock));
    ++Requests;
    Bytes += bytesOf(R);
  }
  void end() {
    for (OfSm &Of : All)
      for (std::optional<TraceChunk> &Chunk : Of.Open)
        if (Chunk)
          Of.Full.push_back(std::move(*Chunk));
  }
  /// Returns the launch in parts of the size that the host receives at a time.
  std::vector<host::LaunchPart> parts(const host::TracedLaunch &Launch) const {
    constexpr size_t BytesOfPart = size_t(1) << 27;
    const size_t Count = Bytes / BytesOfPart + 1;
    std::vector<host::LaunchPart> Parts(Count);
    for (uint32_t Sm = 0; Sm < Sms; ++Sm)
      for (size_t I = 0, Chunks = All[Sm].Full.size(); I < Chunks; ++I) {
        host::LaunchPart &To = Parts[I * Count / Chunks];
        To.Chunks.push_back({Sm, All[Sm].Full[I].Bytes});
        To.Bytes += All[Sm].Full[I].Bytes.size();
      }
    Parts.front().Begins = Launch;
    Parts.back().Ends.emplace();
    return Parts;
  }
};

host::TracedLaunch launchOf(uint32_t SitesOfKernel) {
  const auto Kernel = std::make_shared<host::TracedKernel>();
  Kernel->Facts = {"k", false};
  for (uint32_t I = 0; I < SitesOfKernel; ++I)
    Kernel->Sites.push_back({0, "", I, "", {}});
  Kernel->Numbers.SiteCount = SitesOfKernel;
  return {Kernel, std::make_shared<host::MemoryRanges>(), {}, {}};
}

/// Returns a hash of all requests by SM: threads write requests of different SMs in any order.
uint64_t hashOfRequests(const std::string &Path) {
  const auto Reader = TraceReader::open(Path);
  std::vector<uint64_t> Hashes(Sms);
  std::vector<Request> Requests;
  for (auto Item = (*Reader)->next(); Item && !std::holds_alternative<TraceEnd>(*Item);
       Item = (*Reader)->next())
    if (const auto *Chunk = std::get_if<RequestChunk>(&*Item)) {
      uint64_t &Hash = Hashes[Chunk->Sm];
      (*Reader)->unpack(*Chunk, Requests);
      for (const Request &R : Requests) {
        Hash = mixed(Hash + R.Site + R.Mask + (R.Block << 8) + R.Warp);
        eachLane(R.Mask, [&](unsigned Lane) { Hash += mixed(R.address(Lane)); });
      }
    }
  uint64_t Sum = 0;
  for (const uint64_t Hash : Hashes)
    Sum += mixed(Hash);
  return Sum;
}

void measure(const Pattern &P, unsigned Turns) {
  Records All;
  produce(P, [&](uint32_t Sm, const std::vector<Request> &Batch) {
    for (const Request &R : Batch)
      All.add(Sm, R);
  });
  All.end();
  const std::string Path = std::filesystem::temp_directory_path() /
                           ("gmprof-writer-bench-" + std::to_string(::getpid()));
  double Fastest = 0;
  for (unsigned Turn = 0; Turn < Turns; ++Turn) {
    std::filesystem::remove(Path);
    std::vector<host::LaunchPart> Parts = All.parts(launchOf(3));
    host::TraceFile File(/*Memory=*/All.Bytes);
    const Timer T;
    if (const std::string Why = File.open(Path, {"sm_90", "", Sms, WarpsOfSm, 0}, /*OnCpu=*/false);
        !Why.empty()) {
      std::fprintf(stderr, "%s\n", Why.c_str());
      return;
    }
    for (host::LaunchPart &Part : Parts)
      File.add(std::move(Part));
    if (const Result<uint64_t> Written = File.finish(); !Written || *Written != All.Requests)
      std::fprintf(stderr, "not all requests were written\n");
    const double Seconds = T.seconds();
    Fastest = Turn == 0 ? Seconds : std::min(Fastest, Seconds);
  }
  const auto Count = static_cast<double>(All.Requests);
  std::printf("%-32s %7.1f ns a request, %6.1f bytes of the record, %6.2f of the file  %016lx\n",
              P.Name, Fastest / Count * 1e9, static_cast<double>(All.Bytes) / Count,
              static_cast<double>(std::filesystem::file_size(Path)) / Count, hashOfRequests(Path));
  std::filesystem::remove(Path);
}

} // namespace

int main(int Argc, char **Argv) {
  const std::string_view Chosen = Argc > 1 ? Argv[1] : "";
  const unsigned Turns =
      Argc > 2 ? std::max(1U, static_cast<unsigned>(std::strtoul(Argv[2], nullptr, 10))) : 3;
  for (const Pattern &P : Patterns)
    if (std::string_view(P.Name).find(Chosen) != std::string_view::npos)
      measure(P, Turns);
}
