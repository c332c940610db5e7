//===- XmlText.h - Text as XML can have it ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_XMLTEXT_H
#define GMPROF_REPORT_XMLTEXT_H

#include <string>

namespace gmprof {

/// In elements and attributes.
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

} // namespace gmprof

#endif // GMPROF_REPORT_XMLTEXT_H
