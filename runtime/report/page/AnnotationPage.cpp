//===- AnnotationPage.cpp - Annotated source as a web page ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/XmlText.h"
#include "report/text/TextStyle.h"
#include "report/views/Annotation.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace gmprof {

namespace {

constexpr char Style[] = R"(<style>
:root { --ink: #1d1d1f; --faint: #66666c; --paper: #fff; --panel: #f5f5f7; --edge: #d2d2d7;
  --high: #b3261e; --medium: #8a5a00; --warn: #fff4d6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --faint: #a0a0a8; --paper: #16161a; --panel: #222228; --edge: #3c3c44;
    --high: #ff8a80; --medium: #ffc766; --warn: #3a3118; } }
body { margin: 0 16px 24px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 18px; } h2 { font-size: 15px; margin: 24px 0 4px; overflow-wrap: anywhere; }
p, li { margin: 2px 0; }
p.note { background: var(--warn); padding: 4px 8px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font: 12.5px/1.4 ui-monospace, monospace; }
th { font-weight: normal; color: var(--faint); text-align: right; }
thead th { background: var(--panel); border-bottom: 1px solid var(--edge); }
th, td { padding: 0 8px; white-space: pre; vertical-align: top; }
td { text-align: right; } td.code, td.text { text-align: left; }
td.text { white-space: normal; font-family: system-ui, sans-serif; padding: 3px 8px 5px; }
td.text div { position: sticky; left: 8px; max-width: min(110ch, calc(100vw - 64px)); }
thead th[colspan] { text-align: left; }
td.code { border-left: 1px solid var(--edge); }
tr.hit { background: var(--panel); }
tr.view td, tr.view th { color: var(--faint); }
tr.gap td { color: var(--faint); text-align: left; }
b.high { color: var(--high); } b.medium { color: var(--medium); }
a { color: inherit; }
@media print { body { margin: 0; } .scroll { overflow: visible; } td.code { white-space: pre-wrap; }
  tr { break-inside: avoid; } thead { display: table-header-group; } }
</style>
</head>
<body>
)";

class Page {
public:
  Page(const Annotation &A, SourceText &Source, const AnnotationOptions &How)
      : A(A), Source(Source), How(How) {}
  std::string all();

private:
  void file(const AnnotatedFile &File, size_t Index);
  void tableHead();
  void figures(const LineFigures &Of);
  void line(unsigned Number, const AnnotatedLine *Line, const std::string &Code);
  void view(const LineView &View, unsigned Depth);
  void parts(const LineView &View, unsigned Depth);
  void finding(const summary::Finding &F);
  template <typename... Args> void put(fmt::format_string<Args...> Format, Args &&...Values) {
    fmt::format_to(std::back_inserter(Text), Format, std::forward<Args>(Values)...);
    Text += '\n';
  }

  const Annotation &A;
  SourceText &Source;
  const AnnotationOptions &How;
  std::vector<const FigureColumn *> Columns;
  std::string Text = pageHead("Annotated source") + Style;
};

} // namespace

/// Escapes text of the program, so that it cannot contain markup.
static std::string escaped(const std::string &Of) { return xmlEscaped(text::printable(Of)); }

/// Escapes a source line; keeps tabs, which the page renders.
static std::string code(const std::string &Line) {
  std::string To;
  for (size_t Begin = 0; Begin <= Line.size();) {
    const size_t End = std::min(Line.find('\t', Begin), Line.size());
    To += escaped(Line.substr(Begin, End - Begin)) + (End < Line.size() ? "\t" : "");
    Begin = End + 1;
  }
  return To;
}

void Page::tableHead() {
  Text += "<thead><tr>";
  for (size_t I = 0; I < Columns.size();) {
    size_t End = I;
    while (End < Columns.size() &&
           std::string_view(Columns[End]->Group) == std::string_view(Columns[I]->Group))
      ++End;
    Text += fmt::format(R"(<th scope="colgroup" colspan="{}">{}</th>)", End - I, Columns[I]->Group);
    I = End;
  }
  Text += "<th></th><th></th></tr>\n<tr>";
  for (const FigureColumn *C : Columns)
    Text += fmt::format(R"(<th scope="col" title="{}">{}</th>)", C->Meaning, C->Title);
  put(R"(<th scope="col">line</th><th scope="col"></th></tr></thead><tbody>)");
}

void Page::figures(const LineFigures &Of) {
  for (const FigureColumn *C : Columns)
    Text += fmt::format("<td>{}</td>", escaped(C->Text(Of, false)));
}

void Page::view(const LineView &View, unsigned Depth) {
  Text += R"(<tr class="view">)";
  figures(View.Figures);
  put(R"(<th></th><td class="code">{:{}}&gt; {}</td></tr>)", "", 2 * Depth, escaped(View.Name));
  parts(View, Depth + 1);
}

void Page::parts(const LineView &View, unsigned Depth) {
  for (const LineView &Each : View.Inlined)
    view(Each, Depth);
  if (View.Accesses.size() > 1)
    for (const LineView &Each : View.Accesses)
      view(Each, Depth);
}

void Page::finding(const summary::Finding &F) {
  const std::string Pattern = F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind;
  const bool Known = F.severity == "high" || F.severity == "medium";
  put(R"(<tr><td class="text" colspan="{}"><div><b class="{}">[{}]</b> {}. <b>{}</b>: {} <i>{}</i></div></td></tr>)",
      Columns.size() + 2, Known ? F.severity : "other", escaped(F.severity), F.id, escaped(Pattern),
      escaped(F.message), escaped(F.suggestion));
}

void Page::line(unsigned Number, const AnnotatedLine *Line, const std::string &Code) {
  Text += Line ? R"(<tr class="hit">)" : "<tr>";
  figures(Line ? Line->Figures : LineFigures());
  put(R"(<th scope="row">{}</th><td class="code">{}</td></tr>)", Number, Code);
  if (!Line)
    return;
  if (!How.Brief)
    for (const auto &[Id, Each] : Line->Kernels) {
      const bool OfFunction = Each.Name.find(" > ") != std::string::npos;
      if (Line->Kernels.size() > 1 || OfFunction)
        view(Each, 0);
      else
        parts(Each, 0);
    }
  for (const summary::Finding *F : Line->Findings)
    finding(*F);
}

void Page::file(const AnnotatedFile &File, size_t Index) {
  put(R"(<h2 id="file{}">{}</h2>)", Index, escaped(File.Path));
  if (const std::string Note = sourceNote(Source.state(File.Path)); !Note.empty())
    put(R"(<p class="note">{}</p>)", escaped(Note));
  for (const summary::Kernel &K : A.Summary.kernels)
    if (K.heat && std::count(File.Kernels.begin(), File.Kernels.end(), K.id))
      put("<p>{}: {} of {} sampled, in {}</p>", escaped(shortName(K.demangled)),
          text::grouped(K.heat->blocks_sampled), plural(K.heat->blocks_launched, "block"),
          plural(K.heat->launches_sampled, "launch"));
  Columns.clear();
  for (const FigureColumn &C : figureColumns())
    if (std::any_of(File.Lines.begin(), File.Lines.end(),
                    [&](const auto &Line) { return !C.Text(Line.second.Figures, false).empty(); }))
      Columns.push_back(&C);
  put(R"(<div class="scroll" tabindex="0"><table>)");
  tableHead();
  const std::vector<std::string> &Lines = Source.lines(File.Path);
  unsigned Last = 0;
  for (unsigned N : shownLines(File, static_cast<unsigned>(Lines.size()), How)) {
    if (Last != 0 && N != Last + 1)
      put(R"(<tr class="gap"><td colspan="{}"></td><td>...</td><td class="code"></td></tr>)",
          std::max<size_t>(Columns.size(), 1));
    Last = N;
    const auto Known = File.Lines.find(N);
    line(N, Known == File.Lines.end() ? nullptr : &Known->second,
         N <= Lines.size() ? code(Lines[N - 1]) : "?");
  }
  put("</tbody></table></div>");
}

std::string Page::all() {
  put("<h1>{}</h1>", escaped(fmt::format("{}", fmt::join(A.Summary.run.command, " "))));
  put("<p>{}</p>",
      escaped(fmt::format("GMProf {}, {}", A.Summary.tool.version, A.Summary.run.start)));
  for (const std::string &Note : A.Notes)
    put("<p>{}</p>", escaped(Note));
  if (A.Files.size() > 1) {
    put("<ul>");
    for (size_t I = 0; I < A.Files.size(); ++I)
      put(R"(<li><a href="#file{}">{}</a></li>)", I, escaped(A.Files[I].Path));
    put("</ul>");
  }
  for (size_t I = 0; I < A.Files.size(); ++I)
    file(A.Files[I], I);
  return std::move(Text) + "</body>\n</html>\n";
}

std::string annotationPage(const Annotation &A, SourceText &Source, const AnnotationOptions &How) {
  return Page(A, Source, How).all();
}

} // namespace gmprof
