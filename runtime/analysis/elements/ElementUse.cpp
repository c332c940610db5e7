//===- ElementUse.cpp - Use of objects' elements --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementUse.h"
#include "analysis/elements/FormElements.h"
#include "analysis/elements/OverwritingLaunches.h"
#include "analysis/global/Stretches.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <set>

namespace gmprof::analysis {

using namespace profile;

namespace {

/// Computes the use of one object.
class ObjectUse {
public:
  ObjectUse(const CountedLaunches &All, uint32_t Object, size_t Threads)
      : All(All), Accesses(All, Object, Threads) {
    Use.Object = Object;
    Use.ElementBytes = 1u << Accesses.shift();
    Use.Elements = Accesses.elements();
  }
  ElementUse compute();

private:
  void findAccessed();
  void addLaunches();
  void addUnprofiled(uint64_t Number, bool Known);
  void addUnobserved();

  const CountedLaunches &All;
  ObjectAccesses Accesses;
  ElementUse Use;
};

} // namespace

/// Finds the elements that kernels and reading copies access.
void ObjectUse::findAccessed() {
  ElementSet Set(Use.Elements);
  FormElements ByForms(Accesses, Set);
  for (uint32_t I : All.contextsOf(Accesses.id()))
    if (const CountedContext &C = All.context(I); C.Launches != 0 && !Set.full())
      Accesses.progressions(
          C, [&](const Progression &Each, unsigned Bytes) { ByForms.add(Each, Bytes); });
  ByForms.finish();
  Accesses.readRecords(Set);
  const bool ByKernels = Set.size() != 0;
  const ApiTrace &T = All.history().trace();
  for (uint32_t I : All.history().uses(Use.Object))
    for (const ApiAccess &A : T.Apis[I].Accesses)
      if (A.Object == Use.Object && A.Reads && T.Apis[I].Kind == ApiKind::Copy)
        Set.add(Accesses.runOf(A));
  Use.Accessed = ByKernels ? Set.size() : 0;
  Set.forEachGap([&](ElementRun Gap) {
    ++Use.Gaps;
    if (Gap.Count > Use.LargestGap.Count)
      Use.LargestGap = Gap;
  });
}

/// Adds the profiled launches, and what is unknown about their accesses.
void ObjectUse::addLaunches() {
  for (uint32_t I : All.contextsOf(Accesses.id())) {
    const CountedContext &C = All.context(I);
    if (!Accesses.mayAccess(C) || C.Launches == 0)
      continue;
    Use.Launches = addSaturating(Use.Launches, C.Launches);
    Use.LaunchesProfiled = addSaturating(Use.LaunchesProfiled, C.Launches);
    for (const Site &S : All.descriptor(C).Sites)
      if (S.GlobalRule == GMPROF_RULE_SKIPPED && S.Variable != None &&
          C.Of->Objects[S.Variable] == Accesses.id())
        Accesses.setUnseen(S.GlobalReason);
    if (!Accesses.counts(C))
      continue;
    Use.Sampled |= C.Of->BlockSample > 1;
    if (C.Of->LaunchesCounted < C.Launches)
      Accesses.setUnseen("counts of some launches are missing");
  }
  Use.Sampled |= All.inPasses();
  for (const CountedKernel &K : All.kernels()) {
    if (K.Profiled && !K.Uncounted.empty())
      Accesses.setUnseen(K.Uncounted);
    if (K.Profiled && !K.Problem.empty())
      Accesses.setUnseen(K.Problem);
  }
}

/// Adds unprofiled launches that may access the object. Known: other launches of their kernels were
/// profiled.
void ObjectUse::addUnprofiled(uint64_t Number, bool Known) {
  if (Number == 0)
    return;
  Use.Launches = addSaturating(Use.Launches, Number);
  Use.Sampled = true;
  if (!Known)
    Accesses.setUnseen("a kernel that may access it was not profiled");
}

/// Adds launches whose accesses to the object are not counted.
void ObjectUse::addUnobserved() {
  const ApiTrace &T = All.history().trace();
  const std::vector<uint32_t> Reaching = Accesses.contexts();
  for (uint32_t I : All.history().uses(Use.Object)) {
    const Api &A = T.Apis[I];
    if (All.isUnprofiled(A)) {
      if (!A.Inferred)
        addUnprofiled(1, All.isKnown(A));
    } else if (const std::optional<Launch> L = All.counted(A)) {
      const std::optional<uint32_t> Context = All.indexOf(L->Context);
      if (!Context || !std::ranges::binary_search(Reaching, *Context))
        Accesses.setUnseen(
            "a kernel accesses it in a way that is not counted, as through a texture");
    }
  }
  const ApiObject &O = T.Objects[Use.Object];
  const uint32_t Begin = All.history().isAllocated(Use.Object) ? O.Allocation : 0;
  const CountedLaunches::Unobserved Number = All.unobserved(Begin, T.endOf(O));
  addUnprofiled(Number.All, Number.Unknown == 0);
}

ElementUse ObjectUse::compute() {
  findAccessed();
  if (Use.Accessed == 0)
    return std::move(Use);
  addLaunches();
  addUnobserved();
  Use.Frequencies = elementFrequencies(Accesses);
  Use.Slices = objectSlices(Accesses);
  if (Use.Slices.size() > 1)
    Use.OfSlices = sliceFrequencies(Accesses, Use.Slices);
  if (std::ranges::any_of(Accesses.records(), &RecordUse::Damaged))
    Accesses.setUnseen("some counts are damaged");
  if (Accesses.unseen().empty() && !Use.Sampled)
    Use.Overwrites = overwritingLaunches(Accesses);
  Use.Unseen = Accesses.unseen();
  return std::move(Use);
}

/// Returns the objects that kernels access; see ElementUse.h for those that are excluded.
static std::vector<uint32_t> accessedObjects(const CountedLaunches &All) {
  const std::vector<ApiObject> &Objects = All.history().trace().Objects;
  std::set<uint32_t> WithParts;
  for (const ApiObject &O : Objects)
    if (O.Parent)
      WithParts.insert(*O.Parent);
  std::vector<uint32_t> Found;
  for (uint32_t I = 0; I < Objects.size(); ++I) {
    const ApiObject &O = Objects[I];
    if (O.Kind != log::ObjectKind::Graph && !O.Parent && O.Bytes != 0 && !WithParts.count(I) &&
        (!All.contextsOf(O.Id).empty() || !All.recordsOf(O.Id).empty()))
      Found.push_back(I);
  }
  return Found;
}

std::vector<ElementUse> elementUse(const Profile &P, const ObjectHistory &H, size_t Threads) {
  const CountedLaunches All(P, H);
  const std::vector<uint32_t> Objects = accessedObjects(All);
  std::vector<ElementUse> Uses(Objects.size());
  forEachObject(
      Objects.size(), Threads, [&](size_t I) { return H.trace().Objects[Objects[I]].Bytes; },
      [&](size_t I, size_t Sharing) { Uses[I] = ObjectUse(All, Objects[I], Sharing).compute(); });
  std::erase_if(Uses, [](const ElementUse &Use) { return Use.Accessed == 0; });
  return Uses;
}

} // namespace gmprof::analysis
