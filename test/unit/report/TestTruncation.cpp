//===- TestTruncation.cpp - Reports of truncated event logs ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gmprof-test-truncation LOG reads prefixes of a log, as if a program had been killed there: each
// prefix, byte by byte, up to the first launches, then each record boundary and half of each next
// record (EventLogTest.cpp tests for each byte that the reader ignores a partial record). Each
// prefix must give a summary that says that it is incomplete, or an error of one line. Prints the
// number of both.
//
//===----------------------------------------------------------------------===//

#include "profile/ProfileBuilder.h"
#include "report/builder/SummaryBuilder.h"
#include "report/model/SummaryJson.h"
#include "report/text/TextReport.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

using namespace gmprof;

namespace {

using Bytes = std::vector<std::byte>;

[[noreturn]] void wrong(size_t Size, const std::string &What) {
  std::fprintf(stderr, "gmprof-test-truncation: error: %zu bytes: %s\n", Size, What.c_str());
  std::exit(1);
}

/// Returns whether this log has a summary.
bool report(const Bytes &Log, bool Whole) {
  auto Reader = EventLogReader::create(Log, "log");
  auto P = Reader ? buildProfile(*Reader, "log") : Result<profile::Profile>(Error{Reader.error()});
  if (!P) {
    if (P.error().empty() || P.error().find('\n') != std::string::npos)
      wrong(Log.size(), "is said to be '" + P.error() + "'");
    return false;
  }
  const summary::Summary S = buildSummary(*P).Content;
  if (S.run.complete != Whole)
    wrong(Log.size(), S.run.complete ? "are a complete run" : "are no complete run");
  if (Whole)
    return true;
  auto Read = parseSummary(toJson(S), "summary.json");
  if (!Read)
    wrong(Log.size(), Read.error());
  if (textReport(*Read, {}).find("the program ended before its profile was complete") ==
      std::string::npos)
    wrong(Log.size(), "have a report that does not say that the program died");
  return true;
}

/// Returns the offsets of records.
std::vector<size_t> records(const Bytes &Log) {
  std::vector<size_t> Begins;
  auto Reader = EventLogReader::create(Log, "log");
  if (!Reader)
    wrong(Log.size(), Reader.error());
  do
    Begins.push_back(Reader->position());
  while (Reader->next());
  Begins.pop_back();
  return Begins;
}

} // namespace

int main(int Argc, char **Argv) {
  std::ifstream File(Argc == 2 ? Argv[1] : "", std::ios::binary);
  if (!File) {
    std::fprintf(stderr, "usage: gmprof-test-truncation LOG\n");
    return 2;
  }
  const std::string Text((std::istreambuf_iterator<char>(File)), {});
  const auto *Data = reinterpret_cast<const std::byte *>(Text.data());
  const std::vector<size_t> Begins = records({Data, Data + Text.size()});
  std::vector<size_t> Sizes;
  constexpr size_t ToTheByte = 1024;
  for (size_t Size = 0; Size < std::min(ToTheByte, Text.size()); ++Size)
    Sizes.push_back(Size);
  for (size_t I = 0; I < Begins.size(); ++I) {
    const size_t End = I + 1 < Begins.size() ? Begins[I + 1] : Text.size();
    for (size_t Size : {Begins[I], Begins[I] + (End - Begins[I]) / 2})
      if (Size >= ToTheByte)
        Sizes.push_back(Size);
  }
  size_t Summaries = 0;
  for (size_t Size : Sizes)
    Summaries += report({Data, Data + Size}, false);
  if (!report({Data, Data + Text.size()}, true))
    wrong(Text.size(), "have no summary");
  std::printf("%s summaries, %s errors, of %s records\n", Summaries ? "some" : "no",
              Summaries < Sizes.size() ? "some" : "no", Begins.empty() ? "no" : "many");
  return 0;
}
