//===- AppendedFile.cpp - A file that threads append to -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/AppendedFile.h"
#include <cerrno>
#include <sys/resource.h>
#include <utility>

namespace gmprof::cache {

AppendedFile::AppendedFile(std::FILE *File) : File(File) {
  // A child of the program must not write what its parent has not written yet.
  std::setvbuf(File, nullptr, _IONBF, 0);
}

AppendedFile::~AppendedFile() {
  if (File)
    std::fclose(File);
}

/// With the lock held.
void AppendedFile::add(std::vector<std::byte> Record) {
  Bytes += Record.size();
  if (!Pending.empty()) {
    std::vector<std::byte> &Last = Pending.back();
    if (Last.capacity() - Last.size() >= Record.size()) {
      Last.insert(Last.end(), Record.begin(), Record.end());
      return;
    }
  }
  if (Record.size() < FewBytes)
    Record.reserve(Together);
  Pending.push_back(std::move(Record));
}

void AppendedFile::append(std::vector<std::byte> Record) {
  std::unique_lock Guard(Lock);
  add(std::move(Record));
  if (Bytes < ManyBytes)
    return;
  Done.wait(Guard, [&] { return !IsWriting || Bytes < MostBytes; });
  if (!IsWriting)
    write(Guard);
}

void AppendedFile::flush() {
  std::unique_lock Guard(Lock);
  Done.wait(Guard, [&] { return !IsWriting; });
  write(Guard);
}

void AppendedFile::fail(int Why) {
  std::lock_guard Guard(Lock);
  Failure = Failure == 0 ? Why : Failure;
}

/// What there is. Nobody else writes.
void AppendedFile::write(std::unique_lock<std::mutex> &Guard) {
  const std::vector<std::vector<std::byte>> Now = std::exchange(Pending, {});
  const size_t Count = std::exchange(Bytes, 0);
  if (Failure != 0)
    return;
  IsWriting = true;
  Guard.unlock();
  const int Why = writeNow(Now, Count);
  Guard.lock();
  IsWriting = false;
  Failure = Failure == 0 ? Why : Failure;
  Done.notify_all();
}

int AppendedFile::writeNow(const std::vector<std::vector<std::byte>> &Records, size_t Count) {
  rlimit Limit = {};
  // Beyond the limit there would be a signal.
  if (::getrlimit(RLIMIT_FSIZE, &Limit) == 0 && Written + Count > Limit.rlim_cur)
    return EFBIG;
  Written += Count;
  for (const std::vector<std::byte> &Each : Records)
    if (std::fwrite(Each.data(), 1, Each.size(), File) != Each.size())
      return errno;
  return 0;
}

int AppendedFile::close() {
  flush();
  std::lock_guard Guard(Lock);
  if (std::fclose(std::exchange(File, nullptr)) != 0 && Failure == 0)
    Failure = errno;
  return Failure;
}

} // namespace gmprof::cache
