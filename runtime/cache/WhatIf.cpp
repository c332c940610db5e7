//===- WhatIf.cpp - Trace of a modified program ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/WhatIf.h"
#include "cache/PaddedRows.h"
#include "cache/TraceReader.h"
#include "cache/TraceWriter.h"
#include <map>
#include <regex>

namespace gmprof::cache {

namespace {

/// Requests of a block's warps, from which other warps are assembled.
class BlockWarps {
  std::vector<std::vector<const Request *>> Warps; ///< requests of each warp, in order
  size_t Length = 0;

public:
  explicit BlockWarps(size_t WarpCount) : Warps(WarpCount) {}

  /// Returns false if the block has no such warp.
  bool add(const Request &R) {
    if (R.Warp >= Warps.size())
      return false;
    Warps[R.Warp].push_back(&R);
    Length = std::max(Length, Warps[R.Warp].size());
    return true;
  }
  /// Returns whether all warps that access memory execute the same instructions as First. Sets
  /// First to the first such warp if it is null.
  bool alike(const std::vector<const Request *> *&First) const;
  /// Returns the I-th request of a thread; null if the thread takes no part in it.
  const Request *of(uint64_t Thread, size_t I) const {
    const auto &Warp = Warps[Thread / WarpLanes];
    return !Warp.empty() && (Warp[I]->Mask >> Thread % WarpLanes & 1) ? Warp[I] : nullptr;
  }
  bool accesses(uint16_t Warp) const { return !Warps[Warp].empty(); }
  size_t length() const { return Length; } ///< of each warp that accesses memory
  uint16_t warps() const { return static_cast<uint16_t>(Warps.size()); } // at most 32
  uint16_t lastWarp() const {
    uint16_t Last = 0;
    for (uint16_t W = 0; W < warps(); ++W)
      Last = accesses(W) ? W : Last;
    return Last;
  }
};

/// Copies a trace with modifications.
class Rewriter {
  TraceReader &Reader;
  TraceWriter &Writer;
  const WhatIf &What;
  std::optional<PaddedRows> Padded;
  std::regex Kernel;
  std::vector<TraceKernel> Kernels;
  TraceLaunch Launch; ///< original
  uint64_t Launches = 0;
  TraceLaunch NewLaunch;
  bool Swaps = false, Reshapes = false, Left = true;  ///< of the current launch
  std::map<uint32_t, std::vector<RequestChunk>> BySm; ///< chunks of a launch that is swapped or
                                                      ///< reshaped

  std::string beginLaunch(const TraceLaunch &L);
  std::string endLaunch(const TraceLaunchEnd &End);
  std::string requests(const RequestChunk &Chunk);
  std::string unpack(const std::vector<RequestChunk> &Chunks, std::vector<Request> &To) const;
  std::string takeApart(const std::vector<Request> &All, std::map<uint64_t, BlockWarps> &Blocks);
  std::string swapThreads(uint32_t Sm, const std::vector<RequestChunk> &Chunks);
  std::string reshape();
  std::string write(uint32_t Sm, std::vector<Request> &Requests);
  std::string refused(const std::string &Why) const {
    return "launch " + std::to_string(Launches) + " (" + Kernels[Launch.Kernel].Name + "): " + Why;
  }

public:
  uint64_t Changed = 0;

  Rewriter(TraceReader &Reader, TraceWriter &Writer, const WhatIf &What)
      : Reader(Reader), Writer(Writer), What(What) {
    if (What.Pad)
      Padded.emplace(*What.Pad);
  }
  /// Copies the trace. Returns the reason if a modification is impossible, or an empty string.
  std::string run();
};

} // namespace

bool BlockWarps::alike(const std::vector<const Request *> *&First) const {
  for (const auto &Warp : Warps) {
    if (Warp.empty())
      continue;
    if (!First)
      First = &Warp;
    if (Warp.size() != First->size())
      return false;
    for (size_t I = 0; I < Warp.size(); ++I) {
      const Request &A = *Warp[I], &B = *(*First)[I];
      if (A.Site != B.Site || A.Kind != B.Kind || A.Size != B.Size || A.Operator != B.Operator)
        return false;
    }
  }
  return true;
}

/// Adds OldThread's access in From as lane `Lane` of R, whose mask is initially 0.
static void addLane(Request &R, unsigned Lane, const Request &From, uint64_t OldThread) {
  if (R.Mask == 0) {
    R.Site = From.Site;
    R.Kind = From.Kind;
    R.Operator = From.Operator;
    R.Size = From.Size;
    R.Slot = From.Slot;
  }
  R.Mask |= uint32_t(1) << Lane;
  R.Addresses[Lane] = From.address(static_cast<unsigned>(OldThread % WarpLanes));
}

/// Returns the I-th request of a warp of a block with swapped x and y; its mask may be 0.
static Request swapped(const BlockWarps &Old, const TraceLaunch &Launch, uint64_t Block,
                       uint16_t Warp, size_t I) {
  Request R;
  R.Block = Block;
  R.Warp = Warp;
  R.Mask = 0;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
    const uint64_t Thread = uint64_t(Warp) * WarpLanes + Lane;
    if (Thread >= Launch.blockThreads())
      break;
    // The new x runs to the old Y.
    const uint64_t X = Thread % Launch.Block[1], Y = Thread / Launch.Block[1] % Launch.Block[0],
                   Z = Thread / Launch.Block[1] / Launch.Block[0];
    const uint64_t From = Y + (X + Z * Launch.Block[1]) * Launch.Block[0];
    if (const Request *Access = Old.of(From, I))
      addLane(R, Lane, *Access, From);
  }
  findStride(R);
  return R;
}

/// Returns the dimension of the old grid that becomes the D-th of the new one.
static unsigned oldDimension(unsigned D, bool Swapped) { return Swapped && D < 2 ? 1 - D : D; }

/// Returns the I-th request of a warp of New's block; its mask may be 0. Swapped: x and y of the
/// grid are swapped.
static Request reshaped(const std::map<uint64_t, BlockWarps> &Blocks, const TraceLaunch &Old,
                        const TraceLaunch &New, bool Swapped, uint64_t Block, uint16_t Warp,
                        size_t I) {
  const std::array<uint64_t, 3> BlockSteps = {1, Old.Grid[0], uint64_t(Old.Grid[0]) * Old.Grid[1]};
  const std::array<uint64_t, 3> ThreadSteps = {1, Old.Block[0],
                                               uint64_t(Old.Block[0]) * Old.Block[1]};
  Request R;
  R.Block = Block;
  R.Warp = Warp;
  R.Mask = 0;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
    uint64_t Thread = uint64_t(Warp) * WarpLanes + Lane;
    if (Thread >= New.blockThreads())
      break;
    uint64_t Rest = Block, OldBlock = 0, OldThread = 0;
    bool InGrid = true;
    for (unsigned D = 0; D < 3; ++D) {
      const uint64_t At = Rest % New.Grid[D] * New.Block[D] + Thread % New.Block[D];
      Rest /= New.Grid[D];
      Thread /= New.Block[D];
      const unsigned From = oldDimension(D, Swapped);
      InGrid = InGrid && At < uint64_t(Old.Grid[From]) * Old.Block[From];
      OldBlock += At / Old.Block[From] * BlockSteps[From];
      OldThread += At % Old.Block[From] * ThreadSteps[From];
    }
    if (const auto From = Blocks.find(OldBlock); InGrid && From != Blocks.end())
      if (const Request *Access = From->second.of(OldThread, I))
        addLane(R, Lane, *Access, OldThread);
  }
  findStride(R);
  return R;
}

/// Sets New's grid to as many blocks as Old's threads need.
static void coverGrid(TraceLaunch &New, const TraceLaunch &Old, bool Swapped) {
  for (unsigned D = 0; D < 3; ++D) {
    const unsigned From = oldDimension(D, Swapped);
    New.Grid[D] = static_cast<uint32_t>(
        (uint64_t(Old.Grid[From]) * Old.Block[From] + New.Block[D] - 1) / New.Block[D]);
  }
}

std::string Rewriter::beginLaunch(const TraceLaunch &L) {
  ++Launches;
  Launch = L;
  const bool Chosen = std::regex_search(Kernels[L.Kernel].Name, Kernel);
  Left = !What.Launch || *What.Launch == Launches - 1;
  if (!Left) {
    Swaps = Reshapes = false;
    return "";
  }
  Swaps = What.SwapThreads && Chosen && L.Block[0] > 1 && L.Block[1] > 1;
  Reshapes = (What.Block || What.SwapGrid) && Chosen;
  if ((Swaps || Reshapes) && Kernels[L.Kernel].UsesWarps)
    return refused("what its threads do depends on which warp they are in (it has shuffles, "
                   "votes or the like), so that they cannot be put into others");
  if (Reshapes && L.SharedBytes != 0)
    return refused("its blocks have shared memory, so that threads cannot be put into others");
  if (Reshapes && (L.BlockSample != 1 || L.SmSample != 1))
    return refused("not all of its blocks are in the trace");
  NewLaunch = L;
  if (Swaps)
    std::swap(NewLaunch.Block[0], NewLaunch.Block[1]);
  if (Reshapes && What.Block && (*What.Block)[0] != 0) {
    NewLaunch.Block = *What.Block;
    NewLaunch.BlocksPerSm = 0; // as many as fit
  }
  if (Reshapes)
    coverGrid(NewLaunch, L, What.SwapGrid);
  Writer.beginLaunch(NewLaunch);
  return "";
}

std::string Rewriter::write(uint32_t Sm, std::vector<Request> &Requests) {
  if (Padded)
    for (Request &R : Requests)
      if (const std::string Why = Padded->apply(R, Changed); !Why.empty())
        return refused(Why);
  Writer.add(Sm, Requests);
  return "";
}

std::string Rewriter::unpack(const std::vector<RequestChunk> &Chunks,
                             std::vector<Request> &To) const {
  std::vector<Request> Part;
  for (const RequestChunk &C : Chunks) {
    if (!Reader.unpack(C, Part))
      return Reader.damaged().Message;
    To.insert(To.end(), Part.begin(), Part.end());
  }
  return "";
}

std::string Rewriter::takeApart(const std::vector<Request> &All,
                                std::map<uint64_t, BlockWarps> &Blocks) {
  for (const Request &R : All) {
    if (R.Kind == AccessKind::Atomic)
      return refused("it uses the results of atomics, which depend on the order of threads");
    if (R.Operator == CacheOperator::Bulk)
      return refused("it has bulk copies, each of which one thread makes for many");
    if (!Blocks.try_emplace(R.Block, Launch.warpsPerBlock()).first->second.add(R))
      return Reader.damaged().Message;
  }
  const std::vector<const Request *> *First = nullptr;
  for (const auto &[Block, B] : Blocks) {
    if (!Reshapes)
      First = nullptr; // each block separately
    if (!B.alike(First))
      return refused("the warps of block " + std::to_string(Block) +
                     " do not execute the same instructions" + (Reshapes ? " as others" : "") +
                     ", so that it is not known what other threads would do together");
  }
  return "";
}

std::string Rewriter::reshape() {
  // All requests of the launch are held in memory.
  static constexpr size_t MostRequests = size_t(1) << 21;
  size_t Count = 0;
  for (const auto &[Sm, Chunks] : BySm)
    for (const RequestChunk &C : Chunks)
      Count += C.Count;
  if (Count > MostRequests)
    return refused("it has " + std::to_string(Count) +
                   " requests, and other blocks can be made "
                   "of up to " +
                   std::to_string(MostRequests));
  std::vector<Request> All;
  std::vector<uint32_t> Sms;
  for (const auto &[Sm, Chunks] : BySm) {
    Sms.push_back(Sm);
    if (const std::string Why = unpack(Chunks, All); !Why.empty())
      return Why;
  }
  std::map<uint64_t, BlockWarps> Blocks;
  if (const std::string Why = takeApart(All, Blocks); !Why.empty())
    return Why;
  const size_t Length = Blocks.empty() ? 0 : Blocks.begin()->second.length();
  if (Length == 0)
    return "";
  const uint64_t Threads = Launch.BlocksPerSm ? Launch.BlocksPerSm * Launch.blockThreads() : 2048;
  const uint64_t Resident = std::max<uint64_t>(Threads / NewLaunch.blockThreads(), 1);
  const auto Warps = static_cast<uint16_t>(NewLaunch.warpsPerBlock());
  for (size_t S = 0; S < Sms.size(); ++S)
    for (uint64_t First = S; First < NewLaunch.blocks(); First += Resident * Sms.size()) {
      std::vector<Request> New;
      for (size_t I = 0; I < Length; ++I)
        for (uint64_t N = 0; N < Resident; ++N)
          for (uint16_t W = 0; W < Warps; ++W)
            if (const uint64_t Block = First + N * Sms.size(); Block < NewLaunch.blocks())
              if (Request R = reshaped(Blocks, Launch, NewLaunch, What.SwapGrid, Block, W, I);
                  R.Mask != 0)
                New.push_back(R);
      Changed += New.size();
      if (const std::string Why = write(Sms[S], New); !Why.empty())
        return Why;
    }
  return "";
}

std::string Rewriter::swapThreads(uint32_t Sm, const std::vector<RequestChunk> &Chunks) {
  std::vector<Request> All;
  std::map<uint64_t, BlockWarps> Blocks;
  std::string Why = unpack(Chunks, All);
  if (Why.empty())
    Why = takeApart(All, Blocks);
  if (!Why.empty())
    return Why;
  std::map<std::pair<uint64_t, uint16_t>, size_t> Done; // of each warp
  std::vector<Request> New;
  auto Add = [&](const Request &R) {
    if (R.Mask != 0)
      New.push_back(R);
  };
  for (const Request &R : All) {
    const BlockWarps &B = Blocks.at(R.Block);
    const size_t I = Done[{R.Block, R.Warp}]++;
    Add(swapped(B, Launch, R.Block, R.Warp, I));
    // Warps without requests before follow the last one with requests.
    if (R.Warp == B.lastWarp())
      for (uint16_t W = 0; W < B.warps(); ++W)
        if (!B.accesses(W))
          Add(swapped(B, Launch, R.Block, W, I));
  }
  Changed += New.size();
  return write(Sm, New);
}

std::string Rewriter::requests(const RequestChunk &Chunk) {
  if (!Left)
    return "";
  if (Swaps || Reshapes) {
    BySm[Chunk.Sm].push_back(Chunk);
    return "";
  }
  std::vector<Request> Requests;
  return Reader.unpack(Chunk, Requests) ? write(Chunk.Sm, Requests) : Reader.damaged().Message;
}

std::string Rewriter::endLaunch(const TraceLaunchEnd &End) {
  std::string Why;
  if (!Left)
    return Why;
  if ((Swaps || Reshapes) && End.Lost != 0)
    return refused(std::to_string(End.Lost) + " of its requests are not in the trace");
  if ((Swaps && End.RequestsBeyond != 0) || (Reshapes && End.reachedLimit()))
    return refused("its trace ends where it reached its limit");
  if (Reshapes)
    Why = reshape();
  else
    for (const auto &[Sm, Chunks] : BySm)
      if (Why.empty())
        Why = swapThreads(Sm, Chunks);
  BySm.clear();
  Writer.endLaunch(End);
  return Why;
}

std::string Rewriter::run() {
  try {
    Kernel.assign(What.Kernel);
  } catch (const std::regex_error &) {
    return "'" + What.Kernel + "' is no regular expression";
  }
  while (true) {
    Result<TraceItem> Item = Reader.next();
    if (!Item)
      return Item.error();
    std::string Why;
    if (auto *Object = std::get_if<TraceObject>(&*Item)) {
      nameObject(*Object, What.Names);
      if (Padded)
        Padded->allocate(*Object);
      Writer.allocate(*Object);
    } else if (const auto *Release = std::get_if<TraceRelease>(&*Item)) {
      Writer.release(Release->Id);
    } else if (auto *Written = std::get_if<TraceWritten>(&*Item)) {
      if (Padded)
        Padded->apply(*Written);
      Writer.written(*Written);
    } else if (const auto *Site = std::get_if<TraceSite>(&*Item)) {
      Writer.addSite(*Site);
    } else if (const auto *K = std::get_if<TraceKernel>(&*Item)) {
      Kernels.push_back(*K);
      Writer.addKernel(*K);
    } else if (const auto *L = std::get_if<TraceLaunch>(&*Item)) {
      Why = beginLaunch(*L);
    } else if (const auto *Chunk = std::get_if<RequestChunk>(&*Item)) {
      Why = requests(*Chunk);
    } else if (const auto *End = std::get_if<TraceLaunchEnd>(&*Item)) {
      Why = endLaunch(*End);
    } else {
      if (Padded && !Padded->Found)
        return "no object is called '" + What.Pad->Object + "'";
      const bool Changes = What.Pad || What.SwapThreads || What.SwapGrid || What.Block;
      return Changed || !Changes ? "" : "nothing in the trace would change";
    }
    if (!Why.empty())
      return Why;
  }
}

Result<uint64_t> rewriteTrace(const std::string &From, const std::string &To, const WhatIf &What) {
  if (What.Pad && (What.Pad->RowBytes == 0 || What.Pad->PadBytes == 0))
    return Error{"rows and what is added to them have at least one byte"};
  if (int(What.Block.has_value()) + int(What.SwapThreads) + int(What.SwapGrid) > 1)
    return Error{"of another shape of blocks, swapped threads and a swapped grid only one can be "
                 "told at a time"};
  if (What.Block && (*What.Block)[0] != 0) {
    uint64_t Threads = 1;
    for (uint32_t Side : *What.Block)
      Threads = std::min<uint64_t>(Threads * Side, 1025);
    if (Threads == 0 || Threads > 1024)
      return Error{"a block has 1 to 1024 threads"};
  }
  Result<std::unique_ptr<TraceReader>> Reader = TraceReader::open(From, What.AcceptsIncomplete);
  if (!Reader)
    return Error{Reader.error()};
  Result<std::unique_ptr<TraceWriter>> Writer = TraceWriter::create(To, (*Reader)->device());
  if (!Writer)
    return Error{Writer.error()};
  Rewriter R(**Reader, **Writer, What);
  if (const std::string Why = R.run(); !Why.empty())
    return Error{Why};
  if (const Result<uint64_t> Written = (*Writer)->finish(); !Written)
    return Error{Written.error()};
  return R.Changed;
}

} // namespace gmprof::cache
