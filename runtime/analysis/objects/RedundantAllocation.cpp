//===- RedundantAllocation.cpp - Finds redundant allocations --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.3: the last use of an object comes before the first use of
// another object of similar size, which can reuse its memory.
//
// One pass finds the pairs (Section 5.1, Figure 3). The first and last uses of all objects are
// sorted by timestamp, last uses after first uses of the same time, and traversed from the end. An
// object is Initial until its last use is visited, In Use until its first use is visited, and then
// Done. A Done object reuses the memory of the Initial object whose last use is closest to the
// left; that object is then Reused: it can reuse others itself, but no further object can reuse it.
//
// In addition to the paper, both objects have to be in memory at some time: an object that is
// released before the other is allocated already shares its memory. Copies and sets that can be
// moved (ObjectHistory.h) do not count as first and last uses, since a program that copies all
// inputs at its begin could share nothing. The last use has to precede the first one both in call
// order and by timestamp. Timestamps do not order streams: an object whose last use is in the
// stream of the first use is preferred; if the two uses are in streams of which none waits for the
// other, the suggestion states the condition that the later one waits.
//
// The order of two host threads is one run's order. Threads that each use an allocation of one call
// site need it at once in another run, so that these share no memory; otherwise the suggestion
// states the condition that the later thread waits. In Python one thread waits for the others.
//
// The fix changes a call site, thus all objects that it allocates. A pair is dropped if another
// object of the reusing call site, which reuses no object of the reused one, is accessed while the
// reused object is needed: it would overwrite that. Buffers that alternate are the exception: such
// an object is needed longer, and has a pair itself.
//
// A leaked object is not to be reused by others of its call site if half of these or more are
// released, or none: the leak is the cause, and its fix saves the same. If few are, the release may
// be for the last object of a loop, which then needs a single allocation.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/CallSiteObjects.h"
#include "analysis/objects/DependencyGraph.h"
#include "analysis/objects/ObjectPatterns.h"
#include "analysis/objects/ReuseCandidates.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using profile::ApiObject;

namespace {

/// The span in which an object is needed, in call order and in topological time.
struct Needed {
  uint32_t FirstCall = 0, LastCall = 0, FirstTime = 0, LastTime = 0;

  bool endsBefore(const Needed &Other) const {
    return LastCall < Other.FirstCall && LastTime < Other.FirstTime;
  }
};

/// The begin or end of a span.
struct Event {
  uint32_t Time;
  bool IsLast;
  uint32_t Object;
  bool operator<(const Event &E) const {
    return std::tie(Time, IsLast, Object) < std::tie(E.Time, E.IsLast, E.Object);
  }
};

/// Returns the span of the uses that are called from First to Last.
Needed needed(const ObjectHistory &H, const std::vector<uint32_t> &Calls, uint32_t First,
              uint32_t Last) {
  Needed N = {First, Last, UINT32_MAX, 0};
  for (uint32_t Call : Calls)
    if (First <= Call && Call <= Last) {
      N.FirstTime = std::min(N.FirstTime, H.timestamp(Call));
      N.LastTime = std::max(N.LastTime, H.timestamp(Call));
    }
  return N;
}

class PairFinder {
public:
  PairFinder(const ObjectHistory &H, const ObjectPatternOptions &Options)
      : H(H), Options(Options), Needs(H.trace().Objects.size()) {
    for (uint32_t Object = 0; Object < H.trace().Objects.size(); ++Object) {
      const std::vector<uint32_t> Calls = H.calls(Object);
      // An object that is never read needs no memory, also none of another.
      if (!H.isAllocated(Object) || Calls.empty() || object(Object).Opaque ||
          !object(Object).Library.empty() || H.isNeverRead(Object))
        continue;
      const ObjectHistory::Need Need = H.need(Object, Calls);
      Needs[Object] = needed(H, Calls, Need.First, Need.Last);
      Events.push_back({Needs[Object].FirstTime, false, Object});
      Events.push_back({Needs[Object].LastTime, true, Object});
    }
    std::sort(Events.begin(), Events.end());
    std::map<Place, std::vector<ReuseCandidates::Candidate>> Candidates;
    for (size_t I = 0; I < Events.size(); ++I) {
      const uint32_t Object = Events[I].Object, LastCall = Needs[Object].LastCall;
      if (Events[I].IsLast && !H.mayBeUsedAfter(Object, LastCall))
        for (const Place &Each : placesOf(Object, LastCall))
          Candidates[Each].push_back({static_cast<uint32_t>(I), object(Object).Bytes, LastCall,
                                      object(Object).Release.value_or(UINT32_MAX)});
    }
    for (auto &[Place, Of] : Candidates)
      Initial.emplace(Place, std::move(Of));
  }

  const Needed &need(uint32_t Object) const { return Needs[Object]; }

  /// Returns true if the stream of the later API is known to wait for the earlier one.
  bool ordered(uint32_t Earlier, uint32_t Later) const {
    const profile::Api A = H.trace().Apis[Earlier], B = H.trace().Apis[Later];
    if (A.Device == B.Device && A.Stream == B.Stream)
      return true;
    constexpr unsigned MostSearches = 100; // each walks over the trace
    return Searches++ < MostSearches && precedes(H.trace(), Earlier, Later);
  }

  /// Returns true if different host threads call the two APIs.
  bool ofDifferentThreads(uint32_t Earlier, uint32_t Later) const {
    const uint32_t A = H.trace().Apis[Earlier].Thread, B = H.trace().Apis[Later].Thread;
    return !Options.IsPython && A != 0 && B != 0 && A != B;
  }

  /// Returns pairs of an object and another one whose memory it can reuse.
  std::vector<std::pair<uint32_t, uint32_t>> find() {
    std::vector<std::pair<uint32_t, uint32_t>> Pairs;
    for (size_t I = Events.size(); I-- > 0;) {
      const Event &E = Events[I];
      if (E.IsLast) {
        erase(static_cast<uint32_t>(I)); // In Use, unless Reused
      } else if (H.mayBeUsed(E.Object, object(E.Object).Allocation, Needs[E.Object].FirstCall)) {
        continue;
      } else if (std::optional<uint32_t> Closest = closest(E.Object)) {
        erase(*Closest);
        Pairs.emplace_back(E.Object, Events[*Closest].Object);
      }
    }
    return Pairs;
  }

private:
  /// Objects that can share memory: of one kind on one device, or of one pool; with a stream: those
  /// that are used there last.
  using Place =
      std::tuple<uint32_t, log::ObjectKind, std::optional<uint32_t>, std::optional<uint64_t>>;

  const ObjectHistory &H;
  const ObjectPatternOptions &Options;
  std::vector<Needed> Needs;
  std::vector<Event> Events;
  mutable unsigned Searches = 0; ///< for an order of APIs of different streams
  std::map<Place, ReuseCandidates> Initial;

  const ApiObject &object(uint32_t Object) const { return H.trace().Objects[Object]; }

  /// Returns the object's places, if its use by this call counts, the preferred one first.
  std::array<Place, 2> placesOf(uint32_t Object, uint32_t Call) const {
    const ApiObject &O = object(Object);
    const std::optional<uint32_t> Pool = H.trace().poolOf(O);
    return {Place{O.Device, O.Kind, Pool, H.trace().Apis[Call].Stream},
            Place{O.Device, O.Kind, Pool, std::nullopt}};
  }

  /// Removes the candidate whose last use is this event, if there is one.
  void erase(uint32_t Last) {
    const uint32_t Object = Events[Last].Object;
    for (const Place &Each : placesOf(Object, Needs[Object].LastCall))
      if (const auto Candidates = Initial.find(Each); Candidates != Initial.end())
        Candidates->second.erase(Last);
  }

  /// Returns the last use of the candidate that the object should reuse.
  std::optional<uint32_t> closest(uint32_t Object) const {
    for (const Place &Each : placesOf(Object, Needs[Object].FirstCall))
      if (const auto Candidates = Initial.find(Each); Candidates != Initial.end())
        if (const std::optional<uint32_t> Found = Candidates->second.last(wanted(Object)))
          return Found;
    return std::nullopt;
  }

  /// Returns the requirements for an object to reuse. Candidates lie to the left of the first use,
  /// since those to the right were visited; so their timestamps are earlier.
  ReuseCandidates::Wanted wanted(uint32_t Object) const {
    const ApiObject &O = object(Object);
    const auto Bytes = static_cast<double>(O.Bytes);
    const double Share = 1 - Options.SizeDifference;
    return {static_cast<uint64_t>(std::ceil(Bytes * Share)), static_cast<uint64_t>(Bytes / Share),
            Needs[Object].FirstCall, O.Allocation};
  }
};

} // namespace

namespace {

/// The calls between the first and the last access of several objects.
class Spans {
public:
  void add(uint32_t First, uint32_t Last) {
    Firsts.push_back(First);
    Lasts.push_back(Last);
  }
  void sort() {
    std::ranges::sort(Firsts);
    std::ranges::sort(Lasts);
  }
  /// Returns true if one of them overlaps this one, when they are sorted.
  bool overlap(uint32_t First, uint32_t Last) const {
    const auto Begun = std::ranges::upper_bound(Firsts, Last) - Firsts.begin();
    const auto Ended = std::ranges::lower_bound(Lasts, First) - Lasts.begin();
    return Begun > Ended;
  }

private:
  std::vector<uint32_t> Firsts, Lasts;
};

} // namespace

/// Removes the pairs that other objects of the reusing call site contradict.
static void removeContradicted(const ObjectHistory &H, const PairFinder &Finder,
                               std::vector<std::pair<uint32_t, uint32_t>> &Pairs) {
  const CallSiteObjects CallSites(H);
  const std::map<uint32_t, uint32_t> Reuses(Pairs.begin(), Pairs.end());
  std::set<uint32_t> Paired;
  for (const auto &[Object, Other] : Pairs)
    Paired.insert({Object, Other});
  std::map<std::pair<uint32_t, uint32_t>, Spans>
      ByCallSites; ///< of the objects without such a pair
  const auto SpansOf = [&](uint32_t Object, uint32_t Other) -> const Spans & {
    const std::span<const uint32_t> OfCallSite = CallSites.of(Object);
    const auto [At, New] =
        ByCallSites.try_emplace({OfCallSite.front(), CallSites.of(Other).front()});
    if (!New)
      return At->second;
    for (uint32_t Sibling : OfCallSite) {
      const auto Pair = Reuses.find(Sibling);
      const std::vector<uint32_t> Calls = H.calls(Sibling);
      if (!Calls.empty() && (Pair == Reuses.end() || !CallSites.isSame(Pair->second, Other)))
        At->second.add(Paired.contains(Sibling) ? Calls.back() : Calls.front(), Calls.back());
    }
    At->second.sort();
    return At->second;
  };
  std::erase_if(Pairs, [&](const auto &Pair) {
    const auto &[Object, Other] = Pair;
    const Needed &Span = Finder.need(Other);
    return !CallSites.isSame(Object, Other) &&
           SpansOf(Object, Other).overlap(Span.FirstCall, Span.LastCall);
  });
}

ResidencyChange sharedMemory(const profile::ApiTrace &T,
                             const std::map<uint32_t, uint32_t> &Reuses) {
  // The first object of a chain has memory for all of them, from its allocation to the last
  // release.
  std::map<uint32_t, uint32_t> Owners = Reuses;
  ResidencyChange Change;
  for (auto &[Object, Owner] : Owners) {
    for (auto Next = Owners.find(Owner); Next != Owners.end(); Next = Owners.find(Owner))
      Owner = Next->second;
    Change[Object] = {};
    const ApiObject &O = T.Objects[Object], &First = T.Objects[Owner];
    std::vector<Residency> &R = Change[Owner];
    if (R.empty())
      R.push_back({First.Allocation, T.endOf(First), First.Bytes});
    R[0].To = std::max(R[0].To, T.endOf(O));
    R[0].Bytes = std::max(R[0].Bytes, O.Bytes);
  }
  return Change;
}

static ObjectInefficiency describe(const ObjectHistory &H, const ObjectPatternOptions &Options,
                                   const PairFinder &Pairs, uint32_t Object, uint32_t Other) {
  const profile::ApiTrace &T = H.trace();
  const ApiObject &O = T.Objects[Object], &Reused = T.Objects[Other];
  // Move copies only where necessary.
  const std::vector<uint32_t> Calls = H.calls(Object), OtherCalls = H.calls(Other);
  const Needed AllOfOther = needed(H, OtherCalls, OtherCalls.front(), OtherCalls.back());
  const Needed All = needed(H, Calls, Calls.front(), Calls.back());
  const Needed Last = AllOfOther.endsBefore(Pairs.need(Object)) ? AllOfOther : Pairs.need(Other);
  const Needed First = Last.endsBefore(All) ? All : Pairs.need(Object);
  const std::string LastUse = apiWithPlace(T, Last.LastCall);
  const std::string FirstUse = apiWithPlace(T, First.FirstCall);

  ObjectInefficiency I = objectInefficiency(H, "redundant_allocation", Object);
  I.Found.Evidence.emplace_back("reuses",
                                Reused.Name.empty() ? describeObject(Reused) : Reused.Name.str());
  I.Found.Evidence.emplace_back("reused_bytes", Reused.Bytes);
  I.Found.Evidence.emplace_back("last_use_of_reused", describeApi(T.Apis[Last.LastCall]));
  I.Found.Evidence.emplace_back("first_use", describeApi(T.Apis[First.FirstCall]));
  const bool Alike = describeObject(O) == describeObject(Reused);
  I.Found.Message = fmt::format(
      "The last use of {}, by {}, is before the first use of {}{}, by {}: both can share one "
      "allocation.",
      describeObject(Reused), LastUse, Alike ? "another " : "",
      Alike && describeObject(O).starts_with("the ") ? describeObject(O).substr(4)
                                                     : describeObject(O),
      FirstUse);
  const std::string For = Alike ? "the other" : describeObject(O);
  I.Found.Suggestion =
      Options.IsPython
          ? fmt::format("Drop the last reference to {} after {}: an allocator that keeps free "
                        "memory then uses it for {}",
                        describeObject(Reused), LastUse, For)
          : fmt::format("Reuse the memory of {} for {}{}", describeObject(Reused), For,
                        Reused.Bytes < O.Bytes ? ", allocated with " + plural(O.Bytes, "byte")
                                               : "");
  I.Found.Suggestion += andMove(H, I, H.after(Other, Last.LastCall), "to right after " + LastUse);
  I.Found.Suggestion +=
      andMove(H, I, H.before(Object, First.FirstCall), "to right before " + FirstUse) + ".";
  if (!Pairs.ordered(Last.LastCall, First.FirstCall))
    addCondition(I.Found.Suggestion,
                 FirstUse == LastUse
                     ? fmt::format("the stream of the later {} waits for the earlier one", FirstUse)
                     : fmt::format("the stream of {} waits for {}", FirstUse, LastUse));
  if (Pairs.ofDifferentThreads(Last.LastCall, First.FirstCall))
    addCondition(I.Found.Suggestion,
                 fmt::format("the host thread that calls {} waits for the other thread to call {}",
                             FirstUse == LastUse ? "the later one" : FirstUse,
                             FirstUse == LastUse ? "the earlier one" : LastUse));
  I.Reuses = Other;
  I.Instead = sharedMemory(T, {{Object, Other}});
  return I;
}

/// Removes pairs of one call site that different threads use.
static void removeConcurrent(const ObjectHistory &H, const PairFinder &Finder,
                             std::vector<std::pair<uint32_t, uint32_t>> &Pairs) {
  const CallSiteObjects CallSites(H);
  std::erase_if(Pairs, [&](const auto &Pair) {
    const auto &[Object, Other] = Pair;
    return CallSites.isSame(Object, Other) &&
           Finder.ofDifferentThreads(Finder.need(Other).LastCall, Finder.need(Object).FirstCall);
  });
}

/// Removes pairs whose reused object leaks because no path releases it, or one skips its release.
static void removeLeaked(const ObjectHistory &H,
                         std::vector<std::pair<uint32_t, uint32_t>> &Pairs) {
  const CallSiteObjects CallSites(H);
  std::erase_if(Pairs, [&](const auto &Pair) {
    const auto &[Object, Other] = Pair;
    return CallSites.isSame(Object, Other) && !H.trace().Objects[Other].Release &&
           (CallSites.skipsRelease(Other) || CallSites.freed(Other) == 0);
  });
}

ObjectInefficiencies redundantAllocations(const ObjectHistory &H,
                                          const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  PairFinder Finder(H, Options);
  std::vector<std::pair<uint32_t, uint32_t>> Pairs = Finder.find();
  if (H.isComplete() && !Options.IsPython)
    removeLeaked(H, Pairs);
  removeConcurrent(H, Finder, Pairs);
  removeContradicted(H, Finder, Pairs);
  for (auto [Object, Other] : Pairs)
    Found.push_back(describe(H, Options, Finder, Object, Other));
  return Found;
}

} // namespace gmprof::analysis
