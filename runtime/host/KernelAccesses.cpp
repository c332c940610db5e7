//===- KernelAccesses.cpp - Which objects a kernel accesses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/KernelAccesses.h"
#include <algorithm>
#include <cstring>

namespace gmprof::host {

using log::AccessKnowledge;
using log::ObjectAccess;

/// More cases than any program needs at a time; then they are worked out again.
static constexpr size_t MaxCases = 4096;

uint32_t AccessSets::find(std::span<const ObjectAccess> Accesses, AccessKnowledge Knowledge) {
  std::vector<uint64_t> Key = {static_cast<uint64_t>(Knowledge)};
  for (const ObjectAccess &A : Accesses) {
    Key.push_back(A.object);
    Key.push_back(A.reads | A.writes << 1);
  }
  std::lock_guard<std::mutex> Guard(Lock);
  auto [It, New] = Known.try_emplace(std::move(Key), static_cast<uint32_t>(Known.size() + 1));
  if (New)
    Log.accessSet(It->second, Accesses, Knowledge);
  return It->second;
}

unsigned KernelAccesses::kindsOf(GmprofAccessKind Kind) {
  switch (Kind) {
  case GMPROF_ACCESS_LOAD:
  case GMPROF_ACCESS_COPY_FROM:
  case GMPROF_ACCESS_ASYNC_FROM:
    return Reads;
  case GMPROF_ACCESS_STORE:
  case GMPROF_ACCESS_COPY_TO:
  case GMPROF_ACCESS_ASYNC_TO:
    return Writes;
  case GMPROF_ACCESS_ATOMIC:
  case GMPROF_ACCESS_MATRIX:
    return Reads | Writes;
  }
  return 0;
}

KernelAccesses::KernelAccesses(const profile::Descriptor &Desc, std::vector<size_t> Sizes,
                               std::vector<uint64_t> Symbols)
    : ParamBytes(std::move(Sizes)) {
  KernelArguments Arguments(Desc, ParamBytes, std::move(Symbols));
  if (!Arguments.problem().empty() || (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS))
    return;
  Params = std::move(Arguments);
  describe(Desc);
}

static bool isObject(const profile::Variable &V) {
  return V.Parameter != profile::None || !V.Symbol.empty();
}

void KernelAccesses::describe(const profile::Descriptor &Desc) {
  Forms.emplace(Desc.Forms, Desc.ParamCount);
  Uses.resize(Desc.Variables.size());
  for (const profile::Site &S : Desc.Sites) {
    if (S.Space != GMPROF_SPACE_GENERIC && S.Space != GMPROF_SPACE_GLOBAL &&
        S.Space != GMPROF_SPACE_CONSTANT)
      continue;
    if (S.Variable == profile::None) {
      Params.reset(); // it may access anything
      return;
    }
    if (!isObject(Desc.Variables[S.Variable]))
      continue;
    Use &U = Uses[S.Variable];
    const auto Number = static_cast<uint32_t>(&S - Desc.Sites.data());
    const auto Form = std::find_if(Forms->Forms.begin(), Forms->Forms.end(),
                                   [&](const auto &F) { return F.Site == Number; });
    if (Form == Forms->Forms.end())
      U.Undetermined |= kindsOf(S.Kind);
    else
      U.ByForms.push_back({kindsOf(S.Kind), static_cast<size_t>(Form - Forms->Forms.begin())});
  }
}

uint32_t KernelAccesses::find(const LaunchInput &Launch, const Objects &Live, AccessSets &Sets) {
  if (!Launch.Args && !ParamBytes.empty())
    return 0;
  std::vector<uint64_t> Key;
  std::vector<int64_t> Values;
  if (Params) {
    Key.assign(Launch.Grid.begin(), Launch.Grid.end());
    Key.insert(Key.end(), Launch.Block.begin(), Launch.Block.end());
    Values = Forms->values(*Params, Launch.Args);
    Key.insert(Key.end(), Values.begin(), Values.end());
    for (size_t V = 0; V < Uses.size(); ++V)
      Key.push_back(Uses[V].any() ? Params->pointer(V, Launch.Args) : 0);
  } else {
    Key = words(Launch.Args);
  }
  std::lock_guard<std::mutex> Guard(Lock);
  const uint64_t Now = Live.version();
  if (Now != Version || Known.size() > MaxCases)
    Known.clear();
  Version = Now;
  auto [It, New] = Known.try_emplace(std::move(Key));
  if (New)
    It->second =
        Params ? fromDescriptor(Launch, Values, Live, Sets) : fromParameters(Launch, Live, Sets);
  return It->second;
}

uint32_t KernelAccesses::fromDescriptor(const LaunchInput &Launch, std::span<const int64_t> Values,
                                        const Objects &Live, AccessSets &Sets) const {
  const FormLaunch Shape = {Launch.Grid, Launch.Block, Values, {}};
  std::map<uint64_t, FoundObject> Found;
  for (size_t V = 0; V < Uses.size(); ++V) {
    const Use &U = Uses[V];
    std::optional<LiveObject> O;
    if (U.any())
      O = Live.find(Params->pointer(V, Launch.Args));
    if (!O)
      continue;
    FoundObject &Of = Found[O->Id];
    Of.Possible |= U.Undetermined;
    for (const Use::Determined &D : U.ByForms) {
      const ClosedForm &Form = Forms->Forms[D.Form].Access;
      if ((D.Kinds & ~Of.Certain) == 0)
        continue;
      if (!holds(Form, Shape))
        Of.Possible |= D.Kinds;
      else if (accessesAny(Form, Shape))
        Of.Certain |= D.Kinds;
    }
  }
  bool Exact = true;
  std::vector<ObjectAccess> Accesses;
  for (const auto &[Id, O] : Found) {
    const bool Certain = (O.Possible & ~O.Certain) == 0;
    Exact &= Certain;
    if ((O.Possible | O.Certain) != 0)
      Accesses.push_back({Id, !Certain || (O.Certain & Reads), !Certain || (O.Certain & Writes)});
  }
  return Sets.find(Accesses, Exact ? AccessKnowledge::Exact : AccessKnowledge::Possible);
}

/// Each 8 bytes of the parameters, where an address may be.
std::vector<uint64_t> KernelAccesses::words(void **Args) const {
  std::vector<uint64_t> All;
  for (size_t P = 0; P < ParamBytes.size(); ++P)
    for (size_t At = 0; At + sizeof(uint64_t) <= ParamBytes[P]; At += sizeof(uint64_t))
      std::memcpy(&All.emplace_back(), static_cast<const char *>(Args[P]) + At, sizeof(uint64_t));
  return All;
}

uint32_t KernelAccesses::fromParameters(const LaunchInput &Launch, const Objects &Live,
                                        AccessSets &Sets) const {
  std::map<uint64_t, ObjectAccess> Found;
  for (uint64_t Word : words(Launch.Args))
    if (std::optional<LiveObject> O = Live.find(Word))
      Found[O->Id] = {O->Id, 1, 1};
  std::vector<ObjectAccess> Accesses;
  for (const auto &[Id, Access] : Found)
    Accesses.push_back(Access);
  return Sets.find(Accesses, AccessKnowledge::Inferred);
}

} // namespace gmprof::host
