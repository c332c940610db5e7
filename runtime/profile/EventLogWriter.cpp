//===- EventLogWriter.cpp - Appends records to an event log ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/EventLogWriter.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof {

/// Bounds of the file's growth, which otherwise doubles its size.
static constexpr uint64_t LeastGrowth = 64 << 10, MostGrowth = 4 << 20;

Result<std::unique_ptr<EventLogWriter>> EventLogWriter::create(const std::string &Path) {
  int Fd = ::open(Path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (Fd < 0)
    return Error{"cannot create the event log '" + Path + "': " + std::strerror(errno)};
  std::unique_ptr<EventLogWriter> Writer(new EventLogWriter(Fd, Path));
  log::FileHeader Header = {};
  std::memcpy(Header.magic, log::Magic, sizeof(Header.magic));
  Header.version = log::Version;
  if (!Writer->reserve(sizeof(Header))) {
    ::unlink(Path.c_str());
    return Error{Writer->Failure};
  }
  std::memcpy(Writer->at(0), &Header, sizeof(Header));
  Writer->End = sizeof(Header);
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

EventLogWriter::~EventLogWriter() {
  trim();
  close();
}

void EventLogWriter::unmap() {
  if (Window)
    ::munmap(Window, WindowEnd - WindowBegin);
  Window = nullptr;
  WindowEnd = WindowBegin = 0;
}

void EventLogWriter::close() {
  unmap();
  if (isOpen())
    ::close(Fd);
  Fd = -1;
}

void EventLogWriter::trim() {
  const LockGuard Guard(Lock);
  if (!Window)
    return;
  unmap();
  // If this fails, trailing zeros stay, which the reader ignores.
  if (isOpen()) [[maybe_unused]]
    int Failed = ::ftruncate(Fd, static_cast<off_t>(End));
}

bool EventLogWriter::isOpen() const { return Fd >= 0 && identity(Fd) == Identity; }

bool EventLogWriter::reopen() {
  Fd = ::open(Path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
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

void EventLogWriter::failed(int Why) {
  Failure = "cannot write to the event log '" + Path + "': " + std::strerror(Why);
}

bool EventLogWriter::reserve(uint64_t Bytes) {
  return (Window && Bytes <= WindowEnd - End) || grow(Bytes);
}

bool EventLogWriter::grow(uint64_t Bytes) {
  if (!isOpen() && !reopen())
    return false;
  const auto Page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t NewEnd = End + std::max(Bytes, std::clamp(End, LeastGrowth, MostGrowth));
  NewEnd = (NewEnd + Page - 1) / Page * Page;
  // Stay within the limit, since exceeding it raises SIGXFSZ.
  rlimit Limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &Limit) == 0 && NewEnd > Limit.rlim_cur) {
    NewEnd = Limit.rlim_cur;
    if (NewEnd < End + Bytes) {
      failed(EFBIG);
      return false;
    }
  }
  const uint64_t NewBegin = End / Page * Page;
  int Why;
  do
    Why = ::posix_fallocate(Fd, static_cast<off_t>(End), static_cast<off_t>(NewEnd - End));
  while (Why == EINTR);
  if (Why != 0) {
    failed(Why);
    return false;
  }
  void *New = ::mmap(nullptr, NewEnd - NewBegin, PROT_READ | PROT_WRITE, MAP_SHARED, Fd,
                     static_cast<off_t>(NewBegin));
  if (New == MAP_FAILED) {
    failed(errno);
    return false;
  }
  unmap();
  Window = static_cast<std::byte *>(New);
  WindowBegin = NewBegin;
  WindowEnd = NewEnd;
  return true;
}

bool EventLogWriter::append(log::RecordKind Kind, std::initializer_list<Part> Parts) {
  uint64_t Bytes = 0;
  for (Part P : Parts)
    Bytes += P.size();
  const LockGuard Guard(Lock);
  const bool Written =
      Failure.empty() && (PackedRecords::packs(Kind, Bytes) ? appendPacked(Kind, Parts)
                                                            : appendPlain(Kind, Parts, Bytes));
  if (!Written)
    Dropped.fetch_add(1, std::memory_order_relaxed);
  return Written;
}

bool EventLogWriter::appendPacked(log::RecordKind Kind, std::initializer_list<Part> Parts) {
  std::array<std::byte, PackedRecords::MostBytes> Buffer;
  size_t Size = 0;
  const uint8_t First = Packed.pack(Kind, Parts, Buffer, Size);
  if (!reserve(Size))
    return false;
  std::memcpy(at(End) + 1, Buffer.data() + 1, Size - 1);
  std::atomic_ref(*reinterpret_cast<uint8_t *>(at(End))).store(First, std::memory_order_release);
  End += Size;
  return true;
}

bool EventLogWriter::appendPlain(log::RecordKind Kind, std::initializer_list<Part> Parts,
                                 uint64_t Bytes) {
  const uint64_t Fill = (8 - End % 8) % 8;
  if (!reserve(Fill + sizeof(log::RecordHeader) + (Bytes + 7) / 8 * 8))
    return false;
  std::memset(at(End), log::FillByte, Fill);
  End += Fill;
  std::byte *To = at(End) + sizeof(log::RecordHeader);
  for (Part P : Parts) {
    if (!P.empty())
      std::memcpy(To, P.data(), P.size());
    To += P.size();
  }
  auto *Header = reinterpret_cast<log::RecordHeader *>(at(End));
  Header->bytes = Bytes;
  std::atomic_ref(Header->kind).store(Kind, std::memory_order_release);
  End += sizeof(log::RecordHeader) + (Bytes + 7) / 8 * 8;
  return true;
}

std::string EventLogWriter::error() const {
  const LockGuard Guard(Lock);
  return Failure;
}

} // namespace gmprof
