//===- AnnotateCommand.cpp - gmreport annotate ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include "report/views/Annotation.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct AnnotateCommand {
  std::string Path, Format = "text", Output;
  AnnotationChoice Choice;
  AnnotationOptions How;
  Style Look;

  int run();
};

int AnnotateCommand::run() {
  Result<summary::Summary> Summary = readSummary(Path, SummaryText::Printable);
  if (!Summary)
    return fail(BadInput, Summary.error());
  SourceText Source(startUnixNs(Summary->run));
  Result<Annotation> A = annotate(std::move(*Summary), Choice);
  if (!A)
    return fail(BadInput, "'" + Path + "': " + A.error());
  if (Format == "text")
    return writeFile(Output.empty() ? "-" : Output, annotationText(*A, Source, How, Look.text()));
  if (Output.empty())
    Output = "annotated.html";
  const int Status = writeFile(Output, annotationPage(*A, Source, How));
  if (Status == Ok && Output != "-")
    std::printf("wrote %s: open it with a web browser\n", Output.c_str());
  return Status;
}

} // namespace

Command addAnnotate(CLI::App &App) {
  auto C = std::make_shared<AnnotateCommand>();
  CLI::App *Sub = App.add_subcommand(
      "annotate", "Show the source with the accesses and findings of each line in the margin");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("--kernel", C->Choice.Kernel, KernelHelp)->type_name("REGEX");
  Sub->add_option("--file", C->Choice.File,
                  "Only source files whose path contains a match of this regular expression")
      ->type_name("REGEX");
  Sub->add_option("--pattern", C->Choice.Pattern,
                  "Only lines with a finding whose pattern/kind contains a match of this one")
      ->type_name("REGEX");
  Sub->add_option("--context", C->How.Context,
                  "Lines to show around those with data; 0: only these")
      ->capture_default_str();
  Sub->add_flag("--whole-files", C->How.WholeFiles, "Show all lines of these files");
  Sub->add_flag("--brief", C->How.Brief, "Show one row per line, without its kernels and accesses");
  Sub->add_option("--format", C->Format, "text; html: a web page")
      ->check(CLI::IsMember({"text", "html"}))
      ->capture_default_str();
  Sub->add_option("-o,--output", C->Output,
                  "The file to write, - for the standard output (-, or annotated.html)")
      ->type_name("FILE");
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
