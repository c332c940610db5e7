//===- KernelAccesses.cpp - Which objects a kernel accesses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/KernelAccesses.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cstring>

namespace gmprof::host {

using log::AccessKnowledge;
using log::ObjectAccess;

/// More cases than any program needs at a time; then they are worked out again.
static constexpr size_t MaxCases = 4096;

static constexpr unsigned Reads = GMPROF_TOUCH_READS, Writes = GMPROF_TOUCH_WRITES;

static uint64_t hashOf(std::span<const ObjectAccess> Accesses, AccessKnowledge Knowledge) {
  auto Sum = static_cast<uint64_t>(Knowledge);
  for (const ObjectAccess &A : Accesses) {
    Sum = (Sum ^ A.object ^ uint64_t(A.reads | A.writes << 1) << 62) * 0x9E3779B97F4A7C15u;
    Sum ^= Sum >> 29;
  }
  return Sum;
}

bool AccessSets::KeptSet::is(std::span<const ObjectAccess> Others, AccessKnowledge Other) const {
  return Knowledge == Other &&
         std::ranges::equal(Accesses, Others, [](const ObjectAccess &A, const ObjectAccess &B) {
           return A.object == B.object && A.reads == B.reads && A.writes == B.writes;
         });
}

uint32_t AccessSets::find(std::span<const ObjectAccess> Accesses, AccessKnowledge Knowledge) {
  const size_t Hash = hashOf(Accesses, Knowledge);
  LockGuard Guard(Lock);
  size_t Place = Hash % Places.size();
  for (; Places[Place] != 0; Place = (Place + 1) % Places.size())
    if (BySet[Places[Place] - 1].is(Accesses, Knowledge))
      return Forgotten + Places[Place];
  if (BySet.size() == MostKept || Accesses.size() > Kept.capacity() - Kept.size()) {
    Forgotten += static_cast<uint32_t>(BySet.size());
    BySet.clear();
    Kept.clear();
    Kept.reserve(std::max(MostAccessesKept, Accesses.size()));
    Places.fill(0);
    Place = Hash % Places.size();
  }
  const auto Copy = Kept.insert(Kept.end(), Accesses.begin(), Accesses.end());
  BySet.push_back({{Copy, Kept.end()}, Knowledge});
  Places[Place] = static_cast<uint16_t>(BySet.size());
  const uint32_t Set = Forgotten + Places[Place];
  Log.accessSet(Set, Accesses, Knowledge);
  return Set;
}

std::optional<std::vector<ObjectAccess>> AccessSets::accesses(uint32_t Set) {
  LockGuard Guard(Lock);
  if (Set <= Forgotten || Set - Forgotten > BySet.size())
    return std::nullopt;
  const std::span<const ObjectAccess> Found = BySet[Set - Forgotten - 1].Accesses;
  return std::vector(Found.begin(), Found.end());
}

/// Returns the number of the set. How is its certainty if it is neither exact nor only possible.
static uint32_t findSet(const std::map<uint64_t, LaunchObjects::Object> &Objects,
                        std::optional<AccessKnowledge> How, AccessSets &Sets) {
  bool Exact = true;
  std::vector<ObjectAccess> Accesses;
  for (const auto &[Id, O] : Objects) {
    const bool Certain = (O.Possible & ~O.Certain) == 0;
    Exact &= Certain;
    if ((O.Possible | O.Certain) != 0)
      Accesses.push_back({Id, !Certain || (O.Certain & Reads), !Certain || (O.Certain & Writes)});
  }
  return Sets.find(Accesses,
                   How.value_or(Exact ? AccessKnowledge::Exact : AccessKnowledge::Possible));
}

static std::optional<AccessKnowledge> inferredIf(bool Is) {
  return Is ? std::optional(AccessKnowledge::Inferred) : std::nullopt;
}

uint32_t LaunchObjects::withHits(std::span<const std::byte> Hits, AccessSets &Sets) const {
  auto IsHit = [&](size_t At) { return Hits[At] != std::byte{0}; };
  std::map<uint64_t, Object> Found = Objects;
  for (const Flag &F : Flags)
    if (IsHit(F.Number))
      Found[F.Object].Certain |= F.Kinds;
  for (size_t I = 0; Ranges && I < Ranges->Ranges.size(); ++I) {
    const size_t At = FlagBytes + 2 * I;
    if (const unsigned Kinds = (IsHit(At) ? Reads : 0) | (IsHit(At + 1) ? Writes : 0))
      Found[Ranges->Objects[I]].Certain |= Kinds;
  }
  return findSet(Found, inferredIf(Inferred || IsHit(GMPROF_HIT_NOT_FOLLOWED)), Sets);
}

KernelAccesses::KernelAccesses(const profile::Descriptor &Desc, std::vector<size_t> Sizes,
                               std::vector<uint64_t> Symbols)
    : ParamBytes(std::move(Sizes)), Touches(Desc.Touches) {
  KernelArguments Arguments(Desc, ParamBytes, std::move(Symbols));
  if (!Arguments.problem().empty() || (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS) ||
      (Desc.Modes & GMPROF_MODE_OBJECTS) == 0)
    return;
  Params = std::move(Arguments);
  Forms.emplace(Desc.TouchForms, Desc.ParamCount);
  unsigned Flags = GMPROF_HIT_FIRST_FLAG;
  for (const profile::Touch &T : Touches) {
    Searches |= T.Rule == GMPROF_TOUCH_SEARCH;
    if (T.Rule == GMPROF_TOUCH_FLAG)
      Flags = std::max(Flags, T.Flag + 1);
  }
  FlagBytes = (Flags + 7) / 8 * 8;
}

std::shared_ptr<const LaunchObjects> KernelAccesses::find(const LaunchInput &Launch, int Device,
                                                          const ProgramMemory &Memory,
                                                          AccessSets &Sets) {
  if (!Launch.Args && !ParamBytes.empty())
    return std::make_shared<const LaunchObjects>();
  if (!Params)
    return fromParameters(Launch, Memory, Sets);
  std::vector<uint64_t> Key(Launch.Grid.begin(), Launch.Grid.end());
  Key.insert(Key.end(), Launch.Block.begin(), Launch.Block.end());
  const std::vector<int64_t> Values = Forms->values(*Params, Launch.Args);
  Key.insert(Key.end(), Values.begin(), Values.end());
  for (const profile::Touch &T : Touches)
    Key.push_back(T.Variable == profile::None ? 0 : Params->pointer(T.Variable, Launch.Args));
  if (Searches)
    forEachAddress(Launch.Args, Memory, [&](uint64_t Word) { Key.push_back(Word); });
  LockGuard Guard(Lock);
  const uint64_t Now = Memory.version();
  if (Now != Version || Known.size() > MaxCases)
    Known.clear();
  Version = Now;
  std::shared_ptr<const LaunchObjects> &Case = Known[std::move(Key)];
  if (!Case)
    Case = fromDescriptor(Launch, Values, Device, Memory, Sets);
  return Case;
}

void KernelAccesses::addTouch(LaunchObjects &To, const profile::Touch &T, const ClosedForm *Form,
                              const LaunchInput &Launch, const FormLaunch &Shape,
                              const ProgramMemory &Memory) const {
  const unsigned Kinds = T.Kinds & (Reads | Writes);
  const uint64_t Pointer =
      T.Variable == profile::None ? 0 : Params->pointer(T.Variable, Launch.Args);
  uint64_t Object = 0;
  if (T.Kinds & GMPROF_TOUCH_TEXTURE) {
    std::optional<uint64_t> Known = Memory.textures().find(Pointer);
    if (!Known) { // then any of them
      std::optional<std::set<uint64_t>> All = Memory.textures().all();
      To.Inferred |= !All;
      if (All)
        for (uint64_t Each : *All)
          To.Objects[Each].Possible |= Kinds;
      return;
    }
    Object = *Known;
  } else if (T.Variable == profile::None) {
    To.Inferred = true; // nobody looks for it
    return;
  } else if (std::optional<LiveObject> O = Memory.find(Pointer)) {
    Object = O->Id;
  } else {
    return;
  }
  LaunchObjects::Object &O = To.Objects[Object];
  switch (T.Rule) {
  case GMPROF_TOUCH_ALWAYS:
    O.Certain |= Kinds;
    return;
  case GMPROF_TOUCH_FORM:
    if (!Form || !holds(*Form, Shape))
      O.Possible |= Kinds;
    else if (accessesAny(*Form, Shape))
      O.Certain |= Kinds;
    return;
  case GMPROF_TOUCH_FLAG:
    To.Flags.push_back({T.Flag, Kinds, Object});
    return;
  case GMPROF_TOUCH_SEARCH:
  case GMPROF_TOUCH_POSSIBLE:
    O.Possible |= Kinds;
    return;
  }
}

std::shared_ptr<const LaunchObjects>
KernelAccesses::fromDescriptor(const LaunchInput &Launch, std::span<const int64_t> Values,
                               int Device, const ProgramMemory &Memory, AccessSets &Sets) {
  const FormLaunch Shape = {Launch.Grid, Launch.Block, Values, {}};
  LaunchObjects Found;
  Found.FlagBytes = FlagBytes;
  for (uint32_t I = 0; I < Touches.size(); ++I) {
    if (Touches[I].Rule == GMPROF_TOUCH_SEARCH)
      continue;
    const auto Form = std::find_if(Forms->Forms.begin(), Forms->Forms.end(),
                                   [&](const KernelForms::Form &F) { return F.Site == I; });
    addTouch(Found, Touches[I], Form == Forms->Forms.end() ? nullptr : &Form->Access, Launch, Shape,
             Memory);
  }
  // What is certain anyway needs no flag.
  std::erase_if(Found.Flags, [&](const LaunchObjects::Flag &F) {
    return (F.Kinds & ~Found.Objects[F.Object].Certain) == 0;
  });
  // Without hits, what they would say is possible.
  LaunchObjects Before = Found;
  for (const LaunchObjects::Flag &F : Found.Flags)
    Before.Objects[F.Object].Possible |= F.Kinds;
  if (Searches) {
    Found.Ranges = Memory.ranges(Device);
    addParameters(Before, Launch, Memory);
    Before.Inferred = true;
  }
  Found.Set = findSet(Before.Objects, inferredIf(Before.Inferred), Sets);
  return std::make_shared<const LaunchObjects>(std::move(Found));
}

/// Calls V with each 8 bytes of the parameters that may be the address of an object, or a handle.
/// Lists of tensors have hundreds of words that are neither.
template <typename Visit>
void KernelAccesses::forEachAddress(void **Args, const ProgramMemory &Memory, Visit V) const {
  const auto [Lowest, End] = Memory.bounds();
  const bool HasHandles = Memory.textures().any();
  for (size_t P = 0; P < ParamBytes.size(); ++P)
    for (size_t At = 0; At + sizeof(uint64_t) <= ParamBytes[P]; At += sizeof(uint64_t)) {
      uint64_t Word = 0;
      std::memcpy(&Word, static_cast<const char *>(Args[P]) + At, sizeof(Word));
      if (Word - Lowest < End - Lowest || HasHandles)
        V(Word);
    }
}

/// Returns whether the host can write the memory: addresses that it stores there are not seen.
static bool isOfHost(log::ObjectKind Kind) {
  return Kind == log::ObjectKind::Managed || Kind == log::ObjectKind::Pinned;
}

/// Calls V with each object that the parameters point to, be it accessed or not, and with whether
/// the host can write addresses to it. cuDNN's batch normalization has a flag of 4 bytes there.
template <typename Visit>
void KernelAccesses::forEachParameter(void **Args, const ProgramMemory &Memory, Visit V) const {
  forEachAddress(Args, Memory, [&](uint64_t Word) {
    if (std::optional<LiveObject> O = Memory.find(Word))
      V(O->Id, isOfHost(O->Kind) && O->Bytes >= sizeof(uint64_t)); // room for an address
    if (std::optional<uint64_t> Object = Memory.textures().find(Word))
      V(*Object, false);
  });
}

void KernelAccesses::addParameters(LaunchObjects &To, const LaunchInput &Launch,
                                   const ProgramMemory &Memory) const {
  forEachParameter(Launch.Args, Memory, [&](uint64_t Object, bool OfHost) {
    To.Objects[Object].Possible |= Reads | Writes;
    To.Inferred |= OfHost;
  });
}

/// Returns the objects that parameters point to, for a kernel of which only these are known. No
/// clone runs in its place: a clone needs more than the set.
std::shared_ptr<const LaunchObjects> KernelAccesses::fromParameters(const LaunchInput &Launch,
                                                                    const ProgramMemory &Memory,
                                                                    AccessSets &Sets) const {
  bool Inferred = !ParamsKnown || !Memory.stored().complete();
  constexpr size_t Usual = 32; // objects; most launches then allocate once
  std::vector<ObjectAccess> Accesses;
  Accesses.reserve(Usual);
  const auto Add = [&](uint64_t Object, bool OfHost) {
    Accesses.push_back({Object, 1, 1});
    Inferred |= OfHost;
  };
  forEachParameter(Launch.Args, Memory, Add);
  Memory.stored().forEach(
      [&](uint64_t Object, log::ObjectKind Kind) { Add(Object, isOfHost(Kind)); });
  std::ranges::sort(Accesses, {}, &ObjectAccess::object);
  const auto Same = std::ranges::unique(Accesses, {}, &ObjectAccess::object);
  Accesses.erase(Same.begin(), Same.end());
  LaunchObjects Found;
  Found.Inferred = Inferred;
  Found.Set =
      Sets.find(Accesses, Inferred ? AccessKnowledge::Inferred : AccessKnowledge::FromParameters);
  return std::make_shared<const LaunchObjects>(std::move(Found));
}

} // namespace gmprof::host
