//===- CacheSvg.cpp - Cache hit rates as an SVG chart ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/CacheSvg.h"
#include "report/formats/XmlText.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gmprof {

using namespace cache;

namespace {

constexpr unsigned Left = 48, Top = 72, Height = 160, Step = 56, Bar = 32, Gap = 40, Below = 120;
constexpr unsigned LeastWidth = 240; ///< of a level, so that its title fits

struct Point {
  std::string Name;
  double Rate = 0, Traffic = 0;
  std::optional<double> Efficiency;
  uint64_t Transactions = 0;
};

class Chart {
public:
  std::string Out;

  /// Draws a level at X; returns its width.
  unsigned level(unsigned X, const std::string &Name, const std::vector<Point> &Points);

private:
  static unsigned y(double Part) {
    return Top + Height - static_cast<unsigned>(std::lround(Part * Height));
  }
  void text(unsigned X, unsigned Y, const char *Class, const std::string &Text) {
    Out += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", X, Y, Class,
                       xmlEscaped(Text));
  }
  void line(unsigned X, const char *Class, const std::vector<std::optional<double>> &Parts);
};

} // namespace

void Chart::line(unsigned X, const char *Class, const std::vector<std::optional<double>> &Parts) {
  std::string Points;
  for (size_t I = 0; I < Parts.size(); ++I)
    if (Parts[I]) {
      const unsigned At = X + static_cast<unsigned>(I) * Step + Step / 2;
      Points += fmt::format("{}{},{}", Points.empty() ? "" : " ", At, y(*Parts[I]));
      Out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" class=\"{}\"/>\n", At, y(*Parts[I]),
                         Class);
    }
  if (!Points.empty())
    Out += fmt::format("<polyline points=\"{}\" class=\"l {}\"/>\n", Points, Class);
}

unsigned Chart::level(unsigned X, const std::string &Name, const std::vector<Point> &Points) {
  const unsigned Width = std::max(LeastWidth, static_cast<unsigned>(Points.size()) * Step);
  text(X, Top - 12, "h", Name);
  for (unsigned Percent = 0; Percent <= 100; Percent += 25) {
    const unsigned Y = y(Percent / 100.0);
    Out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"g\"/>\n", X, Y,
                       X + Width, Y);
    text(X - 6, Y + 4, "e", fmt::format("{} %", Percent));
  }
  std::vector<std::optional<double>> Traffic, Efficiency;
  for (size_t I = 0; I < Points.size(); ++I) {
    const Point &P = Points[I];
    const unsigned At = X + static_cast<unsigned>(I) * Step;
    Out += fmt::format(
        "<g><title>{}</title>",
        xmlEscaped(fmt::format(
            "{}\nhit rate {:.1f} %\n{:.1f} % of the transactions: {}{}", P.Name, 100 * P.Rate,
            100 * P.Traffic, P.Transactions,
            P.Efficiency ? fmt::format("\ncoalescing efficiency {:.1f} %", 100 * *P.Efficiency)
                         : "")));
    Out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"b\"/></g>\n",
                       At + (Step - Bar) / 2, y(P.Rate), Bar, Top + Height - y(P.Rate));
    Out += fmt::format("<text transform=\"translate({},{}) rotate(35)\">{}</text>\n", At + Step / 3,
                       Top + Height + 14,
                       xmlEscaped(P.Name.size() > 24 ? P.Name.substr(0, 22) + ".." : P.Name));
    Traffic.emplace_back(P.Traffic);
    Efficiency.push_back(P.Efficiency);
  }
  line(X, "k", Efficiency);
  line(X, "r", Traffic);
  return Width;
}

std::string cacheSvg(const std::vector<CacheRow> &Rows, const std::string &Title, size_t MaxRows) {
  const size_t Shown = MaxRows ? std::min(MaxRows, Rows.size()) : Rows.size();
  uint64_t L1 = 0, L2 = 0;
  for (const CacheRow &Row : Rows) {
    L1 += Row.Counts.L1Lookups;
    L2 += Row.Counts.l2Lookups();
  }
  std::vector<Point> First, Second;
  for (size_t I = 0; I < Shown; ++I) {
    const AccessCounts &C = Rows[I].Counts;
    First.push_back({Rows[I].Name, hitRate(C.L1Hits, C.L1Lookups), hitRate(C.L1Lookups, L1),
                     coalescingEfficiency(C), C.L1Lookups});
    Second.push_back({Rows[I].Name, hitRate(C.L2Hits, C.l2Lookups()), hitRate(C.l2Lookups(), L2),
                      std::nullopt, C.l2Lookups()});
  }
  Chart Drawn;
  unsigned X = Left;
  X += Drawn.level(X, fmt::format("L1: {} transactions", L1), First) + Left + Gap;
  X += Drawn.level(X, fmt::format("L2: {} transactions", L2), Second) + Gap;
  const std::string NotDrawn =
      Shown < Rows.size() ? fmt::format("; {} more not drawn", Rows.size() - Shown) : "";
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\">\n<style>"
             "svg{{background:#fff}}text{{font:11px ui-monospace,monospace;fill:#1d1d1f}}"
             ".h{{font-weight:bold}}.e{{text-anchor:end;fill:#66666c}}.g{{stroke:#dcdce0}}"
             ".b{{fill:#9db8d9}}.l{{fill:none;stroke-width:2}}"
             "polyline.k{{stroke:#1d1d1f}}circle.k{{fill:#1d1d1f}}"
             "polyline.r{{stroke:#c62828}}circle.r,.tr{{fill:#c62828}}\n"
             "@media(prefers-color-scheme:dark){{svg{{background:#16161a}}text{{fill:#ececf1}}"
             ".e{{fill:#a0a0a8}}.g{{stroke:#3a3a42}}.b{{fill:#4a6a94}}"
             "polyline.k{{stroke:#ececf1}}circle.k{{fill:#ececf1}}"
             "polyline.r{{stroke:#ff7a70}}circle.r,.tr{{fill:#ff7a70}}}}</style>\n"
             "<text x=\"12\" y=\"18\" class=\"h\">{2}</text>\n"
             "<text x=\"12\" y=\"32\">bars: hit rate; <tspan class=\"tr\">red: share of the "
             "transactions</tspan>; black: coalescing efficiency{3}</text>\n",
             X, Top + Height + Below, xmlEscaped(Title), NotDrawn) +
         Drawn.Out + "</svg>\n";
}

} // namespace gmprof
