//===- Annotation.h - What each line of the source does ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a summary knows of each line of the program: accesses of kernels, what their
// requests come to, calls that wait, allocations, and findings. A line of a template or of a
// function that is inlined is part of several kernels: each of these is a view of it, and in a
// kernel each path of calls by which the function was inlined.
//
// Heat profiles know the accesses of each line, those of caches its requests. Those of shared and
// of global memory count accesses of elements, whichever line makes them: these are a line's own if
// it is the only one that accesses the object so. Else each of the lines has the number of all of
// them together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_ANNOTATION_H
#define GMPROF_REPORT_ANNOTATION_H

#include "profile/Result.h"
#include "report/SourceText.h"
#include "report/Summary.h"
#include "report/TextReport.h"
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace gmprof {

/// A number of accesses.
struct Tally {
  double Value = 0;
  bool Known = false;
  bool AtLeast = false;  ///< a lower bound
  bool Together = false; ///< with other lines

  void add(const Tally &Other);
};

struct LineFigures {
  Tally Reads, Writes, Atomics; ///< of device memory
  uint64_t Requests = 0, Sectors = 0, BytesUsed = 0;
  uint64_t L1Lookups = 0, L1Hits = 0, L2Lookups = 0, L2Hits = 0, DramBytes = 0;
  Tally SharedAccesses; ///< whether they read or write is not known
  Tally SharedReads, SharedWrites, SharedAtomics;
  uint64_t SharedRequests = 0, Wavefronts = 0, IdealWavefronts = 0;
  uint64_t Calls = 0, Waits = 0;
  double WaitSeconds = 0, CouldSave = 0;
  uint64_t Objects = 0, ObjectBytes = 0; ///< allocated

  void add(const LineFigures &Other);
};

/// A number of LineFigures as the margin shows it.
struct FigureColumn {
  const char *Group, *Title, *Meaning;
  unsigned Spare; ///< the highest are left out first where there is no room; 0: never
  /// Empty if the line has none. Brief: in few characters.
  std::string (*Text)(const LineFigures &Of, bool Brief);
};

/// In the order of the margin.
const std::vector<FigureColumn> &figureColumns();

/// What one kernel does there, or one of its accesses.
struct LineView {
  std::string Name;
  LineFigures Figures;
  /// Of a kernel, by the calls by which the line's function was inlined, if there are several.
  std::vector<LineView> Inlined;
  std::vector<LineView> Accesses; ///< of a kernel, from left to right
  unsigned Column = 0;            ///< of an access; 0: not known
};

struct AnnotatedLine {
  LineFigures Figures;
  std::map<uint32_t, LineView> Kernels; ///< by Kernel::id
  std::vector<const summary::Finding *> Findings;

  bool hasFigures() const;
};

struct AnnotatedFile {
  std::string Path;
  std::map<unsigned, AnnotatedLine> Lines;
  std::vector<uint32_t> Kernels; ///< Summary::kernels that have lines here
};

struct AnnotationChoice {
  std::string Kernel, File, Pattern; ///< regular expressions; empty: all
};

struct Annotation {
  /// The summary, with what the choice left; lines point to its findings.
  summary::Summary Summary;
  std::vector<AnnotatedFile> Files; ///< those with the most work first
  /// What is not in the lines, and why.
  std::vector<std::string> Notes;
};

/// An error if nothing matches.
Result<Annotation> annotate(summary::Summary S, const AnnotationChoice &Choice);

struct AnnotationOptions {
  unsigned Context = 3; ///< lines around those with data
  bool WholeFiles = false;
  bool Brief = false; ///< without views of kernels and accesses
};

/// When the run began, as SourceText takes it; 0: not known.
uint64_t startUnixNs(const summary::Run &Run);

std::string annotationText(const Annotation &A, SourceText &Source, const AnnotationOptions &How,
                           const TextOptions &Options);

/// A web page that needs nothing else, and runs nothing.
std::string annotationPage(const Annotation &A, SourceText &Source, const AnnotationOptions &How);

/// Lines to show of a file, in order: those with data, and the context.
/// Length: of the file, in lines.
std::vector<unsigned> shownLines(const AnnotatedFile &File, unsigned Length,
                                 const AnnotationOptions &How);

/// What is to be said of a source file; empty: nothing.
std::string sourceNote(SourceText::State State);

} // namespace gmprof

#endif // GMPROF_REPORT_ANNOTATION_H
