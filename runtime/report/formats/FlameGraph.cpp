//===- FlameGraph.cpp - Allocations as a flame graph ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws an icicle: the width of a box is the memory allocated below it, and callers are above
// callees. Below it are the same data as nested lists that open and close, for people who cannot
// see or point at boxes. There are no scripts, so that a name that a program chose cannot do
// anything.
//
//===----------------------------------------------------------------------===//

#include "profile/Saturating.h"
#include "report/formats/XmlText.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include "report/views/AllocationPaths.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace gmprof {
namespace {

constexpr char Style[] = R"(<style>
:root { --ink: #1d1d1f; --faint: #66666c; --paper: #fff; --panel: #f5f5f7; --edge: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --faint: #a0a0a8; --paper: #16161a; --panel: #222228; --edge: #16161a; } }
body { margin: 0 16px 24px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 18px; } h2 { font-size: 15px; margin: 20px 0 6px; }
p { margin: 2px 0; color: var(--faint); }
.graph { position: relative; overflow: hidden; background: var(--panel); }
.graph div { position: absolute; height: 19px; overflow: hidden; white-space: nowrap;
  box-sizing: border-box; padding: 0 3px; border-right: 1px solid var(--edge); color: #1d1d1f;
  font: 12px/18px ui-monospace, monospace; border-bottom: 1px solid var(--edge); }
.graph div:hover { filter: brightness(1.08); outline: 1px solid #1d1d1f; outline-offset: -1px; }
.c0 { background: #f4b183; } .c1 { background: #f6c177; } .c2 { background: #f0a07c; }
.c3 { background: #f3d17c; } .c4 { background: #9cc5e3; }
details { margin-left: 16px; } summary { padding: 1px 0; }
summary, li { font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
ul { margin: 0 0 0 16px; padding-left: 16px; list-style: none; }
small { color: var(--faint); }
@media print { .graph { print-color-adjust: exact; } }
</style>
</head>
<body>
)";

struct Node {
  const PathFrame *Frame = nullptr;
  uint64_t Bytes = 0, Objects = 0;
  size_t Depth = 0;
  std::vector<Node> Children;
  bool Leaf = false; ///< an object
};

class Page {
public:
  Page(const summary::Summary &S, PathsOf Of) : S(S), Of(Of), Paths(allocationPaths(S, Of)) {}
  std::string all();

private:
  void grow();
  void boxes(const Node &N, double Left);
  void list(const Node &N);
  std::string label(const Node &N) const;
  template <typename... Args> void put(fmt::format_string<Args...> Format, Args &&...Values) {
    fmt::format_to(std::back_inserter(Text), Format, std::forward<Args>(Values)...);
    Text += '\n';
  }

  const summary::Summary &S;
  const PathsOf Of;
  const std::vector<WeightedPath> Paths;
  Node Root;
  size_t Deepest = 0, Hidden = 0;
  std::string Text = pageHead("Allocations") + Style;
};

/// Boxes narrower than this, in percent of the page, appear in the list only.
constexpr double Narrowest = 0.02;
constexpr size_t MaxDepth = 64; ///< call paths are not longer

} // namespace

static std::string escaped(const std::string &Of) { return xmlEscaped(text::printable(Of)); }

void Page::grow() {
  for (const WeightedPath &P : Paths) {
    Node *At = &Root;
    At->Bytes = addSaturating(At->Bytes, P.Bytes);
    At->Objects += P.Objects;
    for (const PathFrame &F : P.Frames) {
      if (At->Depth >= MaxDepth)
        break;
      auto Same = std::find_if(At->Children.begin(), At->Children.end(),
                               [&](const Node &N) { return N.Frame->key() == F.key(); });
      if (Same == At->Children.end()) {
        Node New;
        New.Frame = &F;
        New.Depth = At->Depth + 1;
        At->Children.push_back(std::move(New));
        Same = At->Children.end() - 1;
      }
      At = &*Same;
      At->Bytes = addSaturating(At->Bytes, P.Bytes);
      At->Objects += P.Objects;
      Deepest = std::max(Deepest, At->Depth);
    }
    At->Leaf = true;
  }
  std::function<void(Node &)> Sort = [&](Node &N) {
    std::sort(N.Children.begin(), N.Children.end(), [](const Node &A, const Node &B) {
      return A.Bytes != B.Bytes ? A.Bytes > B.Bytes : A.Frame->key() < B.Frame->key();
    });
    for (Node &Child : N.Children)
      Sort(Child);
  };
  Sort(Root);
}

std::string Page::label(const Node &N) const {
  const double Share =
      Root.Bytes ? 100 * static_cast<double>(N.Bytes) / static_cast<double>(Root.Bytes) : 0;
  std::string Where;
  if (N.Frame->Where)
    Where = fmt::format("  {}", text::shortPosition(N.Frame->Where));
  return escaped(fmt::format("{}{}: {} in {} ({:.1f} %)", N.Frame->Name, Where,
                             plural(N.Bytes, "byte"), plural(N.Objects, "object"), Share));
}

void Page::boxes(const Node &N, double Left) {
  const double Width =
      100 * static_cast<double>(N.Bytes) / static_cast<double>(std::max<uint64_t>(Root.Bytes, 1));
  if (Width < Narrowest) {
    ++Hidden;
    return;
  }
  put(R"(<div class="c{}" style="left:{:.4f}%;top:{}px;width:{:.4f}%" title="{}">{}</div>)",
      N.Leaf ? 4 : (std::hash<std::string>()(N.Frame->Name) & 3), Left, 19 * (N.Depth - 1), Width,
      label(N), escaped(shortName(N.Frame->Name)));
  for (const Node &Child : N.Children) {
    boxes(Child, Left);
    Left += 100 * static_cast<double>(Child.Bytes) /
            static_cast<double>(std::max<uint64_t>(Root.Bytes, 1));
  }
}

void Page::list(const Node &N) {
  if (N.Children.empty()) {
    put("<ul><li>{}</li></ul>", label(N));
    return;
  }
  put("<details{}><summary>{}</summary>", N.Depth <= 4 ? " open" : "", label(N));
  for (const Node &Child : N.Children)
    list(Child);
  put("</details>");
}

std::string Page::all() {
  static constexpr const char *What[] = {"allocated", "in use at the peak", "never released"};
  grow();
  put("<h1>Memory {}: {} in {}</h1>", What[static_cast<size_t>(Of)], plural(Root.Bytes, "byte"),
      plural(Root.Objects, "object"));
  put("<p>{}</p>", escaped(fmt::format("{} (GMProf {}, {})", fmt::join(S.run.command, " "),
                                       S.tool.version, S.run.start)));
  if (S.memory && S.memory->objects_omitted)
    put("<p>{} are not in the summary, and so not here.</p>",
        plural(S.memory->objects_omitted, "object"));
  put("<p>A box is as wide as what is allocated in the function and what it calls; callers are "
      "above. Blue boxes are what is allocated, by its variable or API.</p>");
  put(R"(<div class="graph" aria-hidden="true" style="height:{}px">)", 19 * Deepest);
  double Left = 0;
  for (const Node &Child : Root.Children) {
    boxes(Child, Left);
    Left += 100 * static_cast<double>(Child.Bytes) /
            static_cast<double>(std::max<uint64_t>(Root.Bytes, 1));
  }
  put("</div>");
  if (Hidden)
    put("<p>{} too narrow to draw; below they are all.</p>",
        Hidden == 1 ? "1 box is" : fmt::format("{} boxes are", Hidden));
  put("<h2>As a list</h2>");
  for (const Node &Child : Root.Children)
    list(Child);
  return std::move(Text) + "</body>\n</html>\n";
}

std::string flameGraphPage(const summary::Summary &S, PathsOf Of) { return Page(S, Of).all(); }

} // namespace gmprof
