//===- Tool.cpp - Functions shared by gmreport's commands -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/tool/Tool.h"
#include "cli/StatusLine.h"
#include "profile/Progress.h"
#include "report/files/UnfinishedFile.h"
#include "report/text/Terminal.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::tool {

int fail(Exit Status, const std::string &Message) {
  cli::clearStatusLine();
  std::fprintf(stderr, "gmreport: error: %s\n", text::printable(Message).c_str());
  return Status;
}

int print(const std::string &Text) { return writeFile("-", Text); }

using WriteTo = std::function<bool(std::FILE *)>;

static int cannotWrite(const std::string &Output) {
  const std::string Why = std::strerror(errno);
  return fail(BadInput, "cannot write '" + Output + "': " + Why);
}

static int writeStandardOutput(const WriteTo &Write) {
  cli::clearStatusLine();
  const bool Written = Write(stdout);
  if ((std::fflush(stdout) == 0 && Written) || errno == EPIPE)
    return Ok;
  return fail(BadInput,
              std::string("cannot write to the standard output: ") + std::strerror(errno));
}

/// Writes to a device or pipe, which cannot be replaced.
static int writeInPlace(const std::string &Output, const WriteTo &Write) {
  std::FILE *To = std::fopen(Output.c_str(), "we");
  if (!To)
    return cannotWrite(Output);
  const bool Written = Write(To);
  return std::fclose(To) == 0 && Written ? Ok : cannotWrite(Output);
}

/// Returns the permissions of an existing file, or those a new one would get.
static mode_t modeOf(const std::string &Path) {
  struct stat Status = {};
  if (::stat(Path.c_str(), &Status) == 0)
    return Status.st_mode & 0777;
  const mode_t Masked = ::umask(0);
  ::umask(Masked);
  return 0666 & ~Masked;
}

static int replaceFile(const std::string &Output, const WriteTo &Write) {
  // Replaces the target of a link, not the link.
  std::error_code Ignored;
  const std::string Path = std::filesystem::is_symlink(Output, Ignored)
                               ? std::filesystem::weakly_canonical(Output, Ignored).string()
                               : Output;
  if (::access(Path.c_str(), W_OK) != 0 && errno != ENOENT)
    return cannotWrite(Output);
  UnfinishedFile File(Path);
  std::FILE *To = File.descriptor() < 0 ? nullptr : ::fdopen(File.descriptor(), "w");
  if (!To)
    return cannotWrite(Output);
  bool Written = ::fchmod(File.descriptor(), modeOf(Path)) == 0 && Write(To);
  Written = std::fclose(To) == 0 && Written;
  return Written && File.finish() ? Ok : cannotWrite(Output);
}

int writeFile(const std::string &Output, const WriteTo &Write) {
  std::signal(SIGPIPE, SIG_IGN);
  if (Output == "-")
    return writeStandardOutput(Write);
  progress("writing " + Output);
  std::error_code Ignored;
  const bool InPlace = std::filesystem::exists(Output, Ignored) &&
                       !std::filesystem::is_regular_file(Output, Ignored);
  const int Status = InPlace ? writeInPlace(Output, Write) : replaceFile(Output, Write);
  cli::clearStatusLine();
  return Status;
}

int writeFile(const std::string &Output, const std::string &Text) {
  return writeFile(Output, [&](std::FILE *To) {
    return std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  });
}

void Style::addTo(CLI::App &Command) {
  Command.add_option("--color", Color, "auto, always or never; auto also honours NO_COLOR")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  Command.add_option("--width", Width, "Columns; default: COLUMNS, the terminal's, or 100");
}

TextOptions Style::text(unsigned Top) const {
  TextOptions Options = terminalOptions(STDOUT_FILENO, Color, Width);
  Options.Top = Top;
  return Options;
}

} // namespace gmprof::tool
