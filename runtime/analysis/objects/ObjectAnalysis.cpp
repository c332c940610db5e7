//===- ObjectAnalysis.cpp - Objects over time -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectAnalysis.h"
#include "analysis/CallingLibrary.h"
#include "analysis/LineCallers.h"
#include "analysis/ProgramSource.h"
#include "analysis/Wording.h"
#include "analysis/objects/CachingAllocator.h"
#include "analysis/objects/TensorMemory.h"
#include "profile/ApiTraceBuilder.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiKind;
using profile::ApiObject;
using profile::None;
using profile::SourcePosition;

/// Returns true if accesses to elements of objects are profiled.
static bool profilesElements(const profile::Run &R) { return R.records("elements"); }

bool profilesObjects(const profile::Run &R) {
  return R.records("objects") || R.records("elements");
}

uint64_t effectNs(const Api &A) {
  return A.Kind == ApiKind::Allocation && A.EndNs != 0 ? A.EndNs : A.TimeNs;
}

/// Returns true if no record is missing, which may be a release, and no kernel has failed, which
/// would have accessed more.
static bool isComplete(const profile::Profile &P) {
  return P.TheRun.Ended && !P.TheRun.Truncated &&
         std::none_of(P.Gaps.begin(), P.Gaps.end(), [](const profile::Gap &G) {
           return G.What == "records" || G.What == "failed kernels";
         });
}

static ObjectMemoryOptions optionsOf(const profile::Profile &P) {
  ObjectMemoryOptions O;
  nlohmann::json Config = nlohmann::json::parse(P.TheRun.ConfigJson, nullptr, false);
  if (Config.is_object()) {
    O.Patterns.IdleApis = Config.value("idle_apis", O.Patterns.IdleApis);
    O.Patterns.SizeDifference = Config.value("size_difference", O.Patterns.SizeDifference);
    O.Patterns.AccessedShare = Config.value("accessed_share", O.Patterns.AccessedShare);
    O.Patterns.FrequencyVariation =
        Config.value("frequency_variation", O.Patterns.FrequencyVariation);
    O.Peaks = Config.value("peaks", O.Peaks);
  }
  O.Patterns.IsPython = !P.PythonStacks.empty();
  O.Patterns.AllocationFailed = !P.FailedAllocations.empty();
  O.Complete = isComplete(P);
  O.HasGraphs = !P.GraphLaunches.empty();
  return O;
}

/// Returns the callers of lines that allocate. Parts of pools are left out: their line is the
/// user's.
static LineCallers allocationCallers(const profile::Profile &P, const profile::ApiTrace &T) {
  std::set<uint32_t> Paths;
  for (const ApiObject &O : T.Objects)
    if (O.Allocation < T.Apis.size() && !O.Parent)
      Paths.insert(profile::Api(T.Apis[O.Allocation]).CallPath);
  return {P, T.SamePath, Paths};
}

/// Sets the names in messages: an unnamed object is named after the line that allocates it, one of
/// a wrapper after its caller, a kernel loses its parameters. Also sets the libraries and the pools
/// of objects, and the call paths that are one place.
static void nameForMessages(profile::ApiTrace &T, const profile::Profile &P) {
  T.Apis.rename(ApiKind::Launch, [](const std::string &Name) { return briefName(Name); });
  T.SamePath = pathsBySource(P);
  T.PoolOfSlab = poolsOfSlabs(T);
  T.Places.resize(P.CallPaths.size());
  std::vector<profile::Name> Libraries, Workspaces;
  std::vector<bool> Backward, Within;
  for (const profile::CallPath &Path : P.CallPaths) {
    Libraries.emplace_back(callingLibrary(Path));
    Workspaces.emplace_back(isOfCompiler(Path) ? TorchCompile : workspaceLibrary(Path));
    Backward.push_back(isOfBackwardPass(Path));
    Within.push_back(isWithinPyTorch(Path));
  }
  for (size_t Path = 0; Path < P.CallPaths.size(); ++Path)
    if (const SourcePosition S = programSource(P.CallPaths[Path]); !S.File.empty())
      T.Places[Path] = placeText({S.File, S.Line, 0});
  const LineCallers Callers = allocationCallers(P, T);
  for (ApiObject &O : T.Objects) {
    if (O.Allocation >= T.Apis.size())
      continue;
    const profile::Api Made = std::as_const(T.Apis)[O.Allocation];
    const uint32_t Path = Made.CallPath;
    if (Path == None)
      continue;
    const uint32_t Freed = O.Release ? Api(std::as_const(T.Apis)[*O.Release]).CallPath : None;
    O.AllocatedWithin = Backward[Path];
    O.ReleasedWithin = Freed != None && Within[Freed];
    if (O.Name.empty() || O.Parent)
      O.Where = T.Places[Path];
    if (const SourcePosition S = Callers.of(Path); !S.File.empty() && !O.Parent)
      O.Caller = placeText(S);
    // PyTorch allocates for the program unless torch.compile does so to compile, but a part of an
    // expandable segment is no allocation: tensors lie across parts.
    if (O.Parent)
      O.Library = Workspaces[Path];
    else if (!(Libraries[Path] == PyTorch) || Made.Name == MappingApi)
      O.Library = Libraries[Path];
  }
}

ObjectAnalysis analyzeObjects(const profile::Profile &P) {
  ObjectAnalysis A{buildApiTrace(P), {}};
  nameForMessages(A.Trace, P);
  ElementsOf Elements;
  if (profilesElements(P.TheRun))
    Elements = [&](const ObjectHistory &H) { return elementUse(P, H); };
  A.Memory = objectMemory(A.Trace, optionsOf(P), Elements);
  return A;
}

static std::vector<Finding> findingsOf(const profile::Profile &P, const profile::ApiTrace &Trace,
                                       const ObjectInefficiencies &Found) {
  std::vector<Finding> Findings;
  const LineCallers Callers = allocationCallers(P, Trace);
  for (const ObjectInefficiency &I : Found) {
    Finding &F = Findings.emplace_back(I.Found);
    F.ObjectId = Trace.Objects[I.Object].Id;
    if (F.Kernel != None && P.Kernels[F.Kernel].Desc) {
      F.Source = P.Kernels[F.Kernel].Desc->Source;
    } else if (const uint32_t Path = Trace.Apis[I.Api].CallPath; Path != None) {
      if (const SourcePosition S = programSource(P.CallPaths[Path]); !S.File.empty())
        F.Source = {S.File, S.Line, 0};
      const profile::ApiObject &O = Trace.Objects[I.Object];
      if (!O.Caller.empty() && I.Api == O.Allocation)
        F.Source = Callers.of(Path);
      for (const profile::Frame &Frame : P.CallPaths[Path].Frames)
        if (!Frame.Source.File.empty())
          F.CallPath.push_back(Frame.Source);
    }
  }
  setFingerprints(Findings, P);
  return Findings;
}

std::vector<Finding> objectFindings(const profile::Profile &P, const ObjectAnalysis &A) {
  return profilesObjects(P.TheRun) ? findingsOf(P, A.Trace, A.Memory.Found)
                                   : std::vector<Finding>();
}

SnapshotAnalysis analyzeSnapshot(const profile::Profile &P, const std::vector<uint32_t> &PoolOfId,
                                 std::vector<bool> IsPrivate, uint32_t Initial) {
  SnapshotAnalysis A{buildApiTrace(P), {}};
  nameForMessages(A.Trace, P);
  TensorPools Pools = {{}, std::move(IsPrivate), Initial};
  for (const ApiObject &O : A.Trace.Objects)
    Pools.OfObject.push_back(PoolOfId[O.Id]);
  const auto Peak = [&](uint32_t Device) { return MemoryUse(A.Trace, Device).peakBytes(); };
  A.Findings =
      findingsOf(P, A.Trace, tensorInefficiencies(TensorMemory::of(A.Trace, &Pools), {}, Peak));
  return A;
}

} // namespace gmprof::analysis
