//===- ApiTrace.cpp - The GPU APIs of a run, packed -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiTrace.h"

namespace gmprof::profile {

uint32_t ApiList::indexOf(ApiKind Kind, Name Of) {
  auto [It, New] = NameIndex.try_emplace({Kind, Of}, static_cast<uint32_t>(Names.size()));
  if (New)
    Names.emplace_back(Kind, Of);
  return It->second;
}

void ApiList::push_back(Api A) {
  if (Last) {
    Done.push_back({Last->Kind, Last->Inferred, Last->FromParameters, Last->WithHost,
                    indexOf(Last->Kind, Last->Name), Last->Stream, Last->TimeNs, Last->EndNs,
                    Last->Device, Last->Thread, Last->CallPath, Last->Launch, Last->Object,
                    static_cast<uint32_t>(Last->Accesses.size()),
                    static_cast<uint32_t>(Last->After.size()), Accesses.size(), Afters.size(),
                    Last->Host});
    for (const ApiAccess &Each : Last->Accesses)
      Accesses.push_back(Each);
    for (uint32_t Each : Last->After)
      Afters.push_back(Each);
  }
  Last = std::move(A);
}

/// Unpacks every field except the lists.
void ApiList::unpack(const Packed &From, Api &To) const {
  To.Kind = From.Kind;
  To.Name = Names[From.Name].second;
  To.Stream = From.Stream;
  To.Device = From.Device;
  To.TimeNs = From.TimeNs;
  To.EndNs = From.EndNs;
  To.Thread = From.Thread;
  To.CallPath = From.CallPath;
  To.Launch = From.Launch;
  To.Object = From.Object;
  To.Inferred = From.Inferred;
  To.FromParameters = From.FromParameters;
  To.WithHost = From.WithHost;
  To.Host = From.Host;
}

Api ApiList::operator[](size_t Index) const {
  if (Index == Done.size())
    return *Last;
  if (auto It = Changed.find(Index); It != Changed.end())
    return It->second;
  Api A;
  const Packed From = Done[Index];
  unpack(From, A);
  for (uint32_t I = 0; I < From.AccessCount; ++I)
    A.Accesses.push_back(Accesses[From.FirstAccess + I]);
  for (uint32_t I = 0; I < From.AfterCount; ++I)
    A.After.push_back(Afters[From.FirstAfter + I]);
  return A;
}

Api &ApiList::operator[](size_t Index) {
  if (Index == Done.size())
    return *Last;
  auto It = Changed.find(Index);
  if (It == Changed.end())
    It = Changed.emplace(Index, std::as_const(*this)[Index]).first;
  return It->second;
}

/// `Index` is 0 or size().
ApiList::Iterator::Iterator(const ApiList &Of, size_t Index)
    : Of(&Of), Index(Index), Next(Of.Done, Index), NextAccess(Of.Accesses.begin()),
      NextAfter(Of.Afters.begin()) {
  load();
}

ApiList::Iterator &ApiList::Iterator::operator++() {
  ++Index;
  load();
  return *this;
}

void ApiList::Iterator::load() {
  if (Index >= Of->size())
    return;
  if (Index == Of->Done.size()) {
    Element = *Of->Last;
    return;
  }
  Of->unpack(*Next, Element);
  Element.Accesses.clear();
  Element.After.clear();
  for (uint32_t I = 0; I < Next->AccessCount; ++I, ++NextAccess)
    Element.Accesses.push_back(*NextAccess);
  for (uint32_t I = 0; I < Next->AfterCount; ++I, ++NextAfter)
    Element.After.push_back(*NextAfter);
  ++Next;
  if (auto It = Of->Changed.find(Index); It != Of->Changed.end())
    Element = It->second;
}

} // namespace gmprof::profile
