//===- AnnotationText.cpp - Annotated source for the terminal -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextStyle.h"
#include "report/views/Annotation.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace gmprof {

using namespace text;

namespace {

class Terminal {
public:
  Terminal(const Annotation &A, SourceText &Source, const AnnotationOptions &How,
           const TextOptions &Options)
      : A(A), Source(Source), How(How), Options(Options) {}
  void file(const AnnotatedFile &File);
  void notes();

  std::string Text;

private:
  void chooseColumns(const AnnotatedFile &File);
  void setColumns(const AnnotatedFile &File, unsigned MaxSpare);
  void head(const AnnotatedFile &File);
  std::string margin(const LineFigures &Of) const;
  void row(const LineFigures &Of, const std::string &Number, const std::string &Line);
  void line(unsigned Number, const AnnotatedLine *Line, const std::string &Code);
  void views(const AnnotatedLine &Line);
  void finding(const summary::Finding &F);
  std::string path(const std::string &Path) const;
  void put(const std::string &Line) { Text += render(Line, Options.Color) + "\n"; }

  const Annotation &A;
  SourceText &Source;
  const AnnotationOptions &How;
  const TextOptions &Options;
  struct Column {
    const FigureColumn *Of;
    size_t Width;
  };
  std::vector<Column> Columns;
  std::vector<std::string> LeftOut; ///< titles of dropped columns
  bool Brief = false;
  size_t MarginWidth = 0, NumberWidth = 0;
  std::string LastView; ///< the last view that was named
};

} // namespace

/// Sets Width to the width of the widest cell. Figures of views never exceed those of their line.
static bool hasColumn(const AnnotatedFile &File, const FigureColumn &C, bool Brief, size_t &Width) {
  bool Any = false;
  for (const auto &[Number, Line] : File.Lines) {
    const std::string Cell = C.Text(Line.Figures, Brief);
    Any = Any || !Cell.empty();
    Width = std::max(Width, displayWidth(Cell));
  }
  return Any;
}

/// Chooses the columns up to MaxSpare, and widens each group to fit its name.
void Terminal::setColumns(const AnnotatedFile &File, unsigned MaxSpare) {
  Columns.clear();
  LeftOut.clear();
  std::string_view Group;
  size_t GroupWidth = 0;
  auto EndGroup = [&] {
    if (!Columns.empty())
      Columns.back().Width += std::max(Group.size(), GroupWidth) - GroupWidth;
  };
  for (const FigureColumn &C : figureColumns()) {
    size_t Width = std::string_view(C.Title).size();
    if (!hasColumn(File, C, Brief, Width))
      continue;
    if (C.Spare > MaxSpare) {
      LeftOut.push_back(fmt::format("{} ({})", C.Title, C.Group));
      continue;
    }
    if (Group != C.Group)
      EndGroup();
    GroupWidth = (Group == C.Group ? GroupWidth + 2 : 0) + Width;
    Group = C.Group;
    Columns.push_back({&C, Width});
  }
  EndGroup();
  MarginWidth = 0;
  for (const Column &C : Columns)
    MarginWidth += C.Width + 2;
}

/// Abbreviates numbers, then drops columns, until the code has at least half of the width.
void Terminal::chooseColumns(const AnnotatedFile &File) {
  const size_t Digits = std::to_string(uint64_t(File.Lines.rbegin()->first) + How.Context).size();
  NumberWidth = std::max<size_t>(4, Digits);
  unsigned MaxSpare = 0;
  for (const FigureColumn &C : figureColumns())
    MaxSpare = std::max(MaxSpare, C.Spare);
  Brief = false;
  setColumns(File, MaxSpare);
  for (; MarginWidth > Options.Width / 2; --MaxSpare) {
    Brief = true;
    setColumns(File, MaxSpare);
    if (MaxSpare == 0)
      return;
  }
}

std::string Terminal::path(const std::string &Path) const {
  if (Options.Folder.empty())
    return Path;
  std::string Relative = std::filesystem::path(Path).lexically_relative(Options.Folder).string();
  return !Relative.empty() && Relative.size() < Path.size() ? Relative : Path;
}

std::string Terminal::margin(const LineFigures &Of) const {
  std::string Cells;
  for (const Column &C : Columns)
    Cells += fmt::format("{:>{}}  ", C.Of->Text(Of, Brief), C.Width);
  return Cells;
}

/// Replaces tabs by spaces.
static std::string expanded(const std::string &Code) {
  std::string To;
  for (char C : Code.substr(0, Code.find_last_not_of(" \t\r") + 1))
    if (C == '\t')
      To.append(4 - To.size() % 4, ' ');
    else
      To += C;
  return To;
}

/// Truncates text to a number of columns, without splitting a UTF-8 character.
static std::string cut(const std::string &Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return Text;
  size_t End = 0, Columns = 0;
  for (; End < Text.size(); ++End)
    if ((static_cast<unsigned char>(Text[End]) & 0xc0) != 0x80 && Columns++ == Width)
      break;
  return Text.substr(0, End);
}

static constexpr size_t LeastCode = 24; ///< in columns

void Terminal::row(const LineFigures &Of, const std::string &Number, const std::string &Line) {
  const size_t Before = MarginWidth + NumberWidth + 2;
  const size_t Width = std::max(Options.Width, static_cast<unsigned>(Before + LeastCode)) - Before;
  std::string Row = fmt::format("{}{:>{}}  {}", margin(Of), Number, NumberWidth, cut(Line, Width));
  Row.erase(Row.find_last_not_of(' ') + 1);
  put(Row);
}

void Terminal::head(const AnnotatedFile &File) {
  const std::string Note = sourceNote(Source.state(File.Path));
  put(styled(Bold, path(File.Path)));
  if (!Note.empty())
    Text += render(wrapped("  ", styled(Yellow, Note), Options.Width), Options.Color);
  for (const summary::Kernel &K : A.Summary.kernels)
    if (K.heat && std::count(File.Kernels.begin(), File.Kernels.end(), K.id))
      Text += render(wrapped("  ",
                             fmt::format("{}: {} of {} sampled, in {}", shortName(K.demangled),
                                         grouped(K.heat->blocks_sampled),
                                         plural(K.heat->blocks_launched, "block"),
                                         plural(K.heat->launches_sampled, "launch")),
                             Options.Width),
                     Options.Color);
  if (!LeftOut.empty())
    Text += render(wrapped("  ",
                           fmt::format("Not shown, for the width: {}. A larger --width shows more.",
                                       fmt::join(LeftOut, ", ")),
                           Options.Width),
                   Options.Color);
  std::string Groups, Titles;
  std::string_view Group;
  for (const Column &C : Columns) {
    if (Group != C.Of->Group)
      Groups += fmt::format("{:<{}}{}", "", Titles.size() - Groups.size(), C.Of->Group);
    Group = C.Of->Group;
    Titles += fmt::format("{:>{}}  ", C.Of->Title, C.Width);
  }
  if (Columns.empty())
    return;
  put(styled(Bold, Groups));
  put(styled(Bold, fmt::format("{}{:>{}}", Titles, "line", NumberWidth)));
}

void Terminal::views(const AnnotatedLine &Line) {
  if (How.Brief)
    return;
  const bool Several = Line.Kernels.size() > 1;
  for (const auto &[Id, View] : Line.Kernels) {
    if (Several)
      row(View.Figures, "", "> " + View.Name);
    const std::string Indent = Several ? "  > " : "> ";
    for (const LineView &Each : View.Inlined)
      row(Each.Figures, "", Indent + Each.Name);
    if (View.Accesses.size() > 1)
      for (const LineView &Each : View.Accesses)
        row(Each.Figures, "", Indent + Each.Name);
  }
}

static char severityStyle(const std::string &Severity) {
  return Severity == "high" ? Red : Severity == "medium" ? Yellow : Bold;
}

void Terminal::finding(const summary::Finding &F) {
  const std::string What = F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind;
  const std::string Indent(std::min<size_t>(NumberWidth + 4, 8), ' ');
  Text += render(wrapped(Indent,
                         fmt::format("{} {}. {}: {}",
                                     styled(severityStyle(F.severity), "[" + F.severity + "]"),
                                     F.id, What, F.message),
                         Options.Width),
                 Options.Color);
}

void Terminal::line(unsigned Number, const AnnotatedLine *Line, const std::string &Code) {
  if (Line && Line->Kernels.size() == 1 && !How.Brief) {
    // Names the function where one begins that is not called like the kernel.
    const std::string &Name = Line->Kernels.begin()->second.Name;
    if (Name != LastView && (Name.find(" > ") != std::string::npos || !LastView.empty()))
      row({}, "", styled(Dim, "in " + Name));
    LastView = Name;
  }
  row(Line ? Line->Figures : LineFigures(), std::to_string(Number), Code);
  if (!Line)
    return;
  views(*Line);
  for (const summary::Finding *F : Line->Findings)
    finding(*F);
}

void Terminal::file(const AnnotatedFile &File) {
  const std::vector<std::string> &Lines = Source.lines(File.Path);
  Text += Text.empty() ? "" : "\n";
  chooseColumns(File);
  head(File);
  LastView.clear();
  unsigned Last = 0;
  for (unsigned N : shownLines(File, static_cast<unsigned>(Lines.size()), How)) {
    if (Last != 0 && N != Last + 1)
      put(fmt::format("{:>{}}", "...", MarginWidth + NumberWidth));
    Last = N;
    const auto Known = File.Lines.find(N);
    line(N, Known == File.Lines.end() ? nullptr : &Known->second,
         N <= Lines.size() ? printable(expanded(Lines[N - 1])) : "?");
  }
}

void Terminal::notes() {
  for (const std::string &Note : A.Notes) {
    Text += &Note == &A.Notes.front() ? "\n" : "";
    Text += render(wrapped("", Note, Options.Width), Options.Color);
  }
}

std::string annotationText(const Annotation &A, SourceText &Source, const AnnotationOptions &How,
                           const TextOptions &Options) {
  Terminal T(A, Source, How, Options);
  for (const AnnotatedFile &File : A.Files)
    T.file(File);
  T.notes();
  return std::move(T.Text);
}

} // namespace gmprof
