// System calls are given memory that the GPU wrote, and that has not been used before: they
// succeed, and are uses, each of another copy.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sum(s["unnecessary"] for s in summary["sync"]["sites"]) == 0
// EXPECT: sum(s["needed"] for s in summary["sync"]["sites"]) == 35
// EXPECT: summary["sync"]["uses_assumed"] == 0
// EXPECT-OUTPUT: 35 calls, 0 failed
#include "common.h"
#include <aio.h>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

constexpr size_t Bytes = 8192;

/// "/tmp" and null bytes.
__global__ void fill(char *Out) {
  const char Name[] = "/tmp";
  for (size_t I = threadIdx.x; I < Bytes; I += blockDim.x)
    Out[I] = I < sizeof(Name) ? Name[I] : 0;
}

static char *Device, *Fresh;
static int Calls, Failed, File, Pipe[2], Socket[2];

/// Copies again, makes the call and checks its result.
template <typename Call> void with(const char *Name, long Expected, Call Made) {
  fill<<<1, 64>>>(Device);
  CHECK(cudaMemcpy(Fresh, Device, Bytes, cudaMemcpyDeviceToHost));
  errno = 0;
  ++Calls;
  if (const long Result = (long)Made(); Result != Expected) {
    ++Failed;
    std::printf("%s: %ld, %s\n", Name, Result, strerror(errno));
  }
}

int main() {
  CHECK(cudaMalloc(&Device, Bytes));
  Fresh = (char *)mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char Name[] = "/tmp/gmprof-sync-calls-XXXXXX";
  File = mkstemp(Name);
  unlink(Name);
  if (File < 0 || pipe(Pipe) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, Socket) != 0)
    return 1;
  const long N = 64;
  char Small[N] = {};
  iovec Parts[2] = {{Small, sizeof(Small)}, {Fresh, (size_t)N}};
  msghdr Message = {};
  Message.msg_iov = Parts;
  Message.msg_iovlen = 2;
  iovec Other = {Small, (size_t)N}, Remote = {Fresh, (size_t)N};
  auto toSocket = [&] { return send(Socket[0], Small, N, 0); };

  with("write", N, [&] { return write(Pipe[1], Fresh, N); });
  with("read", N, [&] { return read(Pipe[0], Fresh, N); });
  with("pwrite", N, [&] { return pwrite(File, Fresh, N, 0); });
  with("pread", N, [&] { return pread(File, Fresh, N, 0); });
  with("pwrite64", N, [&] { return pwrite64(File, Fresh, N, 0); });
  with("pread64", N, [&] { return pread64(File, Fresh, N, 0); });
  with("writev", 2 * N, [&] { return writev(Pipe[1], Parts, 2); });
  with("readv", 2 * N, [&] { return readv(Pipe[0], Parts, 2); });
  with("pwritev", 2 * N, [&] { return pwritev(File, Parts, 2, 0); });
  with("preadv", 2 * N, [&] { return preadv(File, Parts, 2, 0); });
  with("pwritev2", 2 * N, [&] { return pwritev2(File, Parts, 2, 0, 0); });
  with("preadv2", 2 * N, [&] { return preadv2(File, Parts, 2, 0, 0); });
  with("process_vm_readv", N, [&] { return process_vm_readv(getpid(), &Other, 1, &Remote, 1, 0); });
  with("process_vm_writev", N,
       [&] { return process_vm_writev(getpid(), &Other, 1, &Remote, 1, 0); });
  with("send", N, [&] { return send(Socket[0], Fresh, N, 0); });
  with("recv", N, [&] { return recv(Socket[1], Fresh, N, 0); });
  with("sendto", N, [&] { return sendto(Socket[0], Fresh, N, 0, nullptr, 0); });
  with("recvfrom", N, [&] { return recvfrom(Socket[1], Fresh, N, 0, nullptr, nullptr); });
  with("sendmsg", 2 * N, [&] { return sendmsg(Socket[0], &Message, 0); });
  with("recvmsg", 2 * N, [&] { return recvmsg(Socket[1], &Message, 0); });
  mmsghdr Messages = {Message, 0};
  with("sendmmsg", 1, [&] { return sendmmsg(Socket[0], &Messages, 1, 0); });
  with("recvmmsg", 1, [&] { return recvmmsg(Socket[1], &Messages, 1, 0, nullptr); });
  with("getrandom", N, [&] { return getrandom(Fresh, N, 0); });
  std::FILE *Stream = fdopen(dup(File), "r+");
  with("fwrite", Bytes, [&] { return std::fwrite(Fresh, 1, Bytes, Stream); });
  std::rewind(Stream);
  with("fread", Bytes, [&] { return std::fread(Fresh, 1, Bytes, Stream); });
  aiocb Control = {};
  Control.aio_fildes = File;
  Control.aio_buf = Fresh;
  Control.aio_nbytes = N;
  const aiocb *Waited[1] = {&Control};
  with("aio_write", N, [&] {
    return aio_write(&Control) == 0 && aio_suspend(Waited, 1, nullptr) == 0 ? aio_return(&Control)
                                                                            : -1;
  });
  // The same calls by number.
  with("SYS_write", N, [&] { return syscall(SYS_write, Pipe[1], Fresh, N); });
  with("SYS_read", N, [&] { return syscall(SYS_read, Pipe[0], Fresh, N); });
  with("SYS_writev", 2 * N, [&] { return syscall(SYS_writev, Pipe[1], Parts, 2); });
  // In it, but not at its begin.
  if (toSocket() != N)
    return 1;
  with("SYS_recvfrom", N,
       [&] { return syscall(SYS_recvfrom, Socket[1], Fresh + 100, N, 0, nullptr, nullptr); });
  // Names and structures.
  with("access", 0, [&] { return access(Fresh, F_OK); });
  with("open", 0, [&] { return close(open(Fresh, O_RDONLY | O_DIRECTORY)); });
  with("opendir", 0, [&] { return closedir(opendir(Fresh)); });
  with("fstat", 0, [&] { return fstat(File, (struct stat *)(Fresh + 512)); });
  with("poll", 0, [&] { return poll((pollfd *)(Fresh + 1024), 1, 0); });
  std::printf("%d calls, %d failed\n", Calls, Failed);
}
