//===- EventLogReader.cpp - Reads the records of an event log -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/EventLogReader.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof {

static Result<std::vector<std::byte>> readFile(const std::string &Path) {
  auto Failed = [&](const char *Why) { return Error{"cannot read '" + Path + "': " + Why}; };
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return Failed(std::strerror(errno));
  struct stat Status = {};
  if (::fstat(Fd, &Status) != 0 || !S_ISREG(Status.st_mode)) {
    ::close(Fd);
    return Failed("it is not a regular file");
  }
  std::vector<std::byte> Bytes(static_cast<size_t>(Status.st_size));
  size_t Done = 0;
  while (Done < Bytes.size()) {
    ssize_t Got = ::read(Fd, &Bytes[Done], Bytes.size() - Done);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0) {
      int Why = errno;
      ::close(Fd);
      return Failed(std::strerror(Why));
    }
    if (Got == 0)
      break;
    Done += static_cast<size_t>(Got);
  }
  ::close(Fd);
  Bytes.resize(Done);
  return Bytes;
}

Result<EventLogReader> EventLogReader::open(const std::string &Path) {
  Result<std::vector<std::byte>> Bytes = readFile(Path);
  if (!Bytes)
    return Error{Bytes.error()};
  return create(std::move(*Bytes), Path);
}

Result<EventLogReader> EventLogReader::create(std::vector<std::byte> Log, const std::string &Path) {
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
  return EventLogReader(std::move(Log));
}

std::optional<EventLogReader::Record> EventLogReader::next() {
  // Padding may be what the file ends within: Position may be beyond its end.
  if (Truncated || Position >= Log.size())
    return std::nullopt;
  size_t Left = Log.size() - Position;
  log::RecordHeader Header;
  if (Left < sizeof(Header)) {
    Truncated = true;
    return std::nullopt;
  }
  std::memcpy(&Header, &Log[Position], sizeof(Header));
  Left -= sizeof(Header);
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
