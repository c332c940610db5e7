//===- TraceReader.cpp - Reader of traces of memory accesses --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceReader.h"
#include "profile/Payload.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace gmprof::cache {

using Json = nlohmann::json;

static constexpr const char *Truncated =
    "' is truncated: the program that wrote it did not end, or it was not copied whole; make it "
    "again, or take what there is with --incomplete";
static constexpr const char *NoDevice = "' is truncated, and so early that nothing can be read";
static constexpr const char *Damaged = "' is damaged: make it again";

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string &Path,
                                                       bool AcceptsIncomplete) {
  std::FILE *File = std::fopen(Path.c_str(), "rbe");
  if (!File)
    return Error{"cannot read '" + Path + "': " + std::strerror(errno)};
  // Holds several small records; of large ones only the heads are read here.
  constexpr size_t ReadTogether = size_t(1) << 13;
  std::setvbuf(File, nullptr, _IOFBF, ReadTogether);
  std::unique_ptr<TraceReader> R(new TraceReader(File, Path, AcceptsIncomplete));
  R->findSize();
  TraceFileHead Head = {};
  const size_t Read = std::fread(&Head, 1, sizeof(Head), File);
  if (std::memcmp(Head.Magic, TraceMagic, sizeof(TraceMagic)) != 0)
    return Error{"'" + Path + "' is no trace of memory accesses"};
  if (Read == sizeof(Head) && Head.Version != TraceVersion)
    return Error{"'" + Path + "' is a trace of version " + std::to_string(Head.Version) +
                 ", and only version " + std::to_string(TraceVersion) +
                 " can be read: make it again, or use the gmreport that came with what made it"};
  while (!R->HasDevice && !R->Ended)
    if (const std::string Why = R->readRecord(); !Why.empty())
      return Error{"'" + Path + Why};
  if (!R->HasDevice)
    return R->damaged();
  return R;
}

TraceReader::~TraceReader() { std::fclose(File); }

void TraceReader::findSize() {
  struct stat Status = {};
  if (::fstat(::fileno(File), &Status) == 0)
    Bytes = static_cast<uint64_t>(Status.st_size);
}

/// Returns whether the file has at least End bytes.
bool TraceReader::reaches(uint64_t End) {
  if (End > Bytes && Grows)
    findSize();
  return End <= Bytes;
}

void TraceReader::setGrowing(bool Is) {
  Grows = Is;
  findSize();
}

Error TraceReader::damaged() const { return {"'" + Path + Damaged}; }

bool TraceReader::unpackBytes(const RequestChunk &From, std::vector<std::byte> &Raw) const {
  thread_local std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> Context(ZSTD_createDCtx(),
                                                                           ZSTD_freeDCtx);
  thread_local std::vector<std::byte> Packed;
  Packed.resize(From.Bytes);
  if (::pread(::fileno(File), Packed.data(), Packed.size(), static_cast<off_t>(From.At)) !=
      static_cast<ssize_t>(Packed.size()))
    return false;
  Raw.resize(From.RawBytes);
  return ZSTD_decompressDCtx(Context.get(), Raw.data(), Raw.size(), Packed.data(), Packed.size()) ==
         Raw.size();
}

bool TraceReader::open(const RequestChunk &From, OpenChunk &To) const {
  if (!unpackBytes(From, To.Raw))
    return false;
  std::span<const std::byte> Rest = To.Raw;
  uint32_t Again = 0; // the record's head has no checksum
  To.Taken = sizeof(Again);
  To.Left = From.Count;
  To.Sites = From.Sites;
  To.State.clear();
  return take(Rest, Again) && Again == From.Sm;
}

bool TraceReader::unpack(OpenChunk &From, uint32_t Requests, std::vector<Request> &To) {
  std::span<const std::byte> Rest = std::span<const std::byte>(From.Raw).subspan(From.Taken);
  To.resize(std::min(Requests, From.Left));
  for (Request &R : To)
    if (!decode(Rest, From.State, From.Sites, R))
      return false;
  From.Left -= static_cast<uint32_t>(To.size());
  From.Taken = From.Raw.size() - Rest.size();
  return From.Left != 0 || Rest.empty();
}

bool TraceReader::unpack(const RequestChunk &From, std::vector<Request> &To) const {
  thread_local OpenChunk Chunk;
  return open(From, Chunk) && unpack(Chunk, From.Count, To);
}

/// Handles the lack of a further complete record, from offset Record on. Returns the error, or an
/// empty string if that is none.
std::string TraceReader::endOfFile(int64_t Record) {
  if (!HasDevice)
    return NoDevice;
  if (Grows) {
    Items.emplace_back(TracePause{});
    return std::fseek(File, Record, SEEK_SET) == 0 ? "" : Damaged;
  }
  if (!AcceptsIncomplete)
    return Truncated;
  if (InLaunch)
    Items.emplace_back(TraceLaunchEnd{});
  Items.emplace_back(TraceEnd{});
  InLaunch = Complete = false;
  Ended = true;
  return "";
}

/// Reads a record; returns the error, or an empty string.
std::string TraceReader::readRecord() {
  TraceRecordHead Head = {};
  const int64_t At = std::ftell(File);
  if (std::fread(&Head, sizeof(Head), 1, File) != 1)
    return endOfFile(At);
  if (Head.RawBytes > MostRecordBytes || Head.Bytes > ZSTD_compressBound(Head.RawBytes) ||
      Head.Count > MostRecordRequests)
    return Damaged;
  const RequestChunk C = {Head.Sm, Head.Count, Head.RawBytes,
                          Sites,   Head.Bytes, static_cast<uint64_t>(std::ftell(File))};
  if (!reaches(C.At + C.Bytes) || std::fseek(File, static_cast<long>(C.Bytes), SEEK_CUR) != 0)
    return endOfFile(At);
  if (Head.Kind == TraceRecord::Notes)
    return Head.Sm == 0 && Head.Count == 0 ? readNotes(C) : Damaged;
  if (Head.Kind != TraceRecord::Requests || !InLaunch || Head.Sm >= 65536)
    return Damaged;
  Requests += Head.Count;
  Items.emplace_back(C);
  return "";
}

static TraceSite siteOf(const Json &Of) {
  TraceSite To = {Of.at("kernel"), Of.at("file"), Of.at("line"), Of.at("function"), {}};
  for (const Json &C : Of.at("inlined_at"))
    To.InlinedAt.push_back({C.at("function"), C.at("file"), C.at("line")});
  return To;
}

/// Converts a JSON record; throws if it is malformed.
static TraceItem itemOf(const std::string &Kind, const Json &Of) {
  if (Kind == "kernel")
    return TraceKernel{Of.at("name"), Of.at("uses_warps").get<bool>()};
  if (Kind == "site")
    return siteOf(Of);
  if (Kind == "object")
    return TraceObject{Of.at("id"), Of.at("name"), Of.at("address"), Of.at("bytes")};
  if (Kind == "release")
    return TraceRelease{Of.get<uint64_t>()};
  if (Kind == "written")
    return TraceWritten{Of.at("address"), Of.at("bytes")};
  if (Kind == "launch")
    return TraceLaunch{Of.at("number"),
                       Of.at("kernel"),
                       Of.at("grid"),
                       Of.at("block"),
                       Of.at("shared_bytes"),
                       Of.at("blocks_per_sm"),
                       Of.at("local_bytes_per_thread"),
                       Of.at("block_sample"),
                       Of.at("sm_sample")};
  if (Kind == "launch_end")
    return TraceLaunchEnd{Of.at("lost"), Of.at("late"), Of.at("blocks"), Of.at("blocks_beyond"),
                          Of.at("requests_beyond")};
  throw std::runtime_error("unknown note");
}

static bool isRange(uint64_t Address, uint64_t Bytes) {
  return Bytes != 0 && Address + Bytes > Address;
}

/// Checks an item against the state, which it updates; returns the error, or an empty string.
std::string TraceReader::check(const TraceItem &Item) {
  const auto *Launch = std::get_if<TraceLaunch>(&Item);
  const auto *Site = std::get_if<TraceSite>(&Item);
  const auto *Object = std::get_if<TraceObject>(&Item);
  const auto *Written = std::get_if<TraceWritten>(&Item);
  if (Launch) {
    uint64_t Threads = 1;
    for (unsigned I = 0; I < 3; ++I) {
      Threads *= Launch->Block[I];
      if (Launch->Grid[I] == 0 || Threads == 0 || Threads > 1024)
        return Damaged;
    }
  }
  if ((Launch && (InLaunch || Launch->Kernel >= Kernels)) ||
      (std::holds_alternative<TraceLaunchEnd>(Item) && !InLaunch) ||
      (Site && Site->Kernel >= Kernels) || (Object && !isRange(Object->Address, Object->Bytes)) ||
      (Written && (InLaunch || !isRange(Written->Address, Written->Bytes))))
    return Damaged;
  Kernels += std::holds_alternative<TraceKernel>(Item);
  Sites += Site != nullptr;
  Launches += Launch != nullptr;
  InLaunch = (InLaunch || Launch) && !std::holds_alternative<TraceLaunchEnd>(Item);
  return "";
}

std::string TraceReader::readNotes(const RequestChunk &Packed) {
  std::vector<std::byte> Raw;
  if (!unpackBytes(Packed, Raw))
    return Damaged;
  const Json Notes =
      Json::parse(reinterpret_cast<const char *>(Raw.data()),
                  reinterpret_cast<const char *>(Raw.data()) + Raw.size(), nullptr, false);
  if (!Notes.is_array())
    return Damaged;
  try {
    for (const Json &Note : Notes) {
      if (Ended || !Note.is_object() || Note.size() != 1)
        return Damaged;
      const std::string &Kind = Note.begin().key();
      const Json &Of = Note.begin().value();
      if (HasDevice == (Kind == "device"))
        return Damaged;
      if (Kind == "device") {
        Device = {Of.at("architecture"), Of.at("name"), Of.at("sms"), Of.at("warps_per_sm"),
                  Of.at("l2_kb")};
        HasDevice = true;
      } else if (Kind == "end") {
        if (InLaunch || Of.at("requests") != Requests || Of.at("launches") != Launches)
          return Damaged;
        Ended = true;
        Items.emplace_back(TraceEnd{});
      } else {
        Items.push_back(itemOf(Kind, Of));
        if (std::string Why = check(Items.back()); !Why.empty())
          return Why;
      }
    }
  } catch (const std::exception &) {
    return Damaged;
  }
  return "";
}

Result<TraceItem> TraceReader::next() {
  while (Items.empty()) {
    if (Ended)
      return TraceItem(TraceEnd{});
    if (const std::string Why = readRecord(); !Why.empty())
      return Error{"'" + Path + Why};
  }
  TraceItem Item = std::move(Items.front());
  Items.pop_front();
  return Item;
}

} // namespace gmprof::cache
