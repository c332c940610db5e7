//===- WebPage.cpp - A report as a web page -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/WebPage.h"
#include "report/model/Patterns.h"
#include "report/model/RunProfiles.h"
#include "report/model/SummaryJson.h"
#include "report/page/PageColumns.h"
#include "report/page/WebPageText.h"
#include "report/text/ObjectLabels.h"
#include "report/text/TextReport.h"
#include <array>
#include <cerrno>
#include <string_view>
#include <zlib.h>

namespace gmprof {

using nlohmann::ordered_json;

std::vector<PageSection> pageSections(const summary::Summary &S,
                                      const std::vector<std::string> &NotShown,
                                      const std::string &Folder) {
  TextOptions Options;
  Options.Utf8 = true;
  Options.Folder = Folder;
  Options.AllFindings = "the list of findings";
  const OverviewTexts Overview = overviewTexts(S, Options);
  ordered_json Findings = ordered_json::array(), Patterns = ordered_json::object();
  for (size_t I = 0; I < Overview.Findings.size(); ++I) {
    const OverviewTexts::Finding &F = Overview.Findings[I];
    Findings.push_back({{"subject", F.Subject},
                        {"cost", F.Cost},
                        {"processes", F.Processes},
                        {"measured", measuredTexts(S.findings[I])}});
  }
  for (const PatternInfo &P : allPatterns())
    Patterns[P.Name] = {
        {"title", P.Title},       {"means", P.Description},      {"profile", P.Profile},
        {"compared", P.Compared}, {"severity", severityRule(P)}, {"method", P.Method}};
  const RunProfiles Profiles(S);
  ordered_json Unchecked = ordered_json::array();
  for (const ProfileChecks &Each : allProfileChecks())
    if (!Profiles.makeChecksOf(Each.Profile))
      Unchecked.push_back({{"profile", Each.Profile}, {"checks", Each.Checks}});
  const ordered_json Texts = {{"head", Overview.Head},
                              {"missing", Overview.Missing},
                              {"figures", Overview.Figures},
                              {"findings", std::move(Findings)},
                              {"listed", Overview.Listed},
                              {"without_benefit", Overview.WithoutBenefit},
                              {"patterns", std::move(Patterns)},
                              {"unchecked", std::move(Unchecked)},
                              {"labels", objectLabels(S)},
                              {"not_shown", NotShown},
                              {"folder", Folder}};
  return {{"summary", toJson(S)}, {"texts", pageJson(Texts)}};
}

namespace {

/// Writes base64 to a file.
class Base64Writer {
public:
  explicit Base64Writer(std::FILE *To) : To(To) {}
  void add(const unsigned char *Bytes, size_t Count);
  /// Returns false if writing failed.
  bool end();

private:
  void group();

  std::FILE *To;
  std::array<unsigned char, 3> Pending = {};
  size_t PendingCount = 0;
  std::string Text;
  bool Good = true;
};

/// Compresses pieces with gzip.
class Compressor {
public:
  Compressor() {
    Good = ::deflateInit2(&Stream, 6, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Compressor() { ::deflateEnd(&Stream); }
  Compressor(const Compressor &) = delete;
  Compressor &operator=(const Compressor &) = delete;

  bool compress(std::string_view Content, Base64Writer &To);

private:
  z_stream Stream = {};
  bool Good;
};

} // namespace

void Base64Writer::group() {
  static constexpr char Digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint32_t Bits = uint32_t(Pending[0]) << 16 | uint32_t(Pending[1]) << 8 | Pending[2];
  for (size_t Digit = 0; Digit < 4; ++Digit)
    Text += Digit <= PendingCount ? Digits[Bits >> (18 - 6 * Digit) & 63] : '=';
  Pending = {};
  PendingCount = 0;
}

void Base64Writer::add(const unsigned char *Bytes, size_t Count) {
  for (size_t I = 0; I < Count; ++I) {
    Pending[PendingCount++] = Bytes[I];
    if (PendingCount == Pending.size())
      group();
  }
  Good = Good && std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  Text.clear();
}

bool Base64Writer::end() {
  if (PendingCount != 0)
    group();
  add(nullptr, 0);
  return Good;
}

bool Compressor::compress(std::string_view Content, Base64Writer &To) {
  if (!Good) {
    errno = ENOMEM;
    return false;
  }
  std::array<unsigned char, 1 << 16> Room;
  constexpr size_t Most = size_t(1) << 30; // avail_in has 32 bits
  int Status = Z_OK;
  do {
    const std::string_view Part = Content.substr(0, Most);
    Content.remove_prefix(Part.size());
    Stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(Part.data()));
    Stream.avail_in = static_cast<uInt>(Part.size());
    do {
      Stream.next_out = Room.data();
      Stream.avail_out = Room.size();
      Status = ::deflate(&Stream, Content.empty() ? Z_FINISH : Z_NO_FLUSH);
      To.add(Room.data(), Room.size() - Stream.avail_out);
    } while (Stream.avail_out == 0);
  } while (Status != Z_STREAM_END);
  return true;
}

bool writeWebPage(const std::vector<PageSection> &Sections, std::FILE *To) {
  constexpr std::string_view Mark = "<!--DATA-->";
  const std::string_view Page = WebPageText;
  const size_t At = Page.find(Mark);
  auto Write = [&](std::string_view Text) {
    return std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  };
  if (!Write(Page.substr(0, At)))
    return false;
  for (const PageSection &Section : Sections) {
    Base64Writer Base64(To);
    if (!Write("<script type=\"application/gzip\" id=\"data-" + Section.Name + "\">") ||
        !Compressor().compress(Section.Content, Base64) || !Base64.end() || !Write("</script>\n"))
      return false;
  }
  return Write(Page.substr(At + Mark.size()));
}

} // namespace gmprof
