//===- TextReport.cpp - A summary for the terminal ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/TextReport.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace gmprof {

using namespace summary;

std::string shortName(const std::string &Demangled) {
  size_t Close = Demangled.rfind(')');
  if (Close == std::string::npos)
    return Demangled;
  int Depth = 0;
  size_t Open = Close + 1;
  while (Open > 0) {
    --Open;
    Depth += Demangled[Open] == ')';
    Depth -= Demangled[Open] == '(';
    if (Depth == 0)
      break;
  }
  if (Depth != 0 || Open == 0)
    return Demangled;
  // The return type ends at the last space outside of brackets.
  size_t Begin = Open;
  for (Depth = 0; Begin > 0; --Begin) {
    char C = Demangled[Begin - 1];
    Depth += C == ')' || C == '>';
    Depth -= C == '(' || C == '<';
    if (Depth == 0 && C == ' ')
      break;
  }
  return Demangled.substr(Begin, Open - Begin);
}

namespace {

/// Stand for themselves until the text is complete; then every other control
/// character, which can only have come from the profiled program, is replaced.
constexpr char Bold = '\x01', Dim = '\x02', Red = '\x03', Yellow = '\x04', Plain = '\x05';

std::string styled(char Style, const std::string &Text) {
  return fmt::format("{}{}{}", Style, Text, Plain);
}

/// Columns: code points, without style marks.
size_t displayWidth(const std::string &Text) {
  return static_cast<size_t>(std::count_if(Text.begin(), Text.end(), [](char C) {
    auto Byte = static_cast<unsigned char>(C);
    return Byte >= 0x20 && (Byte & 0xc0) != 0x80;
  }));
}

/// 1234567 as 1,234,567.
std::string grouped(uint64_t N) {
  std::string Digits = std::to_string(N);
  for (size_t I = Digits.size(); I > 3; I -= 3)
    Digits.insert(I - 3, ",");
  return Digits;
}

std::string plural(uint64_t N, const std::string &What) {
  const char *Ending = N == 1 ? "" : What.ends_with('s') || What.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", grouped(N), What, Ending);
}

std::string grouped(double X) {
  double Whole = std::round(X);
  if (!(std::fabs(X) < 1e15))
    return fmt::format("{:.3g}", X);
  if (X < 0)
    return "-" + grouped(-X);
  if (Whole == X || X >= 1000)
    return grouped(static_cast<uint64_t>(Whole));
  if (X >= 100)
    return fmt::format("{:.1f}", X);
  return X >= 0.01 ? fmt::format("{:.2f}", X) : fmt::format("{:.2g}", X);
}

std::string basename(const std::string &Path) { return Path.substr(Path.rfind('/') + 1); }

std::string shortPosition(const std::optional<Source> &S) {
  if (!S)
    return "?";
  return S->line ? fmt::format("{}:{}", basename(S->file), S->line) : basename(S->file);
}

std::string dim3(const std::array<uint32_t, 3> &D) {
  if (D[2] != 1)
    return fmt::format("({},{},{})", D[0], D[1], D[2]);
  return D[1] != 1 ? fmt::format("({},{})", D[0], D[1]) : std::to_string(D[0]);
}

/// Rows of cells, aligned; the first column and those in Left to the left.
class Table {
  std::vector<std::vector<std::string>> Rows;
  std::set<size_t> Left;

public:
  explicit Table(std::set<size_t> Left) : Left(std::move(Left)) {}
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }

  std::string text(const std::string &Indent) const {
    std::vector<size_t> Widths;
    for (const auto &Row : Rows)
      for (size_t C = 0; C < Row.size(); ++C) {
        Widths.resize(std::max(Widths.size(), C + 1));
        Widths[C] = std::max(Widths[C], displayWidth(Row[C]));
      }
    std::string Text;
    for (const auto &Row : Rows) {
      std::string Line = Indent;
      for (size_t C = 0; C < Row.size(); ++C) {
        Line += C ? "  " : "";
        Line += Left.count(C) ? fmt::format("{:<{}}", Row[C], Widths[C])
                              : fmt::format("{:>{}}", Row[C], Widths[C]);
      }
      Line.erase(Line.find_last_not_of(' ') + 1);
      Text += (&Row == &Rows.front() ? styled(Bold, Line) : Line) + "\n";
    }
    return Text;
  }
};

class Printer {
public:
  Printer(const Summary &S, const TextOptions &Options) : S(S), Options(Options) {
    for (const Object &O : S.objects)
      Objects[O.id] = &O;
  }
  std::string report();
  std::string overview();

private:
  void header();
  void coverage();
  void kernels();
  void kernel(const Kernel &K);
  void arrays(const Kernel &K);
  void array(const Kernel &K, const ObjectUse &U);
  void liveRanges(const LiveRanges &R);
  void histogram(const std::string &Title, const std::vector<Bucket> &Buckets);
  void launches(const Kernel &K);
  void sharedMemory(const Kernel &K);
  void globalMemory(const Kernel &K);
  void globalTable(const GlobalUse &G);
  void globalObject(const GlobalObjectUse &U);
  std::string objectName(const GlobalObjectUse &U) const;
  void sites(const std::vector<Site> &Sites);
  void otherKernels();
  void memory();
  void memory(const DeviceMemory &D);
  std::string knownName(uint32_t Id) const;
  void findings();
  void finding(size_t Rank, const Finding &F);

  std::string number(const Number &N) const {
    return (N.at_least ? atLeast() : "") + grouped(N.value);
  }
  std::string position(const Source &S) const;
  std::string atLeast() const { return Options.Utf8 ? "\u2265" : ">="; }
  /// Whether the profile is of global memory.
  bool ofGlobalMemory() const {
    return S.config.text.find("\"profile\":\"global\"") != std::string::npos;
  }
  std::string neverTouched(const ObjectUse &U) const;
  const Object &object(uint32_t Id) const;
  size_t shown(size_t N) const { return Options.Top ? std::min<size_t>(N, Options.Top) : N; }

  template <typename... Args> void line(fmt::format_string<Args...> Format, Args &&...Values) {
    fmt::format_to(std::back_inserter(Text), Format, std::forward<Args>(Values)...);
    Text += '\n';
  }
  /// Text, wrapped; First begins the first line, further ones are indented.
  void paragraph(const std::string &First, const std::string &Body);
  std::string render() const;

  const Summary &S;
  const TextOptions &Options;
  std::map<uint32_t, const Object *> Objects;
  std::string Text;
};

} // namespace

const Object &Printer::object(uint32_t Id) const {
  static const Object Unknown = [] {
    Object O;
    O.name = "?";
    return O;
  }();
  auto It = Objects.find(Id);
  return It == Objects.end() ? Unknown : *It->second;
}

std::string Printer::position(const Source &S) const {
  std::string File = S.file;
  if (!Options.Folder.empty()) {
    std::string Relative = std::filesystem::path(File).lexically_relative(Options.Folder).string();
    if (!Relative.empty() && Relative.size() < File.size())
      File = Relative;
  }
  return S.line ? fmt::format("{}:{}", File, S.line) : File;
}

std::string Printer::render() const {
  std::string Out;
  for (char C : Text) {
    const char *Code = nullptr;
    switch (C) {
    case Bold:
      Code = "\x1b[1m";
      break;
    case Dim:
      Code = "\x1b[2m";
      break;
    case Red:
      Code = "\x1b[1;31m";
      break;
    case Yellow:
      Code = "\x1b[1;33m";
      break;
    case Plain:
      Code = "\x1b[0m";
      break;
    default:
      Out += C == '\n' || (C & 0x80) || (C >= 0x20 && C != 0x7f) ? C : '?';
      continue;
    }
    if (Options.Color)
      Out += Code;
  }
  return Out;
}

void Printer::paragraph(const std::string &First, const std::string &Body) {
  const std::string Indent(First.size(), ' ');
  std::string Line = First;
  bool Begun = false;
  size_t Position = 0;
  while (Position < Body.size()) {
    size_t End = std::min(Body.find(' ', Position), Body.size());
    std::string Word = Body.substr(Position, End - Position);
    Position = End + 1;
    if (Begun && displayWidth(Line) + 1 + displayWidth(Word) > Options.Width) {
      Text += Line + "\n";
      Line = Indent;
      Begun = false;
    }
    Line += (Begun ? " " : "") + Word;
    Begun = true;
  }
  Text += Line + "\n";
}

//===----------------------------------------------------------------------===//
// What was run, and what is missing
//===----------------------------------------------------------------------===//

void Printer::header() {
  line("{}",
       styled(Bold, fmt::format("GMProf {}: {}", S.tool.version, fmt::join(S.run.command, " "))));
  std::vector<std::string> Parts;
  if (S.devices.empty())
    Parts.emplace_back(S.run.device == "cpu" ? "CPU device" : "no device was used");
  for (const Device &D : S.devices)
    Parts.push_back(D.compute_capability.empty() || D.name.find("sm_") != std::string::npos
                        ? D.name
                        : fmt::format("{} (compute capability {})", D.name, D.compute_capability));
  Parts.push_back(S.run.start.size() < 19
                      ? S.run.start
                      : S.run.start.substr(0, 10) + " " + S.run.start.substr(11, 8) + " UTC");
  if (S.run.wall_seconds)
    Parts.push_back(fmt::format("{:.2f} s", *S.run.wall_seconds));
  if (S.run.exit_status)
    Parts.push_back(fmt::format("exit status {}", *S.run.exit_status));
  line("{}", fmt::join(Parts, ", "));

  const LaunchCoverage &L = S.coverage.launches;
  std::map<std::string, uint64_t> BySeverity;
  for (const Finding &F : S.findings)
    ++BySeverity[F.severity];
  Parts.clear();
  for (const char *Severity : {"high", "medium", "low", "info"})
    if (uint64_t N = BySeverity[Severity])
      Parts.push_back(fmt::format("{} {}", N, Severity));
  if (L.seen == 0)
    line("No kernel was launched.");
  else
    line("{} of {} profiled{}, {} of {} counted; {}{}", grouped(L.profiled),
         plural(L.seen, "kernel launch"),
         L.nothing_to_profile
             ? fmt::format(" ({} without {} memory)", grouped(L.nothing_to_profile),
                           ofGlobalMemory() ? "global" : "shared")
             : "",
         grouped(S.coverage.blocks.counted), plural(S.coverage.blocks.launched, "block"),
         plural(S.findings.size(), "finding"),
         Parts.empty() ? "" : fmt::format(" ({})", fmt::join(Parts, ", ")));
}

/// Whatever makes the numbers below less than the whole truth.
void Printer::coverage() {
  const Coverage &C = S.coverage;
  if (C.whole)
    return;
  Text += '\n';
  line("{}", styled(Yellow, "Not everything was profiled:"));
  auto Item = [&](const std::string &What) { paragraph("  - ", What); };

  if (!S.run.complete)
    Item("The program ended before its profile was complete (it crashed, was killed, or left by "
         "_exit or exec). What was recorded until then follows.");
  std::map<uint32_t, const Kernel *> Kernels;
  for (const Kernel &K : S.kernels)
    Kernels[K.id] = &K;
  std::set<std::pair<std::string, std::string>> Said;
  for (const NotInstrumented &N : C.kernels.not_instrumented) {
    auto K = Kernels.find(N.kernel);
    uint64_t Launches = K == Kernels.end() ? 0 : K->second->launch_counts.seen;
    Item(fmt::format("{} ({}): {}", shortName(N.name), plural(Launches, "launch"),
                     N.reason.empty() ? "no reason was recorded" : N.reason));
    Said.insert({N.name, N.reason});
  }
  for (const ReasonCount &R : C.launches.reasons)
    if (!Said.count({R.kernel, R.reason}))
      Item(fmt::format("{} of {} ran unprofiled: {}", plural(R.count, "launch"),
                       shortName(R.kernel), R.reason));
  uint64_t Explained = 0, Unprofiled = C.launches.not_selected + C.launches.refused;
  for (const ReasonCount &R : C.launches.reasons)
    Explained += R.count;
  for (const Gap &G : C.gaps)
    Explained += G.what == "launches" ? G.count : 0;
  if (Explained < Unprofiled)
    Item(fmt::format("{} ran unprofiled because the options did not select {}.",
                     plural(Unprofiled - Explained, "launch"),
                     Unprofiled - Explained == 1 ? "it" : "them"));
  if (C.launches.without_counts)
    Item(fmt::format("{} counted, but the counts were not read before the program ended.",
                     plural(C.launches.without_counts, "launch")));
  if (C.blocks.counted < C.blocks.selected)
    Item(fmt::format("{} did not finish, and their counts are missing.",
                     plural(C.blocks.selected - C.blocks.counted, "block")));
  for (const Kernel &K : S.kernels)
    if (uint64_t Sample = K.global_memory ? K.global_memory->block_sample : K.block_sample;
        Sample > 1)
      Item(fmt::format("{}: one block in {} was counted; totals are estimated from them.",
                       shortName(K.demangled), Sample));
  if (C.accesses.lost)
    Item(fmt::format("{} fell outside the counted shared memory.",
                     plural(C.accesses.lost, "access")));
  if (C.accesses.unattributed)
    Item(fmt::format("{} shared memory outside of every known variable: out of bounds of an array, "
                     "or through a pointer to something else.",
                     C.accesses.unattributed == 1
                         ? "1 access was to"
                         : grouped(C.accesses.unattributed) + " accesses were to"));
  if (C.accesses.outside)
    Item(fmt::format("{} to global memory of no known object: out of bounds, or of an allocation "
                     "that was not seen.",
                     C.accesses.outside == 1 ? "1 access was"
                                             : grouped(C.accesses.outside) + " accesses were"));
  for (const SkippedSite &Site : C.accesses.skipped)
    Item(fmt::format("{} {} in {} was not counted: {}", Site.access, shortPosition(Site.source),
                     shortName(Site.kernel), Site.reason));
  for (const Gap &G : C.gaps)
    Item(fmt::format("{} ({}): {}", G.what, grouped(G.count), G.reason));
}

//===----------------------------------------------------------------------===//
// Kernels and their arrays
//===----------------------------------------------------------------------===//

std::string Printer::neverTouched(const ObjectUse &U) const {
  const NeverTouched &N = U.never_touched;
  if (N.elements == 0)
    return N.padding_elements ? fmt::format("padding ({})", grouped(N.padding_elements)) : "-";
  double Share = 100.0 * static_cast<double>(N.elements) /
                 static_cast<double>(std::max<uint64_t>(U.count_elements, 1));
  // Nearly all is not all, and hardly any is not none.
  bool Extreme = (Share > 99 && N.elements < U.count_elements) || Share < 0.95;
  return fmt::format("{} ({:.{}f} %)", grouped(N.elements), Share, Extreme ? 1 : 0);
}

void Printer::arrays(const Kernel &K) {
  Table T({0, 1, 8});
  // A threshold that nothing comes near is no news.
  bool Near = K.threshold && *K.threshold <= 65535;
  for (const ObjectUse &U : K.objects)
    Near |= U.threshold && U.threshold->reached != 0;
  std::string Reached = Near ? atLeast() + grouped(uint64_t(K.threshold.value_or(0))) : "";
  T.add({"array", "type", "bytes", "elements", "min", "mean", "max", Reached, "never touched"});
  for (const ObjectUse &U : K.objects) {
    const Object &O = object(U.object);
    T.add({O.name, O.type.empty() ? "-" : O.type, grouped(O.bytes),
           grouped(U.count_elements) + (U.counts_of == "words" ? " words" : ""),
           number(U.per_block.min), number(U.per_block.mean), number(U.per_block.max),
           Near && U.threshold ? grouped(U.threshold->reached) : "", neverTouched(U)});
  }
  Text += T.text("  ");
}

void Printer::histogram(const std::string &Title, const std::vector<Bucket> &Buckets) {
  if (Buckets.empty())
    return;
  uint64_t Largest = 1;
  for (const Bucket &B : Buckets)
    Largest = std::max(Largest, B.elements);
  line("    {}", styled(Dim, Title));
  std::vector<std::string> Labels;
  size_t LabelWidth = 0, CountWidth = 0;
  for (const Bucket &B : Buckets) {
    std::string Label;
    if (B.at_threshold || !B.to)
      Label = atLeast() + grouped(B.from);
    else if (*B.to == 0)
      Label = "0";
    else if (*B.to <= 1)
      Label = "<1";
    else if (*B.to - B.from <= 1)
      Label = grouped(B.from);
    else
      Label = grouped(B.from) + "-" + grouped(*B.to - 1);
    LabelWidth = std::max(LabelWidth, displayWidth(Label));
    CountWidth = std::max(CountWidth, grouped(B.elements).size());
    Labels.push_back(std::move(Label));
  }
  const size_t BarWidth = std::min<size_t>(50, Options.Width / 2);
  // The row of those never accessed is only worth its place if there are any.
  size_t First = Buckets[0].elements == 0 ? 1 : 0;
  for (size_t I = First; I < Labels.size(); ++I) {
    uint64_t Elements = Buckets[I].elements;
    auto Length = static_cast<size_t>(
        std::ceil(static_cast<double>(Elements) * static_cast<double>(BarWidth) /
                  static_cast<double>(Largest)));
    std::string Bar;
    for (size_t J = 0; J < Length; ++J)
      Bar += Options.Utf8 ? "\u2588" : "#";
    line("    {:>{}}  {:>{}}{}{}", Labels[I], LabelWidth, grouped(Elements), CountWidth,
         Bar.empty() ? "" : "  ", Bar);
  }
}

static std::string howCounted(const Site &Site) {
  static const std::map<std::string, const char *> Texts = {
      {"counted", "every access counted"},
      {"static", "known at compile time"},
      {"loop_invariant", "counted once per loop"},
      {"loop_and_thread_invariant", "counted once per loop, by one thread"},
      {"thread_invariant", "counted by one thread for all"},
      {"closed_form", "closed form, no cost at run time"},
      {"sweep", "counted once per loop, by each thread"},
      {"not_counted", "not of the profiled memory"},
  };
  if (Site.rule == "skipped")
    return "NOT COUNTED: " + Site.reason;
  auto It = Texts.find(Site.rule);
  return It == Texts.end() ? Site.rule : It->second;
}

/// One line for each kind of access, file and rule, with all its source lines.
void Printer::sites(const std::vector<Site> &Sites) {
  struct Row {
    std::string Access, File, How;
    std::set<unsigned> Lines;
  };
  std::vector<Row> Rows;
  for (const Site &Site : Sites) {
    Row New = {Site.access, Site.source ? basename(Site.source->file) : "?", howCounted(Site), {}};
    auto Same = std::find_if(Rows.begin(), Rows.end(), [&](const Row &R) {
      return R.Access == New.Access && R.File == New.File && R.How == New.How;
    });
    Row &R = Same == Rows.end() ? Rows.emplace_back(std::move(New)) : *Same;
    if (Site.source && Site.source->line)
      R.Lines.insert(Site.source->line);
  }
  size_t Width = 0;
  for (const Row &R : Rows)
    Width = std::max(Width, displayWidth(R.Access));
  for (const Row &R : Rows)
    paragraph(fmt::format("    {:<{}}  ", R.Access, Width),
              fmt::format("{}{}{}  {}", R.File, R.Lines.empty() ? "" : ":",
                          fmt::join(R.Lines, ", "), R.How));
}

/// Accesses to data between two moves; without several ranges in a block, those of
/// the block are.
void Printer::liveRanges(const LiveRanges &R) {
  std::vector<std::string> Moves;
  const auto Add = [&](const char *What, const std::vector<Move> &From) {
    std::set<std::string> Lines;
    for (const Move &M : From)
      if (M.source)
        Lines.insert(shortPosition(M.source));
    if (!Lines.empty())
      Moves.push_back(fmt::format("{} at {}", What, fmt::join(Lines, ", ")));
  };
  Add("begin", R.begins);
  Add("end", R.ends);
  if (!R.accesses_per_range) {
    if (!Moves.empty() && !R.counted)
      paragraph("    live ranges: ",
                fmt::format("{}; {}", R.not_counted_reason, fmt::join(Moves, "; ")));
    return;
  }
  const PerRange &A = *R.accesses_per_range;
  std::string Often = A.min == A.max
                          ? plural(A.max, "access") + " each"
                          : fmt::format("{} to {} accesses, {} on average", grouped(A.min),
                                        grouped(A.max), number({A.mean, false}));
  if (R.at_threshold)
    Often += fmt::format("; {} more reached the threshold", grouped(R.at_threshold));
  Moves.insert(Moves.begin(), Often);
  paragraph("    live ranges: ",
            fmt::format("{} of words, {}", grouped(R.ranges), fmt::join(Moves, "; ")));
}

void Printer::array(const Kernel &K, const ObjectUse &U) {
  const Object &O = object(U.object);
  Text += '\n';
  std::string Total = number(U.accesses) + (U.accesses.value == 1 ? " access" : " accesses");
  if (U.blocks_counted < U.blocks_launched)
    Total += fmt::format(" in the blocks counted, about {} in all", number(U.accesses_estimated));
  line("  {}{}", styled(Bold, O.name),
       (O.source ? "  " + shortPosition(O.source) : "") + "  " + Total);
  histogram(U.counts_of + " by accesses per block:", U.per_block.histogram);
  if (U.live_ranges)
    liveRanges(*U.live_ranges);
  if (!U.never_touched.description.empty())
    line("    never touched: {}", U.never_touched.description);
  if (U.never_touched.padding_elements)
    line("    {}",
         styled(Dim, fmt::format("{} at the end of rows only pad (to keep rows on different banks)",
                                 plural(U.never_touched.padding_elements,
                                        U.counts_of == "words" ? "word" : "element"))));
  if (U.uncounted_bytes)
    line("    the last {} could not be counted", plural(U.uncounted_bytes, "byte"));
  if (!U.uncounted_reason.empty())
    paragraph("    ", "counts are lower bounds: " + U.uncounted_reason);
  sites(U.sites);
}

void Printer::launches(const Kernel &K) {
  for (size_t I = 0; I < K.launches.size() && I < 3; ++I) {
    const LaunchGroup &L = K.launches[I];
    bool Profiled = L.mode != "plain" && L.mode != "refused";
    line("  {} of <<<{}, {}>>>, {} of shared memory per block{}", plural(L.count, "launch"),
         dim3(L.grid), dim3(L.block),
         plural(uint64_t(K.static_shared_bytes) + L.dynamic_shared_bytes, "byte"),
         Profiled ? "" : " (not profiled)");
  }
  if (size_t All = K.launches.size() + K.launch_groups_omitted; All > 3)
    line("  and launches of {} other forms", All - 3);
}

void Printer::kernel(const Kernel &K) {
  Text += '\n';
  std::string Where = K.source ? position(*K.source) : "";
  bool Fits = displayWidth(K.demangled) + 2 + displayWidth(Where) <= Options.Width;
  line("{}{}{}", styled(Bold, K.demangled), Where.empty() ? "" : Fits ? "  " : "\n  ", Where);
  launches(K);
  if (K.global_memory)
    globalMemory(K);
  if (!K.objects.empty())
    sharedMemory(K);
}

void Printer::sharedMemory(const Kernel &K) {
  line("  accesses per element and block, over {}{}:",
       K.objects.empty() ? "no blocks" : plural(K.objects[0].blocks_counted, "block"),
       K.blocks_alike.value_or(false) ? " (all alike: the first was counted for all)" : "");
  arrays(K);
  for (const ObjectUse &U : K.objects)
    array(K, U);
  if (!K.other_sites.empty()) {
    line("\n  {}", styled(Bold, "through pointers, to variables that are not known"));
    sites(K.other_sites);
  }
  if (K.accesses_unattributed)
    line("\n  {} to shared memory of no known variable", plural(K.accesses_unattributed, "access"));
  if (K.counts_exact && !*K.counts_exact)
    paragraph("  ",
              fmt::format("{}Counted without atomics: lanes that access one element at the same "
                          "time may count once.{}",
                          Dim, Plain));
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

std::string Printer::objectName(const GlobalObjectUse &U) const {
  const Object &O = object(U.object);
  std::string Names = fmt::format("{}", fmt::join(U.names, ", "));
  if (O.name.empty() || O.name == Names)
    return Names.empty() ? fmt::format("object {}", U.object) : Names;
  return Names.empty() ? O.name : fmt::format("{} ({})", Names, O.name);
}

using KindOfAccess = std::pair<const char *, std::optional<GlobalAccesses> GlobalObjectUse::*>;
constexpr KindOfAccess KindsOfAccesses[] = {{"reads", &GlobalObjectUse::reads},
                                            {"writes", &GlobalObjectUse::writes},
                                            {"atomics", &GlobalObjectUse::atomics}};

/// A line for each object; kinds of accesses that the kernel does not have are left out.
void Printer::globalTable(const GlobalUse &G) {
  Table T({0});
  std::vector<std::string> Head = {"object", "bytes", "element", "elements", "touched"};
  std::vector<std::optional<GlobalAccesses> GlobalObjectUse::*> Kinds;
  uint64_t AtThreshold = 0;
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    bool Any = false;
    for (const GlobalObjectUse &U : G.objects)
      if (U.*Kind) {
        Any = true;
        AtThreshold += (U.*Kind)->threshold_reached;
      }
    if (!Any)
      continue;
    Kinds.push_back(Kind);
    Head.insert(Head.end(), {Name, "max"});
  }
  if (AtThreshold)
    Head.push_back(atLeast() + grouped(uint64_t(G.threshold.value_or(0))));
  T.add(Head);
  for (const GlobalObjectUse &U : G.objects) {
    std::vector<std::string> Row = {objectName(U), grouped(object(U.object).bytes),
                                    std::to_string(U.element_bytes), grouped(U.elements),
                                    grouped(U.touched)};
    uint64_t Reached = 0;
    for (auto Kind : Kinds) {
      const std::optional<GlobalAccesses> &A = U.*Kind;
      Row.push_back(A ? number(A->per_launch.mean) : "-");
      Row.push_back(A ? number(A->per_launch.max) : "-");
      Reached += A ? A->threshold_reached : 0;
    }
    if (AtThreshold)
      Row.push_back(grouped(Reached));
    T.add(Row);
  }
  Text += T.text("  ");
}

void Printer::globalObject(const GlobalObjectUse &U) {
  Text += '\n';
  std::vector<std::string> Totals;
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    const std::optional<GlobalAccesses> &A = U.*Kind;
    if (!A)
      continue;
    std::string Total = number(A->accesses) + " " + Name;
    if (A->accesses_estimated.value > A->accesses.value)
      Total += fmt::format(" (about {} in all launches)", number(A->accesses_estimated));
    if (A->standard_error > 0 && A->accesses_estimated.value > 0)
      Total += fmt::format(" {} {:.1f} %", Options.Utf8 ? "\u00b1" : "+-",
                           100 * A->standard_error / A->accesses_estimated.value);
    Totals.push_back(std::move(Total));
  }
  line("  {}  {}", styled(Bold, objectName(U)),
       Totals.empty() ? "no access" : fmt::format("{}", fmt::join(Totals, ", ")));
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    const std::optional<GlobalAccesses> &A = U.*Kind;
    // All elements alike are one number, which the table has.
    if (A && A->per_launch.min.value != A->per_launch.max.value)
      histogram(fmt::format("elements by {} per launch:", Name), A->per_launch.histogram);
  }
  if (!U.uncounted_reason.empty())
    paragraph("    ", "counts are lower bounds: " + U.uncounted_reason);
  sites(U.sites);
}

void Printer::globalMemory(const Kernel &K) {
  const GlobalUse &G = *K.global_memory;
  line("  global memory, accesses per element and launch, over {}:",
       plural(G.launches_profiled, "launch"));
  globalTable(G);
  std::vector<std::string> How;
  if (G.sites_by_closed_forms)
    How.push_back(fmt::format(
        "{} of {} described by closed forms, at no cost at run time{}", G.sites_by_closed_forms,
        plural(G.sites_by_closed_forms + G.sites_counted + G.sites_skipped, "instruction"),
        G.launches_by_closed_forms == G.launches_profiled
            ? ""
            : fmt::format(" (in {} of {})", G.launches_by_closed_forms,
                          plural(G.launches_profiled, "launch"))));
  if (G.counter_bytes)
    How.push_back(
        fmt::format("counters took {} of device memory{}", plural(G.counter_bytes, "byte"),
                    G.object_bytes ? fmt::format(" ({:.1f} % of the objects)",
                                                 100.0 * static_cast<double>(G.counter_bytes) /
                                                     static_cast<double>(G.object_bytes))
                                   : ""));
  if (!How.empty())
    paragraph("  ", fmt::format("{}{}.{}", Dim, fmt::join(How, "; "), Plain));
  for (const GlobalObjectUse &U : G.objects)
    globalObject(U);
  if (!G.other_sites.empty()) {
    line("\n  {}", styled(Bold, "through pointers, to objects that only the run tells"));
    sites(G.other_sites);
  }
}

/// Kernels there is nothing to show of are named all the same.
void Printer::otherKernels() {
  std::vector<std::string> NoShared, NotLaunched;
  std::set<uint32_t> NotInstrumented;
  for (const auto &N : S.coverage.kernels.not_instrumented)
    NotInstrumented.insert(N.kernel);
  for (const Kernel &K : S.kernels)
    if (K.objects.empty() && !K.global_memory && !NotInstrumented.count(K.id))
      (K.launch_counts.seen ? NoShared : NotLaunched).push_back(shortName(K.demangled));
  if (NoShared.empty() && NotLaunched.empty())
    return;
  Text += '\n';
  if (!NoShared.empty())
    paragraph("", fmt::format("Kernels without counts of {} memory: {}",
                              ofGlobalMemory() ? "global" : "shared", fmt::join(NoShared, ", ")));
  if (!NotLaunched.empty())
    paragraph("", fmt::format("Never launched: {}", fmt::join(NotLaunched, ", ")));
}

void Printer::kernels() {
  // Those with the most accesses first.
  std::vector<std::pair<double, const Kernel *>> Order;
  for (const Kernel &K : S.kernels) {
    double Accesses = 0;
    for (const ObjectUse &U : K.objects)
      Accesses += U.accesses_estimated.value;
    if (K.global_memory)
      for (const GlobalObjectUse &U : K.global_memory->objects)
        for (const auto &[Name, Kind] : KindsOfAccesses)
          Accesses += U.*Kind ? (U.*Kind)->accesses_estimated.value : 0;
    if (!K.objects.empty() || K.global_memory)
      Order.emplace_back(-Accesses, &K);
  }
  std::sort(Order.begin(), Order.end(), [](const auto &A, const auto &B) {
    return A.first != B.first ? A.first < B.first : A.second->id < B.second->id;
  });
  if (Order.empty() && S.coverage.launches.seen != 0) {
    Text += '\n';
    line("No {} memory was profiled.", ofGlobalMemory() ? "global" : "shared");
  }
  for (size_t I = 0; I < shown(Order.size()); ++I)
    kernel(*Order[I].second);
  if (size_t Left = Order.size() - shown(Order.size()))
    line("\n{} more with fewer accesses: --top 0 shows all", plural(Left, "kernel"));
  otherKernels();
}

//===----------------------------------------------------------------------===//
// What to change
//===----------------------------------------------------------------------===//

void Printer::finding(size_t Rank, const Finding &F) {
  Text += '\n';
  std::string Where = F.object ? F.object->name : "";
  if (F.kernel)
    Where += (Where.empty() ? "" : " in ") + shortName(F.kernel->name);
  char Style = F.severity == "high" ? Red : F.severity == "medium" ? Yellow : Bold;
  line("{:>2}. {} {}{}", Rank, styled(Style, "[" + F.severity + "]"), styled(Bold, Where),
       F.source ? "  " + position(*F.source) : "");
  paragraph("    ", F.message);
  paragraph("    -> ", F.suggestion);

  std::vector<std::string> Facts = {F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind};
  const bool InDeviceMemory = F.object && !F.object->kind.starts_with("shared");
  if (F.bytes_saved && InDeviceMemory)
    Facts.push_back(
        fmt::format("spares accesses of {} of device memory", plural(F.bytes_saved, "byte")));
  else if (F.bytes_saved)
    Facts.push_back(fmt::format("{} {} of shared memory per block",
                                F.severity == "info" ? "could free" : "frees",
                                plural(F.bytes_saved, "byte")));
  uint64_t Now = 0, Then = 0;
  for (const auto &[Name, Value] : F.evidence)
    if (const auto *N = std::get_if<uint64_t>(&Value)) {
      Now = Name == "blocks_per_sm" ? *N : Now;
      Then = Name == "blocks_per_sm_after" ? *N : Then;
    }
  if (Then > Now)
    Facts.push_back(fmt::format("{} per SM instead of {}", plural(Then, "block"), Now));
  else if (Now != 0 && F.severity != "info")
    Facts.push_back(fmt::format("as many blocks per SM as now ({})", Now));
  paragraph("    ", fmt::format("{}{}{}", Dim, fmt::join(Facts, ", "), Plain));
}

/// Its variable's, or those of the kernels' parameters that point there.
std::string Printer::knownName(uint32_t Id) const {
  std::set<std::string> Names;
  for (const Kernel &K : S.kernels)
    if (K.global_memory)
      for (const GlobalObjectUse &U : K.global_memory->objects)
        if (U.object == Id)
          Names.insert(U.names.begin(), U.names.end());
  if (!object(Id).name.empty())
    return object(Id).name;
  return Names.empty() ? fmt::format("object {}", Id) : fmt::format("{}", fmt::join(Names, ", "));
}

/// The most that was alive at a time, and what it consisted of.
void Printer::memory(const DeviceMemory &D) {
  Text += '\n';
  line("  device {}: at most {} in {}, first after {:.3f} s", D.device,
       plural(D.peak_bytes, "byte"), plural(D.objects_at_peak, "object"), D.peak_seconds);
  Table T({0, 1, 3, 4});
  T.add({"object", "kind", "bytes", "made", "released"});
  size_t Rows = shown(D.largest_at_peak.size());
  for (size_t I = 0; I < Rows; ++I) {
    const Object &O = object(D.largest_at_peak[I]);
    T.add({knownName(O.id), O.kind, grouped(O.bytes), shortPosition(O.source),
           O.released == false ? "never"
           : O.free            ? shortPosition(O.free->source)
                               : "-"});
  }
  Text += T.text("  ");
  if (D.objects_at_peak > Rows)
    line("  and {} more", grouped(D.objects_at_peak - Rows));
}

void Printer::memory() {
  if (!S.memory || !ofGlobalMemory())
    return;
  line("\n{}", styled(Bold, "Device memory"));
  for (const DeviceMemory &D : S.memory->devices)
    memory(D);
}

void Printer::findings() {
  if (S.findings.empty() && S.coverage.blocks.counted == 0)
    return; // what was said above is the reason
  Text += '\n';
  if (S.findings.empty()) {
    line("No findings{}.", ofGlobalMemory() ? "" : ": all shared memory that was profiled is used");
    return;
  }
  line("{}", styled(Bold, "Findings, by what they save"));
  for (size_t I = 0; I < shown(S.findings.size()); ++I)
    finding(I + 1, S.findings[I]);
  if (size_t Left = S.findings.size() - shown(S.findings.size()))
    line("\n{} more: --top 0 shows all", plural(Left, "finding"));
}

std::string Printer::report() {
  header();
  coverage();
  kernels();
  memory();
  findings();
  return render();
}

std::string Printer::overview() {
  header();
  coverage();
  findings();
  return render();
}

std::string textReport(const Summary &S, const TextOptions &Options) {
  return Printer(S, Options).report();
}

std::string textOverview(const Summary &S, const TextOptions &Options) {
  return Printer(S, Options).overview();
}

} // namespace gmprof
