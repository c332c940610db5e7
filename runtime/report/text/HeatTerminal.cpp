//===- HeatTerminal.cpp - Heat maps for the terminal ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/HeatTerminal.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace gmprof {

using text::grouped;

/// Returns rows per line of output; the last line says how often the rows repeat.
static double rowsPerLine(const HeatRepeat &R) {
  return R.Times ? double(R.end() - R.First) / double(R.Period + 1) : 1;
}

static HeatRepeat bestAt(const std::vector<HeatRow> &Rows, size_t First) {
  HeatRepeat Best = {First, 1, 0};
  for (size_t Period = 1; Period <= MaxHeatPeriod && First + 2 * Period <= Rows.size(); ++Period) {
    size_t Same = 0;
    while (First + Period + Same < Rows.size() &&
           Rows[First + Same].Lines == Rows[First + Period + Same].Lines &&
           Rows[First + Same].alike(Rows[First + Period + Same]))
      ++Same;
    const HeatRepeat R = {First, Period, Same / Period};
    if (R.Times * R.Period >= 2 && rowsPerLine(R) > rowsPerLine(Best))
      Best = R;
  }
  return Best;
}

/// Returns no repetition if a better one begins within the first period. A repetition of ManyRows
/// is always taken: comparing it with others would be slow.
HeatRepeat repeatAt(const std::vector<HeatRow> &Rows, size_t First) {
  static constexpr size_t ManyRows = 4096;
  const HeatRepeat R = bestAt(Rows, First);
  if (R.end() - First >= ManyRows)
    return R;
  for (size_t Next = First + 1; Next < First + R.Period; ++Next)
    if (rowsPerLine(bestAt(Rows, Next)) > rowsPerLine(R))
      return {First, 1, 0};
  return R;
}

namespace {

/// Short names of source lines in rows: line numbers, with a letter for the file if there are
/// several.
class PlaceKeys {
public:
  PlaceKeys(const HeatLaunch &Launch, uint64_t Used);

  std::string keys(uint64_t Mask) const;
  const std::string &operator[](unsigned Place) const { return Keys[Place]; }
  const std::vector<std::string> &files() const { return Files; }
  /// Returns the letter of a file in files().
  std::string letter(size_t File) const {
    return Files.size() > 1 ? std::string(1, static_cast<char>('a' + File % 26)) : "";
  }
  /// Returns the places in a file, ordered by line.
  std::vector<unsigned> placesOf(size_t File) const;

private:
  const HeatLaunch &Launch;
  uint64_t Used;
  std::vector<std::string> Files, Keys;
};

class Terminal {
public:
  Terminal(HeatOf Of, SourceText &Source, const TextOptions &Options)
      : Of(Of), Source(Source), Options(Options) {}

  void launch(const HeatLaunch &Launch, const std::vector<uint64_t> &Others);
  std::string Text;

private:
  void legend(const HeatLaunch &Launch);
  void lines(const PlaceKeys &Keys, const HeatLaunch &Launch);
  void view(const HeatView &View, const std::vector<HeatRow> &Rows, const PlaceKeys &Keys);
  void map(const HeatView &View, const std::vector<HeatRow> &Rows, const PlaceKeys &Keys);
  void row(const HeatView &View, const HeatRow &Row, const PlaceKeys &Keys);
  void repeat(const HeatView &View, const std::vector<HeatRow> &Rows, const HeatRepeat &R);
  void notes(const HeatView &View, const std::vector<HeatRow> &Rows, const PlaceKeys &Keys);

  std::string words(const HeatView &View, const HeatRow &Row) const;
  std::string cell(unsigned Temperature, const std::string &Text) const;
  std::string range(const HeatView &View, uint64_t First, uint64_t End) const;
  std::string count(const HeatRow &Row) const;
  std::string position(const profile::SourcePosition &S) const;
  std::string file(const std::string &File) const;
  const char *times() const { return Options.Utf8 ? "\u00d7" : "x"; }
  /// Names come from the program; render() removes control sequences.
  void line(const std::string &Line) { Text += text::render(Line, Options.Color) + "\n"; }
  void wrapped(const std::string &First, const std::string &Body) {
    Text += text::render(text::wrapped(First, Body, Options.Width), Options.Color);
  }

  const HeatOf Of;
  SourceText &Source;
  const TextOptions &Options;
  unsigned Hottest = 1;
  size_t RangeWidth = 0, CountWidth = 0, AccessWidth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Source lines
//===----------------------------------------------------------------------===//

PlaceKeys::PlaceKeys(const HeatLaunch &Launch, uint64_t Used)
    : Launch(Launch), Used(Used), Keys(GMPROF_HEAT_PLACES, "?") {
  auto FileOf = [&](unsigned Place) -> const std::string & {
    return Launch.Places[Place].Source.File;
  };
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
    if ((Used >> I & 1) && !FileOf(I).empty() && !std::count(Files.begin(), Files.end(), FileOf(I)))
      Files.push_back(FileOf(I));
  for (size_t File = 0; File < Files.size(); ++File)
    for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
      if (FileOf(I) == Files[File])
        Keys[I] = letter(File) + std::to_string(Launch.Places[I].Source.Line);
}

std::vector<unsigned> PlaceKeys::placesOf(size_t File) const {
  std::vector<unsigned> Places;
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
    if ((Used >> I & 1) && Launch.Places[I].Source.File == Files[File])
      Places.push_back(I);
  std::sort(Places.begin(), Places.end(), [&](unsigned A, unsigned B) {
    return Launch.Places[A].Source.Line < Launch.Places[B].Source.Line;
  });
  return Places;
}

std::string PlaceKeys::keys(uint64_t Mask) const {
  std::vector<std::string> Named;
  for (size_t File = 0; File < Files.size(); ++File)
    for (unsigned I : placesOf(File))
      if (Mask >> I & 1)
        Named.push_back(Keys[I]);
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
    if ((Mask >> I & 1) && Keys[I] == "?" && (Named.empty() || Named.back() != "?"))
      Named.emplace_back("?");
  return fmt::format("{}", fmt::join(Named, " "));
}

std::string Terminal::file(const std::string &File) const {
  if (Options.Folder.empty())
    return File;
  std::string Relative = std::filesystem::path(File).lexically_relative(Options.Folder).string();
  return !Relative.empty() && Relative.size() < File.size() ? Relative : File;
}

std::string Terminal::position(const profile::SourcePosition &S) const {
  return S.Line ? fmt::format("{}:{}", file(S.File), S.Line) : file(S.File);
}

void Terminal::lines(const PlaceKeys &Keys, const HeatLaunch &Launch) {
  for (size_t File = 0; File < Keys.files().size(); ++File) {
    std::string Listed;
    for (unsigned Place : Keys.placesOf(File))
      if (std::string Line = Source.line(Launch.Places[Place].Source); !Line.empty())
        Listed += fmt::format("  {:>6}  {}", Keys[Place], Line).substr(0, Options.Width) + "\n";
    const std::string Letter = Keys.letter(File).empty() ? "" : " " + Keys.letter(File);
    line(fmt::format("  lines{} are of {}{}", Letter, file(Keys.files()[File]),
                     Listed.empty() ? "" : ":"));
    Text += text::render(Listed, Options.Color);
  }
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Pale yellow to dark red, in the 256-colour palette of terminals.
static constexpr unsigned Ramp[] = {230, 229, 228, 221, 214, 208, 202, 196, 160, 124};

/// Colours the text including the space around it.
std::string Terminal::cell(unsigned Temperature, const std::string &Text) const {
  if (!Options.Color)
    return Text;
  if (Temperature == 0)
    return "\x1b[2m" + Text + "\x1b[0m";
  const size_t Last = std::size(Ramp) - 1;
  const size_t Step = Hottest > 1 ? (std::min(Temperature, Hottest) - 1) * Last / (Hottest - 1) : 0;
  return fmt::format("\x1b[48;5;{};38;5;{}m{}\x1b[0m", Ramp[Step], Step + 3 > Last ? 231 : 16,
                     Text);
}

static std::string digits(unsigned Temperature) {
  return Temperature ? std::to_string(Temperature) : ".";
}

/// Formats 0 to 32 as one character.
static char digit(unsigned Temperature) {
  if (Temperature == 0)
    return '.';
  return static_cast<char>(Temperature < 10 ? '0' + Temperature : 'a' + (Temperature - 10));
}

std::string Terminal::words(const HeatView &View, const HeatRow &Row) const {
  std::string Cells;
  for (unsigned W = 0; W < View.lineWords(); ++W) {
    std::string Text = fmt::format("{:>3}", digits(Row.Words[W]));
    if (View.shared()) {
      Text = Row.Sharers[W] == Sharing::Thread ? 'T' : digit(Row.Words[W]);
      Cells += W % 8 ? "" : " ";
    }
    Cells += hasWord(View, Row, W) ? cell(Row.Words[W], Text) : std::string(Text.size(), ' ');
  }
  return Cells;
}

std::string Terminal::range(const HeatView &View, uint64_t First, uint64_t End) const {
  const auto Digits = std::max<size_t>(1, (std::bit_width(View.offset(View.lines())) + 3) / 4);
  const uint64_t Last = std::max(View.offset(End), View.offset(First) + 1) - 1;
  return fmt::format("0x{:0{}x}-0x{:0{}x}", View.offset(First), Digits, Last, Digits);
}

std::string Terminal::count(const HeatRow &Row) const {
  return fmt::format("{}{}{}{}", times(), Row.Lines, Row.SeveralBlocks ? "*" : "",
                     Row.Merged ? "~" : "");
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Truncates to Width columns, but keeps at least one key.
static std::string shortened(const std::string &Keys, size_t Width) {
  const size_t First = Keys.find(' ');
  if (Keys.size() <= Width || First == std::string::npos)
    return Keys;
  const size_t End = Keys.rfind(' ', std::max<size_t>(Width, 4) - 4);
  return Keys.substr(0, End == std::string::npos ? First : End) + " ...";
}

void Terminal::row(const HeatView &View, const HeatRow &Row, const PlaceKeys &Keys) {
  std::string Start =
      fmt::format("    {:<{}}  {}{}", range(View, Row.First, Row.end()), RangeWidth,
                  std::string(CountWidth - text::displayWidth(count(Row)), ' '), count(Row));
  std::string Line = Start + "   " + cell(Row.Line, fmt::format("{:>3}", digits(Row.Line))) + "  " +
                     words(View, Row);
  if (Row.Line != 0) {
    Line += fmt::format("  {:>{}}", grouped(Row.Accesses), AccessWidth);
    const size_t Before = text::displayWidth(Start) + 8 + 24 + 2 + AccessWidth + 2;
    if (!View.shared())
      Line += "  " + shortened(Keys.keys(Row.Places),
                               Options.Width - std::min<size_t>(Before, Options.Width));
  }
  Text += Line.substr(0, Line.find_last_not_of(' ') + 1) + "\n";
}

void Terminal::repeat(const HeatView &View, const std::vector<HeatRow> &Rows, const HeatRepeat &R) {
  uint64_t Accesses = 0;
  for (size_t I = R.First + R.Period; I < R.end(); ++I)
    Accesses += Rows[I].Accesses;
  line(fmt::format("      and the same {} {}, to 0x{:x}: {}",
                   R.Period == 1 ? "row" : fmt::format("{} rows", R.Period),
                   R.Times == 1 ? "once more" : grouped(R.Times) + " times more",
                   View.offset(Rows[R.end() - 1].end()) - 1, plural(Accesses, "access")));
}

/// Fits the widths of the columns to the rows that are shown.
void Terminal::map(const HeatView &View, const std::vector<HeatRow> &Rows, const PlaceKeys &Keys) {
  std::vector<HeatRepeat> Parts;
  size_t Shown = 0;
  for (size_t I = 0; I < Rows.size() && (Options.Top == 0 || Shown < Options.Top);
       I = Parts.back().end()) {
    Parts.push_back(repeatAt(Rows, I));
    Shown += Parts.back().Period + (Parts.back().Times ? 1 : 0);
  }
  RangeWidth = std::string("offset").size();
  CountWidth = std::string("sectors").size();
  AccessWidth = std::string("accesses").size();
  for (const HeatRepeat &R : Parts)
    for (size_t I = R.First; I < R.First + R.Period; ++I) {
      RangeWidth = std::max(RangeWidth, range(View, Rows[I].First, Rows[I].end()).size());
      CountWidth = std::max(CountWidth, text::displayWidth(count(Rows[I])));
      AccessWidth = std::max(AccessWidth, grouped(Rows[I].Accesses).size());
    }
  std::string Head = fmt::format("    {:<{}}  {:>{}}   all  {}  {:>{}}", "offset", RangeWidth,
                                 View.shared() ? "rows" : "sectors", CountWidth,
                                 View.shared() ? " bank 0   8        16       24      "
                                               : "  0  1  2  3  4  5  6  7",
                                 "accesses", AccessWidth);
  line(text::styled(text::Bold, Head + (View.shared() ? "" : "  lines")));
  for (const HeatRepeat &R : Parts) {
    for (size_t I = R.First; I < R.First + R.Period; ++I)
      row(View, Rows[I], Keys);
    if (R.Times)
      repeat(View, Rows, R);
  }
  if (!Parts.empty() && Parts.back().end() < Rows.size())
    line(fmt::format("    {} more, from 0x{:x} on: --top 0 shows all, --format html draws them",
                     plural(Rows.size() - Parts.back().end(), "row"),
                     View.offset(Rows[Parts.back().end()].First)));
}

void Terminal::notes(const HeatView &View, const std::vector<HeatRow> &Rows,
                     const PlaceKeys &Keys) {
  auto Any = [&](auto Has) { return std::any_of(Rows.begin(), Rows.end(), Has); };
  if (Any([](const HeatRow &R) { return R.SeveralBlocks; }))
    wrapped("    * ", "accessed by several of the blocks: warps of different blocks with the same "
                      "number are one");
  if (Any([](const HeatRow &R) { return R.Merged; }))
    wrapped("    ~ ", fmt::format("stands for sectors that differ ({}), with the highest of each "
                                  "number",
                                  plural(View.Map->Merged, "sector")));
  if (!View.shared() && Any([&](const HeatRow &R) { return Keys.keys(R.Places).ends_with("?"); }))
    wrapped("    ? ", "not known: code without a line, one of more than 63 lines, or functions of "
                      "more than 8 translation units");
  if (Any([](const HeatRow &R) {
        return std::count(R.Sharers.begin(), R.Sharers.end(), Sharing::Thread);
      }))
    wrapped("    T ", "only one thread accesses the word; 1: only one warp does");
  if (View.shared() && Any([](const HeatRow &R) {
        return std::any_of(R.Words.begin(), R.Words.end(), [](unsigned T) { return T > 9; });
      }))
    wrapped("    a ", "is 10, b 11 and so on to w, 32");
}

void Terminal::view(const HeatView &View, const std::vector<HeatRow> &Rows, const PlaceKeys &Keys) {
  std::string What = View.What;
  if (!View.Source.File.empty())
    What += (What.empty() ? "" : View.shared() ? ", " : " at ") + position(View.Source);
  Text += "\n";
  line(fmt::format("  {}  {}{}", text::styled(text::Bold, View.Name),
                   plural(View.Bytes, "byte") + (View.shared() ? " of shared memory" : ""),
                   What.empty() ? "" : ", " + What));
  if (std::all_of(Rows.begin(), Rows.end(), [](const HeatRow &R) { return R.Line == 0; })) {
    line("    no such access");
    return;
  }
  map(View, Rows, Keys);
  notes(View, Rows, Keys);
}

void Terminal::legend(const HeatLaunch &Launch) {
  Hottest = Launch.hottest();
  static constexpr const char *What[HeatOfs] = {"access", "read", "write", "atomically update"};
  std::string Line = text::render(
      fmt::format("  temperature: warps of a block that {} it:  ", What[static_cast<unsigned>(Of)]),
      false);
  Line += cell(0, ".") + " none ";
  for (unsigned I = 0, Last = 0; I <= 8; ++I)
    if (const unsigned T = 1 + I * (Hottest - 1) / 8; T != std::exchange(Last, T))
      Line += cell(T, fmt::format("{:>3}", T));
  Text += Line + "\n";
}

void Terminal::launch(const HeatLaunch &Launch, const std::vector<uint64_t> &Others) {
  std::vector<std::vector<HeatRow>> Rows;
  uint64_t Used = 0;
  for (const HeatView &View : Launch.Views) {
    Rows.push_back(heatRows(Launch, View, Of));
    for (const HeatRow &R : Rows.back())
      Used |= R.Places;
  }
  const PlaceKeys Keys(Launch, Used);
  Text += Text.empty() ? "" : "\n";
  std::string Where;
  if (Launch.Kernel->Desc && !Launch.Kernel->Desc->Source.File.empty())
    Where = "  " + position(Launch.Kernel->Desc->Source);
  line(text::styled(text::Bold, Launch.Kernel->Demangled) + Where);
  line(fmt::format(
      "  launch {}{}: grid {}, block {}; {} sampled ({})", Launch.First.Id,
      Launch.Launches > 1 ? fmt::format(" and {} like it", grouped(Launch.Launches - 1)) : "",
      text::dim3(Launch.First.Grid), text::dim3(Launch.First.Block), Launch.sampled(),
      plural(Launch.Context->warpsPerBlock(), "warp")));
  if (!Others.empty()) {
    std::string Ids = fmt::format(
        "{}",
        fmt::join(Others.begin(),
                  Others.begin() + std::min<ptrdiff_t>(8, Others.end() - Others.begin()), ", "));
    wrapped("  ", fmt::format("{} of this kernel {} sampled too: {}{} (--launch shows one)",
                              plural(Others.size(), "launch"), Others.size() == 1 ? "was" : "were",
                              Ids, Others.size() > 8 ? " and so on" : ""));
  }
  const profile::HeatContext &C = *Launch.Context;
  if (C.Outside)
    line(fmt::format("  {} to memory of no known object, not shown", plural(C.Outside, "access")));
  if (C.Lost)
    line(fmt::format("  {} not recorded: the recording memory was full", plural(C.Lost, "access")));
  legend(Launch);
  lines(Keys, Launch);
  for (size_t I = 0; I < Launch.Views.size(); ++I)
    view(Launch.Views[I], Rows[I], Keys);
}

std::string heatText(const std::vector<HeatLaunch> &Launches, HeatOf Of, SourceText &Source,
                     const TextOptions &Options) {
  Terminal T(Of, Source, Options);
  std::set<const profile::Kernel *> Seen;
  for (const HeatLaunch &L : Launches) {
    if (!Seen.insert(L.Kernel).second)
      continue;
    std::vector<uint64_t> Others;
    for (const HeatLaunch &Other : Launches)
      if (&Other != &L && Other.Kernel == L.Kernel)
        Others.push_back(Other.First.Id);
    T.launch(L, Others);
  }
  return std::move(T.Text);
}

} // namespace gmprof
