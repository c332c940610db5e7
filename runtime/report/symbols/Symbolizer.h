//===- Symbolizer.h - Functions and lines of addresses ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A separate program, gmprof-symbolizer, contains LLVM's symbolizer, so that no other program of
// GMProf has to load it. Its input and output:
//
//   in   one line per address: the image's build id or "-", the address in the file in hexadecimal,
//        the file's path
//   out  one line of JSON each: [[function, file, line, column], …], inlined functions first;
//        unknown parts are empty or 0. null: the file is gone, or is not the one that ran
//
// It answers each line before it reads the next one, and runs until its input ends.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYMBOLS_SYMBOLIZER_H
#define GMPROF_REPORT_SYMBOLS_SYMBOLIZER_H

#include "profile/HelperProcess.h"
#include "profile/Profile.h"
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace gmprof {

/// Returns the path of gmprof-symbolizer, relative to this program or library.
std::string symbolizerPath();

/// Functions and lines of addresses, each looked up once.
class Symbols {
public:
  Symbols();
  /// Uses another symbolizer than the installed one.
  explicit Symbols(std::string Symbolizer);
  Symbols(Symbols &&) noexcept;
  Symbols &operator=(Symbols &&) noexcept;
  ~Symbols();

  /// Starts the symbolizer in advance. The destructor ends it.
  void start();
  /// Looks up the call paths of P, which may be incomplete, in advance.
  void lookUp(const profile::Profile &P);
  /// Sets the frames of all call paths. Unknown functions remain addresses in their image; they
  /// become a Gap unless the image merely lacks debug information. Names objects that are only
  /// identifiable by call path (analysis/TensorNames.h).
  void name(profile::Profile &P);

private:
  /// Build id, path, address in the file.
  using Request = std::tuple<std::string, std::string, uint64_t>;

  static Request requestOf(const profile::Image &In, uint64_t Return);
  static std::vector<Request> requestsOf(const profile::Profile &P);
  void answer(const std::vector<Request> &Requests);
  void ask(std::span<const Request> Unknown);
  void noteUnknown(const std::vector<Request> &Of, profile::Profile &P) const;
  std::vector<profile::Frame> frames(const profile::Profile &P, const profile::CallPath &Path,
                                     uint64_t Return) const;

  std::optional<std::string> Symbolizer;
  std::unique_ptr<HelperProcess> Process; ///< null: it is not running
  /// Answers by request; nothing: the file is gone, or has changed. Requests without an entry were
  /// not made, or the symbolizer could not run.
  std::map<Request, std::optional<std::vector<profile::Frame>>> Answers;
};

} // namespace gmprof

#endif // GMPROF_REPORT_SYMBOLS_SYMBOLIZER_H
