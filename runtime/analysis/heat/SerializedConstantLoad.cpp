//===- SerializedConstantLoad.cpp - Finds lane-indexed constants ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constant cache serves one address at a time: a request of a warp is split into as many passes
// as its lanes have different addresses (NVIDIA, CUDA C++ Programming Guide, "Constant Memory").
// The addresses of lanes with consecutive threadIdx.x differ by a constant, so that full warps take
// a known number of passes; where data decides, the number is not known.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using namespace profile;

/// Returns whether all warps of all launches have 32 lanes of consecutive threadIdx.x.
static bool hasFullRows(const Profile &P, uint32_t Kernel) {
  constexpr uint32_t WarpLanes = 32;
  for (const Launch &L : P.Launches)
    if (L.Kernel == Kernel && L.Block[0] % WarpLanes != 0)
      return false;
  return true;
}

static uint64_t launchesOf(const Profile &P, uint32_t Kernel) {
  uint64_t Sum = 0;
  for (const Launch &L : P.Launches)
    Sum += L.Kernel == Kernel ? L.Times : 0;
  return Sum;
}

uint64_t constantPasses(const Profile &P, uint32_t Kernel, const CodeInstruction &I) {
  constexpr uint64_t WordBytes = 4, WarpLanes = 32;
  if (I.Kind != GMPROF_INSTRUCTION_CONSTANT_LOAD || I.LaneStride == 0 || !hasFullRows(P, Kernel))
    return 0;
  // Lanes whose stride is no word share words.
  const uint64_t Stride = static_cast<uint64_t>(std::abs(int64_t(I.LaneStride)));
  return std::min(WarpLanes, (Stride * (WarpLanes - 1)) / WordBytes + 1);
}

static Finding finding(const Profile &P, uint32_t Kernel, const CodeInstruction &I, uint64_t Passes,
                       uint64_t Launches) {
  const Descriptor &Desc = *P.Kernels[Kernel].Desc;
  const Variable *V = I.Variable == None ? nullptr : &Desc.Variables[I.Variable];
  const std::string Name = V ? quotedName(V->Name) : "constant memory";
  Finding F;
  F.Pattern = "serialized_constant_load";
  F.Origin = "gmprof";
  F.Kernel = Kernel;
  F.Object = V ? V->Name : "";
  for (const Object &O : P.Objects)
    if (V && O.Kind == log::ObjectKind::Constant && O.Name.str() == V->Name)
      F.ObjectId = O.Id;
  F.ObjectBytes = V ? V->Bytes : 0;
  F.Source = I.Source.Line != 0 ? I.Source : Desc.Source;
  F.Level = Passes >= 8 ? Severity::Medium : Severity::Low;
  F.Evidence = {{"passes_per_request", Passes},
                {"ideal_passes_per_request", uint64_t(1)},
                {"lane_stride_bytes", uint64_t(std::abs(int64_t(I.LaneStride)))},
                {"instructions", uint64_t(I.Count)},
                {"launches", Launches}};
  F.Message = fmt::format("{} passes/request of a full warp (ideal 1): lanes load different words "
                          "of {}, and the constant cache serves one word at a time.",
                          Passes, Name);
  F.Suggestion =
      V && V->Kind == GMPROF_VARIABLE_CONSTANT
          ? fmt::format("Declare {} as __device__ instead of __constant__, so that a request reads "
                        "whole sectors. If other kernels load the same word by all lanes, keep it "
                        "for these and give this kernel a copy.",
                        Name)
          : "Pass the values through a const __restrict__ pointer to global memory, so that a "
            "request reads whole sectors.";
  return F;
}

std::vector<Finding> serializedConstantLoads(const Profile &P) {
  std::vector<Finding> Found;
  if (!P.TheRun.records("heat"))
    return Found;
  for (const auto &[Kernel, Machine] : P.Machine) {
    const uint64_t Launches = launchesOf(P, Kernel);
    if (Launches == 0)
      continue;
    for (const CodeInstruction &I : Machine.Instructions)
      if (const uint64_t Passes = constantPasses(P, Kernel, I); Passes > 1)
        Found.push_back(finding(P, Kernel, I, Passes, Launches));
  }
  setFingerprints(Found, P);
  return Found;
}

} // namespace gmprof::analysis
