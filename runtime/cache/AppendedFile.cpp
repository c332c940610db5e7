//===- AppendedFile.cpp - File that several threads append to -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/AppendedFile.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <span>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace gmprof::cache {

AppendedFile::~AppendedFile() {
  if (Descriptor >= 0)
    ::close(Descriptor);
}

void AppendedFile::append(std::vector<std::byte> Record) {
  WaitingLock Guard(Lock);
  Bytes += Record.size();
  Pending.push_back(std::move(Record));
  if (Bytes < ManyBytes)
    return;
  while (IsWriting && Bytes >= MostBytes)
    Guard.wait(Done);
  if (!IsWriting)
    write();
}

void AppendedFile::flush() {
  WaitingLock Guard(Lock);
  while (IsWriting)
    Guard.wait(Done);
  write();
}

void AppendedFile::fail(int Why) {
  LockGuard Guard(Lock);
  Failure = Failure == 0 ? Why : Failure;
}

/// Writes all pending records; the lock is released meanwhile. No other thread must be writing.
void AppendedFile::write() {
  Records Now = std::exchange(Pending, {});
  const size_t Count = std::exchange(Bytes, 0);
  if (Failure != 0)
    return;
  IsWriting = true;
  Lock.unlock();
  const int Why = writeNow(std::move(Now), Count);
  Lock.lock();
  IsWriting = false;
  Failure = Failure == 0 ? Why : Failure;
  Done.notify_all();
}

/// Writes all parts; returns errno, or 0.
static int writeAll(int Descriptor, std::span<iovec> Parts) {
  while (!Parts.empty()) {
    const auto Count = std::min<size_t>(Parts.size(), IOV_MAX);
    const ssize_t Wrote = ::writev(Descriptor, Parts.data(), static_cast<int>(Count));
    if (Wrote < 0 && errno == EINTR)
      continue;
    if (Wrote < 0)
      return errno;
    auto Left = static_cast<size_t>(Wrote);
    while (!Parts.empty() && Left >= Parts.front().iov_len) {
      Left -= Parts.front().iov_len;
      Parts = Parts.subspan(1);
    }
    if (Left != 0) {
      iovec &Part = Parts.front();
      Part = {static_cast<std::byte *>(Part.iov_base) + Left, Part.iov_len - Left};
    }
  }
  return 0;
}

int AppendedFile::writeNow(Records All, size_t Count) {
  rlimit Limit = {};
  // A write beyond the limit would raise a signal.
  if (::getrlimit(RLIMIT_FSIZE, &Limit) == 0 && Written + Count > Limit.rlim_cur)
    return EFBIG;
  Written += Count;
  std::vector<iovec> Parts;
  Parts.reserve(All.size());
  for (std::vector<std::byte> &Each : All)
    Parts.push_back({Each.data(), Each.size()});
  return writeAll(Descriptor, Parts);
}

int AppendedFile::close() {
  flush();
  LockGuard Guard(Lock);
  if (::close(std::exchange(Descriptor, -1)) != 0 && Failure == 0)
    Failure = errno;
  return Failure;
}

} // namespace gmprof::cache
