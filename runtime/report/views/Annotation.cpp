//===- Annotation.cpp - Annotates source lines with figures ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/Annotation.h"
#include "report/model/Measures.h"
#include "report/model/SummaryFilter.h"
#include "report/text/ObjectLabels.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace gmprof {

using namespace summary;
using text::inlinePath;

void Tally::add(const Tally &Other) {
  Value += Other.Value;
  Known = Known || Other.Known;
  AtLeast = AtLeast || Other.AtLeast;
  Together = Together || Other.Together;
}

void LineFigures::add(const LineFigures &Other) {
  for (auto Each : {&LineFigures::Reads, &LineFigures::Writes, &LineFigures::Atomics,
                    &LineFigures::SharedAccesses, &LineFigures::SharedReads,
                    &LineFigures::SharedWrites, &LineFigures::SharedAtomics})
    (this->*Each).add(Other.*Each);
  for (auto Each : {&LineFigures::Requests, &LineFigures::Sectors, &LineFigures::BytesUsed,
                    &LineFigures::L1Lookups, &LineFigures::L1Hits, &LineFigures::L2Lookups,
                    &LineFigures::L2Hits, &LineFigures::DramBytes, &LineFigures::SharedRequests,
                    &LineFigures::Wavefronts, &LineFigures::IdealWavefronts, &LineFigures::Calls,
                    &LineFigures::Waits, &LineFigures::Objects, &LineFigures::ObjectBytes})
    this->*Each += Other.*Each;
  WaitSeconds += Other.WaitSeconds;
  CouldSave += Other.CouldSave;
}

//===----------------------------------------------------------------------===//
// Collecting figures from the summary
//===----------------------------------------------------------------------===//

namespace {

/// Bits for the kinds of accesses of Site::access.
enum Kind { Read = 1, Write = 2, Atomic = 4 };

/// An access in a cache profile.
struct LineAccess {
  std::string access;
  std::optional<Source> source;
  unsigned column = 0; ///< unknown
  std::string function;
};

/// Figures of an access in one inlined copy of its function.
struct InlinedFigures {
  InlineChain At;
  LineFigures Figures;
};

class Annotator {
public:
  Annotator(Annotation &To, std::function<bool(const std::string &)> FileMatches)
      : To(To), S(To.Summary), FileMatches(std::move(FileMatches)) {
    for (const Object &O : S.objects)
      Objects[O.id] = &O;
  }
  void kernel(const Kernel &K);
  void caches();
  void calls();
  void allocations();
  void findings();
  void finish(bool FindingsOnly);

private:
  /// Adds figures of an access in the source to its line; Object: the name of the accessed object.
  template <typename Access>
  void add(const Kernel &K, const Access &A, const std::string &Object, const LineFigures &Figures,
           const std::vector<InlinedFigures> &Inlined);
  void heat(const Kernel &K);
  void cache(const CacheKernel &K);
  template <typename Access>
  void shared(const Kernel &K, const std::vector<Access> &Lines, const std::string &Object);
  void global(const Kernel &K, const std::vector<HeatAccess> &Lines, const std::string &Object);
  /// Adds N, the number of all accesses of the given kinds to an object. Sites make them; those of
  /// Others that access the same space may, as it is unknown which object they access.
  void together(const Kernel &K, const std::vector<Site> &Sites, const std::vector<Site> &Others,
                std::string_view Space, unsigned Kinds, const std::string &Object, const Number &N,
                Tally LineFigures::*Figure);
  void nameInlined(uint32_t Kernel, LineView &View) const;
  /// Returns null if the file was not selected.
  AnnotatedLine *lineOf(const Source &Where);
  std::string nameOf(uint32_t Object, const std::string &Other) const;

  Annotation &To;
  const Summary &S;
  std::function<bool(const std::string &)> FileMatches;
  std::map<uint32_t, const Object *> Objects;
  std::map<std::string, std::map<unsigned, AnnotatedLine>> Files;
  uint64_t WithoutLine = 0, Omitted = 0;
  bool AnyTogether = false;
};

} // namespace

static unsigned kindsOf(std::string_view Access) {
  if (Access == "load" || Access.ends_with("_from") || Access == "matrix")
    return Read;
  return Access == "atomic" || Access == "barrier" ? Atomic : Write;
}

std::string Annotator::nameOf(uint32_t Object, const std::string &Other) const {
  const auto Known = Objects.find(Object);
  return labelInKernel(Other, Known == Objects.end() ? "" : Known->second->name);
}

AnnotatedLine *Annotator::lineOf(const Source &Where) {
  return FileMatches(Where.file) ? &Files[Where.file][Where.line] : nullptr;
}

/// Returns the name without namespaces and template arguments.
static std::string_view plainName(std::string_view Function) {
  Function = Function.substr(0, Function.find('<'));
  const size_t Colons = Function.rfind("::");
  return Colons == std::string_view::npos ? Function : Function.substr(Colons + 2);
}

/// Returns the kernel's name, followed by the function that contains the line if that is another.
static std::string viewName(const Kernel &K, const std::string &Function) {
  std::string Name = shortName(K.demangled);
  if (Function.empty() || plainName(Function) == plainName(Name))
    return Name;
  return fmt::format("{} > {}", Name, Function);
}

static void addTo(std::vector<LineView> &Views, const std::string &Name, unsigned Column,
                  const LineFigures &Figures) {
  const auto Same =
      std::find_if(Views.begin(), Views.end(), [&](const LineView &V) { return V.Name == Name; });
  if (Same == Views.end())
    Views.push_back({Name, Figures, {}, {}, Column});
  else
    Same->Figures.add(Figures);
}

template <typename Access>
void Annotator::add(const Kernel &K, const Access &A, const std::string &Object,
                    const LineFigures &Figures, const std::vector<InlinedFigures> &Inlined) {
  if (!A.source || A.source->line == 0) {
    ++WithoutLine;
    return;
  }
  AnnotatedLine *Line = lineOf(*A.source);
  if (!Line)
    return;
  Line->Figures.add(Figures);
  LineView &View = Line->Kernels[K.id];
  if (View.Name.empty())
    View.Name = viewName(K, A.function);
  View.Figures.add(Figures);
  for (const InlinedFigures &Each : Inlined)
    addTo(View.Inlined, Each.At.empty() ? "not inlined" : inlinePath(Each.At), 0, Each.Figures);
  // A cache profile does not tell which object a line accesses.
  const bool Plain = std::is_same_v<Access, LineAccess>;
  const std::string Name = fmt::format("{}{}{}{}", A.access, Plain ? "" : " ",
                                       Plain            ? ""
                                       : Object.empty() ? "?"
                                                        : Object,
                                       A.column ? fmt::format(", column {}", A.column) : "");
  addTo(View.Accesses, Name, A.column, Figures);
}

template <typename Part, typename Figures>
static std::vector<InlinedFigures> inlinedFigures(const std::vector<Part> &Parts,
                                                  const Figures &FiguresOf) {
  std::vector<InlinedFigures> Inlined;
  for (const Part &Each : Parts)
    Inlined.push_back({Each.inlined_at, FiguresOf(Each)});
  return Inlined;
}

void Annotator::global(const Kernel &K, const std::vector<HeatAccess> &Lines,
                       const std::string &Object) {
  for (const HeatAccess &A : Lines) {
    const unsigned Kinds = kindsOf(A.access);
    const auto FiguresOf = [&](const auto &Some) {
      LineFigures F;
      (Kinds == Read    ? F.Reads
       : Kinds == Write ? F.Writes
                        : F.Atomics) = {static_cast<double>(Some.lanes), true};
      F.Requests = Some.requests;
      F.Sectors = Some.sectors;
      F.BytesUsed = Some.bytes_used;
      return F;
    };
    add(K, A, Object, FiguresOf(A), inlinedFigures(A.inlined, FiguresOf));
  }
}

template <typename Access>
void Annotator::shared(const Kernel &K, const std::vector<Access> &Lines,
                       const std::string &Object) {
  for (const Access &A : Lines) {
    const unsigned Kinds = kindsOf(A.access);
    const auto FiguresOf = [&](const auto &Some) {
      LineFigures F;
      (Kinds == Read    ? F.SharedReads
       : Kinds == Write ? F.SharedWrites
                        : F.SharedAtomics) = {static_cast<double>(Some.lanes), true};
      F.SharedRequests = Some.requests;
      F.Wavefronts = Some.wavefronts;
      F.IdealWavefronts = Some.ideal_wavefronts;
      return F;
    };
    add(K, A, Object, FiguresOf(A), inlinedFigures(A.inlined, FiguresOf));
  }
}

void Annotator::heat(const Kernel &K) {
  const HeatUse &H = *K.heat;
  for (const HeatObject &O : H.objects) {
    global(K, O.lines, nameOf(O.object, O.name));
    Omitted += O.lines_omitted;
  }
  global(K, H.other_lines, "");
  for (const HeatArray &A : H.arrays) {
    shared(K, A.lines, nameOf(A.object, ""));
    Omitted += A.lines_omitted;
  }
  shared(K, H.other_shared_lines, "");
  Omitted += H.other_lines_omitted + H.other_shared_lines_omitted;
}

template <typename Line> static LineFigures trafficFigures(const Line &Of) {
  const CacheTraffic &T = Of.traffic;
  LineFigures F;
  F.Requests = T.requests;
  F.Sectors = T.sectors;
  F.BytesUsed = T.bytes_used;
  F.L1Lookups = T.l1_lookups;
  F.L1Hits = T.l1_hits;
  F.L2Lookups = T.l2_reads + T.l2_writes + T.l2_atomics;
  F.L2Hits = T.l2_hits;
  F.DramBytes = T.dram_bytes;
  return F;
}

void Annotator::cache(const CacheKernel &C) {
  const auto Known = std::find_if(S.kernels.begin(), S.kernels.end(),
                                  [&](const Kernel &K) { return C.kernel == K.id; });
  if (Known == S.kernels.end())
    return;
  for (const CacheLine &L : C.lines) {
    add(*Known, LineAccess{L.access, L.source, 0, L.function}, "", trafficFigures(L),
        inlinedFigures(L.inlined, [](const InlinedTraffic &Of) { return trafficFigures(Of); }));
  }
  Omitted += C.lines_omitted;
}

void Annotator::caches() {
  if (!S.cache)
    return;
  for (const CacheKernel &K : S.cache->kernels)
    cache(K);
  if (S.cache->kernels_omitted)
    To.Notes.push_back(fmt::format("caches: {} not in the summary, and so on no line",
                                   plural(S.cache->kernels_omitted, "kernel")));
}

void Annotator::together(const Kernel &K, const std::vector<Site> &Sites,
                         const std::vector<Site> &Others, std::string_view Space, unsigned Kinds,
                         const std::string &Object, const Number &N, Tally LineFigures::*Figure) {
  using Place = std::tuple<std::string, unsigned>;
  std::map<Place, const Site *> First;
  std::map<Place, std::vector<InlinedFigures>> Inlined; ///< the figures of each copy are unknown
  bool SomeUnknown = false;
  const auto Take = [&](const Site &Each) {
    if (!(kindsOf(Each.access) & Kinds) || Each.rule == "skipped" || Each.rule == "not_counted")
      return;
    if (!Each.source || Each.source->line == 0)
      SomeUnknown = true;
    else {
      First.try_emplace({Each.source->file, Each.source->line}, &Each);
      if (!Each.inlined_at.empty())
        Inlined[{Each.source->file, Each.source->line}].push_back({Each.inlined_at, {}});
    }
  };
  for (const Site &Each : Sites)
    Take(Each);
  if (N.value != 0)
    for (const Site &Each : Others)
      if (Each.space == Space || Each.space == "generic")
        Take(Each);
  Tally Sum{N.value, true, N.at_least, SomeUnknown || First.size() > 1};
  for (const auto &[Where, Each] : First) {
    LineFigures F;
    F.*Figure = Sum;
    Site Access = *Each;
    Access.column = 0; // the figure describes the whole line
    if (Figure == &LineFigures::SharedAccesses)
      Access.access = "access";
    add(K, Access, Object, F, Inlined[Where]);
    AnyTogether = AnyTogether || Sum.Together;
  }
}

void Annotator::kernel(const Kernel &K) {
  if (K.heat)
    heat(K);
  for (const ObjectUse &U : K.objects)
    together(K, U.sites, K.other_sites, "shared", Read | Write | Atomic, nameOf(U.object, ""),
             U.accesses_estimated, &LineFigures::SharedAccesses);
  if (!K.global_memory)
    return;
  for (const GlobalObjectUse &U : K.global_memory->objects) {
    const std::string Name = nameOf(U.object, fmt::format("{}", fmt::join(U.names, ", ")));
    const std::tuple<const std::optional<GlobalAccesses> &, unsigned, Tally LineFigures::*>
        Kinds[] = {{U.reads, Read, &LineFigures::Reads},
                   {U.writes, Write, &LineFigures::Writes},
                   {U.atomics, Atomic, &LineFigures::Atomics}};
    for (const auto &[Accesses, Kinds, Figure] : Kinds)
      if (Accesses)
        together(K, U.sites, K.global_memory->other_sites, "global", Kinds, Name,
                 Accesses->accesses_estimated, Figure);
  }
}

void Annotator::calls() {
  if (!S.sync)
    return;
  for (const SyncSite &Site : S.sync->sites) {
    AnnotatedLine *Line = Site.source && Site.source->line ? lineOf(*Site.source) : nullptr;
    if (!Line) {
      WithoutLine += !Site.source || !Site.source->line;
      continue;
    }
    LineFigures F;
    F.Calls = Site.calls;
    F.Waits = Site.blocked;
    F.WaitSeconds = Site.wait_seconds;
    F.CouldSave = benefit(Site);
    Line->Figures.add(F);
  }
}

void Annotator::allocations() {
  for (const Object &O : S.objects) {
    if (!O.alloc || !O.alloc->source || O.alloc->source->line == 0)
      continue;
    AnnotatedLine *Line = lineOf(*O.alloc->source);
    if (!Line)
      continue;
    ++Line->Figures.Objects;
    Line->Figures.ObjectBytes += O.bytes;
  }
  if (S.memory && S.memory->objects_omitted)
    To.Notes.push_back(fmt::format("{} not in the summary, and so on no line",
                                   plural(S.memory->objects_omitted, "object")));
}

void Annotator::findings() {
  uint64_t Elsewhere = 0;
  for (const Finding &F : S.findings) {
    if (!F.source || F.source->line == 0)
      ++Elsewhere;
    else if (AnnotatedLine *Line = lineOf(*F.source))
      Line->Findings.push_back(&F);
  }
  if (Elsewhere)
    To.Notes.push_back(
        fmt::format("{} without a line: gmreport shows all", plural(Elsewhere, "finding")));
}

static double workOf(const AnnotatedFile &File) {
  double Work = 0;
  for (const auto &[Number, Line] : File.Lines) {
    const LineFigures &F = Line.Figures;
    for (const Tally &T : {F.Reads, F.Writes, F.Atomics, F.SharedAccesses, F.SharedReads,
                           F.SharedWrites, F.SharedAtomics})
      Work += T.Value;
  }
  return Work;
}

/// Names the view after the caller if the function was inlined in one place only.
void Annotator::nameInlined(uint32_t Kernel, LineView &View) const {
  std::sort(View.Inlined.begin(), View.Inlined.end(),
            [](const LineView &A, const LineView &B) { return A.Name < B.Name; });
  if (View.Inlined.size() != 1)
    return;
  for (const summary::Kernel &K : S.kernels)
    if (K.id == Kernel)
      View.Name = fmt::format("{} > {}", shortName(K.demangled), View.Inlined.front().Name);
  View.Inlined.clear();
}

void Annotator::finish(bool FindingsOnly) {
  for (auto &[Path, Lines] : Files) {
    AnnotatedFile File = {Path, std::move(Lines), {}};
    for (auto &[Number, Line] : File.Lines)
      for (auto &[Id, View] : Line.Kernels) {
        std::sort(View.Accesses.begin(), View.Accesses.end(),
                  [](const LineView &A, const LineView &B) {
                    return A.Column != B.Column ? A.Column < B.Column : A.Name < B.Name;
                  });
        nameInlined(Id, View);
      }
    std::erase_if(File.Lines, [&](const auto &Each) {
      const AnnotatedLine &Line = Each.second;
      return Line.Findings.empty() && (FindingsOnly || !Line.hasFigures());
    });
    std::set<uint32_t> Kernels;
    for (const auto &[Number, Line] : File.Lines)
      for (const auto &[Id, View] : Line.Kernels)
        Kernels.insert(Id);
    File.Kernels.assign(Kernels.begin(), Kernels.end());
    if (!File.Lines.empty())
      To.Files.push_back(std::move(File));
  }
  std::sort(To.Files.begin(), To.Files.end(), [](const AnnotatedFile &A, const AnnotatedFile &B) {
    const double WorkA = workOf(A), WorkB = workOf(B);
    return WorkA != WorkB ? WorkA > WorkB : A.Path < B.Path;
  });
  if (WithoutLine)
    To.Notes.push_back(fmt::format("accesses and calls without a line: {} (compile with -g or "
                                   "-gline-tables-only)",
                                   text::grouped(WithoutLine)));
  if (Omitted)
    To.Notes.push_back(fmt::format("{} with little to do: not in the summary, and so on no line",
                                   plural(Omitted, "place")));
  if (AnyTogether)
    To.Notes.push_back(
        "*: of all lines that access the same objects together, because accesses were counted by "
        "element; gmprof run --profile heat counts them by line");
}

Result<Annotation> annotate(Summary S, const AnnotationChoice &Choice) {
  Result<std::function<bool(const std::string &)>> Matches = matcherOf(Choice.File);
  if (!Matches)
    return Error{Matches.error()};
  Result<Summary> Kept = std::move(S);
  if (!Choice.Kernel.empty())
    Kept = keepKernels(std::move(*Kept), Choice.Kernel);
  if (Kept && !Choice.Pattern.empty())
    Kept = keepFindings(std::move(*Kept), {Choice.Pattern, "", std::nullopt});
  if (!Kept)
    return Error{Kept.error()};
  Annotation A;
  A.Summary = std::move(*Kept);
  std::set<std::string> Paths;
  Annotator Lines(A, [&](const std::string &Path) {
    Paths.insert(Path);
    return (*Matches)(Path);
  });
  for (const Kernel &K : A.Summary.kernels)
    Lines.kernel(K);
  Lines.caches();
  if (Choice.Kernel.empty()) {
    Lines.calls();
    Lines.allocations();
  }
  Lines.findings();
  Lines.finish(!Choice.Pattern.empty());
  if (!A.Files.empty())
    return A;
  if (!Choice.Pattern.empty())
    return Error{"no finding at a line matches '" + Choice.Pattern + "'"};
  constexpr size_t Named = 10;
  if (Paths.empty() || Choice.File.empty())
    return Error{"it knows nothing of any line: was the program compiled with -g or "
                 "-gline-tables-only, and did it run kernels?"};
  std::vector<std::string> Names(Paths.begin(), Paths.end());
  const size_t More = Names.size() - std::min(Names.size(), Named);
  Names.resize(Names.size() - More);
  return Error{fmt::format("no source file matches '{}'; there are: {}{}", Choice.File,
                           fmt::join(Names, ", "), More ? fmt::format(" and {} more", More) : "")};
}

} // namespace gmprof
