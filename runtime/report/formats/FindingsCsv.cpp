//===- FindingsCsv.cpp - Findings as comma-separated values ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/FindingsCsv.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>
#include <string_view>

namespace gmprof {

static std::string cell(const std::string &Text) {
  std::string Value = text::printable(Text);
  if (!Value.empty() && std::string_view("=+-@").find(Value[0]) != std::string_view::npos)
    Value.insert(0, "'");
  if (Value.find_first_of(",\"") == std::string::npos)
    return Value;
  for (size_t At = Value.find('"'); At != std::string::npos; At = Value.find('"', At + 2))
    Value.insert(At, "\"");
  return "\"" + Value + "\"";
}

std::string findingsCsv(const summary::Summary &S) {
  std::string Text = "id,severity,pattern,kind,object,kernel,api,file,line,bytes_saved,"
                     "seconds_saved,message,suggestion,fingerprint\n";
  for (const summary::Finding &F : S.findings) {
    const bool OfCall = F.site && S.sync && *F.site < S.sync->sites.size();
    Text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", F.id, cell(F.severity), cell(F.pattern),
        cell(F.kind), cell(F.object ? F.object->name : ""), cell(F.kernel ? F.kernel->name : ""),
        cell(OfCall ? S.sync->sites[*F.site].api : ""), cell(F.source ? F.source->file : ""),
        F.source && F.source->line ? std::to_string(F.source->line) : "", F.bytes_saved,
        F.seconds_saved ? fmt::format("{:.9f}", *F.seconds_saved) : "", cell(F.message),
        cell(F.suggestion), cell(F.fingerprint));
  }
  return Text;
}

} // namespace gmprof
