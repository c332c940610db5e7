//===- Launch.cpp - Kernel launch and its workers -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Launch.h"
#include "cpu/engine/Block.h"
#include "cpu/engine/Faults.h"
#include "cpu/engine/Workers.h"
#include "profile/Mutex.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sched.h>

namespace gmprof::cpu {

static uint64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns the time, in nanoseconds, after which a launch whose threads only wait for memory to
/// change counts as deadlocked.
static uint64_t spinLimit() {
  const char *Text = getenv("GMPROF_CPU_SPIN_SECONDS");
  return uint64_t((Text ? strtod(Text, nullptr) : 60) * 1e9);
}

static Dim3 dim(const uint32_t (&Index)[3]) { return {Index[0], Index[1], Index[2]}; }

static std::atomic<uint64_t> NumLaunches{0};

/// Returns the number of blocks resident on 132 SMs, each with 2048 threads and 32 blocks.
static uint64_t residentBlocks(const LaunchConfig &C) {
  uint64_t Threads = uint64_t(C.Block.X) * C.Block.Y * C.Block.Z;
  return 132 * std::max<uint64_t>(1, std::min<uint64_t>(32, 2048 / Threads));
}

Launch::Launch(const CompiledKernel &Kernel, const LaunchConfig &Config, const MemoryMap &Memory,
               std::unique_ptr<char[]> Params)
    : Kernel(Kernel), Config(Config), Memory(Memory), Params(std::move(Params)),
      GridId(++NumLaunches), NumBlocks(uint64_t(Config.Grid.X) * Config.Grid.Y * Config.Grid.Z),
      MaxResident(residentBlocks(Config)) {
  if (Kernel.Watched)
    this->Races = std::make_unique<RaceDetector>();
}

//===----------------------------------------------------------------------===//
// Reuse of blocks of past launches
//===----------------------------------------------------------------------===//

namespace {

class BlockPool {
public:
  std::unique_ptr<Block> take() {
    LockGuard Lock(Mutex);
    if (Free.empty())
      return std::make_unique<Block>();
    std::unique_ptr<Block> B = std::move(Free.back());
    Free.pop_back();
    return B;
  }
  void giveBack(std::unique_ptr<Block> B) {
    LockGuard Lock(Mutex);
    // A larger number occurs only when blocks waited for each other.
    if (Free.size() < 2 * numWorkers() + 2)
      Free.push_back(std::move(B));
  }

private:
  gmprof::Mutex Mutex;
  std::vector<std::unique_ptr<Block>> Free GMPROF_GUARDED_BY(Mutex);
};

BlockPool &blockPool() {
  static auto *Pool = new BlockPool; // device code may run until the process ends
  return *Pool;
}

} // namespace

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

std::optional<Fault> Launch::run() {
  noteProgress();
  installFaultHandlers();
  // Waking another thread costs more than running a few short blocks.
  uint64_t Threads = NumBlocks * Config.Block.X * Config.Block.Y * Config.Block.Z;
  constexpr uint64_t FewThreads = 256;
  runOnWorkers(*this, Threads <= FewThreads || Races ? 1 : NumBlocks / Config.clusterSize());
  LockGuard Lock(Mutex);
  for (const auto &[Index, Text] : Output)
    if (!isCancelled(Index))
      fwrite(Text.data(), 1, Text.size(), stdout);
  if (!Output.empty())
    fflush(stdout);
  if (!AssertLine.empty())
    fputs(AssertLine.c_str(), stderr);
  return std::move(TheFault);
}

void Launch::noteProgress() { LastProgress.store(now(), std::memory_order_relaxed); }

bool Launch::isStuck() const {
  // Order matters: another worker may record progress in between.
  uint64_t Last = LastProgress.load(std::memory_order_relaxed);
  return now() - Last > spinLimit();
}

/// Starts the next block, or the blocks of the next cluster. Returns false if there is none.
bool Launch::begin(Blocks &Begun) {
  const unsigned Size = Config.clusterSize();
  const uint64_t Number = Next.fetch_add(1, std::memory_order_relaxed);
  // The first block of a cluster has its smallest index, and clusters are ordered by their first
  // blocks.
  if (Number >= NumBlocks / Size || isCancelled(blockOf(Number, 0)))
    return false;
  const std::shared_ptr<Cluster> Of = Size > 1 ? std::make_shared<Cluster>() : nullptr;
  Blocks New;
  for (unsigned Rank = 0; Rank < Size; ++Rank) {
    New.push_back(beginBlock(blockOf(Number, Rank), Of));
    if (!New.back())
      return false;
  }
  if (Of)
    Of->complete();
  std::move(New.rbegin(), New.rend(), std::front_inserter(Begun));
  return true;
}

/// Returns a started block, or null if memory is exhausted.
std::unique_ptr<Block> Launch::beginBlock(uint64_t Index, std::shared_ptr<Cluster> Of) {
  std::unique_ptr<Block> B = blockPool().take();
  bool Ready = B->prepare(*this);
  B->start(Index, std::move(Of));
  if (Ready)
    return B;
  report(*B, ThreadState(), FaultKind::StackOverflow, 0,
         "no memory for the stacks or the shared memory of the blocks that must run at a time");
  return nullptr;
}

/// Returns the grid index of a cluster's block.
uint64_t Launch::blockOf(uint64_t Cluster, unsigned Rank) const {
  const Dim3 Of = Config.Cluster.value_or(Dim3()), &Grid = Config.Grid;
  const uint64_t Wide = Grid.X / Of.X, High = Grid.Y / Of.Y;
  const uint64_t X = Cluster % Wide * Of.X + Rank % Of.X,
                 Y = Cluster / Wide % High * Of.Y + Rank / Of.X % Of.Y,
                 Z = Cluster / Wide / High * Of.Z + Rank / Of.X / Of.Y;
  return X + Grid.X * (Y + Grid.Y * Z);
}

void Launch::finish(Block &B) {
  B.leaveCluster();
  if (B.Output.empty())
    return;
  LockGuard Lock(Mutex);
  Output[B.index()] = std::exchange(B.Output, {});
}

void Launch::work() {
  Blocks Begun;
  // Number of consecutive stalls without an exited thread. The awaited event may be in progress on
  // another worker, so several stalls pass before another block starts; in a cooperative launch all
  // blocks must start anyway.
  uint64_t Fruitless = 0;
  // Blocks of a cluster mostly wait for each other, and have started.
  const bool InClusters = Config.clusterSize() > 1;
  const uint64_t Patience = Config.Cooperative ? 1 : InClusters ? 1024 : 16;
  FaultScope Scope; // enables the handling of device faults in this thread
  while (true) {
    if (Begun.empty() || (Fruitless >= Patience * Begun.size() && Begun.size() < MaxResident)) {
      if (begin(Begun))
        Fruitless = 0;
      else if (Begun.empty())
        return;
    }
    if (Fruitless >= Begun.size()) {
      sched_yield();
      // Time alone is insufficient: the process may have been suspended.
      if (Fruitless > 1000 * Begun.size() && isStuck())
        Begun.front()->reportDeadlock("all threads wait for memory to change",
                                      " (for longer than GMPROF_CPU_SPIN_SECONDS, by default 60)");
    }
    std::unique_ptr<Block> B = std::move(Begun.front());
    Begun.pop_front();
    Block::Status Status = isCancelled(B->index()) ? Block::Status::Faulted : B->run();
    if (Status == Block::Status::Stalled && !isCancelled(B->index())) {
      // A block that waits for one behind the faulting block would wait forever.
      bool GiveUp = FirstFault.load(std::memory_order_relaxed) != UINT64_MAX &&
                    Fruitless > 1000 * (Begun.size() + 1);
      if (!GiveUp) {
        if (B->takeProgress())
          noteProgress();
        Fruitless = B->takeEnds() ? 0 : Fruitless + 1;
        Begun.push_back(std::move(B));
        continue;
      }
    }
    if (Status != Block::Status::Done)
      B->abandon();
    Fruitless = 0;
    noteProgress();
    finish(*B);
    // The same worker's next block is likely of the same kind: skips the pool.
    uint64_t Index = Status == Block::Status::Done && Begun.empty() && !InClusters
                         ? Next.fetch_add(1, std::memory_order_relaxed)
                         : NumBlocks;
    if (Index < NumBlocks && !isCancelled(Index)) {
      B->start(Index);
      Begun.push_front(std::move(B));
    } else {
      blockPool().giveBack(std::move(B));
    }
  }
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

void Launch::report(const Block &B, const ThreadState &Thread, FaultKind Kind, uint64_t Address,
                    std::string What, uint64_t Code) {
  LockGuard Lock(Mutex);
  uint64_t Index = B.index();
  if (TheFault && Index >= FirstFault)
    return;
  FirstFault = Index;
  TheFault = Fault{Kind,    Kernel.Name,    dim(B.state().BlockIdx), dim(Thread.ThreadIdx),
                   Address, std::move(What)};
  FaultCode = Code;
  AssertLine.clear();
}

void Launch::reportAssert(const Block &B, const ThreadState &Thread, const std::string &Line) {
  report(B, Thread, FaultKind::Assert, 0, "assertion failed: " + Line);
  LockGuard Lock(Mutex);
  if (FirstFault == B.index())
    AssertLine = Line + "\n";
}

} // namespace gmprof::cpu
