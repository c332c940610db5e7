//===- FaultTest.cpp - Faults of kernels and their output -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <csetjmp>
#include <csignal>
#include <sys/mman.h>

namespace gmprof::cpu {
namespace {

using FaultTest = EngineTest;
GMPROF_ENGINE_TESTS(FaultTest, "O0", "O2");

bool contains(const std::string &Text, const std::string &Part) {
  return Text.find(Part) != std::string::npos;
}

/// A page of memory followed by an inaccessible one.
struct GuardedPage {
  GuardedPage() {
    Start = static_cast<int *>(
        mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(reinterpret_cast<char *>(Start) + 4096, 4096, PROT_NONE);
  }
  ~GuardedPage() { munmap(Start, 8192); }
  int *Start;
};

TEST_P(FaultTest, IllegalAddressNamesKernelBlockThreadAndAllocation) {
  GuardedPage Page;
  OneAllocation Memory(Page.Start, 4096);
  Fault F = fault(module("faults"), "outOfBounds", config({4}, {32}), Memory, Page.Start, 1024l);
  EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
  EXPECT_EQ(F.Address, uint64_t(Page.Start) + 4096);
  EXPECT_EQ(F.Kernel, "outOfBounds");
  EXPECT_EQ(F.Block.X, 2u);
  EXPECT_EQ(F.Thread.X, 5u);
  EXPECT_TRUE(contains(F.Message, "kernel outOfBounds, block (2,0,0), thread (5,0,0), "))
      << F.Message;
  EXPECT_TRUE(contains(F.Message, "faults.cu:15: illegal access to address 0x")) << F.Message;
  EXPECT_TRUE(contains(F.Message, ", 0 bytes beyond the allocation")) << F.Message;
  // The engine still works.
  run(module("faults"), "outOfBounds", config({4}, {32}), Page.Start, 1023l);
  EXPECT_EQ(Page.Start[1023], 1);
}

TEST_P(FaultTest, NullPointerInAFiber) {
  Fault F = fault(module("faults"), "nullPointer", config({3}, {64}), OneAllocation(),
                  static_cast<int *>(nullptr));
  EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
  EXPECT_EQ(F.Address, 0u);
  EXPECT_EQ(F.Block.X, 0u);
  EXPECT_EQ(F.Thread.X, 33u);
  EXPECT_TRUE(contains(F.Message, "a null pointer")) << F.Message;
}

TEST_P(FaultTest, MisalignedVector) {
  alignas(16) float In[32] = {1, 2, 3}, Out[32];
  Fault F = fault(module("faults"), "vectors", config({1}, {4}), OneAllocation(), &In[0], &Out[0]);
  EXPECT_EQ(F.Kind, FaultKind::MisalignedAddress);
  EXPECT_EQ(F.Address, uint64_t(&In[13]));
  EXPECT_EQ(F.Thread.X, 3u);
  EXPECT_TRUE(contains(F.Message, "which is not a multiple of 16")) << F.Message;
  EXPECT_EQ(Out[2], 3);
}

TEST_P(FaultTest, BeyondSharedMemory) {
  std::vector<int> Out(64);
  Fault F =
      fault(module("faults"), "beyondShared", config({1}, {64}), OneAllocation(), Out.data(), 64);
  EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
  EXPECT_EQ(F.Thread.X, 0u);
  EXPECT_TRUE(contains(F.Message,
                       "illegal access of 4 bytes at index 64 (byte 256) of the 256-byte "
                       "variable Tile"))
      << F.Message;
  F = fault(module("faults"), "beyondSharedByPointer", config({1}, {64}), OneAllocation(),
            Out.data(), 64);
  EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
  EXPECT_EQ(F.Thread.X, 0u);
  EXPECT_TRUE(contains(F.Message, "0 bytes beyond the block's 256 bytes of shared memory"))
      << F.Message;
}

TEST_P(FaultTest, FirstFaultingBlockIsReportedAndThoseBeforeItRun) {
  for (int Repeat = 0; Repeat < 10; ++Repeat) {
    std::vector<int> Out(200);
    Fault F = fault(module("faults"), "trap", config({200}, {1}), OneAllocation(), Out.data());
    EXPECT_EQ(F.Kind, FaultKind::Trap);
    EXPECT_EQ(F.Block.X, 3u);
    // If the function is not inlined, the line is in clang's header.
    EXPECT_TRUE(contains(F.Message,
                         GetParam() == std::string("O2") ? "faults.cu:38: __trap()" : ": __trap()"))
        << F.Message;
    EXPECT_EQ(Out[0] + Out[1] + Out[2] + Out[3], 4);
  }
}

TEST_P(FaultTest, AssertPrintsAsCudaDoes) {
  std::vector<int> Out(64);
  testing::internal::CaptureStderr();
  Fault F = fault(module("faults"), "failedAssert", config({2}, {32}), OneAllocation(), Out.data());
  std::string Printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(F.Kind, FaultKind::Assert);
  EXPECT_EQ(F.Block.X, 1u);
  EXPECT_EQ(F.Thread.X, 3u);
  EXPECT_TRUE(contains(Printed, "faults.cu:")) << Printed;
  EXPECT_TRUE(contains(Printed, ": void failedAssert(int *): block: [1,0,0], thread: [3,0,0] "
                                "Assertion `blockIdx.x != 1 || threadIdx.x != 3` failed.\n"))
      << Printed;
}

TEST_P(FaultTest, StackOverflow) {
  int Out = 0;
  Fault F = fault(module("faults"), "endlessRecursion", config({1}, {1}), OneAllocation(), &Out);
  EXPECT_EQ(F.Kind, FaultKind::StackOverflow);
  EXPECT_TRUE(contains(F.Message, "256 KiB")) << F.Message;
}

TEST_P(FaultTest, BarrierThatCannotComplete) {
  std::vector<int> Out(64);
  Fault F =
      fault(module("faults"), "divergentBarrier", config({2}, {64}), OneAllocation(), Out.data());
  EXPECT_EQ(F.Kind, FaultKind::Deadlock);
  EXPECT_EQ(F.Block.X, 0u);
  EXPECT_TRUE(contains(F.Message, "threads 0-39 wait in __syncthreads() (bar.sync) at "))
      << F.Message;
  EXPECT_TRUE(contains(F.Message, "threads 40-63 wait in __syncthreads() (bar.sync) at "))
      << F.Message;
  EXPECT_TRUE(contains(F.Message, "faults.cu:")) << F.Message;
}

TEST_P(FaultTest, LaneThatNeverComes) {
  std::vector<int> Out(32);
  Fault F = fault(module("faults"), "missingLane", config({1}, {32}), OneAllocation(), Out.data());
  EXPECT_EQ(F.Kind, FaultKind::Deadlock);
  EXPECT_TRUE(contains(F.Message, "thread 0 waits in __syncthreads() (bar.sync) at ")) << F.Message;
  EXPECT_TRUE(contains(F.Message, "threads 1-31 wait in a warp shuffle at ")) << F.Message;
}

TEST_P(FaultTest, PrintfInTheOrderOfTheBlocks) {
  testing::internal::CaptureStdout();
  run(module("faults"), "print", config({200}, {2}), "name", 3.14159);
  std::string Expected;
  for (int B = 0; B < 200; ++B) {
    for (int T = 0; T < 2; ++T)
      Expected +=
          "block " + std::to_string(B) + " thread " + std::to_string(T) + " name  3.14 x%\n";
    Expected += "1099511627776 -3 0x10 7   |00ff|(null)\n";
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), Expected);
}

TEST_P(FaultTest, PrintfReturnsTheNumberOfArguments) {
  int Out[2] = {-1, -1};
  testing::internal::CaptureStdout();
  run(module("faults"), "printResult", config({1}, {1}), &Out[0]);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "none\n1 two\n");
  EXPECT_EQ(Out[0], 0);
  EXPECT_EQ(Out[1], 2);
}

TEST_P(FaultTest, DeviceHeap) {
  std::vector<int *> Pointers(64);
  std::vector<int> Out(64);
  run(module("faults"), "deviceHeap", config({1}, {64}), Pointers.data(), Out.data());
  for (int T = 0; T < 64; ++T)
    EXPECT_EQ(Out[T], 1000 * T * (T + 1) + T * (T + 1) / 2);
  Fault F = fault(module("faults"), "badFree", config({1}, {1}), OneAllocation(), Out.data());
  EXPECT_EQ(F.Kind, FaultKind::Trap);
  EXPECT_TRUE(contains(F.Message, "free()")) << F.Message;
}

TEST_P(FaultTest, LocalMemory) {
  std::vector<int> Out(129);
  run(module("faults"), "readStack", config({1}, {128}), Out.data());
  for (int T = 1; T <= 128; ++T)
    EXPECT_EQ(Out[T], 499500);
}

TEST_P(FaultTest, UnsupportedConstructsAreNamed) {
  int Value = 0;
  RunResult Result =
      launch(module("faults"), "unsupported", config({1}, {1}), OneAllocation(), &Value);
  auto *Error = std::get_if<LoadError>(&Result);
  ASSERT_NE(Error, nullptr);
  EXPECT_TRUE(contains(Error->Message, "kernel unsupported uses ")) << Error->Message;
  EXPECT_TRUE(contains(Error->Message, "no.such.instruction")) << Error->Message;
  EXPECT_TRUE(contains(Error->Message, "faults.cu:")) << Error->Message;
}

TEST_P(FaultTest, SharedMemoryAndBlocksHaveLimits) {
  int Value = 0;
  for (const LaunchConfig &Config :
       {config({1}, {1}, 229 * 1024), config({1}, {1025}), config({1}, {0})}) {
    RunResult Result = launch(module("faults"), "trap", Config, OneAllocation(), &Value);
    EXPECT_TRUE(std::holds_alternative<LoadError>(Result));
  }
}

TEST_P(FaultTest, WaitingForEverIsReported) {
  setenv("GMPROF_CPU_SPIN_SECONDS", "0.05", 1);
  int Flag = 0, Out = 0;
  Fault F = fault(module("faults"), "waitForEver", config({3}, {32}), OneAllocation(), &Flag, &Out);
  EXPECT_EQ(F.Kind, FaultKind::Deadlock);
  unsetenv("GMPROF_CPU_SPIN_SECONDS");
  EXPECT_TRUE(contains(F.Message, "all threads wait for memory to change")) << F.Message;
  EXPECT_TRUE(contains(F.Message, "faults.cu:")) << F.Message;
}

sigjmp_buf *Return;
void ownHandler(int) { siglongjmp(*Return, 1); }

TEST(SignalTest, TheProgramsOwnSignalsReachItsHandler) {
  auto M = loadFiles({"basic.O2.bc"});
  struct sigaction Own = {}, Old;
  Own.sa_handler = ownHandler;
  sigaction(SIGSEGV, &Own, &Old);
  std::vector<unsigned> Out(4);
  unsigned *Pointer = Out.data();
  const void *Args[] = {&Pointer};
  M->run(*M->kernel("recursion"), config({1}, {4}), Args, OneAllocation());
  EXPECT_EQ(Out[3], 2u);
  sigjmp_buf Here;
  Return = &Here;
  bool Reached = false;
  if (sigsetjmp(Here, 1) == 0)
    *reinterpret_cast<volatile int *>(8) = 1;
  else
    Reached = true;
  EXPECT_TRUE(Reached);
  sigaction(SIGSEGV, &Old, nullptr);
}

} // namespace
} // namespace gmprof::cpu
