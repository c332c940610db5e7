//===- SvgText.h - Text in pictures -----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SVGTEXT_H
#define GMPROF_REPORT_SVGTEXT_H

#include <string>

namespace gmprof {

/// As XML can have it.
inline std::string svgEscaped(const std::string &Text) {
  std::string To;
  for (char C : Text)
    if (C == '<')
      To += "&lt;";
    else if (C == '&')
      To += "&amp;";
    else if (C == '>')
      To += "&gt;";
    else // XML has no control characters
      To += static_cast<unsigned char>(C) < 0x20 && C != '\n' ? '?' : C;
  return To;
}

} // namespace gmprof

#endif // GMPROF_REPORT_SVGTEXT_H
