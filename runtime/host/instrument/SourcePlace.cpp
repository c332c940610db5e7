//===- SourcePlace.cpp - Where a module's source text is ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/SourcePlace.h"
#include "host/instrument/ParameterNames.h"
#include <charconv>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace gmprof {
namespace {

/// A directive .file NUMBER "NAME".
struct FileDirective {
  unsigned Number;
  size_t Begin, End; ///< of the name, without its quotes
};

/// Takes blanks and a number from the begin of Text.
std::optional<unsigned> takeNumber(std::string_view &Text) {
  Text.remove_prefix(std::min(Text.find_first_not_of(" \t"), Text.size()));
  unsigned Number = 0;
  const auto Parsed = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Parsed.ec != std::errc())
    return std::nullopt;
  Text.remove_prefix(static_cast<size_t>(Parsed.ptr - Text.data()));
  return Number;
}

/// Returns the directive of the first file that does not exist.
std::optional<FileDirective> missingFile(const std::string &Ptx) {
  constexpr std::string_view Directive = ".file";
  for (size_t At = Ptx.find(Directive); At != std::string::npos; At = Ptx.find(Directive, At + 1)) {
    std::string_view Rest =
        std::string_view(Ptx).substr(At + Directive.size(), Ptx.find('\n', At) - At);
    const std::optional<unsigned> Number = takeNumber(Rest);
    const size_t Open = Rest.find('"'), Close = Rest.find('"', Open + 1);
    if (!Number || Open == std::string_view::npos || Close == std::string_view::npos)
      continue;
    const auto Begin = static_cast<size_t>(Rest.data() - Ptx.data()) + Open + 1;
    const size_t End = Begin + Close - Open - 1;
    if (::access(Ptx.substr(Begin, End - Begin).c_str(), F_OK) != 0)
      return FileDirective{*Number, Begin, End};
  }
  return std::nullopt;
}

/// Returns PTX with this much added to the lines of a file behind a word.
std::string withLinesAdded(const std::string &Ptx, std::string_view Word, unsigned File,
                           unsigned Added) {
  std::string Changed;
  size_t Copied = 0;
  for (size_t At = Ptx.find(Word); At != std::string::npos; At = Ptx.find(Word, At + 1)) {
    std::string_view Rest = std::string_view(Ptx).substr(At + Word.size());
    if (takeNumber(Rest) != File)
      continue;
    const auto Begin = static_cast<size_t>(Rest.data() - Ptx.data());
    const std::optional<unsigned> Line = takeNumber(Rest);
    if (!Line || *Line == 0) // 0: of no line
      continue;
    Changed.append(Ptx, Copied, Begin - Copied);
    Changed += " " + std::to_string(*Line + Added);
    Copied = static_cast<size_t>(Rest.data() - Ptx.data());
  }
  return Changed.append(Ptx, Copied);
}

/// Returns the name in the source of the first kernel.
std::string firstKernel(const std::string &Ptx) {
  constexpr std::string_view Entry = ".entry ";
  const size_t At = Ptx.find(Entry);
  if (At == std::string::npos)
    return "a kernel";
  const size_t Begin = At + Entry.size();
  return kernelInSource(Ptx.substr(Begin, Ptx.find_first_of("( \t\r\n", Begin) - Begin));
}

} // namespace

SourcePlace &SourcePlace::ofThread() {
  static thread_local SourcePlace Place;
  return Place;
}

std::string withSourcePlace(const std::string &Ptx, const SourcePlace &P) {
  const std::optional<FileDirective> File = missingFile(Ptx);
  if (!File || P.File.empty() || P.Line == 0 || P.File.find_first_of("\"\\\n") != std::string::npos)
    return Ptx;
  std::string Named = Ptx;
  Named.replace(File->Begin, File->End - File->Begin,
                P.Verbatim ? P.File
                           : "source of " + firstKernel(Ptx) + " (compiled at " + P.File + ":" +
                                 std::to_string(P.Line) + ")");
  if (!P.Verbatim)
    return Named;
  Named = withLinesAdded(Named, ".loc", File->Number, P.Line - 1);
  return withLinesAdded(Named, "inlined_at", File->Number, P.Line - 1);
}

} // namespace gmprof
