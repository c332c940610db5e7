//===- InterposeSystem.cpp - Input and output of the C library ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes functions of the C library: input and output here, mappings in InterposeMappings.cpp,
// signals in InterposeSignals.cpp. While HostWatch.h protects memory, a system call that accesses
// it would fail: the call therefore counts as a use, and the memory is released first. Memory that
// is about to be unmapped is watched no more, and neither is memory whose protection the program
// changes. Calls about SIGSEGV go to FaultHandler.h. If no memory is watched, each function only
// tests a variable.
//
// test/host/system-functions.test compares the functions with those of the C library.
//
//===----------------------------------------------------------------------===//

#include "host/interpose/SystemCalls.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <sys/syscall.h>

using namespace gmprof::host;

namespace gmprof::host {

void uses(const void *Caller, const volatile void *Memory, size_t Bytes, bool Stores) {
  if (!Memory || !ofProgram())
    return;
  const int Saved = errno;
  Inside Guard;
  if (HostWatch *W = HostWatch::active())
    W->used(Caller, number(Memory), Bytes, Stores);
  errno = Saved;
}

void goes(const void *Memory, size_t Bytes) {
  if (!ofProgram())
    return;
  if (HostWatch *W = HostWatch::active())
    W->forget(number(Memory), Bytes);
}

void staysUnseen(const void *Memory, size_t Bytes) {
  if (!ofProgram())
    return;
  if (HostWatch *W = HostWatch::active())
    W->giveUp(number(Memory), Bytes);
}

static void uses(const void *Caller, const iovec *Parts, size_t Count, bool Stores) {
  constexpr size_t Most = 1024; // IOV_MAX
  if (!Parts || !ofProgram())
    return;
  Count = std::min(Count, Most);
  reads(Caller, Parts, Count * sizeof(iovec));
  for (size_t I = 0; I < Count; ++I)
    uses(Caller, Parts[I].iov_base, Parts[I].iov_len, Stores);
}

static void reads(const void *Caller, const iovec *Parts, int Count) {
  uses(Caller, Parts, static_cast<size_t>(std::max(Count, 0)), /*Stores=*/false);
}

static void writes(const void *Caller, const iovec *Parts, int Count) {
  uses(Caller, Parts, static_cast<size_t>(std::max(Count, 0)), /*Stores=*/true);
}

static void uses(const void *Caller, const msghdr *Message, bool Stores) {
  if (!Message || !ofProgram())
    return;
  touches(Caller, Message);
  uses(Caller, Message->msg_name, Message->msg_namelen, Stores);
  uses(Caller, Message->msg_control, Message->msg_controllen, Stores);
  uses(Caller, Message->msg_iov, Message->msg_iovlen, Stores);
}

static void uses(const void *Caller, const mmsghdr *Messages, unsigned Count, bool Stores) {
  if (!Messages || !ofProgram())
    return;
  reads(Caller, Messages, Count * sizeof(mmsghdr));
  for (unsigned I = 0; I < Count; ++I)
    uses(Caller, &Messages[I].msg_hdr, Stores);
}

template <typename Control> static void asynchronous(const void *Caller, const Control *C) {
  if (!C || !ofProgram())
    return;
  reads(Caller, C, sizeof(Control));
  uses(Caller, C->aio_buf, C->aio_nbytes, /*Stores=*/true);
}

template <typename Control>
static void asynchronous(const void *Caller, const Control *const *List, int Count) {
  if (!List || !ofProgram())
    return;
  reads(Caller, List, sizeof(void *) * static_cast<size_t>(std::max(Count, 0)));
  for (int I = 0; I < Count; ++I)
    asynchronous(Caller, List[I]);
}

/// Makes a system call by number. Its memory arguments are followed directly by their sizes.
static void anySystemCall(const void *Caller, long Number, const std::array<long, 6> &A) {
  constexpr long Largest = 1l << 40;
  if (!ofProgram())
    return;
  const auto *Parts = reinterpret_cast<const iovec *>(A[1]);
  switch (Number) {
  case SYS_readv:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_vmsplice:
  case SYS_writev:
  case SYS_pwritev:
  case SYS_pwritev2:
  case SYS_process_vm_readv:
  case SYS_process_vm_writev:
    return uses(Caller, Parts, static_cast<size_t>(A[2]), /*Stores=*/true);
  case SYS_sendmsg:
  case SYS_recvmsg:
    return uses(Caller, reinterpret_cast<const msghdr *>(A[1]), /*Stores=*/true);
  case SYS_sendmmsg:
  case SYS_recvmmsg:
    return uses(Caller, reinterpret_cast<const mmsghdr *>(A[1]), static_cast<unsigned>(A[2]),
                /*Stores=*/true);
  default:
    for (size_t I = 0; I < A.size(); ++I) {
      const bool Sized = I + 1 < A.size() && A[I + 1] > 0 && A[I + 1] < Largest;
      uses(Caller, reinterpret_cast<const void *>(A[I]), Sized ? static_cast<size_t>(A[I + 1]) : 1,
           /*Stores=*/true);
    }
  }
}

/// Returns the argument that open() only has if it creates a file.
static mode_t modeOf(int Flags, va_list More) {
  return Flags & (O_CREAT | __O_TMPFILE) ? va_arg(More, mode_t) : 0;
}

} // namespace gmprof::host

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

GMPROF_SYSTEM(ssize_t, read, (int F, void *To, size_t N), (F, To, N), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, __read_chk, (int F, void *To, size_t N, size_t Room), (F, To, N, Room),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, write, (int F, const void *From, size_t N), (F, From, N),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, pread, (int F, void *To, size_t N, off_t At), (F, To, N, At),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, pread64, (int F, void *To, size_t N, off64_t At), (F, To, N, At),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, __pread_chk, (int F, void *To, size_t N, off_t At, size_t Room),
              (F, To, N, At, Room), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, __pread64_chk, (int F, void *To, size_t N, off64_t At, size_t Room),
              (F, To, N, At, Room), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, pwrite, (int F, const void *From, size_t N, off_t At), (F, From, N, At),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, pwrite64, (int F, const void *From, size_t N, off64_t At), (F, From, N, At),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, readv, (int F, const iovec *To, int N), (F, To, N), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, writev, (int F, const iovec *From, int N), (F, From, N),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, preadv, (int F, const iovec *To, int N, off_t At), (F, To, N, At),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, preadv64, (int F, const iovec *To, int N, off64_t At), (F, To, N, At),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, preadv2, (int F, const iovec *To, int N, off_t At, int Flags),
              (F, To, N, At, Flags), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, preadv64v2, (int F, const iovec *To, int N, off64_t At, int Flags),
              (F, To, N, At, Flags), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, pwritev, (int F, const iovec *From, int N, off_t At), (F, From, N, At),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, pwritev64, (int F, const iovec *From, int N, off64_t At), (F, From, N, At),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, pwritev2, (int F, const iovec *From, int N, off_t At, int Flags),
              (F, From, N, At, Flags), reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, pwritev64v2, (int F, const iovec *From, int N, off64_t At, int Flags),
              (F, From, N, At, Flags), reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, vmsplice, (int F, const iovec *Of, size_t N, unsigned Flags),
              (F, Of, N, Flags), uses(Caller, Of, N, /*Stores=*/true))
GMPROF_SYSTEM(ssize_t, process_vm_readv,
              (pid_t Of, const iovec *To, unsigned long N, const iovec *From, unsigned long M,
               unsigned long Flags),
              (Of, To, N, From, M, Flags),
              (uses(Caller, To, N, /*Stores=*/true), uses(Caller, From, M, /*Stores=*/false)))
GMPROF_SYSTEM(ssize_t, process_vm_writev,
              (pid_t Of, const iovec *From, unsigned long N, const iovec *To, unsigned long M,
               unsigned long Flags),
              (Of, From, N, To, M, Flags),
              (uses(Caller, From, N, /*Stores=*/false), uses(Caller, To, M, /*Stores=*/true)))
GMPROF_SYSTEM(ssize_t, send, (int S, const void *From, size_t N, int Flags), (S, From, N, Flags),
              reads(Caller, From, N))
GMPROF_SYSTEM(ssize_t, sendto,
              (int S, const void *From, size_t N, int Flags, const sockaddr *To, socklen_t M),
              (S, From, N, Flags, To, M), (reads(Caller, From, N), touches(Caller, To)))
GMPROF_SYSTEM(ssize_t, sendmsg, (int S, const msghdr *From, int Flags), (S, From, Flags),
              uses(Caller, From, /*Stores=*/false))
GMPROF_SYSTEM(int, sendmmsg, (int S, mmsghdr *From, unsigned N, int Flags), (S, From, N, Flags),
              uses(Caller, From, N, /*Stores=*/false))
GMPROF_SYSTEM(ssize_t, recv, (int S, void *To, size_t N, int Flags), (S, To, N, Flags),
              writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, __recv_chk, (int S, void *To, size_t N, size_t Room, int Flags),
              (S, To, N, Room, Flags), writes(Caller, To, N))
GMPROF_SYSTEM(ssize_t, recvfrom,
              (int S, void *To, size_t N, int Flags, sockaddr *From, socklen_t *M),
              (S, To, N, Flags, From, M), (writes(Caller, To, N), touches(Caller, From, M)))
GMPROF_SYSTEM(ssize_t, __recvfrom_chk,
              (int S, void *To, size_t N, size_t Room, int Flags, sockaddr *From, socklen_t *M),
              (S, To, N, Room, Flags, From, M), (writes(Caller, To, N), touches(Caller, From, M)))
GMPROF_SYSTEM(ssize_t, recvmsg, (int S, msghdr *To, int Flags), (S, To, Flags),
              uses(Caller, To, /*Stores=*/true))
GMPROF_SYSTEM(int, recvmmsg, (int S, mmsghdr *To, unsigned N, int Flags, timespec *Most),
              (S, To, N, Flags, Most),
              (uses(Caller, To, N, /*Stores=*/true), touches(Caller, Most)))
GMPROF_SYSTEM(int, msgsnd, (int Q, const void *From, size_t N, int Flags), (Q, From, N, Flags),
              reads(Caller, From, N + sizeof(long)))
GMPROF_SYSTEM(ssize_t, msgrcv, (int Q, void *To, size_t N, long Type, int Flags),
              (Q, To, N, Type, Flags), writes(Caller, To, N + sizeof(long)))
GMPROF_SYSTEM(int, mq_send, (mqd_t Q, const char *From, size_t N, unsigned P), (Q, From, N, P),
              reads(Caller, From, N))
GMPROF_SYSTEM(int, mq_timedsend,
              (mqd_t Q, const char *From, size_t N, unsigned P, const timespec *Most),
              (Q, From, N, P, Most), (reads(Caller, From, N), touches(Caller, Most)))
GMPROF_SYSTEM(ssize_t, mq_receive, (mqd_t Q, char *To, size_t N, unsigned *P), (Q, To, N, P),
              (writes(Caller, To, N), touches(Caller, P)))
GMPROF_SYSTEM(ssize_t, mq_timedreceive,
              (mqd_t Q, char *To, size_t N, unsigned *P, const timespec *Most), (Q, To, N, P, Most),
              (writes(Caller, To, N), touches(Caller, P, Most)))
GMPROF_SYSTEM(int, aio_read, (aiocb * C), (C), asynchronous(Caller, C))
GMPROF_SYSTEM(int, aio_read64, (aiocb64 * C), (C), asynchronous(Caller, C))
GMPROF_SYSTEM(int, aio_write, (aiocb * C), (C), asynchronous(Caller, C))
GMPROF_SYSTEM(int, aio_write64, (aiocb64 * C), (C), asynchronous(Caller, C))
GMPROF_SYSTEM(int, lio_listio, (int Mode, aiocb *const *List, int N, sigevent *Done),
              (Mode, List, N, Done), asynchronous(Caller, List, N))
GMPROF_SYSTEM(int, lio_listio64, (int Mode, aiocb64 *const *List, int N, sigevent *Done),
              (Mode, List, N, Done), asynchronous(Caller, List, N))
GMPROF_SYSTEM(ssize_t, getrandom, (void *To, size_t N, unsigned Flags), (To, N, Flags),
              writes(Caller, To, N))
GMPROF_SYSTEM(size_t, fread, (void *To, size_t B, size_t N, FILE *F), (To, B, N, F),
              writes(Caller, To, B *N))
GMPROF_SYSTEM(size_t, fread_unlocked, (void *To, size_t B, size_t N, FILE *F), (To, B, N, F),
              writes(Caller, To, B *N))
GMPROF_SYSTEM(size_t, __fread_chk, (void *To, size_t Room, size_t B, size_t N, FILE *F),
              (To, Room, B, N, F), writes(Caller, To, B *N))
GMPROF_SYSTEM(size_t, __fread_unlocked_chk, (void *To, size_t Room, size_t B, size_t N, FILE *F),
              (To, Room, B, N, F), writes(Caller, To, B *N))
GMPROF_SYSTEM(size_t, fwrite, (const void *From, size_t B, size_t N, FILE *F), (From, B, N, F),
              reads(Caller, From, B *N))
GMPROF_SYSTEM(size_t, fwrite_unlocked, (const void *From, size_t B, size_t N, FILE *F),
              (From, B, N, F), reads(Caller, From, B *N))

//===----------------------------------------------------------------------===//
// Names and small structures, which may be in managed memory
//===----------------------------------------------------------------------===//

GMPROF_SYSTEM(int, creat, (const char *Name, mode_t Mode), (Name, Mode), touches(Caller, Name))
GMPROF_SYSTEM(int, creat64, (const char *Name, mode_t Mode), (Name, Mode), touches(Caller, Name))
GMPROF_SYSTEM(FILE *, fopen, (const char *Name, const char *Mode), (Name, Mode),
              touches(Caller, Name, Mode))
GMPROF_SYSTEM(FILE *, fopen64, (const char *Name, const char *Mode), (Name, Mode),
              touches(Caller, Name, Mode))
GMPROF_SYSTEM(DIR *, opendir, (const char *Name), (Name), touches(Caller, Name))
GMPROF_SYSTEM(int, access, (const char *Name, int Mode), (Name, Mode), touches(Caller, Name))
GMPROF_SYSTEM(int, stat, (const char *Name, struct stat *To), (Name, To), touches(Caller, Name, To))
GMPROF_SYSTEM(int, stat64, (const char *Name, struct stat64 *To), (Name, To),
              touches(Caller, Name, To))
GMPROF_SYSTEM(int, lstat, (const char *Name, struct stat *To), (Name, To),
              touches(Caller, Name, To))
GMPROF_SYSTEM(int, lstat64, (const char *Name, struct stat64 *To), (Name, To),
              touches(Caller, Name, To))
GMPROF_SYSTEM(int, fstat, (int F, struct stat *To), (F, To), touches(Caller, To))
GMPROF_SYSTEM(int, fstat64, (int F, struct stat64 *To), (F, To), touches(Caller, To))
GMPROF_SYSTEM(int, fstatat, (int At, const char *Name, struct stat *To, int Flags),
              (At, Name, To, Flags), touches(Caller, Name, To))
GMPROF_SYSTEM(int, fstatat64, (int At, const char *Name, struct stat64 *To, int Flags),
              (At, Name, To, Flags), touches(Caller, Name, To))
GMPROF_SYSTEM(int, mkdir, (const char *Name, mode_t Mode), (Name, Mode), touches(Caller, Name))
GMPROF_SYSTEM(int, unlink, (const char *Name), (Name), touches(Caller, Name))
GMPROF_SYSTEM(int, rename, (const char *Old, const char *New), (Old, New),
              touches(Caller, Old, New))
GMPROF_SYSTEM(ssize_t, readlink, (const char *Name, char *To, size_t N), (Name, To, N),
              (touches(Caller, Name), writes(Caller, To, N)))
GMPROF_SYSTEM(char *, getcwd, (char *To, size_t N), (To, N), writes(Caller, To, N))
GMPROF_SYSTEM(int, poll, (pollfd * Of, nfds_t N, int Most), (Of, N, Most),
              writes(Caller, Of, N * sizeof(pollfd)))
GMPROF_SYSTEM(int, __poll_chk, (pollfd * Of, nfds_t N, int Most, size_t Room), (Of, N, Most, Room),
              writes(Caller, Of, N * sizeof(pollfd)))
GMPROF_SYSTEM(int, ppoll, (pollfd * Of, nfds_t N, const timespec *Most, const sigset_t *Mask),
              (Of, N, Most, WaitMask(Mask).get()),
              (writes(Caller, Of, N * sizeof(pollfd)), touches(Caller, Most, Mask)))
GMPROF_SYSTEM(int, __ppoll_chk,
              (pollfd * Of, nfds_t N, const timespec *Most, const sigset_t *Mask, size_t Room),
              (Of, N, Most, WaitMask(Mask).get(), Room),
              (writes(Caller, Of, N * sizeof(pollfd)), touches(Caller, Most, Mask)))
GMPROF_SYSTEM(int, select, (int N, fd_set *In, fd_set *Out, fd_set *Other, timeval *Most),
              (N, In, Out, Other, Most), touches(Caller, In, Out, Other, Most))
GMPROF_SYSTEM(int, pselect,
              (int N, fd_set *In, fd_set *Out, fd_set *Other, const timespec *Most,
               const sigset_t *Mask),
              (N, In, Out, Other, Most, WaitMask(Mask).get()),
              touches(Caller, In, Out, Other, Most, Mask))
GMPROF_SYSTEM(int, epoll_wait, (int F, epoll_event *To, int N, int Most), (F, To, N, Most),
              writes(Caller, To, sizeof(epoll_event) * static_cast<size_t>(std::max(N, 0))))
GMPROF_SYSTEM(int, epoll_pwait, (int F, epoll_event *To, int N, int Most, const sigset_t *Mask),
              (F, To, N, Most, WaitMask(Mask).get()),
              (writes(Caller, To, sizeof(epoll_event) * static_cast<size_t>(std::max(N, 0))),
               touches(Caller, Mask)))
GMPROF_SYSTEM(int, epoll_ctl, (int F, int What, int Of, epoll_event *E), (F, What, Of, E),
              touches(Caller, E))
GMPROF_SYSTEM(int, nanosleep, (const timespec *Time, timespec *Rest), (Time, Rest),
              touches(Caller, Time, Rest))
GMPROF_SYSTEM(int, clock_nanosleep, (clockid_t C, int Flags, const timespec *Time, timespec *Rest),
              (C, Flags, Time, Rest), touches(Caller, Time, Rest))

/// A function with an optional further argument.
#define GMPROF_SYSTEM_OPEN(Name, Parameters, Arguments)                                            \
  GMPROF_INTERPOSE int Name Parameters {                                                           \
    touches(GMPROF_CALLER, File);                                                                  \
    va_list More;                                                                                  \
    va_start(More, Flags);                                                                         \
    const mode_t Mode = modeOf(Flags, More);                                                       \
    va_end(More);                                                                                  \
    return realSystem().Name Arguments;                                                            \
  }
GMPROF_SYSTEM_OPEN(open, (const char *File, int Flags, ...), (File, Flags, Mode))
GMPROF_SYSTEM_OPEN(open64, (const char *File, int Flags, ...), (File, Flags, Mode))
GMPROF_SYSTEM_OPEN(openat, (int At, const char *File, int Flags, ...), (At, File, Flags, Mode))
GMPROF_SYSTEM_OPEN(openat64, (int At, const char *File, int Flags, ...), (At, File, Flags, Mode))

#define GMPROF_SYSTEM_CONTROL(Name, Parameters, Last, Arguments)                                   \
  GMPROF_INTERPOSE int Name Parameters {                                                           \
    va_list More;                                                                                  \
    va_start(More, Last);                                                                          \
    void *Argument = va_arg(More, void *);                                                         \
    va_end(More);                                                                                  \
    touches(GMPROF_CALLER, Argument);                                                              \
    return realSystem().Name Arguments;                                                            \
  }
GMPROF_SYSTEM_CONTROL(ioctl, (int File, unsigned long Request, ...), Request,
                      (File, Request, Argument))
GMPROF_SYSTEM_CONTROL(fcntl, (int File, int Request, ...), Request, (File, Request, Argument))
GMPROF_SYSTEM_CONTROL(fcntl64, (int File, int Request, ...), Request, (File, Request, Argument))

GMPROF_INTERPOSE long syscall(long Number, ...) {
  std::array<long, 6> A;
  va_list More;
  va_start(More, Number);
  for (long &Each : A)
    Each = va_arg(More, long);
  va_end(More);
  anySystemCall(GMPROF_CALLER, Number, A);
  return realSystem().syscall(Number, A[0], A[1], A[2], A[3], A[4], A[5]);
}
