//===- InterposeSystem.cpp - Calls of the C library that watching must know -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While HostWatch.h keeps memory from the program, a system call that is given it would
// fail: so the call counts as a use, and the memory is given back before. Memory that goes
// must not be watched any longer. The program's handlers of SIGSEGV are called by the one
// that is in place for watching. Without watching, all of this is one look at a variable.
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/HostWatch.h"
#include "host/RealSystem.h"
#include "host/Session.h"
#include <cerrno>
#include <malloc.h>

using namespace gmprof::host;

namespace {

/// Whether this call may be given memory that is watched: those of CUDA and of GMProf are not.
bool ofProgram() { return HostWatch::any() && !Inside::now(); }

void uses(const void *Caller, const void *Memory, size_t Bytes, bool Stores) {
  if (!ofProgram())
    return;
  Inside Guard;
  if (HostWatch *W = HostWatch::active())
    W->used(Caller, reinterpret_cast<uint64_t>(Memory), Bytes, Stores);
}

void uses(const void *Caller, const iovec *Parts, int Count, bool Stores) {
  for (int I = 0; ofProgram() && I < Count; ++I)
    uses(Caller, Parts[I].iov_base, Parts[I].iov_len, Stores);
}

void goes(const void *Memory, size_t Bytes) {
  if (!ofProgram())
    return;
  if (HostWatch *W = HostWatch::active())
    W->forget(reinterpret_cast<uint64_t>(Memory), Bytes);
}

} // namespace

GMPROF_INTERPOSE ssize_t read(int File, void *To, size_t Bytes) {
  uses(GMPROF_CALLER, To, Bytes, /*Stores=*/true);
  return realSystem().read(File, To, Bytes);
}

GMPROF_INTERPOSE ssize_t write(int File, const void *From, size_t Bytes) {
  uses(GMPROF_CALLER, From, Bytes, /*Stores=*/false);
  return realSystem().write(File, From, Bytes);
}

GMPROF_INTERPOSE ssize_t pread(int File, void *To, size_t Bytes, off_t At) {
  uses(GMPROF_CALLER, To, Bytes, /*Stores=*/true);
  return realSystem().pread(File, To, Bytes, At);
}

GMPROF_INTERPOSE ssize_t pwrite(int File, const void *From, size_t Bytes, off_t At) {
  uses(GMPROF_CALLER, From, Bytes, /*Stores=*/false);
  return realSystem().pwrite(File, From, Bytes, At);
}

GMPROF_INTERPOSE ssize_t readv(int File, const iovec *To, int Count) {
  uses(GMPROF_CALLER, To, Count, /*Stores=*/true);
  return realSystem().readv(File, To, Count);
}

GMPROF_INTERPOSE ssize_t writev(int File, const iovec *From, int Count) {
  uses(GMPROF_CALLER, From, Count, /*Stores=*/false);
  return realSystem().writev(File, From, Count);
}

GMPROF_INTERPOSE ssize_t send(int Socket, const void *From, size_t Bytes, int Flags) {
  uses(GMPROF_CALLER, From, Bytes, /*Stores=*/false);
  return realSystem().send(Socket, From, Bytes, Flags);
}

GMPROF_INTERPOSE ssize_t recv(int Socket, void *To, size_t Bytes, int Flags) {
  uses(GMPROF_CALLER, To, Bytes, /*Stores=*/true);
  return realSystem().recv(Socket, To, Bytes, Flags);
}

GMPROF_INTERPOSE size_t fread(void *To, size_t Bytes, size_t Count, FILE *File) {
  uses(GMPROF_CALLER, To, Bytes * Count, /*Stores=*/true);
  return realSystem().fread(To, Bytes, Count, File);
}

GMPROF_INTERPOSE size_t fwrite(const void *From, size_t Bytes, size_t Count, FILE *File) {
  uses(GMPROF_CALLER, From, Bytes * Count, /*Stores=*/false);
  return realSystem().fwrite(From, Bytes, Count, File);
}

GMPROF_INTERPOSE void free(void *Memory) {
  if (Memory && ofProgram()) {
    const int Saved = errno;
    // The block's size is in front of it, in the same page perhaps.
    goes(Memory, 1);
    if (ofProgram())
      goes(Memory, malloc_usable_size(Memory));
    errno = Saved;
  }
  if (realSystem().free)
    realSystem().free(Memory);
}

GMPROF_INTERPOSE int munmap(void *Memory, size_t Bytes) {
  goes(Memory, Bytes);
  return realSystem().munmap(Memory, Bytes);
}

GMPROF_INTERPOSE int mprotect(void *Memory, size_t Bytes, int Protection) {
  goes(Memory, Bytes);
  return realSystem().mprotect(Memory, Bytes, Protection);
}

GMPROF_INTERPOSE int sigaction(int Signal, const struct sigaction *New, struct sigaction *Old) {
  return Signal == SIGSEGV && HostWatch::handlerInstalled()
             ? HostWatch::programHandler(New, Old)
             : realSystem().sigaction(Signal, New, Old);
}

GMPROF_INTERPOSE sighandler_t signal(int Signal, sighandler_t New) {
  if (Signal != SIGSEGV || !HostWatch::handlerInstalled())
    return realSystem().signal(Signal, New);
  struct sigaction Action = {}, Old = {};
  Action.sa_handler = New;
  Action.sa_flags = SA_RESTART;
  HostWatch::programHandler(&Action, &Old);
  return Old.sa_handler;
}
