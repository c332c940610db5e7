//===- EventLogReader.cpp - Reads the records of an event log -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/EventLogReader.h"
#include "profile/CompressedLog.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof {

Result<EventLogReader> EventLogReader::open(const std::string &Path) {
  auto Failed = [&](const char *Why) { return Error{"cannot read '" + Path + "': " + Why}; };
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return Failed(std::strerror(errno));
  struct stat Status = {};
  if (::fstat(Fd, &Status) != 0 || !S_ISREG(Status.st_mode)) {
    ::close(Fd);
    return Failed("it is not a regular file");
  }
  const auto Size = static_cast<size_t>(Status.st_size);
  void *Start = Size == 0 ? nullptr : ::mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, Fd, 0);
  const int Why = errno;
  ::close(Fd);
  if (Start == MAP_FAILED)
    return Failed(std::strerror(Why));
  std::shared_ptr<const void> Owner(Start, [Size](void *Mapped) {
    if (Mapped)
      ::munmap(Mapped, Size);
  });
  const Bytes File = {static_cast<const std::byte *>(Start), Size};
  if (CompressedLog::isCompressed(File)) {
    Result<std::vector<std::byte>> Log = CompressedLog::decompress(File, Path);
    if (!Log)
      return Error{Log.error()};
    return create(std::move(*Log), Path);
  }
  Result<EventLogReader> Reader = create(File, Owner, Path);
  if (Reader)
    Reader->Released = 0;
  return Reader;
}

Result<EventLogReader> EventLogReader::openUnfinished(const std::string &Path, size_t Most) {
  std::error_code Failure;
  const uintmax_t Size = std::filesystem::file_size(Path, Failure);
  if (Failure)
    return Error{"cannot read '" + Path + "': " + Failure.message()};
  if (Size > Most)
    return Error{"'" + Path + "' has more than " + std::to_string(Most) + " bytes"};
  std::vector<std::byte> Log(Size);
  std::ifstream In(Path, std::ios::binary);
  In.read(reinterpret_cast<char *>(Log.data()), static_cast<std::streamsize>(Log.size()));
  Log.resize(static_cast<size_t>(In.gcount()));
  return create(std::move(Log), Path);
}

Result<EventLogReader> EventLogReader::create(std::vector<std::byte> Log, const std::string &Path) {
  auto Owner = std::make_shared<std::vector<std::byte>>(std::move(Log));
  return create(Bytes(*Owner), Owner, Path);
}

Result<EventLogReader> EventLogReader::create(Bytes Log, std::shared_ptr<const void> Owner,
                                              const std::string &Path) {
  log::FileHeader Header = {};
  size_t Present = std::min(Log.size(), sizeof(Header));
  if (Present > 0)
    std::memcpy(&Header, Log.data(), Present);
  if (std::memcmp(Header.magic, log::Magic, std::min(Present, sizeof(Header.magic))) != 0)
    return Error{"'" + Path + "' is not a GMProf event log"};
  if (Present < sizeof(Header))
    return Error{"the event log '" + Path +
                 "' is empty: the program died before anything was recorded"};
  if (Header.version > log::Version)
    return Error{"the event log '" + Path + "' has format " + std::to_string(Header.version) +
                 " and this GMProf reads " + std::to_string(log::Version) +
                 ": use the newer GMProf that wrote it"};
  if (Header.version != log::Version)
    return Error{"the event log '" + Path + "' has the unknown format " +
                 std::to_string(Header.version)};
  return EventLogReader(Log, std::move(Owner));
}

/// Drops pages that have been read from memory; later accesses read them from the file again.
void EventLogReader::releaseRead() {
  constexpr size_t Part = size_t(64) << 20;
  if (Released == SIZE_MAX || Position - Released < 2 * Part)
    return;
  auto *Begin = const_cast<std::byte *>(Log.data());
  ::madvise(Begin + Released, Part, MADV_DONTNEED);
  Released += Part;
}

std::optional<EventLogReader::Record> EventLogReader::next() {
  releaseRead();
  while (Position < Log.size() && Log[Position] == std::byte(log::FillByte))
    ++Position;
  // The file may end within the padding, so Position may be beyond its end.
  if (Truncated || Position >= Log.size())
    return std::nullopt;
  if (!PackedRecords::isPacked(Log[Position]))
    return nextPlain();
  Bytes Rest = Log.subspan(Position);
  std::optional<PackedRecords::Unpacked> Next = Packed->unpack(Rest);
  Truncated = !Next;
  if (!Next)
    return std::nullopt;
  Position = Log.size() - Rest.size();
  return Record{Next->Kind, Next->Payload};
}

std::optional<EventLogReader::Record> EventLogReader::nextPlain() {
  size_t Left = Log.size() - Position;
  log::RecordHeader Header;
  if (Left < sizeof(Header)) {
    Truncated = true;
    return std::nullopt;
  }
  std::memcpy(&Header, &Log[Position], sizeof(Header));
  Left -= sizeof(Header);
  if (Header.kind == log::RecordKind()) {
    Truncated = std::any_of(Log.begin() + static_cast<ptrdiff_t>(Position), Log.end(),
                            [](std::byte B) { return B != std::byte(0); });
    Position = Log.size();
    return std::nullopt;
  }
  if (Header.bytes > Left) {
    Truncated = true;
    return std::nullopt;
  }
  std::span<const std::byte> Payload(Log.data() + Position + sizeof(Header),
                                     static_cast<size_t>(Header.bytes));
  Position += sizeof(Header) + (Payload.size() + 7) / 8 * 8;
  return Record{Header.kind, Payload};
}

} // namespace gmprof
