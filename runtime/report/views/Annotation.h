//===- Annotation.h - Costs of each source line -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps the data of a summary to source lines: accesses of kernels and their requests, waiting
// calls, allocations, and findings. A line of a template or inlined function belongs to several
// kernels; each kernel is a view of the line, split further by the chain of calls through which the
// function was inlined.
//
// Heat profiles count accesses per line, cache profiles requests per line. The shared and global
// profiles count accesses per element of an object: they are attributed to a line if it is the only
// one that accesses the object in this way. Otherwise each of the lines shows the sum for all of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_ANNOTATION_H
#define GMPROF_REPORT_VIEWS_ANNOTATION_H

#include "profile/Result.h"
#include "report/files/SourceText.h"
#include "report/model/Summary.h"
#include "report/text/TextReport.h"
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace gmprof {

/// Number of accesses.
struct Tally {
  double Value = 0;
  bool Known = false;
  bool AtLeast = false;  ///< a lower bound
  bool Together = false; ///< sum for several lines

  void add(const Tally &Other);
};

struct LineFigures {
  Tally Reads, Writes, Atomics; ///< to device memory
  uint64_t Requests = 0, Sectors = 0, BytesUsed = 0;
  uint64_t L1Lookups = 0, L1Hits = 0, L2Lookups = 0, L2Hits = 0, DramBytes = 0;
  Tally SharedAccesses; ///< read or write unknown
  Tally SharedReads, SharedWrites, SharedAtomics;
  uint64_t SharedRequests = 0, Wavefronts = 0, IdealWavefronts = 0;
  uint64_t Calls = 0, Waits = 0;
  double WaitSeconds = 0, CouldSave = 0;
  uint64_t Objects = 0, ObjectBytes = 0; ///< allocations

  void add(const LineFigures &Other);
};

/// A figure of LineFigures as a column of the margin.
struct FigureColumn {
  const char *Group, *Title, *Meaning;
  unsigned Spare; ///< highest are dropped first if space is short; 0: never
  /// Returns empty text if the line has no such figure. Brief: abbreviates numbers.
  std::string (*Text)(const LineFigures &Of, bool Brief);
};

/// Returns the columns in the order of the margin.
const std::vector<FigureColumn> &figureColumns();

/// Figures of one kernel on a line, or of one access.
struct LineView {
  std::string Name;
  LineFigures Figures;
  /// of a kernel: one entry per chain of inlined calls, if there are several
  std::vector<LineView> Inlined;
  std::vector<LineView> Accesses; ///< of a kernel, sorted by column
  unsigned Column = 0;            ///< of an access; 0: unknown
};

struct AnnotatedLine {
  LineFigures Figures;
  std::map<uint32_t, LineView> Kernels; ///< key: Kernel::id
  std::vector<const summary::Finding *> Findings;

  bool hasFigures() const;
};

struct AnnotatedFile {
  std::string Path;
  std::map<unsigned, AnnotatedLine> Lines;
  std::vector<uint32_t> Kernels; ///< Kernel::id of the kernels with figures here
};

struct AnnotationChoice {
  std::string Kernel, File, Pattern; ///< regular expressions; empty: all
};

struct Annotation {
  /// The summary, reduced to the choice. AnnotatedLine::Findings points into it.
  summary::Summary Summary;
  std::vector<AnnotatedFile> Files; ///< the most costly first
  /// Data that is not on any line, and why.
  std::vector<std::string> Notes;
};

/// Fails if nothing matches.
Result<Annotation> annotate(summary::Summary S, const AnnotationChoice &Choice);

struct AnnotationOptions {
  unsigned Context = 3; ///< lines of context around those with data
  bool WholeFiles = false;
  bool Brief = false; ///< omits views of kernels and accesses
};

std::string annotationText(const Annotation &A, SourceText &Source, const AnnotationOptions &How,
                           const TextOptions &Options);

/// Returns a self-contained web page without scripts.
std::string annotationPage(const Annotation &A, SourceText &Source, const AnnotationOptions &How);

/// Returns the numbers of the lines to show, ascending: those with data, and their context. Length:
/// lines in the file.
std::vector<unsigned> shownLines(const AnnotatedFile &File, unsigned Length,
                                 const AnnotationOptions &How);

/// Returns the note that a source file's state requires; empty if none.
std::string sourceNote(SourceText::State State);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_ANNOTATION_H
