//===- TextSnapshot.cpp - PyTorch's memory in the terminal ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include "report/views/AccountView.h"
#include "report/views/SnapshotView.h"
#include <algorithm>

namespace gmprof::text {

using namespace summary;

static std::string streamText(int64_t Stream) {
  return Stream == 0 ? "default" : fmt::format("0x{:x}", static_cast<uint64_t>(Stream));
}

/// Returns the file, its devices, and its events.
static std::string heading(const SnapshotView &Of) {
  std::string Text =
      fmt::format("PyTorch's memory in {}: {}, ", Of.File, plural(Of.DevicesSeen, "device"));
  Text += Of.Events == 0
              ? std::string("no recorded event")
              : fmt::format("{} in {}", plural(Of.Events, "event"), secondsText(Of.Seconds));
  if (Of.Unmatched != 0)
    Text += fmt::format(" ({} with the others)",
                        Of.Unmatched == 1 ? "1 does not agree"
                                          : fmt::format("{} do not agree", Of.Unmatched));
  return Text;
}

/// Prints the segments of a device by pool, stream and block size.
void Printer::snapshotPools(const SnapshotDevice &D) {
  if (D.Pools.empty())
    return;
  Table T({0, 1, 2});
  T.add({"pool", "stream", "blocks", "segments", "reserved", "allocated", "awaiting", "releasable",
         "fragmented", "largest free"});
  const auto Add = [&](const std::string &Pool, const std::string &Stream,
                       const std::string &Blocks, const SnapshotPool &P) {
    T.add({Pool, Stream, Blocks, grouped(P.Segments), grouped(P.ReservedBytes),
           grouped(P.AllocatedBytes), grouped(P.AwaitingBytes), grouped(P.ReleasableBytes),
           grouped(P.FragmentedBytes), grouped(P.LargestFreeBytes)});
  };
  for (const SnapshotPool &P : D.Pools)
    Add(P.isPrivate() ? fmt::format("private {}.{}", P.Id[0], P.Id[1]) : "default",
        streamText(P.Stream), P.Large ? "large" : "small", P);
  line("\n  {}", styled(Bold, "Segments at the snapshot, bytes"));
  const SnapshotPool &Sum = D.AllPools;
  if (D.Pools.size() > 1)
    Add("all", "", "", Sum);
  Text += T.text("  ");
  const uint64_t Used = Sum.AllocatedBytes + Sum.AwaitingBytes;
  paragraph("  ", fmt::format("The program requested {} of the {} in blocks; the rest is rounding.",
                              grouped(Sum.RequestedBytes), grouped(Used)));
}

/// Prints what PyTorch knows of a device's memory beside what the run knows.
void Printer::outsideOfPyTorch(const SnapshotComparison &C) {
  Table T({0});
  T.add({"owner", "PyTorch", "GMProf"});
  const auto Bytes = [](const std::optional<uint64_t> &Of) { return Of ? grouped(*Of) : "-"; };
  for (const ComparedOwner &O : C.Owners)
    T.add({ownerText(O.Owner, O.Name), Bytes(O.SnapshotBytes), Bytes(O.RunBytes)});
  T.add({C.InUse ? "in use" : "recorded", grouped(C.SnapshotBytes), grouped(C.RunBytes)});
  line("\n  {}", styled(Bold, "PyTorch and the run"));
  Text += T.text("  ");
  const auto Size = [](uint64_t Bytes) { return bytesText(static_cast<double>(Bytes)); };
  paragraph("  ", fmt::format("{} of {} in the run ({}) are outside of PyTorch's allocator.",
                              Size(C.OutsideBytes), Size(C.RunBytes),
                              percentText(static_cast<double>(C.OutsideBytes) /
                                          static_cast<double>(std::max<uint64_t>(C.RunBytes, 1)))));
  if (C.SnapshotBytes != C.PyTorchBytes)
    paragraph("  ", fmt::format("PyTorch's allocator holds {} in the snapshot and {} in the run: "
                                "they are of different moments, or different runs.",
                                Size(C.SnapshotBytes), Size(C.PyTorchBytes)));
}

std::string Printer::snapshot(const SnapshotView &Of, MemoryBy By) {
  OfSnapshot = true;
  line("{}", styled(Bold, heading(Of)));
  for (const SnapshotDevice &D : Of.Devices) {
    account(D.Device, D.Account, By);
    if (By == MemoryBy::Everything || By == MemoryBy::Owner)
      snapshotPools(D);
    if (D.Run)
      outsideOfPyTorch(*D.Run);
  }
  if (By == MemoryBy::Everything && S.findings.empty())
    line("\nNo problem of PyTorch's allocator was found.");
  else if (By == MemoryBy::Everything)
    findings();
  return render(Text, Options.Color);
}

} // namespace gmprof::text

namespace gmprof {

std::string textSnapshot(const SnapshotView &Of, MemoryBy By, const TextOptions &Options) {
  return text::Printer(Of.Summary, Options).snapshot(Of, By);
}

} // namespace gmprof
