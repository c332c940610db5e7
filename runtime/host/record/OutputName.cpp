//===- OutputName.cpp - Names of output directories -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/OutputName.h"
#include "host/record/Recorder.h"
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gmprof::host {
namespace {

/// The part of a pattern that begins with a percent sign.
struct Conversion {
  char Letter = 0;
  size_t Length = 0; ///< of the part
  std::string Variable;
};

Result<Conversion> conversionAt(std::string_view Pattern, size_t Percent) {
  const std::string_view Rest = Pattern.substr(Percent);
  if (Rest.size() < 2)
    return Error{"must not end in a single % (%% is a percent sign)"};
  if (std::strchr("pherqt%", Rest[1]) == nullptr)
    return Error{"has the unknown pattern '" + std::string(Rest.substr(0, 2)) +
                 "': there are %p (process id), %h (host), %e (program), %r (rank), %t (time), "
                 "%q{VAR} (environment variable) and %% (a percent sign)"};
  if (Rest[1] != 'q')
    return Conversion{Rest[1], 2, ""};
  const size_t Close = Rest.find('}');
  if (Rest.size() < 3 || Rest[2] != '{' || Close == std::string_view::npos || Close == 3)
    return Error{"has a %q without a variable: write %q{VAR}"};
  return Conversion{'q', Close + 1, std::string(Rest.substr(3, Close - 3))};
}

std::string timeStamp(std::time_t Time) {
  std::tm Parts = {};
  gmtime_r(&Time, &Parts);
  char Text[32];
  return std::string(Text, std::strftime(Text, sizeof(Text), "%Y%m%dT%H%M%SZ", &Parts));
}

Result<std::string> valueOf(const Conversion &C, const OutputFacts &Facts) {
  switch (C.Letter) {
  case 'p':
    return std::to_string(Facts.Pid);
  case 'h':
    return std::string(Facts.Host);
  case 'e':
    return std::string(Facts.Executable);
  case 't':
    return timeStamp(Facts.Time);
  case 'r':
    if (!Facts.Rank)
      return Error{"has %r, but there is no rank in the environment (OMPI_COMM_WORLD_RANK, "
                   "PMI_RANK, SLURM_PROCID and the like): start the program with mpirun or srun, "
                   "or use %p"};
    return std::to_string(*Facts.Rank);
  case 'q': {
    const char *Value = std::getenv(C.Variable.c_str());
    if (!Value)
      return Error{"has %q{" + C.Variable + "}, but this environment variable is not set"};
    return std::string(Value);
  }
  default:
    return std::string("%");
  }
}

} // namespace

std::string checkOutput(std::string_view Pattern) {
  for (size_t I = Pattern.find('%'); I != std::string_view::npos;) {
    Result<Conversion> C = conversionAt(Pattern, I);
    if (!C)
      return C.error();
    I = Pattern.find('%', I + C->Length);
  }
  return "";
}

Result<std::string> expandOutput(std::string_view Pattern, const OutputFacts &Facts) {
  std::string Path;
  for (size_t I = 0; I < Pattern.size();) {
    if (Pattern[I] != '%') {
      Path += Pattern[I++];
      continue;
    }
    Result<Conversion> C = conversionAt(Pattern, I);
    Result<std::string> Value = C ? valueOf(*C, Facts) : Error{C.error()};
    if (!Value)
      return Error{"the output directory '" + std::string(Pattern) + "' " + Value.error()};
    Path += *Value;
    I += C->Length;
  }
  if (Path.empty())
    return Error{"the output directory '" + std::string(Pattern) +
                 "' has no name: nothing is in "
                 "what it stands for"};
  return Path;
}

std::string literalOutput(std::string_view Name) {
  std::string Pattern;
  for (char C : Name)
    Pattern += C == '%' ? std::string("%%") : std::string(1, C);
  return Pattern;
}

std::optional<int> processRank() {
  // Programs may use RANK for other purposes, but not together with WORLD_SIZE.
  static constexpr const char *Variables[] = {
      "OMPI_COMM_WORLD_RANK", "PMIX_RANK",      "PMI_RANK",     "MV2_COMM_WORLD_RANK",
      "PALS_RANKID",          "FLUX_TASK_RANK", "SLURM_PROCID", "RANK"};
  for (const char *Variable : Variables) {
    const char *Value = std::getenv(Variable);
    if (!Value || (std::strcmp(Variable, "RANK") == 0 && !std::getenv("WORLD_SIZE")))
      continue;
    int Rank = -1;
    const char *End = Value + std::strlen(Value);
    if (const auto [Stop, Bad] = std::from_chars(Value, End, Rank);
        Bad == std::errc() && Stop == End && Rank >= 0)
      return Rank;
  }
  return std::nullopt;
}

OutputFacts outputFacts(std::string Executable) {
  return {getpid(), hostName(), std::move(Executable), processRank(), std::time(nullptr)};
}

} // namespace gmprof::host
