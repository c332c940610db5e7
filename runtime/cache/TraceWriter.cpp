//===- TraceWriter.cpp - Writer of traces of memory accesses --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceWriter.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <zstd.h>

namespace gmprof::cache {

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string &Path,
                                                         const TraceDevice &Device, IfExists Then) {
  const int Descriptor = ::open(Path.c_str(),
                                O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC |
                                    (Then == IfExists::Refuse ? O_EXCL : O_TRUNC),
                                0600);
  if (Descriptor < 0)
    return Error{"cannot write '" + Path + "': " + std::strerror(errno)};
  std::unique_ptr<TraceWriter> W(new TraceWriter(Descriptor, Path));
  TraceFileHead Head = {};
  std::memcpy(Head.Magic, TraceMagic, sizeof(TraceMagic));
  Head.Version = TraceVersion;
  const auto Bytes = std::as_bytes(std::span(&Head, 1));
  W->File.append({Bytes.begin(), Bytes.end()});
  W->File.flush();
  W->note("device", JsonText::object({{"architecture", Device.Architecture},
                                      {"name", Device.Name},
                                      {"sms", Device.Sms},
                                      {"warps_per_sm", Device.WarpsPerSm},
                                      {"l2_kb", Device.L2Kb}}));
  return W;
}

void TraceWriter::note(std::string_view Kind, const JsonText &Facts) {
  LockGuard Guard(Lock);
  Notes += Notes.empty() ? "[" : ",\n";
  Notes += JsonText::object({{Kind, Facts}}).str();
  if (Notes.size() >= MostRecordBytes / 2)
    flushNotes();
}

void TraceWriter::addKernel(const TraceKernel &Kernel) {
  note("kernel", JsonText::object({{"name", Kernel.Name}, {"uses_warps", Kernel.UsesWarps}}));
}

void TraceWriter::addSite(const TraceSite &Site) {
  std::vector<JsonText> Calls;
  for (const TraceCall &C : Site.InlinedAt)
    Calls.push_back(
        JsonText::object({{"function", C.Function}, {"file", C.File}, {"line", C.Line}}));
  note("site", JsonText::object({{"kernel", Site.Kernel},
                                 {"file", Site.File},
                                 {"line", Site.Line},
                                 {"function", Site.Function},
                                 {"inlined_at", JsonText::array(Calls)}}));
}

void TraceWriter::allocate(const TraceObject &Object) {
  note("object", JsonText::object({{"id", Object.Id},
                                   {"name", Object.Name},
                                   {"address", Object.Address},
                                   {"bytes", Object.Bytes}}));
}

void TraceWriter::release(uint64_t Id) { note("release", Id); }

void TraceWriter::written(const TraceWritten &By) {
  note("written", JsonText::object({{"address", By.Address}, {"bytes", By.Bytes}}));
}

void TraceWriter::beginLaunch(const TraceLaunch &Launch) {
  ++Launches;
  note("launch", JsonText::object({{"number", Launch.Number},
                                   {"kernel", Launch.Kernel},
                                   {"grid", JsonText::array(Launch.Grid)},
                                   {"block", JsonText::array(Launch.Block)},
                                   {"shared_bytes", Launch.SharedBytes},
                                   {"blocks_per_sm", Launch.BlocksPerSm},
                                   {"local_bytes_per_thread", Launch.LocalBytesPerThread},
                                   {"block_sample", Launch.BlockSample},
                                   {"sm_sample", Launch.SmSample}}));
}

TraceWriter::OfSm &TraceWriter::sm(uint32_t Number) {
  LockGuard Guard(Lock);
  if (Number >= Sms.size())
    Sms.resize(Number + 1);
  if (!Sms[Number]) {
    Sms[Number] = std::make_unique<OfSm>();
    Sms[Number]->Sm = Number;
  }
  return *Sms[Number];
}

void TraceWriter::add(OfSm &To, const Request &R) {
  if (R.Mask == 0)
    return;
  if (To.Count == 0) {
    std::byte *const Head = To.Bytes.roomFor(sizeof(To.Sm));
    std::memcpy(Head, &To.Sm, sizeof(To.Sm));
    To.Bytes.endAt(Head + sizeof(To.Sm));
  }
  encode(R, To.State, To.Bytes);
  if (++To.Count == ChunkRequests || To.Bytes.size() >= ChunkBytes)
    flush(To);
}

void TraceWriter::add(uint32_t Sm, std::span<const Request> More) {
  OfSm &To = sm(Sm);
  for (const Request &R : More)
    add(To, R);
}

namespace {

/// Buffers for compression, one per thread.
struct PackingMemory {
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> Context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<std::byte> Frame;

  static PackingMemory &ofThread() {
    thread_local PackingMemory Memory;
    return Memory;
  }
};

} // namespace

/// Returns a compressed record; empty if memory is exhausted.
static std::vector<std::byte> pack(TraceRecord Kind, uint32_t Sm, uint32_t Count,
                                   std::span<const std::byte> Raw, PackingEffort &Effort) {
  auto &[Context, Frame] = PackingMemory::ofThread();
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel, Effort.level());
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_checksumFlag, 1);
  TraceRecordHead Head = {Kind, Sm, Count, static_cast<uint32_t>(Raw.size()), 0};
  Frame.resize(std::max(Frame.size(), ZSTD_compressBound(Raw.size())));
  const size_t Bytes =
      ZSTD_compress2(Context.get(), Frame.data(), Frame.size(), Raw.data(), Raw.size());
  if (ZSTD_isError(Bytes))
    return {};
  Effort.packed(Raw.size(), Bytes);
  Head.Bytes = static_cast<uint32_t>(Bytes);
  std::vector<std::byte> Packed(sizeof(Head) + Bytes);
  std::memcpy(Packed.data(), &Head, sizeof(Head));
  std::memcpy(Packed.data() + sizeof(Head), Frame.data(), Bytes);
  return Packed;
}

void TraceWriter::flush(OfSm &Of) {
  if (Of.Count == 0)
    return;
  std::vector<std::byte> Record = pack(TraceRecord::Requests, Of.Sm, Of.Count, Of.Bytes, Of.Effort);
  {
    LockGuard Guard(Lock);
    flushNotes();
    Requests += Of.Count;
  }
  put(std::move(Record));
  Of.Bytes.clear();
  Of.Count = 0;
  Of.State.clear();
}

void TraceWriter::flushNotes() {
  if (Notes.empty())
    return;
  Notes += "]";
  PackingEffort Effort;
  put(pack(TraceRecord::Notes, 0, 0, std::as_bytes(std::span(Notes)), Effort));
  Notes.clear();
}

void TraceWriter::put(std::vector<std::byte> Record) {
  if (Record.empty())
    return File.fail(ENOMEM);
  File.append(std::move(Record));
}

void TraceWriter::endLaunch(const TraceLaunchEnd &End) {
  std::vector<OfSm *> All;
  {
    LockGuard Guard(Lock);
    for (const std::unique_ptr<OfSm> &Of : Sms)
      if (Of)
        All.push_back(Of.get());
  }
  for (OfSm *Of : All)
    flush(*Of);
  note("launch_end", JsonText::object({{"lost", End.Lost},
                                       {"late", End.Late},
                                       {"blocks", End.Blocks},
                                       {"blocks_beyond", End.BlocksBeyond},
                                       {"requests_beyond", End.RequestsBeyond}}));
  {
    LockGuard Guard(Lock);
    flushNotes();
  }
  File.flush();
}

Result<uint64_t> TraceWriter::finish() {
  note("end", JsonText::object({{"launches", Launches}, {"requests", Requests.load()}}));
  {
    LockGuard Guard(Lock);
    flushNotes();
  }
  if (const int Why = File.close(); Why != 0)
    return Error{"cannot write '" + Path + "': " + std::strerror(Why)};
  return Requests.load();
}

} // namespace gmprof::cache
