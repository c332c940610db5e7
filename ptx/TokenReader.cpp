//===- TokenReader.cpp - Tokens of PTX and errors about them --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gmprof::ptx {

bool TokenReader::error(Position At, const Twine &What) {
  if (Message.empty())
    Message = (File + ":" + Twine(At.Line) + ":" + Twine(At.Column) + ": " + What).str();
  return true;
}

/// Returns the current token in quotes.
std::string TokenReader::found() const {
  if (T.Begin == T.End)
    return EndName.str();
  std::string Text;
  for (const char C : StringRef(T.Begin, T.End - T.Begin).take_front(56))
    Text += isPrint(C) ? std::string(1, C) : "\\x" + toHex(StringRef(&C, 1), /*LowerCase=*/true);
  return "'" + Text + (T.End - T.Begin > 56 ? "…'" : "'");
}

bool TokenReader::expected(const Twine &What) {
  if (T.K == Token::Kind::Invalid)
    return error(T.At, "expected " + T.Text + ", found " + found());
  return error(T.At, "expected " + What + ", found " + found());
}

bool TokenReader::expect(char C, const Twine &Where) {
  if (!T.is(C))
    return expected("'" + Twine(C) + "' " + Where);
  advance();
  return false;
}

bool TokenReader::accept(char C) {
  if (!T.is(C))
    return false;
  advance();
  return true;
}

bool TokenReader::identifier(StringRef &Name, const Twine &What) {
  if (T.K != Token::Kind::Identifier)
    return expected(What);
  Name = T.Text;
  advance();
  return false;
}

bool TokenReader::unsignedNumber(unsigned &Value, const Twine &What) {
  if (T.K != Token::Kind::Integer || T.Bits > UINT32_MAX)
    return expected(What);
  Value = T.Bits;
  advance();
  return false;
}

} // namespace gmprof::ptx
