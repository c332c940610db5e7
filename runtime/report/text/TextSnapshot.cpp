//===- TextSnapshot.cpp - PyTorch's memory in the terminal ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/MemorySnapshot.h"
#include "report/text/TextPrinter.h"
#include "report/views/AccountView.h"
#include <algorithm>

namespace gmprof::text {

using namespace summary;

static std::string streamText(int64_t Stream) {
  return Stream == 0 ? "default" : fmt::format("0x{:x}", static_cast<uint64_t>(Stream));
}

/// Prints the segments of a device by pool, stream and block size.
void Printer::snapshotPools(const std::vector<SnapshotPool> &Pools, uint32_t Device) {
  Table T({0, 1, 2});
  T.add({"pool", "stream", "blocks", "segments", "reserved", "allocated", "awaiting", "releasable",
         "fragmented", "largest free"});
  SnapshotPool Sum;
  size_t Rows = 0;
  const auto Add = [&](const std::string &Pool, const std::string &Stream,
                       const std::string &Blocks, const SnapshotPool &P) {
    T.add({Pool, Stream, Blocks, grouped(P.Segments), grouped(P.ReservedBytes),
           grouped(P.AllocatedBytes), grouped(P.AwaitingBytes), grouped(P.ReleasableBytes),
           grouped(P.FragmentedBytes), grouped(P.LargestFreeBytes)});
  };
  for (const SnapshotPool &P : Pools) {
    if (P.Device != Device)
      continue;
    ++Rows;
    Add(P.isPrivate() ? fmt::format("private {}.{}", P.Id[0], P.Id[1]) : "default",
        streamText(P.Stream), P.Large ? "large" : "small", P);
    Sum.Segments += P.Segments;
    Sum.ReservedBytes += P.ReservedBytes;
    Sum.AllocatedBytes += P.AllocatedBytes;
    Sum.AwaitingBytes += P.AwaitingBytes;
    Sum.RequestedBytes += P.RequestedBytes;
    Sum.ReleasableBytes += P.ReleasableBytes;
    Sum.FragmentedBytes += P.FragmentedBytes;
    Sum.LargestFreeBytes = std::max(Sum.LargestFreeBytes, P.LargestFreeBytes);
  }
  if (Rows == 0)
    return;
  line("\n  {}", styled(Bold, "Segments at the snapshot, bytes"));
  if (Rows > 1)
    Add("all", "", "", Sum);
  Text += T.text("  ");
  const uint64_t Used = Sum.AllocatedBytes + Sum.AwaitingBytes;
  paragraph("  ", fmt::format("The program requested {} of the {} in blocks; the rest is rounding.",
                              grouped(Sum.RequestedBytes), grouped(Used)));
}

static bool isOfPyTorch(const MemoryRow &R) {
  return R.owner == "tensors" || R.owner == "cached" ||
         (R.owner == "library" && R.name == "PyTorch");
}

/// Prints what PyTorch knows of a device's memory beside what the run knows.
void Printer::outsideOfPyTorch(const MemoryAccount &Snapshot, const MemoryAccount &Run) {
  uint64_t Known = 0, OfRun = 0, Whole = 0;
  Table T({0});
  T.add({"owner", "PyTorch", "GMProf"});
  const auto BytesIn = [](const MemoryAccount &A, const MemoryRow &Like) {
    for (const MemoryRow &R : A.rows)
      if (R.owner == Like.owner && R.name == Like.name)
        return grouped(R.bytes);
    return std::string("-");
  };
  for (const MemoryRow &R : Snapshot.rows) {
    Known += R.bytes;
    T.add({ownerText(R.owner, R.name), grouped(R.bytes), BytesIn(Run, R)});
  }
  for (const MemoryRow &R : Run.rows) {
    Whole += R.bytes;
    OfRun += isOfPyTorch(R) ? R.bytes : 0;
    if (BytesIn(Snapshot, R) == "-")
      T.add({ownerText(R.owner, R.name), "-", grouped(R.bytes)});
  }
  Whole = Run.in_use_bytes.value_or(Whole);
  T.add({Run.in_use_bytes ? "in use" : "recorded", grouped(Known), grouped(Whole)});
  line("\n  {}", styled(Bold, "PyTorch and the run"));
  Text += T.text("  ");
  const auto Size = [](uint64_t Bytes) { return bytesText(static_cast<double>(Bytes)); };
  const uint64_t Outside = Whole - std::min(Whole, OfRun);
  paragraph("  ", fmt::format("{} of {} in the run ({}) are outside of PyTorch's allocator.",
                              Size(Outside), Size(Whole),
                              percentText(static_cast<double>(Outside) /
                                          static_cast<double>(std::max<uint64_t>(Whole, 1)))));
  if (Known != OfRun)
    paragraph("  ", fmt::format("PyTorch's allocator holds {} in the snapshot and {} in the run: "
                                "they are of different moments, or different runs.",
                                Size(Known), Size(OfRun)));
}

std::string Printer::snapshot(const SnapshotText &Of, const std::string &Moment, MemoryBy By) {
  OfSnapshot = true;
  line("{}", styled(Bold, Of.Heading));
  for (const DeviceMemory &D : S.memory->devices) {
    const MemoryAccount *A = accountAt(D, Moment);
    if (!A)
      continue;
    account(D, *A, By);
    if (By == MemoryBy::Everything || By == MemoryBy::Owner)
      snapshotPools(Of.Pools, D.device);
    if (Of.Run && Of.Run->memory)
      for (const DeviceMemory &Same : Of.Run->memory->devices)
        if (const MemoryAccount *Then = accountAt(Same, Moment); Then && Same.device == D.device)
          outsideOfPyTorch(*A, *Then);
  }
  if (By == MemoryBy::Everything && S.findings.empty())
    line("\nNo problem of PyTorch's allocator was found.");
  else if (By == MemoryBy::Everything)
    findings();
  return render(Text, Options.Color);
}

} // namespace gmprof::text

namespace gmprof {

std::string textSnapshot(const summary::Summary &S, const SnapshotText &Of,
                         const std::string &Moment, MemoryBy By, const TextOptions &Options) {
  return text::Printer(S, Options).snapshot(Of, Moment, By);
}

} // namespace gmprof
