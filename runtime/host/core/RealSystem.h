//===- RealSystem.h - The C library behind the interposed functions -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_REALSYSTEM_H
#define GMPROF_HOST_CORE_REALSYSTEM_H

#include <aio.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// NOLINTBEGIN(readability-identifier-naming): the C library's names
// What headers declare only where the program is compiled to check its buffers.
extern "C" {
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, sockaddr *, socklen_t *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
int __poll_chk(pollfd *, nfds_t, int, size_t);
int __ppoll_chk(pollfd *, nfds_t, const timespec *, const sigset_t *, size_t);
sighandler_t bsd_signal(int, sighandler_t);
int __sigaction(int, const struct sigaction *, struct sigaction *);
int __sigsuspend(const sigset_t *);
}

namespace gmprof::host {

/// Functions that the library defines in the C library's place (InterposeSystem.cpp).
#define GMPROF_SYSTEM_FUNCTIONS(X)                                                                 \
  X(read)                                                                                          \
  X(__read_chk)                                                                                    \
  X(write)                                                                                         \
  X(pread)                                                                                         \
  X(pread64)                                                                                       \
  X(__pread_chk)                                                                                   \
  X(__pread64_chk)                                                                                 \
  X(pwrite)                                                                                        \
  X(pwrite64)                                                                                      \
  X(readv)                                                                                         \
  X(writev)                                                                                        \
  X(preadv)                                                                                        \
  X(preadv64)                                                                                      \
  X(preadv2)                                                                                       \
  X(preadv64v2)                                                                                    \
  X(pwritev)                                                                                       \
  X(pwritev64)                                                                                     \
  X(pwritev2)                                                                                      \
  X(pwritev64v2)                                                                                   \
  X(vmsplice)                                                                                      \
  X(process_vm_readv)                                                                              \
  X(process_vm_writev)                                                                             \
  X(send)                                                                                          \
  X(sendto)                                                                                        \
  X(sendmsg)                                                                                       \
  X(sendmmsg)                                                                                      \
  X(recv)                                                                                          \
  X(__recv_chk)                                                                                    \
  X(recvfrom)                                                                                      \
  X(__recvfrom_chk)                                                                                \
  X(recvmsg)                                                                                       \
  X(recvmmsg)                                                                                      \
  X(msgsnd)                                                                                        \
  X(msgrcv)                                                                                        \
  X(mq_send)                                                                                       \
  X(mq_timedsend)                                                                                  \
  X(mq_receive)                                                                                    \
  X(mq_timedreceive)                                                                               \
  X(aio_read)                                                                                      \
  X(aio_read64)                                                                                    \
  X(aio_write)                                                                                     \
  X(aio_write64)                                                                                   \
  X(lio_listio)                                                                                    \
  X(lio_listio64)                                                                                  \
  X(getrandom)                                                                                     \
  X(fread)                                                                                         \
  X(fread_unlocked)                                                                                \
  X(__fread_chk)                                                                                   \
  X(__fread_unlocked_chk)                                                                          \
  X(fwrite)                                                                                        \
  X(fwrite_unlocked)                                                                               \
  X(open)                                                                                          \
  X(open64)                                                                                        \
  X(openat)                                                                                        \
  X(openat64)                                                                                      \
  X(creat)                                                                                         \
  X(creat64)                                                                                       \
  X(fopen)                                                                                         \
  X(fopen64)                                                                                       \
  X(opendir)                                                                                       \
  X(access)                                                                                        \
  X(stat)                                                                                          \
  X(stat64)                                                                                        \
  X(lstat)                                                                                         \
  X(lstat64)                                                                                       \
  X(fstat)                                                                                         \
  X(fstat64)                                                                                       \
  X(fstatat)                                                                                       \
  X(fstatat64)                                                                                     \
  X(mkdir)                                                                                         \
  X(unlink)                                                                                        \
  X(rename)                                                                                        \
  X(readlink)                                                                                      \
  X(getcwd)                                                                                        \
  X(poll)                                                                                          \
  X(__poll_chk)                                                                                    \
  X(ppoll)                                                                                         \
  X(__ppoll_chk)                                                                                   \
  X(select)                                                                                        \
  X(pselect)                                                                                       \
  X(epoll_wait)                                                                                    \
  X(epoll_pwait)                                                                                   \
  X(epoll_ctl)                                                                                     \
  X(nanosleep)                                                                                     \
  X(clock_nanosleep)                                                                               \
  X(ioctl)                                                                                         \
  X(fcntl)                                                                                         \
  X(fcntl64)                                                                                       \
  X(syscall)                                                                                       \
  X(free)                                                                                          \
  X(realloc)                                                                                       \
  X(reallocarray)                                                                                  \
  X(mmap)                                                                                          \
  X(mmap64)                                                                                        \
  X(munmap)                                                                                        \
  X(mremap)                                                                                        \
  X(mprotect)                                                                                      \
  X(pkey_mprotect)                                                                                 \
  X(madvise)                                                                                       \
  X(mlock)                                                                                         \
  X(mlock2)                                                                                        \
  X(mlockall)                                                                                      \
  X(sigaction)                                                                                     \
  X(__sigaction)                                                                                   \
  X(signal)                                                                                        \
  X(ssignal)                                                                                       \
  X(bsd_signal)                                                                                    \
  X(sysv_signal)                                                                                   \
  X(__sysv_signal)                                                                                 \
  X(sigprocmask)                                                                                   \
  X(pthread_sigmask)                                                                               \
  X(sigsuspend)                                                                                    \
  X(__sigsuspend)                                                                                  \
  X(sigaltstack)                                                                                   \
  X(pthread_create)

struct RealSystem {
#define GMPROF_DECLARE(name) decltype(&::name) name;
  GMPROF_SYSTEM_FUNCTIONS(GMPROF_DECLARE)
#undef GMPROF_DECLARE
};
// NOLINTEND(readability-identifier-naming)

/// Returns the next definitions in load order.
const RealSystem &realSystem();

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_REALSYSTEM_H
