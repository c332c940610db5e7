//===- Lexer.cpp - Lexer of inline PTX ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <bit>
#include <charconv>
#include <cstdlib>

using namespace gmprof::cpu::ptx;

// Character classes independent of the locale, unlike <cctype>.
static bool isDigit(char C) { return C >= '0' && C <= '9'; }
static bool isLetter(char C) { return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z'); }
static bool isNamePart(char C) { return isDigit(C) || isLetter(C) || C == '_'; }

Token Lexer::make(Token::Kind K, size_t Length) {
  Token T;
  T.K = K;
  T.Line = Line;
  T.Begin = Pos;
  T.Text = std::string(Text.substr(Pos, Length));
  Pos += Length;
  T.End = Pos;
  return T;
}

Token Lexer::invalid(std::string Why) {
  Token T = make(Token::Kind::Invalid, 0);
  T.Text = std::move(Why);
  return T;
}

/// Skips blanks and comments. Returns false at an unterminated comment.
bool Lexer::skipSpace() {
  for (;;) {
    char C = at(0);
    if (Pos >= Text.size())
      return true;
    if (C == '\n')
      ++Line, ++Pos;
    else if (C == ' ' || C == '\t' || C == '\r' || C == '\f' || C == '\v' || C == '\0')
      ++Pos;
    else if (C == '/' && at(1) == '/') {
      while (Pos < Text.size() && Text[Pos] != '\n')
        ++Pos;
    } else if (C == '/' && at(1) == '*') {
      size_t Close = Text.find("*/", Pos + 2);
      if (Close == std::string_view::npos)
        return false;
      for (; Pos < Close + 2; ++Pos)
        Line += Text[Pos] == '\n';
    } else
      return true;
  }
}

/// Appends the next part of an identifier, with $$ and ${:uid} replaced. Returns false at its end.
bool Lexer::identifierPart(std::string &Out) {
  if (isNamePart(at(0))) {
    Out += Text[Pos++];
    return true;
  }
  if (at(0) == '$' && at(1) == '$') {
    Out += '$';
    Pos += 2;
    return true;
  }
  if (Text.substr(Pos).starts_with("${:uid}")) {
    Out += std::to_string(UniqueId);
    Pos += 7;
    return true;
  }
  return false;
}

Token Lexer::nextName() {
  Token T = make(Token::Kind::Identifier, 0);
  for (;;) {
    if (identifierPart(T.Text))
      continue;
    if (!T.Text.empty() && at(0) == ':' && at(1) == ':' && isNamePart(at(2))) {
      T.Text += "::";
      Pos += 2;
      continue;
    }
    break;
  }
  T.End = Pos;
  if (T.Text.empty())
    return invalid("expected a name after '.'");
  return T;
}

/// Reads $0, ${0} or ${0:modifier}. Modifiers (q, h …) only matter to an asm printer.
Token Lexer::argument() {
  size_t Start = Pos;
  bool Braced = at(1) == '{';
  Pos += Braced ? 2 : 1;
  unsigned Number = 0;
  auto [Last, Error] = std::from_chars(Text.data() + Pos, Text.data() + Text.size(), Number);
  if (Error != std::errc())
    return invalid("expected an operand number after '$'");
  Pos = Last - Text.data();
  if (Braced) {
    if (at(0) == ':')
      for (++Pos; isNamePart(at(0));)
        ++Pos;
    if (at(0) != '}')
      return invalid("expected '}' after the operand number");
    ++Pos;
  }
  Token T = make(Token::Kind::Argument, 0);
  T.Bits = Number;
  T.Begin = Start;
  T.Text = "%" + std::to_string(Number);
  return T;
}

/// Reads a number: integers as in C, with an optional U; 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX; decimal
/// floating-point numbers, which are double precision.
Token Lexer::number() {
  auto Parse = [&](size_t Skip, int Base, Token::Kind K, size_t Digits) -> Token {
    const char *First = Text.data() + Pos + Skip, *End = Text.data() + Text.size();
    uint64_t Value = 0;
    auto [Last, Error] = std::from_chars(First, End, Value, Base);
    size_t Count = Last - First;
    if (Error != std::errc() || Count == 0)
      return invalid("malformed or too large number");
    if (Digits && Count != Digits)
      return invalid("a floating-point number in hexadecimal needs " + std::to_string(Digits) +
                     " digits");
    Token T = make(K, Skip + Count);
    T.Bits = Value;
    T.FloatWidth = Digits * 4;
    return T;
  };
  auto Finish = [&](Token T) {
    if (T.K == Token::Kind::Integer && at(0) == 'U')
      T.End = ++Pos;
    if (T.K != Token::Kind::Invalid && isNamePart(at(0)))
      return invalid("malformed number");
    return T;
  };

  char Second = at(1);
  if (at(0) == '0') {
    if (Second == 'f' || Second == 'F')
      return Finish(Parse(2, 16, Token::Kind::Float, 8));
    if (Second == 'd' || Second == 'D')
      return Finish(Parse(2, 16, Token::Kind::Float, 16));
    if (Second == 'x' || Second == 'X')
      return Finish(Parse(2, 16, Token::Kind::Integer, 0));
    if (Second == 'b' || Second == 'B')
      return Finish(Parse(2, 2, Token::Kind::Integer, 0));
  }

  size_t Length = 0;
  while (isDigit(at(Length)))
    ++Length;
  bool Decimal = at(Length) == '.' && isDigit(at(Length + 1));
  bool Exponent = at(Length) == 'e' || at(Length) == 'E';
  if (Decimal || Exponent) {
    double Value = 0;
    const char *First = Text.data() + Pos;
    auto [Last, Error] = std::from_chars(First, Text.data() + Text.size(), Value);
    if (Error != std::errc())
      return invalid("malformed or too large number");
    Token T = make(Token::Kind::Float, Last - First);
    T.Bits = std::bit_cast<uint64_t>(Value);
    T.FloatWidth = 64;
    return Finish(T);
  }
  if (at(0) == '0' && isDigit(Second))
    return Finish(Parse(1, 8, Token::Kind::Integer, 0));
  return Finish(Parse(0, 10, Token::Kind::Integer, 0));
}

Token Lexer::next() {
  if (!skipSpace())
    return invalid("a comment does not end");
  if (Pos >= Text.size())
    return make(Token::Kind::End, 0);

  char C = at(0);
  if (isDigit(C))
    return number();
  if (C == '$' && at(1) != '$' && !Text.substr(Pos).starts_with("${:uid}"))
    return argument();
  if (isLetter(C) || C == '_' || C == '$' || (C == '%' && (isNamePart(at(1)) || at(1) == '$'))) {
    Token T = make(Token::Kind::Identifier, 0);
    if (C == '%')
      T.Text += Text[Pos++];
    while (identifierPart(T.Text))
      ;
    T.End = Pos;
    return T;
  }
  if (C == '"') {
    size_t Close = Text.find('"', Pos + 1);
    if (Close == std::string_view::npos)
      return invalid("a string does not end");
    return make(Token::Kind::String, Close + 1 - Pos);
  }

  using K = Token::Kind;
  switch (C) {
  case '.':
    return make(K::Dot, 1);
  case ',':
    return make(K::Comma, 1);
  case ';':
    return make(K::Semicolon, 1);
  case ':':
    return make(K::Colon, 1);
  case '@':
    return make(K::At, 1);
  case '!':
    return make(K::Exclamation, 1);
  case '+':
    return make(K::Plus, 1);
  case '-':
    return make(K::Minus, 1);
  case '|':
    return make(K::Bar, 1);
  case '<':
    return make(K::Less, 1);
  case '>':
    return make(K::Greater, 1);
  case '{':
    return make(K::LeftBrace, 1);
  case '}':
    return make(K::RightBrace, 1);
  case '[':
    return make(K::LeftBracket, 1);
  case ']':
    return make(K::RightBracket, 1);
  case '(':
    return make(K::LeftParen, 1);
  case ')':
    return make(K::RightParen, 1);
  default:
    break;
  }
  if (C < 0x20 || C > 0x7e)
    return invalid("a character that PTX does not have");
  return invalid(std::string("unexpected '") + C + "'");
}
