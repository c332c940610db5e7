//===- HeatContexts.h - Which warps of a launch accessed what ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch contexts (LaunchContexts.h) of the profile of heat (struct GmprofHeatContext). Each
// launch has one of its own, because a map is of one launch:
//
//   totals | sites | words of shared memory | layout || pages | digests | directory || requests ||
//   context | table
//
// What is left of the second double bar is zeroed before use; of the third, too, but by the kernel
// that notes the requests once the launch has ended. What is left of the first is read
// then. Next, a kernel makes a digest of each page that the launch took, and of all pages
// that are equal, as most are where threads access memory regularly, one is read: a large
// object may have gigabytes of pages.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HEAT_HEATCONTEXTS_H
#define GMPROF_HOST_HEAT_HEATCONTEXTS_H

#include "host/heat/HeatKernel.h"
#include "host/launch/CounterMemory.h"
#include "host/launch/LaunchContexts.h"
#include "host/objects/ProgramMemory.h"
#include "profile/SiteNumbers.h"

namespace gmprof::host {

/// Sizes and contents of a launch's context.
struct HeatShape : ContextShape {
  std::shared_ptr<const MemoryRanges> Ranges;
  CUfunction Note = nullptr, Digest = nullptr; ///< the kernels that run afterwards
  BlockRange Noted;                            ///< see GmprofHeatLaunch
  uint64_t Blocks = 0;                         ///< of the launch
  uint32_t Threads = 0;                        ///< of a block
  SiteNumbers Sites;
  std::vector<gmprof_u8> FunctionPlaces; ///< of Sites.OfFunctions
  std::vector<uint64_t> Objects;         ///< per variable of the descriptor, see log::HeatRecord
  std::optional<HeatCase> Case;          ///< the clone does not note what that describes
  uint32_t SharedBytes = 0;              ///< of a block, static and dynamic
  uint32_t DynamicShared = 0;            ///< the program's own, bytes
};

struct HeatContext;

class HeatContexts : public LaunchContexts {
public:
  HeatContexts(Device &D, Recorder &Log, const Options &O, ContextLimits Limits = limits());
  ~HeatContexts() override;

  static ContextLimits limits();

  /// Returns a context for a launch; see LaunchContexts::acquire.
  LaunchContext *acquire(const HeatShape &Shape, CUstream Stream, bool Capturing,
                         std::string &Why) {
    return LaunchContexts::acquire(Shape, Stream, Capturing, Why);
  }
  GmprofHeatLaunch parameter(const LaunchContext &C) const;

  /// Launches one of the kernels that run afterwards, for a struct GmprofHeatContext and with up to
  /// so many warps; of no context, it is only loaded.
  static CUresult launchOver(const DriverApi &Api, CUfunction Kernel, uint64_t Context,
                             uint64_t Warps, CUstream In);

  /// Gives memory back, for the program. Returns whether there was any.
  bool giveBackMemory();
  /// Returns the peak of the device memory in use.
  size_t peakBytes() const;

private:
  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &, const ContextShape &) const override { return false; }
  void release(LaunchContext &C) override;
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;
  CUresult copyPart(const LaunchContext &C, size_t Bytes, CUstream In) override;
  size_t endOfCounts(const LaunchContext &C) const override;
  bool zeroedByReading() const override { return false; }
  bool isCrowded() override { return Memory.available() < Memory.budget() / 4; }
  bool isFilling() override { return Memory.available() < Memory.budget() / 2; }
  void prepare() override;
  void settle() override;

  std::unique_ptr<HeatContext> build(const HeatShape &Of);
  std::unique_ptr<HeatContext> takeReady(const HeatShape &For);
  void discard(HeatContext &C);
  void discardReady();
  uint32_t roomForRequests(const HeatContext &C);
  void rememberChunks(const HeatContext &C);
  uint64_t warpsToNote(const HeatContext &C) const;
  bool upload(HeatContext &C);
  bool zero(const HeatContext &C, size_t From, size_t To);
  void record(const HeatContext &C);
  void recordMaps(const HeatContext &C);

  CounterMemory Memory;
  std::unordered_map<uint32_t, double> ChunksOfBlock; ///< that launches need, by kernel
  std::vector<HeatShape> Launched;                    ///< since contexts were made ready
  std::vector<std::unique_ptr<HeatContext>> Ready;    ///< for launches of those shapes
  bool IsWorking = false;                             ///< memory is being zeroed, or requests noted
  bool CanSettle = true; ///< that has always ended while it was waited for
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HEAT_HEATCONTEXTS_H
