//===- PerfettoTrace.cpp - A timeline for the Perfetto UI -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/PerfettoTrace.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <queue>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace gmprof {

/// Returns the name of the variable, or the name of the object in messages.
static std::string nameOf(const profile::ApiObject &O) {
  return O.Name.empty() ? analysis::describeObject(O) : O.Name.str();
}

using analysis::ObjectInefficiency;
using profile::Api;
using profile::ApiKind;
using profile::ApiObject;
using profile::ApiTrace;
using profile::None;

namespace {

std::string quoted(const std::string &Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Formats ns as the format's microseconds.
std::string micros(uint64_t Ns) { return fmt::format("{}.{:03}", Ns / 1000, Ns % 1000); }

/// A time span in ns.
struct Span {
  uint64_t Begin = 0, End = 0;
};

/// Writes the events of a trace.
class EventWriter {
public:
  explicit EventWriter(std::FILE *To) : To(To) {}

  bool begin() { return text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["); }
  bool end(const std::string &OtherData) {
    text("\n],\"otherData\":" + OtherData + "}\n");
    return flush();
  }
  /// Writes an event. Members: its JSON members, without braces.
  void event(const std::string &Members) {
    text(First ? "\n{" : ",\n{");
    First = false;
    text(Members);
    text("}");
  }

private:
  bool text(std::string_view Part) {
    Buffer += Part;
    return Buffer.size() < 1 << 16 || flush();
  }
  bool flush() {
    Good = Good && std::fwrite(Buffer.data(), 1, Buffer.size(), To) == Buffer.size();
    Buffer.clear();
    return Good;
  }

  std::FILE *To;
  std::string Buffer;
  bool First = true, Good = true;
};

/// Assigns tracks to objects.
class Tracks {
public:
  Tracks(const analysis::ObjectAnalysis &Analysis, unsigned Own)
      : T(Analysis.Trace), Times(Analysis.Memory.Timestamps), TrackOf(T.Objects.size()) {
    std::vector<uint32_t> Order(T.Objects.size());
    for (uint32_t I = 0; I < Order.size(); ++I)
      Order[I] = I;
    auto BySize = [&](uint32_t A, uint32_t B) {
      return T.Objects[A].Bytes != T.Objects[B].Bytes ? T.Objects[A].Bytes > T.Objects[B].Bytes
                                                      : A < B;
    };
    std::sort(Order.begin(), Order.end(), BySize);
    const size_t Alone = std::min<size_t>(Order.size(), Own);
    // In the order of allocation.
    std::sort(Order.begin(), Order.begin() + static_cast<std::ptrdiff_t>(Alone));
    std::sort(Order.begin() + static_cast<std::ptrdiff_t>(Alone), Order.end());
    for (size_t I = 0; I < Alone; ++I)
      TrackOf[Order[I]] = ++Count;
    share({Order.begin() + static_cast<std::ptrdiff_t>(Alone), Order.end()});
    FirstShared = static_cast<uint32_t>(Alone) + 1;
  }

  uint32_t operator[](uint32_t Object) const { return TrackOf[Object]; }
  uint32_t count() const { return Count; }
  bool isShared(uint32_t Track) const { return Track >= FirstShared; }

private:
  /// Assigns a shared track to each object: one whose last object was released before the
  /// allocation, in real and in topological time.
  void share(const std::vector<uint32_t> &Objects) {
    using Free = std::pair<uint32_t, uint32_t>; // the releasing call and the track
    std::priority_queue<Free, std::vector<Free>, std::greater<>> Taken;
    for (uint32_t Object : Objects) {
      const ApiObject &O = T.Objects[Object];
      uint32_t Track = 0;
      if (!Taken.empty() && Taken.top().first < O.Allocation &&
          Times[Taken.top().first] <= Times[O.Allocation]) {
        Track = Taken.top().second;
        Taken.pop();
      } else {
        Track = ++Count;
      }
      TrackOf[Object] = Track;
      Taken.emplace(O.Release.value_or(None), Track);
    }
  }

  const ApiTrace &T;
  const std::vector<uint32_t> &Times;
  std::vector<uint32_t> TrackOf;
  uint32_t Count = 0, FirstShared = 0;
};

/// The real-time or the topological view.
class View {
public:
  View(const profile::Profile &P, const analysis::ObjectAnalysis &Analysis,
       const PerfettoOptions &Options, const Tracks &ObjectTracks, bool Topological,
       EventWriter &To)
      : P(P), Analysis(Analysis), T(Analysis.Trace), Options(Options), ObjectTracks(ObjectTracks),
        Topological(Topological), To(To), ApiProcess(Topological ? 3 : 1),
        ObjectProcess(Topological ? 4 : 2) {}

  void write();

private:
  static constexpr uint64_t StepNs = 10'000;   ///< one step of topological time
  static constexpr uint64_t UnknownNs = 1'000; ///< duration of a call whose return is unknown

  uint64_t sinceStart(uint64_t Ns) const { return Ns - std::min(Ns, P.TheRun.SteadyStartNs); }
  /// Returns the time span of the call.
  Span span(uint32_t Index) const;
  /// Returns the time at which the call changes the memory in use or accesses an object.
  uint64_t when(uint32_t Index) const;
  Span life(const ApiObject &O) const;
  void findTheEnd();
  void name(const char *What, uint32_t Process, uint32_t Track, const std::string &Text);
  void names();
  void apis();
  void api(uint32_t Index, Span S);
  void objects();
  void object(uint32_t Object, std::optional<Span> Used);
  void counters();
  void flows(uint32_t Index, uint64_t At);
  void flow(uint32_t Index, uint32_t Object, uint64_t At);
  void findings();
  void finding(const ObjectInefficiency &I, uint32_t Object, uint64_t At, const std::string &Args);
  void regions();
  uint32_t streamTrack(const Api &A) { return StreamTracks.at({A.Device, A.Stream}); }

  const profile::Profile &P;
  const analysis::ObjectAnalysis &Analysis;
  const ApiTrace &T;
  const PerfettoOptions &Options;
  const Tracks &ObjectTracks;
  const bool Topological;
  EventWriter &To;
  const uint32_t ApiProcess, ObjectProcess;
  uint64_t End = 0;
  uint64_t NextFlow = 0;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> StreamTracks;
};

} // namespace

Span View::span(uint32_t Index) const {
  const Api &A = T.Apis[Index];
  if (Topological) {
    const uint64_t Begin = Analysis.Memory.Timestamps[Index] * StepNs;
    return {Begin, Begin + StepNs};
  }
  const uint64_t Begin = sinceStart(A.TimeNs);
  return {Begin, std::max(Begin, sinceStart(A.EndNs))};
}

uint64_t View::when(uint32_t Index) const {
  return Topological ? span(Index).Begin : sinceStart(analysis::effectNs(T.Apis[Index]));
}

Span View::life(const ApiObject &O) const {
  const bool OfModule =
      O.Kind == log::ObjectKind::GlobalVariable || O.Kind == log::ObjectKind::Constant;
  const uint64_t Begin = OfModule ? 0 : when(O.Allocation);
  return {Begin, std::max(Begin, O.Release ? when(*O.Release) : End)};
}

void View::findTheEnd() {
  if (!Topological)
    End = sinceStart(P.TheRun.SteadyEndNs);
  for (uint32_t I = 0; I < T.Apis.size(); ++I)
    End = std::max(End, span(I).End + (Topological ? 0 : UnknownNs));
  if (!Topological)
    for (const profile::Region &R : P.Regions)
      End = std::max(End, sinceStart(R.TimeNs));
}

void View::name(const char *What, uint32_t Process, uint32_t Track, const std::string &Text) {
  To.event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}})", What,
                       Process, Track, quoted(Text)));
}

void View::names() {
  const char *Suffix = Topological ? " in topological time" : "";
  auto Order = [&](uint32_t Process) {
    To.event(fmt::format(
        R"("ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}})",
        Process, Process));
  };
  name("process_name", ApiProcess, 0,
       fmt::format("GPU APIs{}", Topological ? Suffix : " (calls on the host)"));
  name("process_name", ObjectProcess, 0, fmt::format("Objects{}", Suffix));
  Order(ApiProcess);
  Order(ObjectProcess);
  for (const Api &A : T.Apis)
    StreamTracks.try_emplace({A.Device, A.Stream}, 0);
  uint32_t Next = 0;
  for (auto &[Key, Track] : StreamTracks) {
    Track = ++Next;
    auto [Device, Stream] = Key;
    name("thread_name", ApiProcess, Track,
         Stream == profile::NoStream ? fmt::format("device {}, no stream", Device)
         : Stream == 0               ? fmt::format("device {}, default stream", Device)
                                     : fmt::format("device {}, stream {}", Device, Stream));
  }
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object)
    if (uint32_t Track = ObjectTracks[Object]; !ObjectTracks.isShared(Track))
      name("thread_name", ObjectProcess, Track, nameOf(T.Objects[Object]));
  if (ObjectTracks.isShared(ObjectTracks.count()))
    for (uint32_t Track = ObjectTracks.count(); ObjectTracks.isShared(Track); --Track)
      name("thread_name", ObjectProcess, Track, "smaller objects");
}

void View::api(uint32_t Index, Span S) {
  const Api &A = T.Apis[Index];
  std::string Args = fmt::format(R"("api":{},"topological_time":{},"thread":{})", Index,
                                 Analysis.Memory.Timestamps[Index], A.Thread);
  if (A.EndNs > A.TimeNs)
    Args += fmt::format(R"(,"call_ns":{})", A.EndNs - A.TimeNs);
  if (A.Inferred || A.FromParameters)
    Args += R"(,"accesses":"inferred from the parameters")";
  To.event(fmt::format(
      R"("ph":"X","cat":"api","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
      quoted(analysis::nameOf(A)), ApiProcess, streamTrack(A), micros(S.Begin),
      micros(S.End - S.Begin), Args));
  if (Options.Flows)
    flows(Index, S.Begin);
}

/// Ends a slice where the next one of the track begins: calls of several threads to one stream may
/// overlap, slices of a track must not.
void View::apis() {
  struct Pending {
    uint64_t Begin, End;
    uint32_t Index;
    bool operator<(const Pending &Other) const {
      return std::tie(Begin, Index) < std::tie(Other.Begin, Other.Index);
    }
  };
  // Allocations are ordered by their return, other calls by their begin.
  std::map<uint32_t, std::vector<Pending>> OfTrack;
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    const Span S = span(I);
    OfTrack[streamTrack(T.Apis[I])].push_back({S.Begin, S.End, I});
  }
  for (auto &[Track, Slices] : OfTrack) {
    std::sort(Slices.begin(), Slices.end());
    for (size_t I = 0; I < Slices.size(); ++I) {
      uint64_t SliceEnd =
          Slices[I].End == Slices[I].Begin ? Slices[I].Begin + UnknownNs : Slices[I].End;
      if (I + 1 < Slices.size())
        SliceEnd = std::min(SliceEnd, Slices[I + 1].Begin);
      api(Slices[I].Index, {Slices[I].Begin, SliceEnd});
    }
  }
}

void View::flow(uint32_t Index, uint32_t Object, uint64_t At) {
  const uint64_t Begin = life(T.Objects[Object]).Begin;
  const uint64_t Id = (Topological ? uint64_t(1) << 48 : 0) + ++NextFlow;
  const auto Step = [&](const char *Phase, uint32_t Process, uint32_t Track, uint64_t Ns) {
    To.event(
        fmt::format(R"("ph":"{}","cat":"use","name":"use","id":{},"pid":{},"tid":{},"ts":{}{})",
                    Phase, Id, Process, Track, micros(Ns), *Phase == 'f' ? R"(,"bp":"e")" : ""));
  };
  Step("s", ApiProcess, streamTrack(T.Apis[Index]), At);
  Step("f", ObjectProcess, ObjectTracks[Object], std::max(At, Begin));
}

void View::flows(uint32_t Index, uint64_t At) {
  const Api &A = T.Apis[Index];
  if (A.Kind == ApiKind::Allocation)
    flow(Index, A.Object, At);
  std::set<uint32_t> Objects;
  for (const profile::ApiAccess &Access : A.Accesses)
    if (Objects.insert(Access.Object).second)
      flow(Index, Access.Object, At);
}

void View::object(uint32_t Index, std::optional<Span> Used) {
  const ApiObject &O = T.Objects[Index];
  const Span L = life(O);
  auto Slice = [&](const std::string &Name, Span S, const std::string &Args) {
    To.event(fmt::format(
        R"("ph":"X","cat":"object","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
        quoted(Name), ObjectProcess, ObjectTracks[Index], micros(S.Begin), micros(S.End - S.Begin),
        Args));
  };
  Slice(nameOf(O), L,
        fmt::format(R"("object":{},"bytes":{},"kind":{},"device":{},"released":{})", O.Id, O.Bytes,
                    quoted(objectKindName(O.Kind)), O.Device, O.Release.has_value()));
  if (Used)
    Slice("in use",
          {std::clamp(Used->Begin, L.Begin, L.End), std::clamp(Used->End, L.Begin, L.End)}, "");
}

/// Writes the objects with the span from the begin of the first use to the end of the last.
void View::objects() {
  std::vector<std::optional<Span>> Used(T.Objects.size());
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    const Span S = span(I);
    for (const profile::ApiAccess &A : T.Apis[I].Accesses) {
      std::optional<Span> &U = Used[A.Object];
      U = U ? Span{std::min(U->Begin, S.Begin), std::max(U->End, S.End)} : S;
    }
  }
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object)
    object(Object, Used[Object]);
}

/// Writes one value per time, after all changes at that time; in topological time there can be
/// several.
void View::counters() {
  for (const analysis::DeviceMemory &D : Analysis.Memory.Devices) {
    if (D.PeakBytes == 0)
      continue;
    const analysis::MemoryUse Use(T, D.Device);
    std::map<uint64_t, int64_t> Changes;
    for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
      const analysis::Residency R = Use.residency(Object);
      if (R.Bytes == 0)
        continue;
      const ApiObject &O = T.Objects[Object];
      Changes[when(O.Allocation)] += static_cast<int64_t>(R.Bytes);
      if (O.Release)
        Changes[when(*O.Release)] -= static_cast<int64_t>(R.Bytes);
    }
    int64_t Bytes = 0;
    for (auto [Ns, Change] : Changes) {
      Bytes += Change;
      To.event(fmt::format(
          R"("ph":"C","name":"device {}: bytes in use","pid":{},"tid":0,"ts":{},"args":{{"bytes":{}}})",
          D.Device, ObjectProcess, micros(Ns), Bytes));
    }
  }
}

void View::finding(const ObjectInefficiency &I, uint32_t Object, uint64_t At,
                   const std::string &Args) {
  const Span L = life(T.Objects[Object]);
  To.event(fmt::format(
      R"("ph":"i","s":"t","cat":"finding","name":{},"pid":{},"tid":{},"ts":{},"args":{})",
      quoted(I.Found.Pattern), ObjectProcess, ObjectTracks[Object],
      micros(std::clamp(At, L.Begin, L.End)), Args));
}

void View::findings() {
  for (const ObjectInefficiency &I : Analysis.Memory.Found) {
    nlohmann::ordered_json Args;
    for (const auto &[Name, Value] : I.Found.Evidence)
      std::visit([&, Key = Name](const auto &V) { Args[Key] = V; }, Value);
    Args["bytes_saved"] = I.Found.BytesSaved;
    Args["message"] = I.Found.Message;
    Args["suggestion"] = I.Found.Suggestion;
    const std::string Text = Args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    finding(I, I.Object, when(I.Api), Text);
    // The finding holds for the other objects too, at their allocation or release.
    const bool AtRelease = T.Objects[I.Object].Release == I.Api;
    for (uint32_t Other : I.Others)
      if (const ApiObject &O = T.Objects[Other]; !ObjectTracks.isShared(ObjectTracks[Other]))
        finding(I, Other, when(AtRelease && O.Release ? *O.Release : O.Allocation), Text);
  }
}

/// Regions that were not ended extend to the end.
void View::regions() {
  constexpr uint32_t Process = 5;
  std::map<uint32_t, std::vector<const profile::Region *>> Open;
  if (P.Regions.empty())
    return;
  name("process_name", Process, 0, "Regions of the program");
  auto Close = [&](uint32_t Thread, uint64_t At) {
    const profile::Region &R = *Open[Thread].back();
    const uint64_t Begin = sinceStart(R.TimeNs);
    To.event(fmt::format(
        R"("ph":"X","cat":"region","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{}})",
        quoted(R.Name), Process, Thread, micros(Begin), micros(std::max(At, Begin) - Begin)));
    Open[Thread].pop_back();
  };
  for (const profile::Region &R : P.Regions) {
    auto [It, New] = Open.try_emplace(R.Thread);
    if (New)
      name("thread_name", Process, R.Thread, fmt::format("thread {}", R.Thread));
    if (!R.End)
      It->second.push_back(&R);
    else if (!It->second.empty())
      Close(R.Thread, sinceStart(R.TimeNs));
  }
  for (auto &[Thread, Regions] : Open)
    while (!Regions.empty())
      Close(Thread, End);
}

void View::write() {
  findTheEnd();
  names();
  // Objects come before the flows to them: for equal times, the order in the file counts.
  objects();
  apis();
  counters();
  if (analysis::profilesObjects(P.TheRun))
    findings();
  if (!Topological)
    regions();
}

bool writePerfettoTrace(const profile::Profile &P, const analysis::ObjectAnalysis &Analysis,
                        std::FILE *To, const PerfettoOptions &Options) {
  EventWriter Writer(To);
  const Tracks ObjectTracks(Analysis, Options.ObjectTracks);
  Writer.begin();
  View(P, Analysis, Options, ObjectTracks, false, Writer).write();
  View(P, Analysis, Options, ObjectTracks, true, Writer).write();
  nlohmann::ordered_json Other = {{"tool", "gmprof " GMPROF_VERSION},
                                  {"command", P.TheRun.Command},
                                  {"host", P.TheRun.Host},
                                  {"complete", P.TheRun.Ended && !P.TheRun.Truncated}};
  return Writer.end(Other.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace gmprof
