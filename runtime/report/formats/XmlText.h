//===- XmlText.h - Escapes text for XML and HTML ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_XMLTEXT_H
#define GMPROF_REPORT_FORMATS_XMLTEXT_H

#include <string>

namespace gmprof {

/// Escapes text for elements and attributes.
inline std::string xmlEscaped(const std::string &Text) {
  std::string To;
  for (char C : Text)
    if (C == '<')
      To += "&lt;";
    else if (C == '&')
      To += "&amp;";
    else if (C == '>')
      To += "&gt;";
    else if (C == '"')
      To += "&quot;";
    else // XML has no control characters
      To += static_cast<unsigned char>(C) < 0x20 && C != '\n' ? '?' : C;
  return To;
}

/// Returns the beginning of a self-contained page without scripts, up to its style.
inline std::string pageHead(const std::string &Title) {
  return R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>)" +
         xmlEscaped(Title) + "</title>\n";
}

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_XMLTEXT_H
