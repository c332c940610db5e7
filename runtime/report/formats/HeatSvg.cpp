//===- HeatSvg.cpp - A heat map as SVG ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/HeatSvg.h"
#include "report/formats/XmlText.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gmprof {

namespace {

constexpr unsigned PerBand = 32, Left = 70, Width = 30, Cell = 18, Gap = 4, Head = 76, Margin = 12;
constexpr unsigned LeastColumns = 24; ///< minimum width, which the legend needs
constexpr unsigned Label = 18;        ///< height above and below a band's cells

struct Color {
  double Red, Green, Blue;
};
/// Ramps from cold to hot, the same as in HeatPage.js.
constexpr Color Light[] = {{255, 247, 201}, {254, 227, 145}, {254, 196, 79}, {251, 141, 41},
                           {228, 87, 15},   {184, 38, 15},   {122, 5, 16}};
constexpr Color Dark[] = {{51, 32, 79},   {93, 35, 112},  {143, 42, 121}, {196, 61, 110},
                          {238, 106, 80}, {252, 166, 59}, {252, 240, 164}};

class Svg {
public:
  Svg(const HeatLaunch &Launch, const HeatView &View, HeatOf Of, SourceText &Source)
      : Launch(Launch), View(View), Of(Of), Source(Source) {}

  std::string draw(std::vector<HeatRow> Rows, size_t MaxColumns);

private:
  unsigned bandHeight() const { return 2 * Label + Cell * (View.lineWords() + 1) + Gap + Margin; }
  void head(size_t NotDrawn);
  void legend();
  void band(const std::vector<HeatRow> &Rows, size_t Index);
  void column(const HeatRow &Row, unsigned X, unsigned Y);
  void cell(unsigned X, unsigned Y, unsigned Temperature, const std::string &Text);
  std::string title(const HeatRow &Row);
  void text(unsigned X, unsigned Y, const char *Class, const std::string &Text);

  const HeatLaunch &Launch;
  const HeatView &View;
  const HeatOf Of;
  SourceText &Source;
  std::string Out;
};

} // namespace

/// Returns CSS classes per temperature, with the colours of cell and text.
static std::string rules(const Color (&Ramp)[7], unsigned Hottest) {
  std::string Rules;
  for (unsigned T = 1; T <= Hottest; ++T) {
    const double At = Hottest > 1 ? 6.0 * (T - 1) / (Hottest - 1) : 0;
    const Color &Low = Ramp[static_cast<size_t>(At)];
    const Color &High = Ramp[static_cast<size_t>(std::ceil(At))];
    const double Part = At - std::floor(At);
    auto Mixed = [&](double A, double B) { return std::lround(A + (B - A) * Part); };
    const long Red = Mixed(Low.Red, High.Red), Green = Mixed(Low.Green, High.Green),
               Blue = Mixed(Low.Blue, High.Blue);
    const bool Bright = 0.299 * double(Red) + 0.587 * double(Green) + 0.114 * double(Blue) > 140;
    Rules += fmt::format(".t{}{{fill:#{:02x}{:02x}{:02x}}}.n{}{{fill:{}}}", T, Red, Green, Blue, T,
                         Bright ? "#000" : "#fff");
  }
  return Rules;
}

void Svg::text(unsigned X, unsigned Y, const char *Class, const std::string &Text) {
  Out += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", X, Y, Class,
                     xmlEscaped(Text));
}

void Svg::cell(unsigned X, unsigned Y, unsigned Temperature, const std::string &Text) {
  Out +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"t{}\"/>"
                  "<text x=\"{}\" y=\"{}\" class=\"m n{}\">{}</text>\n",
                  X, Y, Width - 1, Cell - 1, Temperature, X + Width / 2, Y + 13, Temperature, Text);
}

void Svg::legend() {
  static constexpr const char *What[HeatOfs] = {"access", "read", "write", "atomically update"};
  const std::string Title =
      fmt::format("warps of a block that {} it:", What[static_cast<unsigned>(Of)]);
  text(Margin, 62, "a", Title);
  unsigned X = Margin + 7 * static_cast<unsigned>(Title.size()) + 8;
  cell(X, 49, 0, "\u00b7");
  const unsigned Hottest = Launch.hottest(), Steps = std::min(Hottest, 16U);
  for (unsigned I = 0; I < Steps; ++I) {
    const unsigned T = Steps > 1 ? 1 + I * (Hottest - 1) / (Steps - 1) : 1;
    cell(X += Width, 49, T, std::to_string(T));
  }
  if (View.shared())
    text(X + Width + 8, 62, "a f", "T: one thread");
}

/// NotDrawn: number of columns.
void Svg::head(size_t NotDrawn) {
  text(Margin, 20, "a h",
       fmt::format("{}: {}{}", View.Name, plural(View.Bytes, "byte"),
                   View.shared() ? " of shared memory" : ""));
  text(Margin, 38, "a f",
       fmt::format("launch {}: {} sampled ({}){}; {}", Launch.First.Id, Launch.sampled(),
                   plural(Launch.Context->warpsPerBlock(), "warp"),
                   NotDrawn ? fmt::format("; {} more not drawn", plural(NotDrawn, "column")) : "",
                   Launch.Kernel->Demangled));
  legend();
}

std::string Svg::title(const HeatRow &Row) {
  const uint64_t From = View.offset(Row.First);
  std::string Title = fmt::format(
      "0x{:x} to 0x{:x}: {}, {}", From, std::max(View.offset(Row.end()), From + 1) - 1,
      plural(Row.Lines, View.shared() ? "row" : "sector"), plural(Row.Accesses, "access"));
  if (Row.SeveralBlocks)
    Title += "\naccessed by several blocks";
  if (Row.Merged)
    Title += "\nstands for unequal ones";
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I) {
    const profile::SourcePosition &At = Launch.Places[I].Source;
    if ((Row.Places >> I & 1) && !At.File.empty())
      Title += fmt::format("\n{}:{}  {}", At.File, At.Line, Source.line(At));
  }
  return Title;
}

void Svg::column(const HeatRow &Row, unsigned X, unsigned Y) {
  Out += fmt::format("<g><title>{}</title>\n", xmlEscaped(title(Row)));
  std::string Count = Row.Lines > 1 ? fmt::format("\u00d7{}", Row.Lines) : "";
  if (Row.Lines >= 10000)
    Count = Row.Lines >= 10'240'000 ? fmt::format("\u00d7{}M", Row.Lines >> 20)
                                    : fmt::format("\u00d7{}K", Row.Lines >> 10);
  Count += Row.SeveralBlocks ? "*" : "";
  Count += Row.Merged ? "~" : "";
  if (!Count.empty())
    text(X + Width / 2, Y + Label - 5, "m c", Count);
  auto Digits = [](unsigned T) { return T ? std::to_string(T) : std::string("\u00b7"); };
  cell(X, Y + Label, Row.Line, Digits(Row.Line));
  for (unsigned W = 0; W < View.lineWords(); ++W)
    if (hasWord(View, Row, W))
      cell(X, Y + Label + Cell * (W + 1) + Gap, Row.Words[W],
           Row.Sharers[W] == Sharing::Thread ? "T" : Digits(Row.Words[W]));
  Out += "</g>\n";
}

void Svg::band(const std::vector<HeatRow> &Rows, size_t Index) {
  const auto Y = static_cast<unsigned>(Head + Index * bandHeight());
  text(Left - 8, Y + Label + 13, "e", View.shared() ? "row" : "sector");
  for (unsigned W = 0; W < View.lineWords(); ++W)
    text(Left - 8, Y + Label + Cell * (W + 1) + Gap + 13, "e",
         fmt::format("{} {}", View.shared() ? "bank" : "word", W));
  unsigned Free = 0; // first position where an offset fits
  for (size_t I = Index * PerBand; I < std::min(Rows.size(), (Index + 1) * PerBand); ++I) {
    const unsigned X = Left + Width * static_cast<unsigned>(I % PerBand);
    column(Rows[I], X, Y);
    if (X < Free || (Rows[I].Line == 0 && I != Index * PerBand))
      continue;
    const std::string Offset = fmt::format("0x{:x}", View.offset(Rows[I].First));
    text(X, Y + bandHeight() - Margin - 5, "a f", Offset);
    Free = X + 7 * static_cast<unsigned>(Offset.size()) + 10;
  }
}

std::string Svg::draw(std::vector<HeatRow> Rows, size_t MaxColumns) {
  const size_t Drawn = MaxColumns ? std::min(MaxColumns, Rows.size()) : Rows.size();
  const size_t NotDrawn = Rows.size() - Drawn;
  Rows.resize(Drawn);
  const size_t Bands = (Drawn + PerBand - 1) / PerBand;
  Out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<style>"
      "svg{{background:#fff}}text{{font:11px ui-monospace,monospace;fill:#1d1d1f}}"
      ".m{{text-anchor:middle}}.e{{text-anchor:end}}.f,.e,.n0{{fill:#66666c}}"
      ".h{{font-weight:bold;font-size:13px}}.t0{{fill:#f0f0f3}}{2}\n"
      "@media(prefers-color-scheme:dark){{svg{{background:#16161a}}text{{fill:#ececf1}}"
      ".f,.e,.n0{{fill:#a0a0a8}}.t0{{fill:#222228}}{3}}}</style>\n",
      Left + std::clamp<size_t>(Drawn, LeastColumns, PerBand) * Width + Margin,
      Head + Bands * bandHeight(), rules(Light, Launch.hottest()), rules(Dark, Launch.hottest()));
  head(NotDrawn);
  for (size_t I = 0; I < Bands; ++I)
    band(Rows, I);
  return std::move(Out) + "</svg>\n";
}

std::string heatSvg(const HeatLaunch &Launch, const HeatView &View, HeatOf Of, SourceText &Source,
                    size_t MaxColumns) {
  return Svg(Launch, View, Of, Source).draw(heatRows(Launch, View, Of), MaxColumns);
}

} // namespace gmprof
