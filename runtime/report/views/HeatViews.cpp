//===- HeatViews.cpp - Heat maps prepared for output ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/HeatViews.h"
#include "analysis/ProgramSource.h"
#include "profile/LaunchModes.h"
#include "report/text/TextReport.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <set>
#include <unordered_map>
#include <utility>

namespace gmprof {

using profile::HeatContext;
using profile::HeatRun;
using profile::None;
using profile::SharedWordHeat;

unsigned HeatLaunch::hottest() const {
  return static_cast<unsigned>(std::clamp<uint64_t>(Context->warpsPerBlock(), 1, 32));
}

uint64_t HeatLaunch::blocks() const {
  return uint64_t(First.Grid[0]) * First.Grid[1] * First.Grid[2];
}

std::string HeatLaunch::sampled() const {
  const HeatContext &C = *Context;
  if (C.Blocks == 1)
    return fmt::format("block {} of {}", C.FirstBlock, blocks());
  if (C.Blocks == blocks())
    return fmt::format("all {} blocks", C.Blocks);
  if (C.BlockStep == 1)
    return fmt::format("{} blocks of {} (from {} on)", C.Blocks, blocks(), C.FirstBlock);
  return fmt::format("{} blocks of {} ({}, {} and so on)", C.Blocks, blocks(), C.FirstBlock,
                     C.FirstBlock + C.BlockStep);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static HeatOf kindOf(GmprofAccessKind K) {
  return K == GMPROF_ACCESS_LOAD    ? HeatOf::Reads
         : K == GMPROF_ACCESS_STORE ? HeatOf::Writes
                                    : HeatOf::Atomics;
}

/// Returns the place of each number. The entry for unknown places has accesses of any kind.
static std::vector<HeatPlace> placesOf(const profile::Descriptor &Desc) {
  HeatPlace Others;
  Others.Has.fill(true);
  std::vector<HeatPlace> Places(GMPROF_HEAT_PLACES, Others);
  const std::vector<uint32_t> Numbers = profile::heatPlaces(Desc);
  for (size_t S = 0; S < Desc.Sites.size(); ++S) {
    if (Numbers[S] == GMPROF_HEAT_PLACES - 1)
      continue;
    HeatPlace &Place = Places[Numbers[S]];
    if (Place.Source.File.empty() && Place.Source.Line == 0)
      Place.Has = {true};
    Place.Source = Desc.Sites[S].Source;
    Place.Has[static_cast<unsigned>(kindOf(Desc.Sites[S].Kind))] = true;
  }
  return Places;
}

namespace {

/// Arrays in shared memory of a launch.
class SharedArrays {
public:
  SharedArrays(const HeatContext &C, const profile::Descriptor &Desc)
      : C(C), Desc(Desc), Numbers(profile::heatPlaces(Desc)), Mapped(C.SharedWords.size()) {}

  std::vector<HeatView> views();

private:
  void add(uint64_t Address, uint64_t Bytes, const std::vector<uint32_t> &Variables);
  void addOthers();
  uint64_t placesOf(const std::vector<uint32_t> &Variables) const;

  const HeatContext &C;
  const profile::Descriptor &Desc;
  const std::vector<uint32_t> Numbers;
  std::vector<bool> Mapped; ///< words that belong to a variable
  std::vector<HeatView> Views;
};

} // namespace

static bool accessed(const std::array<SharedWordHeat, GMPROF_COUNTER_KINDS> &Word) {
  return std::any_of(Word.begin(), Word.end(), [](const SharedWordHeat &W) { return W.Warps; });
}

uint64_t SharedArrays::placesOf(const std::vector<uint32_t> &Variables) const {
  uint64_t Places = 0;
  for (size_t S = 0; S < Desc.Sites.size(); ++S)
    if (std::count(Variables.begin(), Variables.end(), Desc.Sites[S].Variable))
      Places |= uint64_t(1) << Numbers[S];
  return Places;
}

/// Adds an array, cut to the words that were recorded.
void SharedArrays::add(uint64_t Address, uint64_t Bytes, const std::vector<uint32_t> &Variables) {
  const uint64_t Start = Address - C.FirstAddress;
  Bytes = std::min(Bytes, std::max(C.SharedWords.size() * GMPROF_HEAT_WORD_BYTES, Start) - Start);
  const uint64_t First = Start / GMPROF_HEAT_WORD_BYTES;
  const uint64_t End = (Start + Bytes + GMPROF_HEAT_WORD_BYTES - 1) / GMPROF_HEAT_WORD_BYTES;
  bool Any = false;
  for (uint64_t W = First; W < End; ++W) {
    Mapped[W] = true;
    Any = Any || accessed(C.SharedWords[W]);
  }
  if (!Any)
    return;
  HeatView View;
  std::vector<std::string> Names;
  for (uint32_t V : Variables)
    if (!std::count(Names.begin(), Names.end(), Desc.Variables[V].Name))
      Names.push_back(Desc.Variables[V].Name);
  View.Name = Names.empty() ? "(dynamic shared memory)" : fmt::format("{}", fmt::join(Names, ", "));
  View.Aliases = std::move(Names);
  if (!Variables.empty()) {
    View.What = Desc.Variables[Variables.front()].Type;
    View.Source = Desc.Variables[Variables.front()].Source;
  }
  View.Address = Address;
  View.Bytes = Bytes;
  View.LineBytes = BankRowBytes;
  View.Places = placesOf(Variables);
  Views.push_back(std::move(View));
}

/// Adds the remaining accessed words as one array, from the first to the last.
void SharedArrays::addOthers() {
  uint64_t First = UINT64_MAX, End = 0;
  for (uint64_t W = 0; W < Mapped.size(); ++W)
    if (!Mapped[W] && accessed(C.SharedWords[W])) {
      First = std::min(First, W);
      End = W + 1;
    }
  if (End == 0)
    return;
  HeatView View;
  View.Name = "(other shared memory)";
  View.Address = C.FirstAddress + First * GMPROF_HEAT_WORD_BYTES;
  View.Bytes = (End - First) * GMPROF_HEAT_WORD_BYTES;
  View.LineBytes = BankRowBytes;
  Views.push_back(std::move(View));
}

/// Dynamic shared memory is one array that has the names of all its variables.
std::vector<HeatView> SharedArrays::views() {
  std::vector<uint32_t> Dynamic;
  uint64_t DynamicBegin = C.DynamicAddress;
  for (uint32_t V = 0; V < Desc.Variables.size() && V < C.Addresses.size(); ++V) {
    const uint32_t Address = C.Addresses[V];
    const bool Known = Address != None && Address >= C.FirstAddress;
    if (Desc.Variables[V].Kind == GMPROF_VARIABLE_SHARED && Known && Desc.Variables[V].Bytes != 0)
      add(Address, Desc.Variables[V].Bytes, {V});
    if (Desc.Variables[V].Kind != GMPROF_VARIABLE_SHARED_DYNAMIC)
      continue;
    if (Known)
      DynamicBegin = std::min<uint64_t>(DynamicBegin, Address);
    Dynamic.push_back(V);
  }
  const uint64_t DynamicEnd = uint64_t(C.DynamicAddress) + C.DynamicSharedBytes;
  if (C.DynamicSharedBytes != 0 && DynamicBegin >= C.FirstAddress && DynamicBegin < DynamicEnd)
    add(DynamicBegin, DynamicEnd - DynamicBegin, Dynamic);
  addOthers();
  return std::move(Views);
}

/// Names the object after the kernel's parameters that point to it, and the program's own name. The
/// source of a variable is its declaration.
static void nameObject(HeatView &View, const HeatLaunch &Launch, uint64_t Id,
                       const std::string &Own) {
  const std::vector<uint64_t> &Objects = Launch.Context->Objects;
  std::vector<std::string> Names;
  for (size_t V = 0; Launch.Kernel->Desc && V < Objects.size(); ++V) {
    const std::string &Name = Launch.Kernel->Desc->Variables[V].Name;
    if (Objects[V] != Id)
      continue;
    if (!Name.empty() && !std::count(Names.begin(), Names.end(), Name))
      Names.push_back(Name);
    if (Launch.Kernel->Desc->Variables[V].Kind != GMPROF_VARIABLE_PARAMETER)
      View.Source = Launch.Kernel->Desc->Variables[V].Source;
  }
  View.Name = fmt::format("{}", fmt::join(Names, ", "));
  if (Names.empty())
    View.Name = Own.empty() ? fmt::format("object {}", Id) : Own;
  else if (!Own.empty() && Own != View.Name)
    View.Name += " (" + Own + ")";
  View.Aliases = std::move(Names);
  if (!Own.empty())
    View.Aliases.push_back(Own);
}

/// Returns the view of a heat map. O: null if unknown.
static HeatView viewOf(const profile::Profile &P, const HeatLaunch &Launch,
                       const profile::HeatMap &Map, const profile::Object *O) {
  HeatView View;
  View.Map = &Map;
  View.Address = Map.Address;
  nameObject(View, Launch, Map.Object, O ? O->Name.str() : "");
  if (O) {
    View.What = O->Made.Api.empty() ? "variable of the module" : O->Made.Api.str();
    View.Bytes = O->Bytes;
    if (O->Made.CallPath != None)
      View.Source = analysis::programSource(P.CallPaths[O->Made.CallPath]);
  }
  // For an unknown object, only the accessed range is known.
  if (!Map.Runs.empty())
    View.Bytes = std::max(View.Bytes,
                          (Map.Runs.back().end() - 1) * GMPROF_HEAT_SECTOR_BYTES + 1 - View.lead());
  return View;
}

namespace {

/// Number of launches in each context, and the first one.
struct ContextLaunches {
  profile::Launch First;
  uint64_t Launches = 0;
};

/// Lists available names for error messages.
class Names {
public:
  void add(const std::string &Name) {
    if (Seen.insert(Name).second && ++Count <= MaxNamed)
      List += (List.empty() ? "" : ", ") + Name;
  }
  std::string text() const {
    return Count > MaxNamed ? fmt::format("{} and {} more", List, Count - MaxNamed) : List;
  }

private:
  static constexpr size_t MaxNamed = 20;
  std::set<std::string> Seen;
  std::string List;
  size_t Count = 0;
};

} // namespace

static std::unordered_map<uint64_t, ContextLaunches> launchesOf(const profile::Profile &P) {
  std::unordered_map<uint64_t, ContextLaunches> ByContext;
  for (const HeatContext &C : P.Heat)
    ByContext[C.Context];
  profile::forEachLaunchMode(P, [&](const profile::Launch &L) {
    auto It = L.Mode == log::LaunchMode::Heat ? ByContext.find(L.Context) : ByContext.end();
    if (It == ByContext.end())
      return;
    if (It->second.Launches++ == 0)
      It->second.First = L;
  });
  return ByContext;
}

/// Returns the contexts that match the kernel and launch of Choice.
static Result<std::vector<HeatLaunch>> launches(const profile::Profile &P,
                                                const HeatChoice &Choice) {
  std::unordered_map<uint64_t, ContextLaunches> ByContext = launchesOf(P);
  uint64_t Context = 0;
  bool Exists = false;
  profile::forEachLaunchMode(P, [&](const profile::Launch &L) {
    if (Choice.Launch == 0 || L.Id != Choice.Launch)
      return;
    Exists = true;
    if (L.Mode == log::LaunchMode::Heat)
      Context = L.Context;
  });
  std::vector<HeatLaunch> Chosen;
  Names Kernels, Sampled;
  bool AnyKernel = false;
  try {
    const std::regex Regex(Choice.Kernel);
    for (const HeatContext &C : P.Heat) {
      const profile::Kernel &K = P.Kernels[C.Kernel];
      Kernels.add(shortName(K.Demangled));
      if (!Choice.Kernel.empty() && !std::regex_search(K.Demangled, Regex) &&
          !std::regex_search(K.Name, Regex))
        continue;
      AnyKernel = true;
      const ContextLaunches &Of = ByContext[C.Context];
      Sampled.add(std::to_string(Of.First.Id));
      if (Choice.Launch != 0 && C.Context != Context)
        continue;
      HeatLaunch &L = Chosen.emplace_back();
      L.Context = &C;
      L.Kernel = &K;
      L.First = Of.First;
      if (Choice.Launch != 0)
        L.First.Id = Choice.Launch;
      L.Launches = std::max<uint64_t>(Of.Launches, 1);
    }
  } catch (const std::regex_error &E) {
    return Error{"'" + Choice.Kernel + "' is not a regular expression: " + E.what()};
  }
  if (!AnyKernel)
    return Error{"no sampled kernel matches '" + Choice.Kernel + "'; there are: " + Kernels.text()};
  if (Chosen.empty())
    return Error{fmt::format("launch {} {}; the sampled ones are: {}", Choice.Launch,
                             Exists ? "has no heat map" : "does not exist", Sampled.text())};
  std::sort(Chosen.begin(), Chosen.end(), [](const HeatLaunch &A, const HeatLaunch &B) {
    return A.First.Id != B.First.Id ? A.First.Id < B.First.Id
                                    : A.Context->Context < B.Context->Context;
  });
  return Chosen;
}

Result<std::vector<HeatLaunch>> heatViews(const profile::Profile &P, const HeatChoice &Choice) {
  if (P.Heat.empty())
    return Error{P.TheRun.records("heat")
                     ? "no launch was sampled: gmreport on the summary says why"
                     : "the run has no heat maps: make them with gmprof run --profile heat"};
  Result<std::vector<HeatLaunch>> Chosen = launches(P, Choice);
  if (!Chosen)
    return Chosen;
  std::unordered_map<uint64_t, profile::Object> Objects;
  for (const HeatLaunch &L : *Chosen)
    for (const profile::HeatMap &M : L.Context->Maps)
      Objects[M.Object];
  for (const profile::Object &O : P.Objects)
    if (auto It = Objects.find(O.Id); It != Objects.end())
      It->second = O;
  Names Seen;
  bool Any = false;
  for (HeatLaunch &L : *Chosen) {
    for (const profile::HeatMap &M : L.Context->Maps) {
      const profile::Object &O = Objects[M.Object];
      L.Views.push_back(viewOf(P, L, M, O.Id == M.Object ? &O : nullptr));
    }
    if (L.Kernel->Desc) {
      L.Places = placesOf(*L.Kernel->Desc);
      for (HeatView &View : SharedArrays(*L.Context, *L.Kernel->Desc).views())
        L.Views.push_back(std::move(View));
    }
    L.Places.resize(GMPROF_HEAT_PLACES);
    for (const HeatView &View : L.Views)
      Seen.add(View.Name);
    if (!Choice.Object.empty())
      std::erase_if(L.Views, [&](const HeatView &View) { return !View.isCalled(Choice.Object); });
    Any = Any || !L.Views.empty();
  }
  if (!Any && !Choice.Object.empty())
    return Error{"no object or array is called '" + Choice.Object + "' in these launches" +
                 (Seen.text().empty() ? "" : "; there are: " + Seen.text())};
  if (!Any)
    return Error{"these launches accessed no known object and no shared memory"};
  std::erase_if(*Chosen, [](const HeatLaunch &L) { return L.Views.empty(); });
  return Chosen;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

/// Merges consecutive equal rows.
class Joined {
public:
  explicit Joined(const std::function<void(const HeatRow &)> &Each) : Each(Each) {}
  ~Joined() {
    if (Last.Lines != 0)
      Each(Last);
  }
  Joined(const Joined &) = delete;
  Joined &operator=(const Joined &) = delete;

  void add(const HeatRow &Row) {
    if (Row.Lines == 0)
      return;
    if (Last.Lines != 0 && Last.alike(Row)) {
      Last.Lines += Row.Lines;
      Last.Accesses += Row.Accesses;
      return;
    }
    if (Last.Lines != 0)
      Each(Last);
    Last = Row;
  }
  /// Adds lines without accesses up to line End.
  void addGap(uint64_t End) {
    HeatRow Gap;
    Gap.First = Last.end();
    Gap.Lines = End - std::min(End, Gap.First);
    add(Gap);
  }

private:
  const std::function<void(const HeatRow &)> &Each;
  HeatRow Last = {0, 0};
};

} // namespace

static uint64_t placesWith(const HeatLaunch &Launch, HeatOf Of, uint64_t Places) {
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
    if (!Launch.Places[I].Has[static_cast<unsigned>(Of)])
      Places &= ~(uint64_t(1) << I);
  return Places;
}

static HeatRow rowOf(const HeatLaunch &Launch, const HeatRun &Run, HeatOf Of) {
  HeatRow Row;
  Row.First = Run.First;
  Row.Lines = Run.Sectors;
  const unsigned Kind = static_cast<unsigned>(Of) - 1;
  const profile::Temperatures &T = Of == HeatOf::All ? Run.All : Run.Of[Kind];
  if (T.Sector == 0)
    return Row;
  Row.Line = T.Sector;
  std::copy(T.Words.begin(), T.Words.end(), Row.Words.begin());
  Row.SeveralBlocks = Run.SeveralBlocks;
  Row.Merged = Run.Merged;
  Row.Places = placesWith(Launch, Of, Run.Places);
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K)
    if (Of == HeatOf::All || K == Kind)
      Row.Accesses += Run.Accesses[K];
  return Row;
}

/// Adds a word of shared memory to its row; returns the mask of warps.
static uint32_t addWord(HeatRow &Row, unsigned I,
                        const std::array<SharedWordHeat, GMPROF_COUNTER_KINDS> &Word, HeatOf Of) {
  uint32_t Warps = 0, Thread = 0;
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    if (Of != HeatOf::All && K != static_cast<unsigned>(Of) - 1)
      continue;
    Warps |= Word[K].Warps;
    Row.Accesses += Word[K].Accesses;
    if (Word[K].Thread != 0)
      Thread = Thread == 0 || Thread == Word[K].Thread ? Word[K].Thread : None;
  }
  Row.Words[I] = static_cast<uint8_t>(std::popcount(Warps));
  Row.Sharers[I] = Warps == 0                  ? Sharing::Nobody
                   : std::popcount(Warps) != 1 ? Sharing::Warps
                   : Thread != None            ? Sharing::Thread
                                               : Sharing::Warp;
  return Warps;
}

static HeatRow sharedRow(const HeatLaunch &Launch, const HeatView &View, uint64_t Line, HeatOf Of) {
  const HeatContext &C = *Launch.Context;
  HeatRow Row;
  Row.First = Line;
  uint32_t Warps = 0;
  const uint64_t Begin = View.Address - View.lead() + Line * View.LineBytes;
  for (unsigned I = 0; I < View.lineWords(); ++I) {
    const uint64_t Address = Begin + I * GMPROF_HEAT_WORD_BYTES;
    if (Address + GMPROF_HEAT_WORD_BYTES <= View.Address || Address >= View.Address + View.Bytes ||
        Address < C.FirstAddress)
      continue;
    const uint64_t Word = (Address - C.FirstAddress) / GMPROF_HEAT_WORD_BYTES;
    if (Word < C.SharedWords.size())
      Warps |= addWord(Row, I, C.SharedWords[Word], Of);
  }
  Row.Line = static_cast<uint8_t>(std::popcount(Warps));
  Row.Places = Warps ? placesWith(Launch, Of, View.Places) : 0;
  return Row;
}

void forEachHeatRow(const HeatLaunch &Launch, const HeatView &View, HeatOf Of,
                    const std::function<void(const HeatRow &)> &Each) {
  Joined Rows(Each);
  if (View.shared()) {
    for (uint64_t Line = 0; Line < View.lines(); ++Line)
      Rows.add(sharedRow(Launch, View, Line, Of));
    return;
  }
  for (const HeatRun &Run : View.Map->Runs) {
    Rows.addGap(Run.First);
    Rows.add(rowOf(Launch, Run, Of));
  }
  Rows.addGap(View.lines());
}

std::vector<HeatRow> heatRows(const HeatLaunch &Launch, const HeatView &View, HeatOf Of) {
  std::vector<HeatRow> Rows;
  forEachHeatRow(Launch, View, Of, [&](const HeatRow &Row) { Rows.push_back(Row); });
  return Rows;
}

} // namespace gmprof
