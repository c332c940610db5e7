//===- EventLogWriter.cpp - Appends records to an event log ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/EventLogWriter.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace gmprof {

Result<std::unique_ptr<EventLogWriter>> EventLogWriter::create(const std::string &Path) {
  int Fd = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (Fd < 0)
    return Error{"cannot create the event log '" + Path + "': " + std::strerror(errno)};
  std::unique_ptr<EventLogWriter> Writer(new EventLogWriter(Fd, Path));
  log::FileHeader Header = {};
  std::memcpy(Header.magic, log::Magic, sizeof(Header.magic));
  Header.version = log::Version;
  const std::array<Part, 1> Parts = {bytes(Header)};
  if (!Writer->write(Parts))
    return Error{Writer->Failure};
  return Writer;
}

static std::pair<dev_t, ino_t> identity(int Fd) {
  struct stat Facts = {};
  if (::fstat(Fd, &Facts) != 0)
    return {};
  return {Facts.st_dev, Facts.st_ino};
}

EventLogWriter::EventLogWriter(int Fd, std::string Path)
    : Fd(Fd), Identity(identity(Fd)), Path(std::move(Path)) {}

EventLogWriter::~EventLogWriter() { close(); }

void EventLogWriter::close() {
  if (isOpen())
    ::close(Fd);
  Fd = -1;
}

bool EventLogWriter::isOpen() const { return Fd >= 0 && identity(Fd) == Identity; }

bool EventLogWriter::reopen() {
  Fd = ::open(Path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (Fd < 0) {
    Failure = "cannot open the event log '" + Path +
              "' again, which the program closed: " + std::strerror(errno);
    return false;
  }
  if (isOpen())
    return true;
  ::close(Fd);
  Fd = -1;
  Failure = "the program closed and replaced the event log '" + Path + "'";
  return false;
}

bool EventLogWriter::append(log::RecordKind Kind, std::initializer_list<Part> Parts) {
  static constexpr std::byte Zeros[8] = {};
  log::RecordHeader Header = {};
  Header.kind = Kind;
  for (Part P : Parts)
    Header.bytes += P.size();

  std::vector<Part> All;
  All.reserve(Parts.size() + 2);
  All.push_back(bytes(Header));
  All.insert(All.end(), Parts.begin(), Parts.end());
  All.push_back(Part(Zeros, (8 - Header.bytes % 8) % 8));

  std::lock_guard<std::mutex> Guard(Lock);
  if (Failure.empty() && write(All))
    return true;
  Dropped.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool EventLogWriter::write(std::span<const Part> Parts) {
  std::vector<iovec> Rest;
  for (Part P : Parts)
    if (!P.empty())
      Rest.push_back({const_cast<std::byte *>(P.data()), P.size()});

  if (!isOpen() && !reopen())
    return false;
  size_t First = 0;
  while (First < Rest.size()) {
    ssize_t Written = ::writev(Fd, &Rest[First], static_cast<int>(Rest.size() - First));
    if (Written < 0) {
      if (errno == EINTR)
        continue;
      Failure = "cannot write to the event log '" + Path + "': " + std::strerror(errno);
      return false;
    }
    auto Left = static_cast<size_t>(Written);
    while (First < Rest.size() && Left >= Rest[First].iov_len)
      Left -= Rest[First++].iov_len;
    if (First < Rest.size()) {
      Rest[First].iov_base = static_cast<std::byte *>(Rest[First].iov_base) + Left;
      Rest[First].iov_len -= Left;
    }
  }
  return true;
}

bool EventLogWriter::flush() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Failure.empty() || (!isOpen() && !reopen()))
    return false;
  if (::fdatasync(Fd) == 0 || errno == EINVAL || errno == EROFS)
    return true;
  Failure = "cannot write to the event log '" + Path + "': " + std::strerror(errno);
  return false;
}

std::string EventLogWriter::error() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Failure;
}

} // namespace gmprof
